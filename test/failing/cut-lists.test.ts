/** A list whose connection breaks midway: the records that came are printed, and the output cannot pass for the whole list. */
import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { formatNames } from '../../src/catalogue/formats.js'
import { formats } from '../../src/output/formats.js'
import { buildHead } from '../faults/answers.js'
import { type LyingServer, startLyingServer } from '../faults/server.js'
import { createCollector, openTestWriter } from '../output/open.js'
import { createFolder } from '../support/program.js'
import { svcctl } from '../support/within.js'

const buildPage = (from: number): string =>
  JSON.stringify([0, 1, 2].map((i) => ({ id: from + i, description: `r${from + i}` })))

let server: LyingServer
beforeAll(async () => {
  server = await startLyingServer(({ path }, socket) => {
    const second = path.includes('page=2')
    const text = buildPage(second ? 4 : 1)
    const headers = {
      'content-type': 'application/json',
      'content-length': String(text.length),
      ...(second ? {} : { link: '</api/v4/runners?page=2>; rel="next"' }),
    }
    socket.write(`${buildHead('200 OK', headers)}${second ? text.slice(0, 40) : text}`)
    // The second page breaks off in its second record.
    if (second) setTimeout(() => socket.resetAndDestroy(), 50)
  })
})
afterAll(() => server.close())

const splitLines = (text: string): readonly string[] => text.trimEnd().split('\n')
/** Counts the records that a reader of each format finds. */
const countRecords: Readonly<Record<string, (text: string) => number>> = {
  json: (text) => JSON.parse(text).length,
  ndjson: (text) => splitLines(text).map((line) => JSON.parse(line)).length,
  yaml: (text) => parse(text).length,
  csv: (text) => splitLines(text).length - 1,
  table: (text) => splitLines(text).length - 1,
  wide: (text) => splitLines(text).length - 1,
  markdown: (text) => splitLines(text).length - 2,
  // A page without its footer is incomplete.
  html: (text) => (text.includes('<footer>') ? 0 : (text.match(/<tr><td/g)?.length ?? 0)),
  value: (text) => splitLines(text).length,
  id: (text) => splitLines(text).length,
}

it('knows the formats', () =>
  expect([...formatNames].sort()).toEqual(Object.keys(countRecords).sort()))

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
  const read = countRecords[format]
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
  const cwd = createFolder()
  const { code, stdout, stderr } = await svcctl(
    ['runners', 'list', '--limit', 'all', '--retries', '0', ...more],
    { cwd, env: { SVC_TOKEN: 'any', SVC_BASE_URL: server.url } },
  )
  expect([code, stdout]).toEqual([7, ''])
  expect(stderr).not.toContain('printed')
  expect(readdirSync(cwd)).toEqual([])
})

it('on a terminal, where the first records wait for the widths of the columns', async () => {
  const sink = createCollector()
  const writer = await openTestWriter('table', sink, { terminal: true })
  await writer.record({ id: 1, description: 'one' })
  expect(sink.text()).toBe('')
  await writer.abandon()
  expect(sink.text()).toMatch(/id +description\n1 +one\n/)
})
