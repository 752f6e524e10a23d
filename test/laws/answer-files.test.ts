/**
 * `--to FILE` writes the bytes that standard output would have had, for every shape of command and in every format. The file is a
 * regular one, because a device is written in another way. A write that was carried out is reported even if its file cannot be
 * written.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { formatNames } from '../../src/catalogue/formats.js'
import { createConfiguration, createFolder, type LineResult } from '../support/program.js'
import { startRecorder, useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

interface Shape {
  readonly line: string
  /** Lines that are run before it. */
  readonly first?: readonly string[]
  /** Set if the output contains a duration or a count that differs between runs. */
  readonly timed?: true
}

/** Lines by the shape of their output. */
const shapes: Readonly<Record<string, Shape>> = {
  'a list': { line: 'runners list --instance' },
  'an empty list': { line: 'runners list --instance --where id=0' },
  'groups of a list': { line: 'runners list --instance --group-by status --count' },
  'a sorted list': { line: 'runners list --instance --sort=-id' },
  'one object': { line: 'runners get 1' },
  'several objects': { line: 'runners get 1 2' },
  'several objects, some of which fail': { line: 'runners get 1 999' },
  'lists of several projects': { line: 'jobs list -P platform/app,web/site', timed: true },
  'objects of several projects': { line: 'approvals get -P platform/app -P web/site' },
  'a write': { line: 'runners pause 1' },
  'several writes': { line: 'runners pause 1 2' },
  'selected writes': { line: 'runners pause --instance --select id<3 --yes' },
  'writes in several projects': {
    line: 'approvals update -P platform/app -P web/site --approvals-before-merge 2 --yes',
  },
  'a write without an answer': { line: 'deploy-keys delete 1 -P platform/app --yes' },
  'a write that changes nothing': { line: 'runners pause 1', first: ['runners pause 1'] },
  'a preview': { line: 'runners pause 1 --dry-run' },
  'a preview of several': { line: 'runners pause 1 2 --dry-run' },
  'a request that is not sent': { line: 'runners pause 1 --curl' },
  undo: { line: 'journal undo last --yes', first: ['runners pause 1 2'] },
  'undo of one object': { line: 'journal undo last --yes', first: ['runners pause 1'] },
  redo: {
    line: 'journal undo last --redo --yes',
    first: ['runners pause 1', 'journal undo last --yes'],
  },
  journals: { line: 'journal list', first: ['runners pause 1'], timed: true },
  'a request by hand': { line: 'api GET version' },
  'a list by hand': { line: 'api GET runners/all' },
  'a write by hand': { line: 'api PUT runners/1 --param active=false' },
  'a page': { line: 'overview', timed: true },
  'a table of a command': { line: 'access eva' },
  'a check': { line: 'check instance', timed: true },
  'a version': { line: 'version' },
  'a description': { line: 'explain runners' },
  profiles: { line: 'profile list' },
  'a session': { line: 'auth status' },
  'the commands': { line: 'commands' },
  'a plan': { line: 'plan f.yml', timed: true },
  'an apply': { line: 'apply f.yml --yes', timed: true },
  drift: { line: 'drift f.yml', timed: true },
  'checked files': { line: 'ci lint ci.yml' },
}

const state =
  'version: 1\nprojects: {platform/app: {approval_rules: {Security: {approvals_required: 3}}}}\n'

/** Creates a folder with the files that the lines name. */
const writeLineFiles = (): string => {
  const cwd = createFolder()
  writeFileSync(join(cwd, 'f.yml'), state)
  writeFileSync(join(cwd, 'ci.yml'), 'a: {script: [b]}\n')
  return cwd
}

/** Runs a line on an embedded instance of its own, after the lines of `first`. */
const runAlone = async ({ line, first = [] }: Shape, more: readonly string[]) => {
  const env = { SVC_CONFIG_DIR: createConfiguration(), SVC_SANDBOX: '1' }
  const cwd = writeLineFiles()
  for (const one of first) {
    const ran = await svcctl(one.split(' '), { env, cwd })
    expect(ran.code, ran.stderr).toBe(0)
  }
  return { ran: await svcctl([...line.split(' '), ...more], { env, cwd }), cwd, env }
}
type AloneRun = Awaited<ReturnType<typeof runAlone>>

/** Replaces everything in an output that differs between runs: times, names made of times, and paths. */
const removeTimes = (text: string, { cwd, env }: AloneRun, timed = false): string => {
  const found = text
    .replaceAll(cwd, 'HERE')
    .replaceAll(env.SVC_CONFIG_DIR, 'HOME')
    .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z| UTC)?/g, 'TIME')
    .replace(/\b127\.0\.0\.1:\d+/g, 'ADDRESS')
  return timed ? found.replace(/"sha256":"\w+"|\d+(?:\.\d+)?/g, '0') : found
}

