/** Tests snapshots that were interrupted, edited or created by others: they are resumed, or rejected with the names of their faults. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startKillable } from '../support/killed.js'
import { createFolder } from '../support/program.js'
import { answerByRoute, createCaller } from './calling.js'

const { server, call } = createCaller()

const createProject = (id: number, path: string) => ({
  id,
  path_with_namespace: path,
  namespace: { id: 70 + id, kind: 'group', full_path: path.split('/')[0] },
})
const table = {
  'GET /projects?': [createProject(1, 'a/one'), createProject(2, 'b/two')],
  'GET /projects/a%2Fone/members': [{ id: 11, username: 'ann' }],
  'GET /projects/b%2Ftwo/members': [{ id: 12, username: 'bob' }],
  'GET /groups?': [{ id: 71, full_path: 'a' }],
  'GET /groups/a/members': [{ id: 13, username: 'cyd' }],
  'GET /runners?': [{ id: 5, status: 'online' }],
}
const lists = ['runners list', 'members list --all-projects', 'members list --all-groups']
const files = ['members-of-groups', 'members-of-projects', 'projects', 'runners'].map(
  (name) => `${name}.ndjson`,
)
const whole = [...files, 'manifest.json'].sort()

const noInstance = { env: { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_TOKEN: '' } }
const runFrom = (at: string, line: string) => call(`${line} --from ${at}`, noInstance)
const take = (at: string, ...flags: string[]) => call(['snapshot', ...lists, '--to', at, ...flags])
const resume = (at: string) => call(['snapshot', '--to', at, '--resume'])

/** Path of a complete snapshot. */
let completePath = ''
/** Path of a snapshot whose process ended between the renames: some lists have their final names, the others do not. */
let halfRenamedPath = ''
/** Path of a snapshot whose process was killed while it read: one list is complete, and one project of the next. */
let halfReadPath = ''

const interruptRenames = async (at: string): Promise<void> => {
  const inTheWay = join(at, 'members-of-projects.ndjson')
  server.answer = (seen, index) => {
    // A folder in place of the third list makes its rename fail.
    if (seen.url.includes('/members')) mkdirSync(join(inTheWay, 'x'), { recursive: true })
    return answerByRoute(table)(seen, index)
  }
  expect((await take(at)).code).toBe(1)
  rmSync(inTheWay, { recursive: true })
}

const interruptReading = async (at: string): Promise<void> => {
  const env = { SVC_BASE_URL: server.url, SVC_TOKEN: 'x' }
  const line = ['snapshot', ...lists, '--to', at, '--concurrency', '1']
  server.answer = (seen, index) => {
    if (seen.url.includes('b%2Ftwo')) taking.kill()
    return answerByRoute(table)(seen, index)
  }
  const taking = startKillable(line, { env }, [at])
  expect((await taking.ended).wasKilled).toBe(true)
}

beforeAll(async () => {
  server.answer = answerByRoute(table)
  completePath = join(createFolder(), 'kept')
  expect((await take(completePath)).code).toBe(0)
  halfRenamedPath = join(createFolder(), 'renaming')
  await interruptRenames(halfRenamedPath)
  halfReadPath = join(createFolder(), 'reading')
  await interruptReading(halfReadPath)
})
beforeEach(() => {
  server.answer = answerByRoute(table)
})

const copySnapshot = (at: string): string => {
  const copy = join(createFolder(), 'snap')
  cpSync(at, copy, { recursive: true })
  return copy
}
const readLists = (at: string) => files.map((name) => readFileSync(join(at, name), 'utf8'))

