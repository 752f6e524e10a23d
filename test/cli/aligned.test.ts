/** `-o table` in a pipe or a file: aligned for people, where the flag asks for it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parseRecord } from '../../src/base/json/values.js'
import { isObject } from '../../src/base/objects.js'
import { documentedWords } from '../../src/catalogue/words.js'
import { open } from '../../src/output/table.js'
import { createAlignedStyle, createStyle } from '../../src/terminal/style.js'
import { useSandbox } from '../support/sandbox.js'
import { svcctl } from '../support/within.js'

const place = useSandbox()

const run = (line: string, env: Readonly<Record<string, string>> = {}, input?: string) => {
  const { sandbox, config, cwd } = place()
  const own = { SVC_BASE_URL: sandbox.url, SVC_TOKEN: sandbox.token, SVC_CONFIG_DIR: config }
  return svcctl(line.split(' '), { env: { ...own, ...env }, cwd, input })
}

const list = 'runners list --instance'

it('aligns the columns in a pipe, as wide as their values', async () => {
  const { stdout, code } = await run(`${list} -o table --fields id,description,contacted_at -L 2`)
  const rows = stdout.split('\n').map((line) => line.split(/ {2,}/))
  expect(code).toBe(0)
  expect(rows[0]).toEqual(['id', 'description', 'contacted_at'])
  expect(rows[1]?.[1]).toBe('shared-linux-1')
  expect(rows[1]?.[2]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  for (const mark of ['\t', '\u001b', '…']) expect(stdout).not.toContain(mark)
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThan(80)
})

it.each([
  { SVC_TERMINAL: '', COLUMNS: '60' },
  { SVC_TERMINAL: '60', COLUMNS: '200' },
])('fits the width of %o', async (env) => {
  const { stdout } = await run(`${list} -o table`, env)
  expect(stdout.split('\n').every((line) => line.length <= 60)).toBe(true)
  expect(stdout).toContain('shared-lin…')
})

it.each(['0', 'wide', '-5'])('ignores COLUMNS=%s', async (columns) => {
  const { stdout } = await run(`${list} -o table`, { COLUMNS: columns })
  expect(stdout).toContain('platform-builder')
})

it('gives tab-separated values without the flag, whatever a variable or a profile says', async () => {
  const plain = await run(list)
  expect(plain.stdout).toMatch(/^id\tdescription\t/)
  expect((await run(list, { SVC_OUTPUT: 'table' })).stdout).toBe(plain.stdout)
  const profile = `profile set work --base-url ${place().sandbox.url} --output table`
  expect(await run(profile)).toMatchObject({ code: 0 })
  expect((await run(`${list} -p work`, { SVC_BASE_URL: '' })).stdout).toBe(plain.stdout)
})

it('writes the aligned table to a file, and one object in two columns', async () => {
  const file = join(place().cwd, 'runner.txt')
  expect((await run(`runners get 1 -o table --to ${file}`)).code).toBe(0)
  expect(readFileSync(file, 'utf8')).toMatch(/^id {3,}1\ndescription {2,}shared-linux-1\n/)
})

it('writes overview as the page of a terminal', async () => {
  const { stdout } = await run('overview -o table')
  expect(stdout).toMatch(/^Runners {2}\d+ runners$/m)
  expect((await run('overview')).stdout).not.toContain('█')
})

it.each([
  ['runners list --instance -o table', 'runners pause -', 'an aligned table'],
  ['runners list -P platform/app -o table', 'runners pause -', 'an aligned table'],
  ['jobs list -P platform/app -o wide', 'jobs get - -P platform/app', 'an aligned table'],
  ['geo nodes list -o wide', 'geo nodes delete -', 'an aligned table'],
  ['integrations list -P platform/app -o md', 'integrations delete - -P 1', 'a Markdown table'],
  ['pages-domains list -P web/site -o yaml', 'pages-domains delete - -P web/site', 'YAML'],
  ['members list -P platform/app,web/site -o yaml', 'members remove -', 'YAML'],
  ['runners get 1 -o yaml', 'runners pause -', 'YAML'],
  ['runners list -o html', 'runners pause -', 'a page'],
])('is refused as the objects of a verb, as other formats are (%s)', async (of, line, format) => {
  const { stdout } = await run(of)
  const { code, stderr } = await run(`${line} --yes`, {}, stdout)
  expect(code).toBe(2)
  expect(stderr).toContain(`standard input, line 1: ${format}, which is not read here`)
  expect(stderr).toContain('hint: Omit -o,')
})

it('measures 1,000 rows and goes on, so that a long list ends', async () => {
  const style = createAlignedStyle(await createStyle({}, {}), {})
  const chunks: string[] = []
  const pick = (record: unknown, name: string): unknown => (isObject(record) ? record[name] : '')
  const printer = open(
    { write: async (chunk) => void chunks.push(String(chunk)) },
    {
      many: true,
      columns: ['id', 'name'],
      naming: documentedWords,
      terminal: false,
      aligned: true,
      width: style.tableWidth,
      color: false,
      now: new Date(0),
      printedAt: new Date(0),
      style,
      pick,
      parse: parseRecord,
    },
  )
  const records = Array.from({ length: 2000 }, (_, i) => ({ id: i, name: `n${i}` }))
  await printer.values(records.slice(0, 999))
  expect(chunks).toEqual([])
  await printer.values(records.slice(999))
  await printer.close()
  const text = chunks.join('')
  expect(text.length).toBeLessThan(2001 * 12)
  expect(text.split('\n').at(-2)).toBe('1999  n1999')
})