/** Compares the file with standard output. Returns false if the shape has no output in this format. */
const isSame = async (shape: Shape, format: string): Promise<boolean> => {
  const asked = ['-o', format, ...(format === 'value' ? ['--fields', 'id'] : [])]
  const [printed, filed] = await Promise.all([
    runAlone(shape, asked),
    runAlone(shape, [...asked, '--to', 'answer']),
  ])
  const file = join(filed.cwd, 'answer')
  expect(filed.ran.code, filed.ran.stderr).toBe(printed.ran.code)
  expect(filed.ran.stdout).toBe('')
  expect(readdirSync(filed.cwd).filter((one) => one.endsWith('.part'))).toEqual([])
  if (!existsSync(file)) {
    expect(printed.ran.stdout, filed.ran.stderr).toBe('')
    expect([1, 2]).toContain(printed.ran.code)
    return false
  }
  const { timed } = shape
  const written = readFileSync(file, 'utf8')
  expect(removeTimes(written, filed, timed)).toBe(removeTimes(printed.ran.stdout, printed, timed))
  expect(filed.ran.stderr).toContain('wrote answer\n')
  return true
}

describe('--to FILE has what standard output has', () => {
  it.each(Object.entries(shapes))('of %s', async (_, shape) => {
    expect(await isSame(shape, 'table')).toBe(true)
    expect(await isSame(shape, 'json')).toBe(true)
  })

  it.each(formatNames)('in the format %s', async (format) => {
    const names = ['a list', 'one object', 'several objects', 'a write']
    for (const name of names)
      expect(await isSame(shapes[name] ?? { line: '' }, format), name).toBe(true)
  })
})

describe('--to FILE of several instances', () => {
  const config = createConfiguration()
  const run = (line: string, cwd = createFolder()): Promise<LineResult> =>
    svcctl(line.split(' '), { env: { SVC_CONFIG_DIR: config }, cwd })
  const servers = { a: useRecorder(), b: useRecorder() }
  beforeAll(async () => {
    for (const [name, server] of Object.entries(servers)) {
      const words = ['profile', 'set', name, '--base-url', server.url]
      const made = await svcctl([...words, '--token-command', 'printf x'], {
        env: { SVC_CONFIG_DIR: config },
      })
      expect(made.code, made.stderr).toBe(0)
    }
  })

  it.each([
    'runners list --instance',
    'runners get 1',
    'runners get 1 2',
    'runners pause 1 --yes',
    'runners pause 1 2 --yes',
    'api GET version',
    'runners get 1 --curl',
  ])('has what standard output has: %s', async (line) => {
    for (const server of Object.values(servers))
      server.answer = ({ url }) => ({
        body: url.includes('/all') ? [{ id: 1 }] : { id: Number(/\d+$/.exec(url)?.[0] ?? 7) },
      })
    for (const format of ['table', 'json', 'ndjson', 'csv']) {
      const cwd = createFolder()
      const printed = await run(`${line} -p a,b -o ${format}`)
      const filed = await run(`${line} -p a,b -o ${format} --to answer`, cwd)
      expect([filed.code, filed.stdout], filed.stderr).toEqual([0, ''])
      expect(printed.stdout).not.toBe('')
      expect(readFileSync(join(cwd, 'answer'), 'utf8')).toBe(printed.stdout)
    }
  })
})

describe('a file that cannot be written once the instance was changed', () => {
  const answering = async (line: string, fails = 0) => {
    const cwd = createFolder()
    mkdirSync(join(cwd, 'out'))
    const server = await startRecorder(({ method, url }) => {
      if (url.endsWith('/user')) return { body: { id: 1, username: 'ana' } }
      if (method === 'PUT' || line.endsWith('--dry-run'))
        rmSync(join(cwd, 'out'), { recursive: true, force: true })
      const id = Number(/\d+$/.exec(url)?.[0])
      return id === fails ? { status: 404 } : { body: { id, active: method !== 'PUT' } }
    })
    const env = { SVC_CONFIG_DIR: createConfiguration(), SVC_TOKEN: 'x', SVC_BASE_URL: server.url }
    const ran = await svcctl([...line.split(' '), '--to', 'out/answer'], { env, cwd })
    await server.close()
    expect(existsSync(join(cwd, 'out'))).toBe(false)
    return ran
  }

  it.each([
    ['runners pause 1', 'runners pause was completed before that'],
    ['runners pause 1 2', 'runners pause was completed before that'],
    ['runners pause 1 2 -o json', 'runners pause was completed before that'],
    ['runners pause 1 --journal none', 'runners pause was completed before that'],
    ['api PUT runners/1 --param active=false', 'api was completed before that'],
  ])('says what was done: %s', async (line, text) => {
    const { code, stderr } = await answering(line)
    expect(stderr).toContain('cannot write out/answer: ')
    expect(stderr).toContain(text)
    expect(code).toBe(1)
  })

  it('does not hide that some objects failed', async () => {
    const { code, stderr } = await answering('runners pause 1 2', 2)
    expect(stderr).toContain('cannot write out/answer: ')
    expect(stderr).toContain('1 done, 1 failed')
    expect(code).toBe(8)
  })

  it('says nothing of the kind where nothing was changed', async () => {
    const { stderr } = await answering('runners pause 1 --dry-run')
    expect(stderr).not.toContain('before that')
  })
})