describe('a process that ended between the renames', () => {
  it('leaves a folder that --resume takes, without another request for a list', async () => {
    const names = readdirSync(halfRenamedPath)
    expect(names).toContain('runners.ndjson')
    expect(names).toContain('members-of-groups.ndjson.part')
    expect(names).not.toContain('manifest.json')
    const at = copySnapshot(halfRenamedPath)
    const ran = await resume(at)
    expect(ran.code, ran.stderr).toBe(0)
    expect(server.lines().filter((line) => /runners|members|projects/.test(line))).toEqual([])
    expect(readdirSync(at).sort()).toEqual(whole)
    expect(readLists(at)).toEqual(readLists(completePath))
  })

  it('is completed by the line that reading it hints at', async () => {
    const at = copySnapshot(halfRenamedPath)
    const { code, stderr } = await runFrom(at, 'runners list')
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`svcctl snapshot --to ${at} --resume`),
    ])
    expect((await resume(at)).code).toBe(0)
  })

  it('leaves a folder that --overwrite takes, also for other lists', async () => {
    const at = copySnapshot(halfRenamedPath)
    expect((await take(at)).stderr).toContain('--resume')
    const ran = await call(['snapshot', 'runners list', '--to', at, '--overwrite'])
    expect(ran.code, ran.stderr).toBe(0)
    expect((await runFrom(at, 'runners list -o id')).stdout).toBe('5\n')
  })

  it('leaves a whole snapshot after the manifest', async () => {
    const at = copySnapshot(completePath)
    cpSync(join(halfRenamedPath, 'unfinished.ndjson'), join(at, 'unfinished.ndjson'))
    for (const go of [() => resume(copySnapshot(at)), () => take(copySnapshot(at), '--overwrite')])
      expect((await go()).code).toBe(0)
  })
})

describe('what was edited between the interruption and --resume', () => {
  const edits: readonly (readonly [string, () => string, string, (path: string) => void])[] = [
    [
      'a list with its name',
      () => halfRenamedPath,
      'runners.ndjson',
      (path) => edit(path, 'on', 'off'),
    ],
    [
      'a list without',
      () => halfRenamedPath,
      'members-of-groups.ndjson.part',
      (path) => edit(path, 'cyd', 'eve'),
    ],
    [
      'a list that is longer',
      () => halfRenamedPath,
      'runners.ndjson',
      (path) => append(path, '{"id":6}\n'),
    ],
    ['a list that is gone', () => halfRenamedPath, 'runners.ndjson', (path) => rmSync(path)],
    [
      'a list that is a link',
      () => halfRenamedPath,
      'runners.ndjson',
      (path) => link(path, '/dev/zero'),
    ],
    ['a list that is a pipe', () => halfRenamedPath, 'runners.ndjson', pipe],
    [
      'the start of a list',
      () => halfReadPath,
      'members-of-projects.ndjson.part',
      (path) => edit(path, 'ann', 'eve'),
    ],
    [
      'a start that is cut',
      () => halfReadPath,
      'members-of-projects.ndjson.part',
      (path) => writeFileSync(path, '{'),
    ],
    [
      'a start that is gone',
      () => halfReadPath,
      'members-of-projects.ndjson.part',
      (path) => rmSync(path),
    ],
    [
      'a start that is a link',
      () => halfReadPath,
      'members-of-projects.ndjson.part',
      (path) => link(path, '/dev/zero'),
    ],
  ]
  const edit = (path: string, was: string, is: string): void => {
    const text = readFileSync(path, 'utf8')
    expect(text).toContain(was)
    writeFileSync(path, text.replace(was, is))
  }
  const append = (path: string, text: string): void =>
    writeFileSync(path, readFileSync(path, 'utf8') + text)
  const link = (path: string, to: string): void => {
    rmSync(path)
    symlinkSync(to, path)
  }
  function pipe(path: string): void {
    rmSync(path)
    execFileSync('mkfifo', [path])
  }
  it.each(edits)('is read again: %s', async (_, origin, name, damage) => {
    const at = copySnapshot(origin())
    damage(join(at, name))
    const ran = await resume(at)
    expect(ran.code, ran.stderr).toBe(0)
    const kind = name.replace(/\..*/, '')
    expect(ran.stderr).toContain(`${kind}: its file was changed since the interruption`)
    expect(readdirSync(at).sort()).toEqual(whole)
    expect(readLists(at)).toEqual(readLists(completePath))
    expect(files.every((file) => lstatSync(join(at, file)).isFile())).toBe(true)
  })

  it('is no list that is whole, nor a project that was read', async () => {
    const ran = await resume(copySnapshot(halfReadPath))
    expect(ran.code, ran.stderr).toBe(0)
    expect(ran.stderr).not.toContain('changed')
    expect(server.lines().filter((line) => /runners\?|a%2Fone/.test(line))).toEqual([])
  })

  it('is no other line: its lists and groups are those of the interruption', async () => {
    const at = copySnapshot(halfReadPath)
    const other = await call(['snapshot', 'runners list', '--to', at, '--resume'])
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('other lists')])
    const group = await call(['snapshot', '--to', at, '--resume', '-G', 'a'])
    expect([group.code, group.stderr]).toEqual([
      2,
      expect.stringContaining('other lists or groups'),
    ])
    expect((await take(at, '--resume')).code).toBe(0)
  })
})

