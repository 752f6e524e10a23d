/** Tests `--param name=@file`, which reads a file or standard input, and `@@` for a text that begins with `@`. */
import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createRuns, readHeader, user } from '../engine/journaling/runs.js'
import { createFolder } from '../support/program.js'

const { server, run, files, forget, fresh, written } = createRuns()
const canary = 'canary-of-a-secret-0123456789'
const listBodies = () =>
  server.seen.filter(({ method }) => method !== 'GET').map(({ body }) => body)

let cwd = ''
const createFile = (name: string, text: string): string => {
  writeFileSync(join(cwd, name), text)
  return join(cwd, name)
}

beforeEach(() => {
  fresh()
  cwd = createFolder()
  server.answer = ({ url }) => (url.endsWith('/user') ? user : { body: { id: 1 } })
})

describe('--param with a file', () => {
  it('sends its text as if it stood on the line', async () => {
    const notes = createFile('notes.md', 'First line\nsecond line\n')
    const rules = createFile('rules.json', '{"a": [1, 2]}\n')
    const ran = await run([
      'api',
      'POST',
      'x',
      '--param',
      `text=@${notes}`,
      '--param',
      `rules=@${rules}`,
    ])
    expect(ran.code).toBe(0)
    expect(listBodies()).toEqual(['{"text":"First line\\nsecond line","rules":{"a":[1,2]}}'])
  })

  it('keeps a number for a documented text as it is written', async () => {
    const update = ['runners', 'update', '1', '--param']
    for (const value of [
      'description=1.10',
      'description=12345678901234567890',
      'maximum_timeout=700',
    ])
      expect((await run([...update, value])).code).toBe(0)
    expect(listBodies()).toEqual([
      '{"description":"1.10"}',
      '{"description":"12345678901234567890"}',
      '{"maximum_timeout":700}',
    ])
  })

  it('notes an object that is no JSON, since shells of Windows remove quotes', async () => {
    const lines = ['a={"b":1}', 'a={b:1}', 'a=[draft]'].map((value) => ['x', '--param', value])
    const notes: boolean[] = []
    for (const line of lines) {
      const ran = await run(['api', 'POST', ...line])
      notes.push(ran.stderr.includes('--param a is not valid JSON and is sent as text'))
    }
    expect(notes).toEqual([false, true, false])
  })

  it('reads standard input for @-, and takes @@ for @', async () => {
    const line = [
      'api',
      'POST',
      'x',
      '--param',
      'text=@-',
      '--param',
      'to=@@ana',
      '--param',
      'sign=@@',
    ]
    expect((await run(line, 'from the pipe\n')).code).toBe(0)
    expect(listBodies()).toEqual(['{"text":"from the pipe","to":"@ana","sign":"@"}'])
  })

  it('is refused where it is a directory, and nothing is sent', async () => {
    for (const flag of ['--input', '--param']) {
      const value = flag === '--input' ? cwd : `text=@${cwd}`
      const { code, stderr } = await run(['api', 'POST', 'x', flag, value])
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining(`cannot read ${cwd}: it is a directory\n`),
      ])
    }
    expect(server.seen).toEqual([])
  })

  it('of --input is named where it has no object, and standard input is not', async () => {
    const file = createFile('list.json', '[]')
    for (const [value, name] of [
      [file, ` ${file}`],
      ['-', ''],
    ] as const) {
      const { code, stderr } = await run(['runners', 'update', '1', '--input', value], '[]')
      const message = `svcctl: --input${name} must contain an object of attributes\n`
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    }
    expect(server.seen).toEqual([])
  })

  it('is the same for commands of the catalogue, and in a query', async () => {
    const file = createFile('text', 'new\n')
    await run(['runners', 'update', '1', '--param', `description=@${file}`])
    expect(listBodies()).toEqual(['{"description":"new"}'])
    forget()
    await run(['api', 'GET', 'x', '--param', `q=@${file}`])
    expect(server.seen.map(({ url }) => url)).toEqual(['/api/v4/x?q=new'])
  })

  it.runIf(process.platform !== 'win32')('reads a pipe', async () => {
    const pipe = join(cwd, 'pipe')
    execFileSync('mkfifo', [pipe])
    spawn('sh', ['-c', 'printf piped > "$1"', 'sh', pipe], { stdio: 'ignore' })
    expect((await run(['api', 'POST', 'x', '--param', `text=@${pipe}`])).code).toBe(0)
    expect(listBodies()).toEqual(['{"text":"piped"}'])
  })

  it('refuses what is no file, too large, or read twice', async () => {
    const large = createFile('large', '')
    truncateSync(large, 100_000_001)
    const cases: readonly (readonly [readonly string[], string])[] = [
      [[`text=@${cwd}`], `--param text: cannot read ${cwd}`],
      [[`text=@${join(cwd, 'none')}`], '--param text: cannot read'],
      [['text=@'], '--param text=@ does not name a file'],
      [[`text=@${large}`], 'it is larger than 100 MB'],
      [['a=@-', 'b=@-'], '--param a=@- and --param b=@- cannot both read standard input'],
    ]
    for (const [params, says] of cases) {
      const ran = await run(['api', 'POST', 'x', ...params.flatMap((one) => ['--param', one])], 'x')
      expect(ran.code, says).toBe(2)
      expect(ran.stderr).toContain(says)
    }
    const piped = await run(['api', 'POST', 'x/{}', '-', '--param', 'text=@-'], '1\n')
    expect(piped.stderr).toContain('IDs from - and --param text=@- cannot both read standard input')
    const input = await run(['api', 'POST', 'x', '--input', '-', '--param', 'text=@-'], '{}')
    expect(input.stderr).toContain('--input - and --param text=@- cannot both read standard input')
    expect(server.seen).toEqual([])
  })

  it('shows nothing of a secret, and names its file in the journal', async () => {
    const file = createFile('token', `${canary}\n`)
    const failing = () => ({ status: 400, body: { message: `${canary} is no token` } })
    server.answer = ({ url }) => (url.endsWith('/user') ? user : failing())
    const line = ['runners', 'update', '1', '2', '--param', `token=@${file}`, '-vv']
    const ran = await run(line)
    expect(listBodies()).toEqual([`{"token":"${canary}"}`, `{"token":"${canary}"}`])
    const [journal = ''] = files()
    const header = readHeader(journal)
    expect(header.input.token).toEqual({ $secret: `@${file}` })
    expect(header.options?.flags.param).toMatchObject([{ $file: `token=@${file}` }])
    for (const text of [ran.stdout, ran.stderr, readFileSync(journal, 'utf8')])
      expect(text).not.toContain(canary)
  })

  it('is read again by --resume, unless it was changed', async () => {
    const file = createFile('token', canary)
    server.answer = ({ url }) => (url.endsWith('/user') ? user : { status: 503 })
    await run(['runners', 'update', '1', '2', '--retries', '0', '--param', `token=@${file}`])
    forget()
    writeFileSync(file, 'another')
    const changed = await run('runners update --resume last')
    expect([changed.code, written()]).toEqual([2, []])
    expect(changed.stderr).toContain(`--param: ${file} changed after the run began`)
    writeFileSync(file, canary)
    server.answer = ({ url }) => (url.endsWith('/user') ? user : { body: { id: 1 } })
    expect((await run('runners update --resume last')).code).toBe(0)
    expect(listBodies()).toEqual([`{"token":"${canary}"}`, `{"token":"${canary}"}`])
  })

  it('of standard input makes a run that cannot be resumed', async () => {
    server.answer = ({ url }) => (url.endsWith('/user') ? user : { status: 400 })
    const ran = await run(['runners', 'update', '1', '2', '--param', 'description=@-'], 'x')
    expect(ran.stderr).toContain(
      'this run cannot be resumed: --param description=@- was read from standard input',
    )
  })
})

describe('--input in YAML', () => {
  it('merges the keys of <<', async () => {
    const file = createFile('in.yml', 'a: &base {x: 1, y: 2}\nb: {<<: *base, y: 3}\n')
    expect((await run(['api', 'POST', 'x', '--input', file])).code).toBe(0)
    expect(JSON.parse(listBodies()[0] ?? '')).toEqual({ a: { x: 1, y: 2 }, b: { x: 1, y: 3 } })
  })

  it.each(['a: !!binary aGk=', 'a: [!!set {x, y}]', 'a: !!omap [x: 1]'])(
    'refuses what JSON cannot express: %s',
    async (text) => {
      const ran = await run(['api', 'POST', 'x', '--input', createFile('in.yml', text)])
      expect(ran.stderr).toContain('a value that JSON cannot express')
      expect([ran.code, server.seen]).toEqual([2, []])
    },
  )
})
