/** A list that ends midway: what came is printed, and nothing lets it pass for the whole. */
import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { formatNames } from '../../src/catalogue/formats.js'
import { formats } from '../../src/output/formats.js'
import { head } from '../faults/answers.js'
import { type LyingServer, lie } from '../faults/server.js'
import { collector, opened } from '../output/open.js'
import { folder } from '../support/program.js'
import { svcctl } from '../support/within.js'

const page = (from: number): string =>
  JSON.stringify([0, 1, 2].map((i) => ({ id: from + i, description: `r${from + i}` })))

let server: LyingServer
beforeAll(async () => {
  server = await lie(({ path }, socket) => {
    const second = path.includes('page=2')
    const text = page(second ? 4 : 1)
    const headers = {
      'content-type': 'application/json',
      'content-length': String(text.length),
      ...(second ? {} : { link: '</api/v4/runners?page=2>; rel="next"' }),
    }
    socket.write(`${head('200 OK', headers)}${second ? text.slice(0, 40) : text}`)
    // The second page breaks off in its second record.
    if (second) setTimeout(() => socket.resetAndDestroy(), 50)
  })
})
afterAll(() => server.close())

const lines = (text: string): readonly string[] => text.trimEnd().split('\n')
/** How many records a program finds that reads the format, where they do not stand a line each. */
const readers: Readonly<Record<string, (text: string) => number>> = {
  json: (text) => JSON.parse(text).length,
  ndjson: (text) => lines(text).map((line) => JSON.parse(line)).length,
  yaml: (text) => parse(text).length,
  csv: (text) => lines(text).length - 1,
  table: (text) => lines(text).length - 1,
  wide: (text) => lines(text).length - 1,
  markdown: (text) => lines(text).length - 2,
  // Without its end a page says that it is incomplete.
  html: (text) => (text.includes('<footer>') ? 0 : (text.match(/<tr><td/g)?.length ?? 0)),
  value: (text) => lines(text).length,
  id: (text) => lines(text).length,
}

it('knows the formats', () => expect([...formatNames].sort()).toEqual(Object.keys(readers).sort()))

it.each([
  ...formats.map(
    ({ name, shows }) => [name, shows === 'fields' ? ['--fields', 'id'] : []] as const,
  ),
  ['json', ['--fields', 'id']] as const,
])('in the format %s %j', async (format, more) => {
  const { code, stdout, stderr } = await svcctl(
    ['runners', 'list', '--limit', 'all', '-o', format, '--retries', '0', ...more],
    { env: { SVC_TOKEN: 'any', SVC_BASE_URL: server.url } },
  )
  expect(code).toBe(7)
  expect(stderr).toMatch(/4 records arrived before that, so the list is incomplete/)
  expect(stdout).toContain('4')
  const read = readers[format]
  if (format === 'json') {
    expect(() => read?.(stdout)).toThrow()
    expect(JSON.parse(stderr)).toMatchObject({ error: { category: 'unreachable' } })
  } else expect(read?.(stdout)).toBe(4)
})

it.each([
  [['--jq', 'length']],
  [['-o', 'ndjson', '--jq', '.id', '--slurp']],
  [['--count']],
  [['-o', 'json', '--to', 'cut-list.json']],
])('prints nothing where a part would pass for the whole: %j', async (more) => {
  const cwd = folder()
  const { code, stdout, stderr } = await svcctl(
    ['runners', 'list', '--limit', 'all', '--retries', '0', ...more],
    { cwd, env: { SVC_TOKEN: 'any', SVC_BASE_URL: server.url } },
  )
  expect([code, stdout]).toEqual([7, ''])
  expect(stderr).not.toContain('printed')
  expect(readdirSync(cwd)).toEqual([])
})

it('on a terminal, where the first records wait for the widths of the columns', async () => {
  const sink = collector()
  const writer = await opened('table', sink, { terminal: true })
  await writer.record({ id: 1, description: 'one' })
  expect(sink.text()).toBe('')
  await writer.abandon()
  expect(sink.text()).toMatch(/id +description\n1 +one\n/)
})
