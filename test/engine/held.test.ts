/**
 * Tests several instances of which the first is slow: the others keep what they have read, request one more page, and stop.
 * One process records all requests in order, so the tests need no clock.
 */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createConfiguration } from '../support/program.js'
import { svcctl } from '../support/within.js'

const pages = 12
/** The requested pages in order, such as `a 1`. */
const requestedPages: string[] = []
/** Each resolves when the second page of another instance is requested. */
let otherLatches: readonly PromiseWithResolver[] = []
interface PromiseWithResolver {
  readonly come: Promise<void>
  readonly resolve: () => void
}
const createLatch = (): PromiseWithResolver => {
  let resolve = (): void => {}
  const come = new Promise<void>((done) => {
    resolve = done
  })
  return { come, resolve }
}

/** Creates a listener that answers lists with their number of pages, so that each page can be requested by number. */
const createListener =
  (name: string, before: (page: number) => Promise<void>): RequestListener =>
  async (request, response) => {
    const url = new URL(request.url ?? '', `http://${request.headers.host}`)
    const page = Number(url.searchParams.get('page') ?? 1)
    requestedPages.push(`${name} ${page}`)
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

const config = createConfiguration()
const run = (line: string) => svcctl(line.split(' '), { env: { SVC_CONFIG_DIR: config } })
const servers: Server[] = []

beforeAll(async () => {
  const first = createListener('a', async () => {
    await Promise.all(otherLatches.map(({ come }) => come))
  })
  const other = (name: string, n: number) =>
    createListener(name, async (page) => {
      if (page === 2) otherLatches[n]?.resolve()
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
  requestedPages.splice(0)
  otherLatches = [createLatch(), createLatch()]
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
  otherLatches[0]?.resolve()
  const ran = await run('runners list -p a,down,c -L all -o csv --fields id')
  expect(ran.code).toBe(8)
  expect(ran.stdout.trim().split('\n').slice(1)).toEqual(
    ['a', 'c'].flatMap((name) => ids.map((id) => `${name},${id}`)),
  )
})

const ids = Array.from({ length: pages }, (_, i) => i + 1)
/** Lists the requests to the other instances before the last page of the first one was requested. */
const listEarlyRequests = (): readonly string[] =>
  requestedPages
    .slice(0, requestedPages.indexOf(`a ${pages}`))
    .filter((line) => !line.startsWith('a'))

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
    expect(listEarlyRequests().filter((one) => one.startsWith(name)).length).toBeLessThanOrEqual(
      most,
    )
  expect(listEarlyRequests().filter((one) => / [12]$/.test(one))).toEqual(listEarlyRequests())
  // Each page was requested exactly once.
  expect(requestedPages).toHaveLength(3 * pages * (parent === '' ? 1 : 2))
})
