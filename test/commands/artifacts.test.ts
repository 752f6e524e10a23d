/** Tests `artifacts download` and `artifacts file`: where the bytes are written, and what is rejected. */
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { ZipFile } from 'yazl'
import { createFolder } from '../support/program.js'
import { createCaller } from './calling.js'

const { server, call } = createCaller()
let zip: Buffer
beforeAll(async () => {
  const file = new ZipFile()
  file.addBuffer(Buffer.from('one'), 'dist/one.txt')
  file.addBuffer(Buffer.from('two'), 'two.txt')
  file.end()
  zip = await buffer(file.outputStream)
})

const answerWithArchive = (headers: Readonly<Record<string, string>> = {}): void => {
  server.answer = () => ({
    body: zip,
    headers: { 'content-type': 'application/zip', 'content-length': `${zip.length}`, ...headers },
  })
}
const download = (line: string, cwd = createFolder()) =>
  call(`artifacts download 13 -P a/b${line}`, { cwd })

describe('artifacts download', () => {
  it('saves under the instance’s name, a name of its own, or that of --to', async () => {
    answerWithArchive()
    const cwd = createFolder()
    mkdirSync(join(cwd, 'in'))
    expect((await download('', cwd)).code).toBe(0)
    answerWithArchive({ 'content-disposition': 'attachment; filename="build.zip"' })
    await download('', cwd)
    await download(' --to in', cwd)
    await download(' --to other.zip', cwd)
    expect((await download(' --to new/', cwd)).code).not.toBe(0)
    expect(readdirSync(cwd, { recursive: true }).toSorted()).toEqual([
      'artifacts.zip',
      'build.zip',
      'in',
      'in/build.zip',
      'other.zip',
    ])
    expect(readFileSync(join(cwd, 'other.zip')).equals(zip)).toBe(true)
    expect(server.lines()[0]).toBe('GET /projects/a%2Fb/jobs/13/artifacts')
  })

  it('says where it is and how large', async () => {
    answerWithArchive()
    const ran = await download('')
    expect(ran.stdout).toBe('')
    expect(ran.stderr).toMatch(/artifacts\.zip {2}\d+ (B|bytes)/)
  })

  it('unpacks with --extract, into --to where that is given', async () => {
    answerWithArchive()
    const cwd = createFolder()
    const ran = await download(' --extract --to out', cwd)
    expect(ran.code).toBe(0)
    expect(ran.stderr).toMatch(/extracted 2 files into .*out/)
    expect(readFileSync(join(cwd, 'out/dist/one.txt'), 'utf8')).toBe('one')
    expect(readFileSync(join(cwd, 'out/two.txt'), 'utf8')).toBe('two')
    expect(readdirSync(cwd)).toEqual(['out'])
    await download(' --extract', cwd)
    expect(existsSync(join(cwd, 'two.txt'))).toBe(true)
  })

  it.each([
    ['json', (text: string) => JSON.parse(text).map(({ path }: { path: string }) => path)],
    [
      'ndjson',
      (text: string) =>
        text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line).path),
    ],
    ['value', (text: string) => text.trimEnd().split('\n')],
    ['yaml', (text: string) => [...text.matchAll(/path: "?([^"\n]+)"?/g)].map(([, path]) => path)],
    [
      'csv',
      (text: string) =>
        text
          .trimEnd()
          .split('\n')
          .slice(1)
          .map((row) => row.split(',')[0]),
    ],
    [
      'table',
      (text: string) =>
        text
          .trimEnd()
          .split('\n')
          .slice(1)
          .map((row) => row.split(/ {2,}/)[0]),
    ],
  ])('prints the paths of what it unpacked with -o %s', async (format, pathsIn) => {
    answerWithArchive()
    const cwd = createFolder()
    const ran = await download(` --extract --to out -o ${format}`, cwd)
    expect(ran.code, ran.stderr).toBe(0)
    const paths = ['dist/one.txt', 'two.txt'].map((name) => join(cwd, 'out', name))
    expect(pathsIn(ran.stdout).toSorted()).toEqual(paths)
    for (const path of paths) expect(existsSync(path)).toBe(true)
    expect(ran.stderr).toMatch(/extracted 2 files into/)
  })

  it('prints the path of what it saved where a format is asked for, and nothing else', async () => {
    answerWithArchive()
    const cwd = createFolder()
    const one = await download(' -o json', cwd)
    const { path, size } = JSON.parse(one.stdout)
    expect(readFileSync(path)).toHaveLength(size)
    expect((await download(' --to other.zip -o value', cwd)).stdout).toBe(
      `${join(cwd, 'other.zip')}\n`,
    )
    expect((await download(' --to - -o json', cwd)).stdout).toMatch(/^PK/)
    for (const flags of ['', ' --extract --to out']) {
      const plain = await download(flags, createFolder())
      expect([plain.code, plain.stdout], plain.stderr).toEqual([0, ''])
    }
  })

  it('unpacks what is larger than is read at a time', async () => {
    const large = [1, 2].map((name) => [`${name}.bin`, randomBytes(200_000)] as const)
    const file = new ZipFile()
    for (const [name, bytes] of large) file.addBuffer(bytes, name, { compress: false })
    file.end()
    const body = await buffer(file.outputStream)
    server.answer = () => ({ body, headers: { 'content-length': `${body.length}` } })
    const cwd = createFolder()
    expect((await download(' --extract', cwd)).code).toBe(0)
    for (const [name, bytes] of large)
      expect(readFileSync(join(cwd, name)).equals(bytes)).toBe(true)
  })

  it('keeps the permissions of files, but no bits that change the user of a program', async () => {
    const file = new ZipFile()
    const large = randomBytes(1 << 21)
    file.addBuffer(Buffer.from('#!/bin/sh\n'), 'run.sh', { mode: 0o100755 })
    file.addBuffer(large, 'large', { mode: 0o100755, compress: false })
    file.addBuffer(Buffer.from('key'), 'private', { mode: 0o100400 })
    file.addBuffer(Buffer.from('x'), 'root', { mode: 0o106755 })
    file.end()
    const body = await buffer(file.outputStream)
    server.answer = () => ({ body, headers: { 'content-length': `${body.length}` } })
    const cwd = createFolder()
    expect((await download(' --extract', cwd)).code).toBe(0)
    const modes = ['run.sh', 'large', 'private', 'root'].map(
      (name) => statSync(join(cwd, name)).mode & 0o7777,
    )
    const executable = 0o777 & ~process.umask()
    expect(modes).toEqual([0o755 & executable, 0o755 & executable, 0o600, 0o755 & executable])
  })

  it('refuses --extract beside --to -, before anything is sent', async () => {
    answerWithArchive()
    const cwd = createFolder()
    const ran = await download(' --extract --to -', cwd)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain('--extract and --to - exclude each other')
    expect(server.seen).toEqual([])
    expect(readdirSync(cwd)).toEqual([])
  })

  it('writes to standard output with --to -, and no file', async () => {
    answerWithArchive()
    const cwd = createFolder()
    const ran = await download(' --to -', cwd)
    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain('dist/one.txt')
    expect(readdirSync(cwd)).toEqual([])
  })

  it('keeps nothing of what is no archive', async () => {
    for (const body of ['<!doctype html><title>Sign in</title>', '{"message": "no"}', '']) {
      server.answer = () => ({ body, headers: { 'content-type': 'text/html' } })
      const cwd = createFolder()
      expect((await download(' --retries 0', cwd)).code).toBe(7)
      expect(readdirSync(cwd)).toEqual([])
    }
  })

  it('shows the request with --curl', async () => {
    const ran = await download(' --curl')
    expect(ran.stdout).toContain('/api/v4/projects/a%2Fb/jobs/13/artifacts')
    expect(server.seen).toEqual([])
  })
})

