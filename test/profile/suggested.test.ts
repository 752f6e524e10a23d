/** What a repository may suggest: which file counts, what of it is taken, and what an enemy puts there. */
import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { findSuggestions } from '../../src/profile/suggested/find.js'
import { readSuggestions } from '../../src/profile/suggested/read.js'
import { scopeIn } from '../../src/profile/suggested/scope.js'
import { folder } from '../support/program.js'

let top: string
let deep: string
beforeEach(() => {
  top = folder()
  deep = join(top, 'a', 'b')
  mkdirSync(deep, { recursive: true })
})
const put = (...at: string[]): string => {
  const file = join(top, ...at, '.svcctl.yaml')
  writeFileSync(file, 'project: a/b\n')
  return file
}

describe('the file that counts', () => {
  it('is the first up to the root of the repository', () => {
    mkdirSync(join(top, 'a', '.git'))
    put()
    expect(findSuggestions(deep, {})).toBeUndefined()
    const middle = put('a')
    expect(findSuggestions(deep, {})).toBe(middle)
    const own = put('a', 'b')
    expect(findSuggestions(deep, {})).toBe(own)
  })

  it('is looked for up to the home directory, and outside of both in the folder alone', () => {
    const file = put()
    expect(findSuggestions(deep, { HOME: top })).toBe(file)
    expect(findSuggestions(deep, { HOME: join(top, 'a') })).toBeUndefined()
    expect(findSuggestions(deep, {})).toBeUndefined()
    expect(findSuggestions(top, {})).toBe(file)
    const link = join(folder(), 'home')
    symlinkSync(top, link)
    expect(findSuggestions(deep, { HOME: link })).toBe(file)
  })

  it('is the first whatever it is: what cannot be read hides none above it', () => {
    put()
    mkdirSync(join(deep, '.svcctl.yaml'))
    expect(findSuggestions(deep, { HOME: top })).toBe(join(deep, '.svcctl.yaml'))
  })
})

const read = (text: string | Buffer) => {
  const file = join(top, '.svcctl.yaml')
  writeFileSync(file, text)
  return readSuggestions(file)
}

describe('what is taken', () => {
  it('is a project, a group, an output and fields', async () => {
    const file = join(top, '.svcctl.yaml')
    expect(await read('project: platform/app\ngroup: 7\noutput: json\nfields: [id, name]')).toEqual(
      {
        file,
        project: 'platform/app',
        group: '7',
        output: 'json',
        fields: ['id', 'name'],
        notes: [],
        warnings: [],
      },
    )
    expect((await read('fields: id, name')).fields).toEqual(['id', 'name'])
    expect(await read('')).toEqual({ file, notes: [], warnings: [] })
  })

  it.each([
    'base-url',
    'base_url',
    'profile',
    'token',
    'token_command',
    'vocabulary',
    'sudo',
    'proxy',
    'ca-file',
    'api_key',
  ])('is nothing of %s, with a warning', async (key) => {
    const { warnings, notes, project } = await read(`${key}: canary\nproject: a/b`)
    expect(project).toBe('a/b')
    expect(notes).toEqual([])
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain(key)
    expect(warnings[0]).not.toContain('canary')
  })

  it('is nothing of another key, with a note', async () => {
    const { warnings, notes } = await read('projekt: a/b\n__proto__: {project: x}\nconstructor: 1')
    expect(warnings).toEqual([])
    expect(notes).toHaveLength(3)
    expect(notes[0]).toContain('keys are project, group, output, fields')
  })

  it.each([
    'project: [a]',
    'project: {a: b}',
    'project: ""',
    'project: -Pother',
    'project: "a\\u001b[2Jb"',
    'project: "a\\nb"',
    `project: ${'a'.repeat(300)}`,
    'fields: []',
    'fields: [[a]]',
    'output: true',
  ])('is nothing of %j', async (text) => {
    const found = await read(text)
    expect(found.notes).toHaveLength(1)
    expect(found.notes[0]).toContain('no usable value')
    expect(Object.keys(found).sort()).toEqual(['file', 'notes', 'warnings'])
  })

  it('names a project or a group by what a command takes', () => {
    const both = { file: 'f', project: 'a/b', group: 'a', notes: [], warnings: [] }
    expect(scopeIn(both, 'project')).toEqual({ kind: 'project', value: 'a/b', source: 'f' })
    expect(scopeIn(both, 'group')).toMatchObject({ kind: 'group', value: 'a' })
    expect(scopeIn(both, 'either')).toBeUndefined()
    const { group: _, ...alone } = both
    expect(scopeIn(alone, 'either')).toMatchObject({ value: 'a/b' })
    expect(scopeIn(alone, 'group')).toBeUndefined()
  })
})

describe('what an enemy puts there', () => {
  const ignored = async (file: string, why: string): Promise<void> => {
    const found = await readSuggestions(file)
    expect(found).toEqual({ file, notes: [`${file} is ignored: ${why}`], warnings: [] })
  }

  it('is not waited for, followed or swallowed', async () => {
    const pipe = join(top, 'pipe')
    execFileSync('mkfifo', [pipe])
    await ignored(pipe, 'it is a pipe and not a regular file')
    const link = join(top, 'link')
    symlinkSync(put(), link)
    await ignored(link, 'it is a link')
    await ignored(deep, 'it is a directory')
    const large = join(top, 'large')
    writeFileSync(large, `project: a/b\n#${'x'.repeat(64 * 1024)}`)
    await ignored(large, 'it is larger than 64 KiB')
    await ignored(join(top, 'none'), 'no such file or directory')
  })

  it.skipIf(process.geteuid?.() !== 0)('is not read where it belongs to another', async () => {
    const file = put()
    chownSync(file, 12345, 12345)
    await ignored(file, 'it belongs to another user')
  })

  it.each([
    ['project: [', 'it is no valid YAML'],
    ['project: a\nproject: b', 'it is no valid YAML'],
    ['project: !!js/function x', undefined],
    ['- a', 'it holds no settings'],
    ['project: &a x\ngroup: *a', 'it refers to parts of itself'],
    ['['.repeat(5000), 'it is too intricate'],
    [
      `a: &a [x,x,x,x]\n${'bcdef'.replace(/./g, (c, i) => `${c}: &${c} [${`*${'abcde'[i]},`.repeat(9)}]\n`)}`,
      undefined,
    ],
    ['x: 1\n'.repeat(3000), 'it is too intricate'],
    [Buffer.from([0xff, 0xfe, 0, 1]), undefined],
  ])('is read in little time and space: %#', async (text, why) => {
    const { file, notes, ...rest } = await read(text)
    if (why !== undefined) expect(notes).toEqual([`${file} is ignored: ${why}`])
    else expect(notes.length + rest.warnings.length + Object.keys(rest).length).toBeGreaterThan(0)
  })

  it('never throws, whatever stands there', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const found = await read(Buffer.from(bytes))
        expect(found.file).toBe(join(top, '.svcctl.yaml'))
      }),
      { numRuns: 200 },
    )
  })
})
