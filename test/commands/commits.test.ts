import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { processIo, runWithIo } from '../../src/base/io.js'
import { explainFailure, formatUnifiedDiff, hasDiffs } from '../../src/commands/commits.js'
import {
  checkActions,
  encodeContent,
  parseActionFlags,
  parseCommitActions,
  describeAction as words,
} from '../../src/commands/commits-create.js'
import { Failure } from '../../src/errors.js'

const cwd = mkdtempSync(join(tmpdir(), 'svcctl-actions-'))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))
writeFileSync(join(cwd, 'a.txt'), 'text\n')
writeFileSync(join(cwd, 'logo.png'), Buffer.from([137, 80, 78, 71, 0, 255]))

/** Parses the flags of a line in the folder. */
const parseFlags = (flags: Parameters<typeof parseActionFlags>[0]) =>
  runWithIo({ ...processIo, cwd }, () => parseActionFlags(flags))

describe('actions from flags', () => {
  it('reads files, keeps text, encodes what is binary', async () => {
    const actions = await parseFlags({
      create: ['a.txt=docs/a.txt', './logo.png'],
      update: ['a.txt'],
      delete: ['old.txt'],
      move: ['x=y/x'],
      chmod: ['+x=run.sh', '-x=read.me'],
    })
    expect(actions).toEqual([
      { action: 'move', previous_path: 'x', file_path: 'y/x' },
      { action: 'delete', file_path: 'old.txt' },
      { action: 'create', file_path: 'docs/a.txt', content: 'text\n' },
      { action: 'create', file_path: 'logo.png', content: 'iVBORwD/', encoding: 'base64' },
      { action: 'update', file_path: 'a.txt', content: 'text\n' },
      { action: 'chmod', file_path: 'run.sh', execute_filemode: true },
      { action: 'chmod', file_path: 'read.me', execute_filemode: false },
    ])
  })

  it.each([
    [{ create: ['missing.txt'] }, 'no such file'],
    [{ create: ['.=x'] }, 'is a directory'],
    [{ create: ['a.txt=../a.txt'] }, '" is not a path in the repository'],
    [{ create: ['a.txt=/a.txt'] }, '" is not a path in the repository'],
    [{ create: [join(cwd, 'a.txt')] }, 'specify the target of'],
    [{ create: ['a.txt=docs/'] }, '--create: "docs/" does not name a file'],
    [{ delete: ['a/../b'] }, '" is not a path in the repository'],
    [{ move: ['only'] }, 'old=new'],
    [{ chmod: ['x=path'] }, '\\+x=path'],
  ])('refuses %j', async (flags, message) => {
    await expect(parseFlags(flags)).rejects.toThrow(new RegExp(message))
  })

  it('keeps a byte order mark and calls invalid UTF-8 binary', () => {
    expect(encodeContent(Buffer.from('\uFEFFx'))).toEqual({ content: '\uFEFFx' })
    expect(encodeContent(Buffer.from([0xc3, 0x28])).encoding).toBe('base64')
  })
})

describe('actions from a file', () => {
  it('keeps what the documents do not name', () => {
    const action = { action: 'update', file_path: './a', content: 'x', last_commit_id: 'abc', y: 1 }
    expect(parseCommitActions([action])).toEqual([{ ...action, file_path: 'a' }])
  })

  it.each([
    ['text', 'must be a list'],
    [[1], 'action 1 is not an object'],
    [[{ action: 'copy', file_path: 'a' }], 'not "copy"'],
    [[{ action: 'delete' }], 'file_path is missing'],
    [[{ action: 'create', file_path: 'a' }], 'create requires content, as text'],
    [[{ action: 'move', file_path: 'a' }], 'previous_path'],
    [[{ action: 'chmod', file_path: 'a' }], 'execute_filemode'],
    [[{ action: 'create', file_path: 'a', content: '', encoding: 'hex' }], 'text or base64'],
    [[{ action: 'delete', file_path: '../a' }], '" is not a path in the repository'],
  ])('refuses %j', (value, message) => {
    expect(() => parseCommitActions(value)).toThrow(message)
  })
})

describe('checkActions', () => {
  const remove = { action: 'delete', file_path: 'a' } as const

  it('refuses none, and two that touch one path', () => {
    expect(() => checkActions([])).toThrow('nothing to commit')
    expect(() => checkActions([remove, { ...remove, action: 'update' }])).toThrow(
      'delete and update',
    )
    expect(() =>
      checkActions([remove, { action: 'move', previous_path: 'a', file_path: 'b' }]),
    ).toThrow('delete and move')
  })

  it('lets a file be written and made executable', () => {
    checkActions([
      { action: 'create', file_path: 'a', content: '' },
      { action: 'chmod', file_path: 'a', execute_filemode: true },
    ])
  })
})

it('describes actions in a line each', () => {
  expect(words({ action: 'create', file_path: 'a', content: 'é' })).toBe('create  a (2 bytes)')
  expect(words({ action: 'update', file_path: 'a', content: 'QQ==', encoding: 'base64' })).toBe(
    'update  a (1 byte, binary)',
  )
  expect(words({ action: 'move', file_path: 'b', previous_path: 'a' })).toBe('move    a → b')
})

describe('a cherry-pick that failed', () => {
  it('says what to do for the documented codes, and keeps other failures', () => {
    const failure = (code: string) => new Failure('failed', 'Sorry', { code, status: 400 })
    const conflict = explainFailure('cherry-pick', failure('conflict'), 'abc', 'main')
    expect(conflict.message).toBe('abc conflicts with main')
    expect(conflict.details).toMatchObject({ code: 'conflict', status: 400 })
    expect(conflict.details.hint).toContain('git cherry-pick -x abc')
    expect(explainFailure('revert', failure('empty'), 'abc', 'main').message).toContain(
      'it is already reverted',
    )
    const other = failure('strange')
    expect(explainFailure('revert', other, 'abc', 'main')).toBe(other)
  })
})

it('takes for a diff only what has one with both of its names, item by item', () => {
  const item = { diff: '', old_path: 'a', new_path: 'b' }
  expect(hasDiffs([item, item])).toBe(true)
  for (const name of Object.keys(item))
    expect(hasDiffs([item, { ...item, [name]: undefined }])).toBe(false)
  expect(hasDiffs([])).toBe(false)
  expect(hasDiffs('diff')).toBe(false)
})

it('renders a diff as git does', () => {
  const item = {
    old_path: 'a',
    new_path: 'b',
    a_mode: '100644',
    b_mode: '100755',
    renamed_file: true,
    diff: '@@ -1 +1 @@\n-x\n+y\n',
  }
  expect(formatUnifiedDiff([item]).map((line) => line.text)).toEqual([
    'diff --git a/a b/b',
    'old mode 100644',
    'new mode 100755',
    'rename from a',
    'rename to b',
    '--- a/a',
    '+++ b/b',
    '@@ -1 +1 @@',
    '-x',
    '+y',
  ])
})
