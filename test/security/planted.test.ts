/** Tests that no secret that an instance sends, or that is sent to it, is shown or kept in any format. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formats } from '../../src/output/formats.js'
import { createCaller } from '../commands/calling.js'
import { serve } from '../support/mcp.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { addresses, canary, findKept, harmless, keptCount, names, planted } from './planted.js'

const { call, server } = createCaller()

const findLeaks = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line.includes(canary))

/** One object, lists that are cut or passed on, and selected fields. */
const outputLines = [
  { line: 'api GET /planted', body: planted },
  { line: 'api GET /planted --paginate', body: [{ id: 0 }, planted, { id: 2 }, planted] },
  { line: 'runners list', body: [planted, { id: 2 }] },
  { line: 'runners get 1', body: planted },
]
const pickedFields = [...names.slice(0, 3), ...Object.keys(addresses), 'variables', 'nested']

/** Builds the lines that show all of a record in a format, with the flags that the format needs. */
const buildLines = ({ name, shows }: (typeof formats)[number], line: string): readonly string[] => {
  const words = [...line.split(' '), '-o', name]
  if (shows === 'fields')
    return pickedFields.flatMap((field) => [[...words, '--fields', field].join(' ')])
  return [words.join(' '), [...words, '--fields', ['id', ...pickedFields].join(',')].join(' ')]
}

describe.each(formats)('as $name', (format) => {
  it.each(outputLines)('an answer to $line', async ({ line, body }) => {
    if (format.shows === 'names' && line.startsWith('api')) return
    server.answer = () => ({ body })
    for (const one of buildLines(format, line)) {
      const { code, stdout, stderr } = await call(one)
      expect([one, code, findLeaks(`${stdout}${stderr}`)]).toEqual([one, 0, []])
      if (format.reader !== 'programs' || one.includes('--fields')) continue
      expect([one, findKept(stdout).size]).toEqual([one, keptCount])
      expect(stdout).toContain('[masked]')
    }
  })
})

it('what holds no secret comes out byte for byte', async () => {
  const body = `[{"id":1.0,"text":"a\\/b","nested":${JSON.stringify(harmless)}}]`
  server.answer = () => ({ body })
  const { stdout } = await call('api GET /planted --paginate -o ndjson')
  expect(stdout).toBe(`${body.slice(1, -1)}\n`)
})

/** Repeats records, so that some are cut in two where the answer arrives in chunks. */
const repeatRecords = <T>(records: readonly T[]): readonly T[] =>
  Array.from({ length: 40 }, () => records).flat()

/** The byte makes the text invalid UTF-8, so its record is passed on as a copy. */
const broken = Buffer.concat([
  Buffer.from('[{"id":1,"text":"'),
  Buffer.from([0xff]),
  Buffer.from(`","db_password":"${canary}"},{"id":2,"text":"kept-1"}]`),
])

describe.each(['ndjson', 'json', 'yaml'])('a record of many, as %s,', (format) => {
  // One stage masks for all formats, so a single format tests all names.
  const some = format === 'ndjson' ? names : names.slice(0, 4)
  it.each(some)('has %s masked where it is its only secret', async (name) => {
    server.answer = () => ({
      body: repeatRecords([
        { id: 1, text: 'kept-1' },
        { id: 2, [name]: canary, filler: 'x'.repeat(3000) },
      ]),
    })
    const { stdout } = await call(`runners list --limit all -o ${format}`)
    expect(findLeaks(stdout)).toEqual([])
    expect(stdout.split('[masked]')).toHaveLength(41)
    expect(stdout.split('kept-1')).toHaveLength(41)
  })

  it('is masked where it is no UTF-8', async () => {
    server.answer = () => ({ body: broken })
    const { stdout } = await call(`runners list -o ${format}`)
    expect(findLeaks(stdout)).toEqual([])
    expect(stdout).toContain('[masked]')
    expect(stdout).toContain('kept-1')
  })
})

it('each is shown where it is asked for', async () => {
  server.answer = () => ({ body: [planted] })
  const { stdout } = await call('api GET /planted --paginate -o ndjson --show-secrets')
  expect(JSON.parse(stdout)).toEqual(planted)
})

const sent = JSON.stringify({ ...planted, value: canary, masked: true })
const query = `a=1&private_token=${canary}&hook[token]=${canary}`