describe('a progress file of somebody else', () => {
  const header = {
    began: '2026-01-01T00:00:00Z',
    instance: '',
    groups: [],
    lines: ['runners list'],
  }
  const kind = {
    kind: 'runners',
    line: 'runners list',
    route: 'GET /runners',
    filter: {},
    file: 'runners.ndjson',
    records: 0,
    sha256: createHash('sha256').digest('hex'),
    parents: [{ name: '', records: 0, at: 0, bytes: 0 }],
  }
  const step = (value: object) => ({ kind: 'runners', whole: { ...kind, ...value } })
  const shapes: readonly (readonly [string, unknown, unknown?])[] = [
    ['a list in place of the header', []],
    ['a number', 7],
    ['no groups', { ...header, groups: undefined }],
    ['groups that are a text', { ...header, groups: 'a' }],
    ['lines that are no texts', { ...header, lines: [1] }],
    ['no line', { ...header, lines: [] }],
    ['no time', { ...header, began: 'then' }],
    ['a step that is null', header, null],
    ['a step without a kind', header, { again: true }],
    ['a step of nothing', header, { kind: 'runners' }],
    ['a parent that is a text', header, { kind: 'runners', parent: 'a', sha256: kind.sha256 }],
    ['a parent without a digest', header, { kind: 'runners', parent: kind.parents[0] }],
    ['a file outside', header, step({ file: '../x.ndjson' })],
    ['a file outside by its kind', header, { kind: '../x', whole: { ...kind, kind: '../x' } }],
    ['an absolute file', header, step({ file: '/tmp/x.ndjson' })],
    ['a file that is a list', header, step({ file: ['runners.ndjson'] })],
    ['parents that are no list', header, step({ parents: {} })],
    ['a name that is a list', header, step({ parents: [{ ...kind.parents[0], name: ['a'] }] })],
    ['a gap without a reason', header, step({ refused: { status: 403 } })],
    ['a line that is no JSON', header, undefined],
  ]
  it.each(shapes)(
    'is exit 2 with its name, and --overwrite takes it: %s',
    async (_, first, second) => {
      const beside = createFolder()
      const at = join(beside, 'snap')
      mkdirSync(at)
      writeFileSync(join(beside, 'x.ndjson.part'), 'mine')
      const start = { ...(first as object), instance: server.url }
      const lines = [Array.isArray(first) || typeof first === 'number' ? first : start, second]
      const text = lines.map((line) => JSON.stringify(line) ?? '{"kind":').join('\n')
      writeFileSync(join(at, 'unfinished.ndjson'), `${text}\n`)
      const ran = await resume(at)
      expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('unfinished.ndjson')])
      expect(ran.stderr).toContain('--overwrite')
      const again = await call(['snapshot', 'runners list', '--to', at, '--overwrite'])
      expect(again.code, again.stderr).toBe(0)
      expect(readdirSync(at).sort()).toEqual(['manifest.json', 'runners.ndjson'])
      expect(readdirSync(beside).sort()).toEqual(['snap', 'x.ndjson.part'])
    },
  )
})

