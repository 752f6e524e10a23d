/** Tests `ci lint` with input that is not an ordinary file, and with an instance that lints only within projects. */
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFolder } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { runInShell } from '../support/shell.js'
import { svcctl } from '../support/within.js'

const recorder = useRecorder()
const cwd = createFolder()
const createEnv = () => ({ SVC_BASE_URL: recorder.url, SVC_TOKEN: 'token-of-a-test' })
const good = 'a:\n  script: x\n'

beforeAll(async () => {
  mkdirSync(join(cwd, 'ci'))
  writeFileSync(join(cwd, 'good.yml'), good)
  writeFileSync(join(cwd, 'large.yml'), '')
  truncateSync(join(cwd, 'large.yml'), 10 * 1024 * 1024 + 1)
  writeFileSync(join(cwd, 'long.yml'), '- \n'.repeat(300_000))
  await execa('mkfifo', [join(cwd, 'pipe')])
})
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

/** Runs a line in Bash. */
const runShellLine = (line: string) => runInShell(line, { cwd, env: createEnv(), shell: ['bash'] })

const lint = (...args: string[]) => svcctl(['ci', 'lint', ...args], { cwd, env: createEnv() })
const listContents = (): unknown[] => recorder.seen.map(({ body }) => JSON.parse(body).content)
const answerValid = () => ({ body: { status: 'valid', errors: [], warnings: [] } })

describe('what is checked may come from anywhere', () => {
  it('reads a pipe by name, and standard input', async () => {
    recorder.answer = answerValid
    for (const line of [
      'cat good.yml > pipe & svcctl ci lint pipe',
      'cat good.yml | svcctl ci lint -',
    ])
      expect({ line, ...(await runShellLine(line)) }).toMatchObject({ line, code: 0, stderr: '' })
    expect(listContents()).toEqual(Array(2).fill(good))
  })

  it('says what it waits for, and gives up after --timeout', async () => {
    for (const line of [
      'svcctl ci lint pipe --timeout 1',
      'sleep 2 | svcctl ci lint - --timeout 1',
    ]) {
      const { code, stderr } = await runShellLine(line)
      expect(code).toBe(2)
      expect(stderr).toMatch(/^waiting for input from (pipe|standard input)$/m)
      expect(stderr).toMatch(/no input from (pipe|standard input) for 1 s \(--timeout\)/)
    }
    expect(recorder.seen).toEqual([])
  })

  it('takes at most 10 MiB, of files before anything is sent', async () => {
    const file = await lint('good.yml', 'large.yml')
    expect(file).toMatchObject({ code: 2 })
    expect(file.stderr).toContain('large.yml is larger than 10 MiB')
    expect(recorder.seen).toEqual([])
    const endless = await lint('/dev/zero')
    expect(endless).toMatchObject({ code: 2 })
    expect(endless.stderr).toContain('/dev/zero was not checked: /dev/zero is larger than 10 MiB')
    expect((await runShellLine('head -c 11000000 /dev/zero | svcctl ci lint -')).code).toBe(2)
    expect((await lint('ci/')).stderr).toContain(
      "cannot read ci/: it is a directory\n  hint: Pass its files: 'ci/**/*.yml'\n",
    )
    expect(recorder.seen).toEqual([])
  })

  it('reads a file once that two arguments name', async () => {
    recorder.seen.length = 0
    recorder.answer = answerValid
    const { stdout } = await lint('good.yml', './good.yml', join(cwd, 'good.yml'), '-o', 'json')
    expect(JSON.parse(stdout)).toEqual([expect.objectContaining({ file: 'good.yml' })])
    expect(recorder.seen.length).toBe(1)
  })

  it('leaves to the instance what a parser would take long for', async () => {
    recorder.answer = () => ({ body: { status: 'invalid', errors: ['too large'], warnings: [] } })
    expect(await lint('long.yml')).toMatchObject({ code: 1 })
    expect(recorder.seen.length).toBe(1)
  })
})

describe('an instance that lints within projects only', () => {
  it('has the hint to name one', async () => {
    recorder.answer = () => ({ status: 404, body: { error: '404 Not Found' } })
    const { code, stderr } = await lint('good.yml')
    expect(code).toBe(4)
    expect(stderr).toContain(
      'Newer instances check files only in the context of a project. Add --project.',
    )
    const within = await lint('good.yml', '--project', 'platform/app')
    expect(within.stderr).not.toContain(
      'check files only in the context of a project. Add --project.',
    )
  })
})

describe('ci lint --as-of', () => {
  const newer = 'a:\n  script: x\n  id_tokens: {ID: {aud: b}}\n'
  const older = 'types: [one]\na:\n  type: one\n  script: x\n'
  const asOf = (file: string, ...flags: string[]) =>
    svcctl(['ci', 'lint', file, '--sandbox', '-o', 'json', ...flags], { cwd })
  const errorsOf = (stdout: string): unknown => JSON.parse(stdout)[0].errors

  beforeAll(() => {
    writeFileSync(join(cwd, 'newer.yml'), newer)
    writeFileSync(join(cwd, 'older.yml'), older)
  })

  it('says which version brought a keyword, and which removed one', async () => {
    const early = await asOf('newer.yml', '--as-of', '14.5')
    expect([early.code, errorsOf(early.stdout)]).toEqual([
      1,
      ['jobs:a config contains unknown keys: id_tokens (`id_tokens` was added in 15.7)'],
    ])
    const late = await asOf('older.yml')
    expect([late.code, errorsOf(late.stdout)]).toEqual([
      1,
      [
        'jobs:types config should implement the script:, run:, or trigger: keyword (`types` was removed in 15.0)',
        'jobs:a config contains unknown keys: type (`type` was removed in 15.0)',
      ],
    ])
    expect((await asOf('older.yml', '--as-of', '14.5')).code).toBe(0)
    expect((await asOf('newer.yml', '--as-of', 'latest')).code).toBe(0)
  })

  it('holds for the file of a project, too', async () => {
    const { code, stdout } = await asOf('newer.yml', '-P', 'platform/app', '--as-of', '15.6')
    expect([code, stdout]).toEqual([1, expect.stringContaining('was added in 15.7')])
  })

  it('goes to no other instance, and takes nothing but a version', async () => {
    const real = await lint('good.yml', '--as-of', '14.5')
    expect([real.code, recorder.seen]).toEqual([2, []])
    expect(real.stderr).toContain('the instance checks with its own version')
    const none = await asOf('newer.yml', '--as-of', 'recent')
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining('--as-of must be a version such as 14.5,'),
    ])
  })
})
