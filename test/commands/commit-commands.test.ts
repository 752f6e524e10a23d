/** `commits create`, `cherry-pick`, `revert` and `diff` as they are typed. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder } from '../support/program.js'
import { createCaller, parseRows } from './calling.js'

const { server, call, sent, atTerminal } = createCaller()
const root = '/projects/a%2Fb/repository/commits'

describe('commits create', () => {
  const create = (flags: readonly string[], how = {}) =>
    call(['commits', 'create', '--branch', 'main', '-P', 'a/b', ...flags], how)
  const body = () => sent()[0]?.body

  it('makes actions of flags, in an order that works, and tells what is committed', async () => {
    const cwd = createFolder()
    writeFileSync(join(cwd, 'text'), 'héllo\n')
    writeFileSync(join(cwd, 'binary'), Buffer.from([0, 1, 2]))
    const flags = [
      ['-m', 'Tidy up', '--create', 'text=docs/a.txt', '--update', 'binary', '--delete', 'old'],
      ['--move', 'b=c', '--chmod', '+x=run'],
    ].flat()
    server.answer = () => ({ status: 201, body: { id: 'abc' } })
    const ran = await create(flags, { cwd })
    expect(ran.code).toBe(0)
    expect(sent()[0]?.line).toBe(`POST ${root}`)
    expect(body()).toEqual({
      branch: 'main',
      commit_message: 'Tidy up',
      actions: [
        { action: 'move', previous_path: 'b', file_path: 'c' },
        { action: 'delete', file_path: 'old' },
        { action: 'create', file_path: 'docs/a.txt', content: 'héllo\n' },
        { action: 'update', file_path: 'binary', content: 'AAEC', encoding: 'base64' },
        { action: 'chmod', file_path: 'run', execute_filemode: true },
      ],
    })
    for (const said of [
      'committing to main of a/b',
      '  move    b → c',
      '  delete  old',
      '  create  docs/a.txt (7 bytes)',
      '  update  binary (3 bytes, binary)',
      '  chmod   +x run',
    ])
      expect(ran.stderr).toContain(said)
  })

  it.each([
    ['--input', 'branch: main\ncommit_message: x\nactions:\n  - {action: delete, file_path: a}\n'],
    ['--input', '[{"action": "delete", "file_path": "a"}]'],
    ['--actions', '[{"action": "delete", "file_path": "a"}]'],
    ['--actions', 'actions: [{action: delete, file_path: a}]'],
  ])('reads %s from standard input or a file: %j', async (flag, text) => {
    const cwd = createFolder()
    writeFileSync(join(cwd, 'it'), text)
    const expected = {
      branch: 'main',
      commit_message: 'x',
      actions: [{ action: 'delete', file_path: 'a' }],
    }
    await create(['-m', 'x', flag, '-'], { input: text })
    await create(['-m', 'x', flag, 'it'], { cwd })
    expect(sent().map((one) => one.body)).toEqual([expected, expected])
  })

  it('adds to a file’s actions those of flags, and takes a list as it stands', async () => {
    const listed = '[{"action":"delete","file_path":"a"}]'
    await create(['-m', 'x', '--actions', listed, '--delete', 'b'])
    expect(body()).toMatchObject({
      actions: [
        { action: 'delete', file_path: 'a' },
        { action: 'delete', file_path: 'b' },
      ],
    })
  })

  it('prefers --commit-message over -m', async () => {
    await create(['-m', 'short', '--commit-message', 'long', '--delete', 'a'])
    expect(body()).toMatchObject({ commit_message: 'long' })
  })

  it('leaves actions of --param to the instance', async () => {
    expect((await create(['-m', 'x', '--param', 'actions=[]'])).code).toBe(0)
  })

  it.each([
    [[], '', 'nothing to commit'],
    [['--input', '-', '--actions', '-'], '[]', 'both read standard input'],
    [['--input', '-', '--actions', '@-'], '[]', 'both read standard input'],
    [
      ['--input', '-'],
      '"text"',
      '--input must contain an object of attributes or a list of actions',
    ],
    [['--input', '-'], '{', '--input: not valid JSON or YAML'],
    [['--input', 'missing'], '', '--input: cannot read missing'],
    [['--actions', 'missing'], '', '--actions: cannot read missing'],
    [['--create', 'missing=a'], '', '--create: cannot read missing'],
    [['--delete', 'a', '--delete', 'a'], '', 'a has two actions: delete and delete'],
    [['--delete', '../a'], '', '--delete: "../a" is not a path in the repository'],
  ])('refuses %j with %j', async (flags, input, says) => {
    const ran = await create(['-m', 'x', ...flags], { input })
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain(says)
    expect(server.seen).toEqual([])
  })
})

describe.each([
  [
    'cherry-pick',
    'cherry_pick',
    'abc changes nothing on main: the branch already contains the change',
  ],
  ['revert', 'revert', 'reverting abc changes nothing on main: it is already reverted'],
])('commits %s', (verb, path, already) => {
  const apply = (...flags: string[]) =>
    call(['commits', verb, 'abc', '--branch', 'main', '-P', 'a/b', ...flags])

  it('sends it, and gives the new commit', async () => {
    server.answer = () => ({ status: 201, body: { id: 'def' } })
    const ran = await apply('-o', 'json')
    expect(JSON.parse(ran.stdout)).toEqual({ id: 'def' })
    expect(ran.stderr).not.toContain('applies cleanly')
    expect(sent()).toEqual([{ line: `POST ${root}/abc/${path}`, body: { branch: 'main' } }])
  })

  it('says of a dry run that nothing was committed', async () => {
    server.answer = () => ({ body: { dry_run: 'success' } })
    const ran = await apply('--dry-run')
    expect(ran.stderr).toContain(`abc: ${verb} applies cleanly to main; no commit was created`)
  })

  it('says why it failed, and what to do', async () => {
    const refused = (error_code: string) => () => ({
      status: 400,
      body: { message: 'Sorry', error_code },
    })
    server.answer = refused('empty')
    const ran = await apply()
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain(already)
    server.answer = refused('conflict')
    expect((await apply()).stderr).toContain(`git ${verb}`)
    server.answer = refused('other')
    expect((await apply()).stderr).toContain('Sorry')
  })
})

describe('commits diff', () => {
  const change = {
    old_path: 'a',
    new_path: 'a',
    a_mode: '1',
    b_mode: '1',
    diff: '@@ -1 +1 @@\n-x\n+\ty\n',
  }
  const diff = (...flags: string[]) => call(['commits', 'diff', ...flags, '-P', 'a/b'])

  it('gives programs what the instance sends', async () => {
    server.answer = () => ({ body: [change] })
    expect(JSON.parse((await diff('abc', '-o', 'json')).stdout)).toEqual([change])
    expect(parseRows((await diff('abc')).stdout)[0]).toMatchObject({ old_path: 'a', new_path: 'a' })
  })

  it('says of several commits whose each change is', async () => {
    server.answer = ({ url }) =>
      /\/(bad|worse)\//.test(url)
        ? { status: 404, body: { message: '404 Not found' } }
        : { body: [change] }
    const ran = await diff('abc', 'bad', 'def', '-o', 'json')
    expect(ran.code).toBe(8)
    expect(JSON.parse(ran.stdout)).toEqual([
      { object: 'abc', ...change },
      { object: 'def', ...change },
    ])
    expect(ran.stderr).toContain('1 of 3 failed')
    expect(parseRows((await diff('abc', 'def')).stdout).map((r) => r.object)).toEqual([
      'abc',
      'def',
    ])
    const none = await diff('bad', 'worse', '-o', 'json')
    expect(none).toMatchObject({ code: 4, stdout: '' })
    expect(none.stderr).toContain('all 2 failed')
  })

  it('shows an answer without diffs as it is', async () => {
    server.answer = () => ({ body: { diffs: 'elsewhere' } })
    expect(JSON.parse((await diff('abc', '-o', 'json')).stdout)).toEqual({ diffs: 'elsewhere' })
    expect((await diff('abc')).stdout).toBe('diffs\telsewhere\n')
    server.answer = () => ({ body: [] })
    expect(JSON.parse((await diff('abc', 'def', '-o', 'json')).stdout)).toEqual([])
  })

  it('is a unified diff on a terminal, under each commit', async () => {
    server.answer = () => ({ body: [change] })
    await atTerminal('commits diff abc def -P a/b', async (terminal) => {
      const screen = await terminal.until(/ended with 0/)
      const one = [
        'diff --git a/a b/a',
        '--- a/a',
        '\\+\\+\\+ b/a',
        '@@ -1 \\+1 @@',
        '-x',
        '\\+ +y',
      ]
      const all = ['commit abc', ...one, 'commit def', ...one].join('\\n')
      expect(screen).toMatch(new RegExp(all))
    })
  })

  it('shows with --curl a request for each', async () => {
    const { stdout } = await diff('abc', 'def', '--curl')
    expect(stdout).toContain('/abc/diff')
    expect(stdout).toContain('/def/diff')
    expect(server.seen).toEqual([])
  })
})