type Json = Record<string, unknown>
const readManifest = (at: string) => JSON.parse(readFileSync(join(at, 'manifest.json'), 'utf8'))

describe('a manifest of somebody else', () => {
  const damages: readonly (readonly [string, (manifest: Json, runners: Json) => void])[] = [
    ['an instance that is no address', (manifest) => Object.assign(manifest, { instance: 'x' })],
    ['an instance that is a path', (manifest) => Object.assign(manifest, { instance: '/etc' })],
    ['an instance that is a list', (manifest) => Object.assign(manifest, { instance: [] })],
    ['a time that is none', (manifest) => Object.assign(manifest, { ended: 'x' })],
    ['a version that is a list', (manifest) => Object.assign(manifest, { version: [] })],
    ['groups of objects', (manifest) => Object.assign(manifest, { groups: [{}] })],
    ['a kind that is a list', (_, runners) => Object.assign(runners, { kind: ['runners'] })],
    ['a line that is a list', (_, runners) => Object.assign(runners, { line: ['x'] })],
    ['a file outside', (_, runners) => Object.assign(runners, { file: '../runners.ndjson' })],
    ['a digest that is none', (_, runners) => Object.assign(runners, { sha256: ['x'] })],
    ['records that are a text', (_, runners) => Object.assign(runners, { records: '1' })],
    ['a gap that is a text', (_, runners) => Object.assign(runners, { refused: 'no' })],
    ['a parent that is null', (_, runners) => Object.assign(runners, { parents: [null] })],
  ]
  it.each(damages)('is exit 2 with its name: %s', async (_, damage) => {
    const at = copySnapshot(completePath)
    const manifest = readManifest(at)
    damage(manifest, manifest.kinds[1])
    expect(manifest.kinds[1].route).toBe('GET /runners')
    writeFileSync(join(at, 'manifest.json'), JSON.stringify(manifest))
    for (const line of ['runners list', 'overview --parts runners', 'check runners']) {
      const { code, stderr } = await runFrom(at, line)
      expect([code, stderr]).toEqual([
        line.startsWith('check') ? 2 : 2,
        expect.stringContaining('manifest.json'),
      ])
      expect(stderr).toContain('Take another snapshot')
    }
  })

  /** Writes another list, and the matching manifest. */
  const forge = (at: string, text: string): void => {
    const manifest = readManifest(at)
    const sha256 = createHash('sha256').update(text).digest('hex')
    const parents = [{ name: '', records: 1, at: 0, bytes: Buffer.byteLength(text) }]
    Object.assign(manifest.kinds[1], { sha256, parents })
    writeFileSync(join(at, 'runners.ndjson'), text)
    writeFileSync(join(at, 'manifest.json'), JSON.stringify(manifest))
  }
  it.each([
    '{"id":5',
    'nonsense',
    '{"id":5}{"id":6}',
    '\u0000',
    `${'['.repeat(5000)}${']'.repeat(5000)}`,
  ])('has no line that is not JSON: %j', async (text) => {
    const at = copySnapshot(completePath)
    forge(at, `${text}\n`)
    for (const line of ['runners list', 'runners list -o json', 'runners list --where id=5']) {
      const { code, stderr, stdout } = await runFrom(at, line)
      expect([code, stderr]).toEqual([1, expect.stringContaining('runners.ndjson')])
      expect(stdout).not.toContain(text)
    }
  })

  it.each<readonly [string, (path: string) => void]>([
    ['a device', (path) => symlinkSync('/dev/zero', path)],
    ['a pipe', (path) => void execFileSync('mkfifo', [path])],
    ['a directory', (path) => mkdirSync(path)],
    ['a link to nothing', (path) => symlinkSync('/nowhere', path)],
    ['a longer file', (path) => writeFileSync(path, Buffer.alloc(1 << 20, '\n'))],
  ])('has no list that is %s', async (_, place) => {
    const at = copySnapshot(completePath)
    rmSync(join(at, 'runners.ndjson'))
    place(join(at, 'runners.ndjson'))
    const { code, stderr } = await runFrom(at, 'runners list')
    expect([code, stderr]).toEqual([1, expect.stringContaining('runners.ndjson')])
    expect(stderr).toContain('take another snapshot')
  })
})

