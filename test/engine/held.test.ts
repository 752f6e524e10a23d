/**
 * Several instances, of which the first is not done: the others hold what they have read, ask for one page more, and
 * stop. Who asked what before the first was done says so, and no clock: all of it is written down by one process.
 */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { configuration } from '../support/program.js'
import { svcctl } from '../support/within.js'

const pages = 12
/** Each page that was asked for, in the order in which they were: `a 1`. */
const asked: string[] = []
/** Resolve once the second page of each other instance was asked for. */
let others: readonly PromiseWithResolver[] = []
interface PromiseWithResolver {
  readonly come: Promise<void>
  readonly resolve: () => void
}
const latch = (): PromiseWithResolver => {
  let resolve = (): void => {}
  const come = new Promise<void>((done) => {
    resolve = done
  })
  return { come, resolve }
}

/** Lists that say how many pages there are: each may be asked for by its number. */
const answering =
  (name: string, before: (page: number) => Promise<void>): RequestListener =>
  async (request, response) => {
    const url = new URL(request.url ?? '', `http://${request.headers.host}`)
    const page = Number(url.searchParams.get('page') ?? 1)
    asked.push(`${name} ${page}`)
    await before(page)
    const to = (n: number, rel: string): string => {
      url.searchParams.set('page', String(n))
      return `<${url}>; rel="${rel}"`
    }
    const next = page < pages ? [to(page + 1, 'next')] : []
    response.writeHead(200, {
      'content-type': 'application/json',
      link: [...next, to(pages, 'last')].join(', '),
      'x-per-page': '1',
      'x-total-pages': String(pages),
    })
    response.end(JSON.stringify([{ id: page }]))
  }

const config = configuration()
const run = (line: string) => svcctl(line.split(' '), { env: { SVC_CONFIG_DIR: config } })
const servers: Server[] = []

beforeAll(async () => {
  const first = answering('a', async () => {
    await Promise.all(others.map(({ come }) => come))
  })
  const other = (name: string, n: number) =>
    answering(name, async (page) => {
      if (page === 2) others[n]?.resolve()
    })
  for (const [i, listener] of [first, other('b', 0), other('c', 1)].entries()) {
    const server = createServer(listener)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    servers.push(server)
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const line = `profile set ${'abc'[i]} --base-url http://127.0.0.1:${port} --token-command`
    await svcctl([...line.split(' '), 'printf canary'], { env: { SVC_CONFIG_DIR: config } })
  }
})
beforeEach(() => {
  asked.splice(0)
  others = [latch(), latch()]
})
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
})

it('waits for the first, though one between them has failed', async () => {
  const made = 'profile set down --base-url http://127.0.0.1:1 --retries 0 --token-command'
  await svcctl([...made.split(' '), 'printf canary'], { env: { SVC_CONFIG_DIR: config } })
  others[0]?.resolve()
  const ran = await run('runners list -p a,down,c -L all -o csv --fields id')
  expect(ran.code).toBe(8)
  expect(ran.stdout.trim().split('\n').slice(1)).toEqual(
    ['a', 'c'].flatMap((name) => ids.map((id) => `${name},${id}`)),
  )
})

const ids = Array.from({ length: pages }, (_, i) => i + 1)
/** What was asked of the others before the last page of the first one was. */
const early = (): readonly string[] =>
  asked.slice(0, asked.indexOf(`a ${pages}`)).filter((line) => !line.startsWith('a'))

it.each([
  ['runners list -p a,b,c -L all -o csv --fields id --concurrency 8', ''],
  ['mr list -P x/y,x/z -p a,b,c -L all -o csv --fields id --concurrency 8', 'x/y,'],
])('hold two pages each: %s', async (line, parent) => {
  const ran = await run(line)
  expect(ran.stderr).toBe('')
  const [heading, ...rows] = ran.stdout.trim().split('\n')
  expect(heading).toBe(`profile,${parent === '' ? '' : 'project,'}id`)
  const of = (text: string) =>
    ['a', 'b', 'c'].flatMap((name) => ids.map((id) => `${name},${text}${id}`))
  if (parent === '') expect(rows).toEqual(of(''))
  else expect(rows.filter((row) => row.includes('x/y'))).toEqual(of(parent))
  const most = parent === '' ? 2 : 4
  for (const name of ['b', 'c'])
    expect(early().filter((one) => one.startsWith(name)).length).toBeLessThanOrEqual(most)
  expect(early().filter((one) => / [12]$/.test(one))).toEqual(early())
  // Each page once, and none left out.
  expect(asked).toHaveLength(3 * pages * (parent === '' ? 1 : 2))
})