/** Lines that send planted secrets. */
const sendingLines: readonly (readonly string[])[] = [
  ['api', 'POST', `/planted?${query}`, '--input', '-'],
  ['api', 'DELETE', `/planted?${query}`, '--yes'],
  ['runners', 'update', '1', '--input', '-'],
  ...names.map((name) => ['runners', 'update', '1', '--param', `${name}=${canary}`]),
  ...Object.entries(addresses).map(([name, url]) => [
    ...['runners', 'update', '1', '--param', `${name}=${url}`],
  ]),
]

/** Combined lines, with all `--param` flags in one line. */
const combinedLines = [
  ...sendingLines.filter((words) => !words.includes('--param')),
  [
    ...['runners', 'update', '1'],
    ...sendingLines.flatMap((words) => (words.includes('--param') ? words.slice(3) : [])),
  ],
]

it.each(['-vv', '--curl', '--dry-run'])('what is sent is not shown by %s', async (how) => {
  server.answer = () => ({ body: planted })
  for (const words of combinedLines) {
    const input = words.includes('-') ? { input: sent } : {}
    const { code, stdout, stderr } = await call([...words, how], input)
    expect([words, code, findLeaks(`${stdout}${stderr}`)]).toEqual([words, 0, []])
    expect(`${stdout}${stderr}`).toMatch(/planted|runners|attribute/)
    // Each parameter is named, and none is left out.
    const given = words.flatMap((word) =>
      words.includes('--param') ? (/^[\w.-]+(?==)/.exec(word) ?? []) : [],
    )
    expect(given.filter((name) => !`${stdout}${stderr}`.includes(name))).toEqual([])
  }
})

it('what is said back is not shown, either, where it was not taken', async () => {
  server.answer = () => ({ body: { id: 1, import_url: addresses.import_url } })
  const { stderr } = await call(['runners', 'update', '1', '--param', 'import_url=https://x.test'])
  expect(findLeaks(stderr)).toEqual([])
})

const listFiles = (place: string): readonly string[] =>
  readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

it('no journal and no audit log holds any', async () => {
  const config = createConfiguration()
  const profile = { baseUrl: server.url, auditLog: join(config, 'audit.jsonl') }
  writeFileSync(
    join(config, 'config.json'),
    JSON.stringify({ current: 'work', profiles: { work: profile } }),
    { mode: 0o600 },
  )
  server.answer = () => ({ body: planted })
  const env = { SVC_CONFIG_DIR: config, SVC_BASE_URL: '', SVC_TOKEN: '' }
  for (const words of sendingLines) {
    const input = words.includes('-') ? { input: sent } : {}
    const line = words[0] === 'runners' ? words.with(2, '1').toSpliced(3, 0, '2') : words
    await call([...line, ...(words[0] === 'runners' ? ['--undo-record', '--yes'] : [])], {
      env,
      ...input,
    })
  }
  const files = listFiles(config)
  expect(files.filter((file) => /runs.*\.ndjson$|audit/.test(file)).length).toBeGreaterThan(20)
  for (const file of files)
    expect([file, findLeaks(readFileSync(file, 'utf8'))]).toEqual([file, []])
})

it('no agent is told of any', async () => {
  server.answer = ({ url }) => ({ body: /runners\/1/.test(url) ? planted : [planted] })
  const env = { SVC_CONFIG_DIR: createFolder(), SVC_NO_KEYRING: '1', SVC_BASE_URL: server.url }
  const served = await serve({ env: { ...env, SVC_TOKEN: 'secret-token' } })
  const update = (description: string) =>
    served.call('plan', { command: 'runners update', arguments: { id: 1, description } })
  const asked = [
    await served.call('read', { command: 'runners get', arguments: { id: 1 } }),
    await served.call('read', { command: 'runners list' }),
    await update('other'),
  ]
  for (const { text, isError } of asked) expect([isError, findLeaks(text)]).toEqual([false, []])
  const refused = await update(addresses.import_url)
  expect(findLeaks(refused.text)).toEqual([])
  expect(refused.text).toContain('it is a secret')
  await served.close()
  expect(findKept(asked[0]?.text ?? '').size).toBe(keptCount)
})

it('no export holds any', async () => {
  server.answer = ({ url }) => ({ body: /settings/.test(url) ? planted : [] })
  const { code, stdout, stderr } = await call('export settings --all-settings')
  expect([code, findLeaks(`${stdout}${stderr}`)]).toEqual([0, []])
  expect(stdout).toContain('kept-4')
})