describe('--from', () => {
  it('looks for a group among groups, and for a project among projects', async () => {
    // The group a has the ID 71. The ID 1 belongs to the project a/one, and to no group.
    expect((await runFrom(completePath, 'members list -G 71 -o id')).stdout).toBe('13\n')
    expect((await runFrom(completePath, 'members list -P 1 -o id')).stdout).toBe('11\n')
    const wrong = await runFrom(completePath, 'members list -G 1')
    expect([wrong.code, wrong.stderr]).toEqual([4, expect.stringContaining('pass its full path')])
    expect((await runFrom(completePath, 'members list -P 71')).code).toBe(4)
  })

  it.each([
    'check instance',
    'check tokens',
    'check runners',
    'check geo',
    'check certificates',
    'overview',
    'settings get',
    'runners list',
    'members list --all-groups --all-fields --since SNAP',
    'doctor',
    'version',
    'auth status',
    'access a',
    'members where ann',
    'jobs why 1 -P a/one',
    'export settings',
    'mcp serve',
    'api /version',
  ])('sends nothing: %s', async (line) => {
    const at = copySnapshot(completePath)
    const manifest = readManifest(at)
    server.seen.splice(0)
    writeFileSync(join(at, 'manifest.json'), JSON.stringify({ ...manifest, instance: server.url }))
    // The environment holds a credential for the instance of the snapshot.
    const ran = await call(`${line.replace('SNAP', at)} --from ${at}`)
    expect(ran.code, ran.stderr).not.toBe(9)
    expect(server.lines()).toEqual([])
  })
})

describe('a left-out folder', () => {
  it.each([[[]], [['--to', '']], [['--to=']]])('is never the current one: %j', async (flags) => {
    const cwd = createFolder()
    const ran = await call(['snapshot', 'runners list', ...flags], { cwd })
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('--to')])
    expect(readdirSync(cwd)).toEqual([])
    expect(existsSync(join(cwd, 'manifest.json'))).toBe(false)
  })

  it.each<readonly [string, readonly string[], string]>([
    ['--from', ['runners', 'list', '--from', ''], '--from'],
    ['--since', ['runners', 'list', '--since', ''], '--since'],
    ['plan', ['plan', ''], '<file>'],
    ['apply', ['apply', '', '--yes'], '<file>'],
    ['drift', ['drift', ''], '<file>'],
    ['check policy', ['check', 'policy', ''], '<policy>'],
    ['export --to', ['export', '--to', ''], '--to'],
    ['artifacts download --to', ['artifacts', 'download', '1', '-P', 'a/one', '--to', ''], '--to'],
    ['sandbox reset --state-dir', ['sandbox', 'reset', '--state-dir', '', '--yes'], '--state-dir'],
  ])('is not that of %s', async (_, line, named) => {
    const cwd = copySnapshot(completePath)
    writeFileSync(join(cwd, 'site.yml'), 'version: 1\n')
    const before = readdirSync(cwd)
    server.seen.splice(0)
    const ran = await call(line, { cwd })
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([2, '', expect.stringContaining(named)])
    expect([readdirSync(cwd), server.lines()]).toEqual([before, []])
  })
})
