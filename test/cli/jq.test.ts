/** `--jq`: what the expression gets, what is printed, and how it ends. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { processIo } from '../../src/base/io.js'
import { JqFilter } from '../../src/output/jq/filter.js'
import { useRecorder } from '../support/recorder.js'
import { useSandbox } from '../support/sandbox.js'
import { type LineOptions, svcctl } from '../support/within.js'

const place = useSandbox()

const run = (words: readonly string[], how: LineOptions = {}) => {
  const { sandbox, config, cwd } = place()
  const own = { SVC_BASE_URL: sandbox.url, SVC_TOKEN: sandbox.token, SVC_CONFIG_DIR: config }
  return svcctl(words, { cwd, ...how, env: { ...own, ...how.env } })
}
const list = ['runners', 'list', '--instance', '-L', '3']

it.each([
  ['a list whole', [...list, '--jq', '.[].id'], '1\n2\n3\n'],
  ['a list whole with -o json', [...list, '-o', 'json', '--jq', 'length'], '3\n'],
  ['each record with -o ndjson', [...list, '-o', 'ndjson', '--jq', '.id'], '1\n2\n3\n'],
  ['all records with --slurp', [...list, '-o', 'ndjson', '--jq', 'length', '--slurp'], '3\n'],
  ['strings raw', [...list, '--jq', '.[0].description, "a\\tb"'], 'shared-linux-1\na\tb\n'],
  [
    'anything else as compact JSON',
    [...list, '--jq', '.[0] | {id}, [null, "a"], null'],
    '{"id":1}\n[null,"a"]\nnull\n',
  ],
  ['a single record', ['runners', 'get', '1', '--jq', '.id'], '1\n'],
  ['a single record in an array', ['runners', 'get', '1', '--jq', '.[0].id', '--slurp'], '1\n'],
  ['the answer of api', ['api', 'runners', '--jq', '.[0].id'], '1\n'],
  ['a document', ['overview', '--jq', '.runners.total'], '10\n'],
  ['a document with -o ndjson', ['overview', '-o', 'ndjson', '--jq', '.runners.total'], '10\n'],
  ['a write', ['runners', 'update', '1', '--description', 'x', '--jq', '.description'], 'x\n'],
  ['a dry run', ['runners', 'pause', '1', '--dry-run', '--jq', '.[].object'], '1\n'],
  [
    'the records of several parents',
    ['jobs', 'list', '--all-projects', '-L', '2', '-o', 'ndjson', '--jq', '.project'],
    'platform/app\nplatform/app\n',
  ],
  [
    'the chosen fields',
    [...list, '--fields', 'id', '-o', 'ndjson', '--jq', 'keys[]'],
    'id\nid\nid\n',
  ],
  ['an expression that begins with a minus sign', [...list, '--jq=-(.[0].id)'], '-1\n'],
  ['no variables of the environment', [...list, '--jq', '$ENV, env'], '{}\n{}\n'],
  [
    'nothing after halt',
    [...list, '-o', 'ndjson', '--jq', 'if .id == 2 then halt else .id end'],
    '1\n',
  ],
])('passes %s', async (_, words, stdout) => {
  expect(await run(words)).toEqual({ code: 0, stderr: expect.any(String), stdout })
})

const other = useRecorder()

it.each(['json', 'ndjson'])('replaces half of a surrogate pair with -o %s', async (format) => {
  const texts = ['a\\ud83d', '\\uDE00\\u0041', '\\ud83d\\ude00', '\\\\ud83d']
  other.answer = () => ({
    body: `[${texts.map((text, i) => `{"id":${i},"description":"${text}"}`).join()}]`,
  })
  const expression = format === 'json' ? '.[].description' : '.description'
  const ran = await run(['runners', 'list', '-o', format, '--jq', expression], {
    env: { SVC_BASE_URL: other.url },
  })
  expect(ran).toEqual({ code: 0, stderr: '', stdout: 'a\ufffd\n\ufffdA\n😀\n\\ud83d\n' })
})

it('masks secrets before the expression gets a record', async () => {
  const hook = ['projects', 'get', 'platform/app', '--jq', '.runners_token']
  expect((await run(hook)).stdout).toBe('[masked]\n')
  expect((await run([...hook, '--show-secrets'])).stdout).not.toContain('masked')
})

it.each(['.[0', 'def f: 1;', 'nosuch', '. |', 'import "a" as $a; .'])(
  'refuses %s before anything is sent',
  async (expression) => {
    const { code, stdout, stderr } = await run([...list, '--jq', expression, '-v'])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^svcctl: --jq: \S/)
    expect(stderr).not.toContain('GET')
  },
)

it('prints what came out before an expression fails', async () => {
  const failing = 'if .id == 2 then error("not this one") else .id end'
  const ran = await run([...list, '-o', 'ndjson', '--jq', failing])
  expect(ran).toMatchObject({ code: 2, stdout: '1\n' })
  expect(JSON.parse(ran.stderr)).toEqual({
    error: { category: 'usage', message: '--jq: not this one' },
  })
})

it('says what the expression gets where it takes a list for a record', async () => {
  const { code, stderr } = await run([...list, '--jq', '.id'])
  expect(code).toBe(2)
  expect(stderr).toContain('--jq: Cannot index array with string ("id")')
  expect(stderr).toContain('hint: With -o json the expression gets the whole list')
})

it('says that input finds nothing, and keeps an error of that text', async () => {
  const { code, stderr } = await run([...list, '-o', 'ndjson', '--jq', 'input'])
  expect(code).toBe(2)
  expect(stderr).toContain('--jq: input finds no further record')
  const own = await run([...list, '-o', 'ndjson', '--jq', 'error("break")'])
  expect(own.stderr).toContain('--jq: break')
})

it('passes messages of debug on to standard error', async () => {
  const { code, stdout, stderr } = await run([...list, '--jq', '.[0].id | debug'])
  expect([code, stdout]).toEqual([0, '1\n'])
  expect(stderr).toContain('["DEBUG:",1]\n')
})

it('ends an expression without an end by --timeout', async () => {
  const { code, stderr } = await run([...list, '--jq', 'def f: f; f', '--timeout', '1'])
  expect([code, stderr]).toEqual([
    2,
    'svcctl: --jq: the expression took longer than 1 s (--timeout)\n',
  ])
})

it('ends an expression without an end by Ctrl-C', async () => {
  const stop = new AbortController()
  const filter = await JqFilter.create('def f: f; f', {
    signal: stop.signal,
    timeout: 60,
    onExit: processIo.onExit,
  })
  const ended = filter.filterWhole('1')
  stop.abort()
  await expect(ended).rejects.toMatchObject({ category: 'interrupted' })
})

it('keeps the digits of numbers that the expression only passes on', async () => {
  const { signal } = new AbortController()
  const filter = await JqFilter.create('.[].id, .[0].id + 1', {
    signal,
    timeout: 60,
    onExit: processIo.onExit,
  })
  const { lines } = await filter.filterWhole('[{"id":100000000000000000001},{"id":1.10}]')
  expect(lines).toEqual(['100000000000000000001', '1.10', '1e+20'])
})

it('writes to a file', async () => {
  const file = join(place().cwd, 'ids.txt')
  expect((await run([...list, '--jq', '.[].id', '--to', file])).code).toBe(0)
  expect(readFileSync(file, 'utf8')).toBe('1\n2\n3\n')
})

it.each([
  [['--jq', '.', '-o', 'yaml'], '--jq and -o yaml exclude each other'],
  [['--jq', '.', '-o', 'html'], '--jq and -o html exclude each other'],
  [['--jq', '.', '--curl'], '--jq and --curl exclude each other'],
  [['--slurp'], '--slurp requires --jq'],
])('refuses %j', async (flags, said) => {
  const { code, stderr } = await run([...list, ...flags])
  expect(code).toBe(2)
  expect(stderr).toContain(said)
})

it('refuses an answer that is a text', async () => {
  const { code, stderr } = await run(['completion', 'bash', '--jq', '.'])
  expect(code).toBe(2)
  expect(stderr).toContain('--jq filters JSON, and this answer is a text or a file')
})

it('is JSON where no flag says so, whatever a variable says', async () => {
  const { stdout } = await run([...list, '--jq', 'type'], { env: { SVC_OUTPUT: 'ndjson' } })
  expect(stdout).toBe('array\n')
})

it('keeps nothing for the next line of the process', async () => {
  expect((await run([...list, '--jq', 'def ids: map(.id); ids[0], halt'])).stdout).toBe('1\n')
  expect(await run([...list, '--jq', 'ids'])).toMatchObject({ code: 2, stdout: '' })
  const endless = [...list, '--timeout', '1', '--jq', 'last(repeat(1))']
  expect(await run(endless)).toMatchObject({ code: 2, stdout: '' })
  expect((await run([...list, '--jq', '.[].id'])).stdout).toBe('1\n2\n3\n')
})
