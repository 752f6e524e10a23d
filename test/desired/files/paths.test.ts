/** Tests which files are read, and in which order. */

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, constants, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readFiles } from '../../../src/desired/files/index.js'
import { getRefusal, getWanted, readTexts, writeFolder } from './reading.js'

const emptyFile = 'version: 1\n'
const readStdin = async (): Promise<string> => emptyFile
const listPaths = async (paths: readonly string[], cwd: string): Promise<readonly string[]> =>
  (await readFiles(paths, { cwd, stdin: readStdin })).files.map(({ path }) => path)

describe('files of a folder', () => {
  it('are read recursively, in the order of their bytes', async () => {
    const cwd = writeFolder({
      'in/b.yml': emptyFile,
      'in/B.yaml': emptyFile,
      'in/a/z.json': '{"version": 1}',
      'in/é.yml': emptyFile,
      'in/a.yml': emptyFile,
      'in/notes.txt': 'no document',
      'in/.hidden.yml': 'no document: [',
      'in/.git/x.yml': 'no document: [',
      'in/node_modules/x.yml': 'no document: [',
    })
    const read = ['in/B.yaml', 'in/a.yml', 'in/a/z.json', 'in/b.yml', 'in/é.yml']
    expect(await listPaths(['in'], cwd)).toEqual(read)
  })

  it('follow no link to a folder, and none that leads out', async () => {
    const cwd = writeFolder({
      'in/a.yml': emptyFile,
      'in/below/b.yml': emptyFile,
      'out/c.yml': emptyFile,
    })
    symlinkSync(join(cwd, 'out'), join(cwd, 'in/away'))
    symlinkSync(join(cwd, 'in/below'), join(cwd, 'in/again'))
    symlinkSync('below/b.yml', join(cwd, 'in/b-link.yml'))
    // The file is read once, although it has two names.
    expect(await listPaths(['in'], cwd)).toEqual(['in/a.yml', 'in/b-link.yml'])
    symlinkSync(join(cwd, 'out/c.yml'), join(cwd, 'in/c.yml'))
    expect(await getRefusal(readFiles(['in'], { cwd, stdin: readStdin }))).toEqual([
      'in/c.yml: the link points outside in',
      'Pass the target of the link as well, or copy it.',
    ])
  })

  it('may not be links to nothing', async () => {
    const cwd = writeFolder({ 'in/a.yml': emptyFile })
    symlinkSync('gone', join(cwd, 'in/b.yml'))
    expect(await getRefusal(readFiles(['in'], { cwd, stdin: readStdin }))).toEqual([
      'in/b.yml: the link is broken',
    ])
  })

  it('must be there', async () => {
    const cwd = writeFolder({})
    mkdirSync(join(cwd, 'in'))
    expect((await getRefusal(readFiles(['in'], { cwd, stdin: readStdin })))[0]).toMatch(
      /^in: the folder contains no/,
    )
    expect(await getRefusal(readFiles(['gone'], { cwd, stdin: readStdin }))).toEqual([
      'cannot read gone: no such file or directory',
    ])
  })
})

describe('paths', () => {
  it('name a file twice, and it is read once, whatever it ends in', async () => {
    const cwd = writeFolder({ 'in/a.yml': emptyFile, state: emptyFile })
    expect(await listPaths(['in/a.yml', 'in', 'state', './in/a.yml'], cwd)).toEqual([
      'in/a.yml',
      'state',
    ])
  })

  it('are told with what they held', async () => {
    const cwd = writeFolder({ 'a.yml': emptyFile })
    expect((await readFiles(['a.yml'], { cwd, stdin: readStdin })).files).toEqual([
      {
        path: 'a.yml',
        sha256: createHash('sha256').update(emptyFile).digest('hex'),
      },
    ])
  })

  it('take standard input for -, one document of it', async () => {
    const cwd = writeFolder({})
    const state = await readFiles(['-'], {
      cwd,
      stdin: async () => 'version: 1\nsite: {settings: {admin_mode: true}}\n',
    })
    expect(state.files.map(({ path }) => path)).toEqual(['-'])
    expect(getWanted(state)).toEqual({ 'site:settings': { '': { admin_mode: true } } })
    const two = readFiles(['-'], { cwd, stdin: async () => `${emptyFile}---\n${emptyFile}` })
    expect(await getRefusal(two)).toEqual([
      'standard input:3:1: standard input must contain a single document',
    ])
  })

  it('lead to files of several documents', async () => {
    const texts = {
      'a.yml':
        'site: {settings: {admin_mode: true}}\n---\nversion: 1\nsite: {settings: {max_pages_size: 5}}',
    }
    expect(getWanted(await readTexts(texts))).toEqual({
      'site:settings': { '': { admin_mode: true, max_pages_size: 5 } },
    })
  })

  it('refuse what is no text', async () => {
    const cwd = writeFolder({})
    writeFileSync(join(cwd, 'a.yml'), Buffer.from([0x61, 0x3a, 0x20, 0xff]))
    expect(await getRefusal(readFiles(['a.yml'], { cwd, stdin: readStdin }))).toEqual([
      'a.yml:1:1: the file is not UTF-8 text',
    ])
  })
})

describe('a pipe', () => {
  it('is read where a shell passes <(command)', async () => {
    const cwd = writeFolder({ 'a.yml': emptyFile })
    const pipe = join(cwd, 'pipe')
    execFileSync('mkfifo', [pipe])
    const passed = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
    const path = `/dev/fd/${passed}`
    // A pipe holds less than this, so that the writer is still there when the pipe is opened.
    const long = `${emptyFile}# ${'x'.repeat(100_000)}\n`
    try {
      const [read] = await Promise.all([listPaths([path], cwd), writeFile(pipe, long)])
      expect(read).toEqual([path])
    } finally {
      closeSync(passed)
    }
  })

  it('is not waited for by its name', async () => {
    const cwd = writeFolder({})
    execFileSync('mkfifo', [join(cwd, 'pipe')])
    expect((await getRefusal(readFiles(['pipe'], { cwd, stdin: readStdin })))[0]).toContain(
      'it is a pipe',
    )
  })

  it('is not waited for in a folder', async () => {
    const cwd = writeFolder({ 'in/a.yml': emptyFile })
    execFileSync('mkfifo', [join(cwd, 'in/b.yml')])
    expect((await getRefusal(readFiles(['in'], { cwd, stdin: readStdin })))[0]).toContain(
      'it is a pipe',
    )
  })
})