describe('artifacts file', () => {
  const file = (line: string, cwd = createFolder()) =>
    call(`artifacts file ${line} -P a/b`, { cwd })

  it('saves under the last part of its path, or writes to standard output', async () => {
    server.answer = () => ({ body: 'text', headers: { 'content-length': '4' } })
    const cwd = createFolder()
    expect((await file('dist/app.txt --job-id 13', cwd)).code).toBe(0)
    expect(readFileSync(join(cwd, 'app.txt'), 'utf8')).toBe('text')
    const out = await file('dist/app.txt --ref main --job build --to -', cwd)
    expect(out).toMatchObject({ code: 0, stdout: 'text', stderr: '' })
    expect(server.lines()).toEqual([
      'GET /projects/a%2Fb/jobs/13/artifacts/dist/app.txt',
      'GET /projects/a%2Fb/jobs/artifacts/main/raw/dist/app.txt?job=build',
    ])
  })

  it('takes a page only for what is called one', async () => {
    server.answer = () => ({
      body: '<!doctype html><html></html>',
      headers: { 'content-type': 'text/html' },
    })
    expect((await file('a/index.html --job-id 13')).code).toBe(0)
    expect((await file('a/data.txt --job-id 13 --retries 0')).code).toBe(7)
  })

  it('has no --extract', async () => {
    expect((await file('a --job-id 13 --extract')).code).toBe(2)
  })
})
