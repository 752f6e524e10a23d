/** Tests `snapshot`, `--from` and `--since`: a snapshot answers as the instance did, and says what it does not hold. */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { getPath } from '../../src/catalogue/endpoint.js'
import { areas } from '../../src/catalogue/index.js'
import type { Param } from '../../src/catalogue/params.js'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { startKillable } from '../support/killed.js'
import { createFolder } from '../support/program.js'
import type { Script } from '../support/recorder.js'
import { answerByRoute, createCaller } from './calling.js'

const { server, call } = createCaller()

let sandbox: Sandbox
/** Path of a snapshot of the default lists, and of all other lists that have filters. */
let snapshotPath: string
beforeAll(async () => {
  sandbox = await startSandbox({ stateDir: createFolder() })
  snapshotPath = join(createFolder(), 'kept')
  const usual = await runLive(['snapshot', '--to', snapshotPath])
  expect(usual.stderr).not.toContain('could not be read')
  expect(usual.code).toBe(0)
})
afterAll(() => sandbox.close())

/** Runs a line against the embedded instance. */
const runLive = (line: readonly string[]) =>
  call(line, { env: { SVC_BASE_URL: sandbox.url, SVC_TOKEN: sandbox.users[0]?.token ?? '' } })

const noInstance = { env: { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_TOKEN: '' } }
/** Runs a line that a snapshot answers, without an instance. */
const runFrom = (at: string, line: string) => call(`${line} --from ${at}`, noInstance)

/** Changes fields of the first parent of a list. */
const changeParent = (kind: Record<string, unknown>, damage: object): void => {
  const [first, ...others] = kind.parents as readonly object[]
  kind.parents = [{ ...first, ...damage }, ...others]
}

/** Swaps the names of the first two parents of a list. */
const swapNames = (kind: Record<string, unknown>): void => {
  const [a, b, ...others] = kind.parents as readonly { readonly name: string }[]
  kind.parents = [{ ...a, name: b?.name }, { ...b, name: a?.name }, ...others]
}

const readManifest = (at: string) => JSON.parse(readFileSync(join(at, 'manifest.json'), 'utf8'))

describe('snapshot', () => {
  it('of the embedded instance can be read together, whatever its ports', async () => {
    const folder = createFolder()
    for (const name of ['one', 'two']) {
      const { code, stderr } = await call(
        ['snapshot', 'runners list --instance', '--to', join(folder, name), '--sandbox'],
        { env: { HOME: folder } },
      )
      expect([code, stderr]).toEqual([0, expect.stringContaining('of the embedded instance')])
    }
    const line = 'runners list --instance --group-by snapshot -o value'
    const { code, stdout } = await runFrom(folder, line)
    expect([code, stdout.match(/\t10$/gm)]).toEqual([0, ['\t10', '\t10']])
  })

  it.each([
    ['foo list', 'unknown command "foo"'],
    ['runners pause 1', 'runners pause is not a command that reads from the API'],
    ['runners list --bogus', "unknown option '--bogus'"],
    ['jobs list --all-projects --scope bogus', '--scope must be one of'],
    ['events list --after 2026-13-45', '--after must be a day'],
    ['runners get', '"runners list" and "runners get" have the same file, runners.ndjson'],
    ['runners list', '"runners list" is given twice'],
    ['jobs get 1', 'jobs get needs --project\n'],
    ['geo nodes get', 'geo nodes get needs <id>'],
    ['deploy-keys list', 'hint: Give --instance or --all-projects.\n'],
    ['jobs list', 'jobs list needs --project\n  hint: Give --all-projects.\n'],
    [
      'members list',
      'members list needs --group or --project\n  hint: Give --all-projects or --all-groups.\n',
    ],
  ])('checks %s before it sends or writes anything', async (line, said) => {
    const to = join(createFolder(), 'never')
    server.seen.length = 0
    const { code, stderr } = await call(['snapshot', 'runners list', line, '--to', to])
    expect([code, server.lines(), existsSync(to)]).toEqual([2, [], false])
    expect(stderr).toContain(said)
  })

  it('names its lists in the line that it proposes', async () => {
    const { code, stderr } = await call(['snapshot', 'runners list', 'jobs list --all-projects'])
    expect(code).toBe(2)
    expect(stderr).toContain(
      "svcctl snapshot 'runners list' 'jobs list --all-projects' --to before",
    )
  })

  it('traces the requests of its lists with -v', async () => {
    const { stderr } = await runLive([
      'snapshot',
      'runners',
      '--to',
      join(createFolder(), 'traced'),
      '-v',
    ])
    expect(stderr).toMatch(/^\* GET \S+\/runners\?per_page=100 → 200 /m)
  })

  it('lists its files with their records for programs', async () => {
    const at = join(createFolder(), 'listed')
    const { code, stdout } = await runLive([
      'snapshot',
      'runners',
      'geo nodes list',
      '--to',
      at,
      '-o',
      'json',
    ])
    const files: readonly Record<string, unknown>[] = JSON.parse(stdout)
    expect([code, files.map(({ kind }) => kind).toSorted()]).toEqual([0, ['geo-nodes', 'runners']])
    for (const { path, records } of files)
      expect(readFileSync(String(path), 'utf8').trimEnd().split('\n')).toHaveLength(Number(records))
  })

  it('is a file a list, and a manifest that says whose and how many', () => {
    const manifest = readManifest(snapshotPath)
    expect(manifest).toMatchObject({ format: 1, instance: sandbox.url, user: 'root', groups: [] })
    const files = readdirSync(snapshotPath).sort()
    const named = manifest.kinds.map(({ file }: { file: string }) => file)
    expect(files).toEqual([...named, 'manifest.json'].sort())
    for (const { file, records } of manifest.kinds) {
      const lines = readFileSync(join(snapshotPath, file), 'utf8').split('\n').slice(0, -1)
      expect([file, lines.length]).toEqual([file, records])
      expect(statSync(join(snapshotPath, file)).mode & 0o77).toBe(0)
    }
  })

  it('masks secrets, and orders projects by their paths and records by their IDs', async () => {
    const lines = readFileSync(join(snapshotPath, 'members-of-projects.ndjson'), 'utf8')
      .trim()
      .split('\n')
    const keys = lines
      .map((line) => JSON.parse(line))
      .map(({ project, record }) => [project, record.id])
    expect(keys).toEqual(
      keys.toSorted(([a, x], [b, y]) => (a === b ? Number(x) - Number(y) : a < b ? -1 : 1)),
    )
    server.answer = answerByRoute({ 'GET /runners': [{ id: 1, token: 'glrt-canary-of-a-runner' }] })
    const at = join(createFolder(), 'masked')
    await call(['snapshot', 'runners', '--to', at, '--show-secrets'])
    const text = readFileSync(join(at, 'runners.ndjson'), 'utf8')
    expect(text).toContain('token')
    expect(text).not.toContain('canary')
  })

  it('is the same when nothing changed, so that git shows what did', async () => {
    const again = join(createFolder(), 'again')
    await runLive(['snapshot', '--to', again])
    // The time that a job has waited differs each time, so the lists of jobs are left out.
    const steady = readManifest(snapshotPath).kinds.filter(
      ({ kind }: { kind: string }) => !/^jobs/.test(kind),
    )
    for (const { file } of steady)
      expect([file, readFileSync(join(again, file), 'utf8')]).toEqual([
        file,
        readFileSync(join(snapshotPath, file), 'utf8'),
      ])
  })

  it('is replaced only where that is asked for, and takes no folder of something else', async () => {
    const at = join(createFolder(), 'one')
    await runLive(['snapshot', 'runners', '--to', at])
    const twice = await runLive(['snapshot', 'runners', '--to', at])
    expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('--overwrite')])
    expect((await runLive(['snapshot', 'geo nodes list', '--to', at, '--overwrite'])).code).toBe(0)
    expect(readdirSync(at).sort()).toEqual(['geo-nodes.ndjson', 'manifest.json'])
    const other = createFolder()
    writeFileSync(join(other, 'mine.txt'), '')
    const refused = await runLive(['snapshot', 'runners', '--to', other])
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('not empty')])
    expect(readdirSync(other)).toEqual(['mine.txt'])
  })

  it('writes to its own files alone: no link is followed, and no pipe waited for', async () => {
    const at = createFolder()
    const victim = join(createFolder(), 'victim')
    writeFileSync(victim, 'mine')
    symlinkSync(victim, join(at, 'runners.ndjson.part'))
    symlinkSync(victim, join(at, 'unfinished.ndjson.part'))
    execFileSync('mkfifo', [join(at, 'deploy-keys-instance.ndjson.part')])
    const lines = ['runners list --instance', 'deploy-keys list --instance']
    const taken = await runLive(['snapshot', ...lines, '--to', at])
    expect(taken.stderr).toContain('written to')
    expect(readFileSync(victim, 'utf8')).toBe('mine')
    expect(readdirSync(at).filter((name) => name.endsWith('.part'))).toEqual([])
    rmSync(join(at, 'manifest.json'))
    execFileSync('mkfifo', [join(at, 'manifest.json')])
    const piped = await runFrom(at, 'runners list --instance')
    expect([piped.code, piped.stderr]).toEqual([2, expect.stringContaining('it is a pipe')])
  })

  it('is written by one process at a time, and leaves no lock', async () => {
    const at = join(createFolder(), 'both')
    const line = ['snapshot', 'runners list', '--to', at]
    const second: unknown[] = []
    server.answer = async ({ url }) => {
      if (!url.includes('/runners')) return { body: {} }
      const { code, stderr } = await call(line)
      second.push([code, stderr])
      return { body: [] }
    }
    expect((await call(line)).code).toBe(0)
    expect(second).toEqual([[5, expect.stringContaining('is being written by process')]])
    expect(readdirSync(at)).not.toContain('.lock')
  })

  it('is limited to groups, and says so', async () => {
    const at = join(createFolder(), 'group')
    await runLive(['snapshot', '-G', 'platform', 'members list --all-projects', '--to', at])
    const { stdout, stderr } = await runFrom(at, 'projects list -o ndjson')
    const paths = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).path_with_namespace)
    expect(paths.length).toBeGreaterThan(0)
    expect(paths.filter((path) => !path.startsWith('platform/'))).toEqual([])
    expect(stderr).toContain('limited to platform')
  })

  it('rehearses: the lists and their requests, and nothing is written', async () => {
    const at = join(createFolder(), 'none')
    const { code, stdout } = await runLive(['snapshot', '--to', at, '--dry-run', '-o', 'json'])
    expect(code).toBe(0)
    const rows = JSON.parse(stdout)
    expect(rows).toContainEqual({ kind: 'runners', line: 'runners list', requests: 1 })
    const projects = readManifest(snapshotPath).kinds.find(
      ({ kind }: { kind: string }) => kind === 'projects',
    )
    expect(rows).toContainEqual(
      expect.objectContaining({ kind: 'members-of-projects', requests: projects.records }),
    )
    expect(() => statSync(at)).toThrow('ENOENT')
  })

  it.each([
    ['runners pause 1', 'runners pause is not a command that reads'],
    ['runners list --where id=1', 'conditions'],
    ['runners list -o json', '--output is not allowed here'],
    ['runners list --limit 3', '--limit is not allowed here'],
    ['runners lst', 'lst'],
    ['jobs list -P -', 'single places'],
  ])('refuses %s', async (line, why) => {
    const { code, stderr } = await runLive(['snapshot', line, '--to', join(createFolder(), 'x')])
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)])
  })
})

/** Answers by route. A number in the table is the status of an error. */
const answerOrRefuse =
  (table: Readonly<Record<string, unknown>>): Script =>
  (seen, index) => {
    const found = answerByRoute(table)(seen, index)
    return typeof found?.body === 'number' ? { status: found.body, body: { message: 'no' } } : found
  }

describe('an instance that refuses some of it', () => {
  const project = (id: number, path: string) => ({ id, path_with_namespace: path })
  const table = {
    'GET /projects?': [project(1, 'a/one'), project(2, 'a/two'), project(3, 'b/three')],
    'GET /projects/a%2Fone/members': [{ id: 1, username: 'ann' }],
    'GET /projects/b%2Fthree/members': [{ id: 2, username: 'bob' }],
    'GET /projects/a%2Ftwo/members': 403,
  }
  const members = 'members list --all-projects'
  let at: string
  beforeEach(() => {
    at = join(createFolder(), 'part')
  })

  it('is in the manifest, ends with 8, and is never fine', async () => {
    server.answer = answerOrRefuse(table)
    const { code, stderr } = await call(['snapshot', members, '--to', at])
    expect(stderr).toContain('1 of 3 projects could not be read')
    expect(code).toBe(8)
    const [, kind] = readManifest(at).kinds
    const parents = kind.parents.map((one: Record<string, unknown>) => [one.name, one.refused])
    expect(parents).toEqual([
      ['a/one', undefined],
      ['a/two', { status: 403, why: expect.stringContaining('403') }],
      ['b/three', undefined],
    ])
    const whole = await runFrom(at, `${members} -o ndjson`)
    expect(whole.code).toBe(8)
    expect(whole.stdout).toContain('"ann"')
    expect(whole.stdout).toContain('"bob"')
    expect((await runFrom(at, 'members list -P a/two')).code).toBe(8)
    expect((await runFrom(at, 'members list -P a/none')).code).toBe(4)
    expect((await runFrom(at, 'members list -P 3 -o ndjson')).stdout).toContain('"bob"')
    expect((await runFrom(at, 'runners list')).code).toBe(4)
    expect((await runFrom(at, `${members} --group-by project --count`)).code).toBe(8)
  })

  it('knows what it could not list of groups, and gives no empty list for it', async () => {
    server.answer = answerOrRefuse({ 'GET /groups': 403, 'GET /projects?': [] })
    const groups = 'members list --all-groups'
    const taken = await call(['snapshot', groups, '--to', at])
    expect([taken.code, taken.stderr]).toEqual([8, expect.stringContaining('no visible groups')])
    expect((await runFrom(at, groups)).code).toBe(4)
    expect((await runFrom(at, 'members list -G a')).code).toBe(8)
  })

  it('ends where nothing else can be read, and leaves the snapshot that is there', async () => {
    server.answer = answerOrRefuse({ ...table, 'GET /projects/a%2Ftwo/members': 404 })
    const line = ['snapshot', members, '--to', at, '--concurrency', '1']
    expect((await call(line)).code).toBe(8)
    const before = readFileSync(join(at, 'manifest.json'), 'utf8')
    const dead = await call([...line, '--overwrite', '--retries', '0'], noInstance)
    expect([dead.code, dead.stderr]).toEqual([7, expect.stringContaining('--resume')])
    server.answer = answerOrRefuse({ ...table, 'GET /user': 401 })
    const refused = await call([...line, '--overwrite'])
    expect([refused.code, refused.stderr]).toEqual([3, expect.not.stringContaining('--resume')])
    expect(readFileSync(join(at, 'manifest.json'), 'utf8')).toBe(before)
    expect((await runFrom(at, `${members} -o ndjson`)).stdout).toContain('"bob"')
  })

  it('tells names with quotes, backslashes and what stands before records apart', async () => {
    const names = ['a/x":{"record":', 'a/back\\', 'a/\\"', '7', 'a/ü\u202e', '@x']
    const table = {
      'GET /projects?': names.map((name, i) => project(i + 1, name)),
      ...Object.fromEntries(
        names.map((name, i) => [
          `GET /projects/${encodeURIComponent(name)}/members`,
          [{ id: i + 1, username: name, big: 1 }],
        ]),
      ),
    }
    server.answer = (seen, index) => {
      const found = answerOrRefuse(table)(seen, index)
      // Only text can hold this number exactly.
      const text = JSON.stringify(found?.body)?.replaceAll('"big":1', '"big":12345678901234567890')
      return text === undefined ? undefined : { ...found, body: text }
    }
    const taken = await call(['snapshot', members, '--to', at])
    expect([taken.code, taken.stderr]).toEqual([0, expect.stringContaining('written')])
    const { stdout, code } = await runFrom(at, `${members} -o ndjson`)
    expect(code).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    const pairs = lines.map((line) => JSON.parse(line))
    expect(pairs.map(({ project: of, record }) => [of, record.username])).toEqual(
      expect.arrayContaining(names.map((name) => [name, name])),
    )
    expect(lines.filter((line) => line.includes('12345678901234567890'))).toHaveLength(names.length)
    const changed = await call([...members.split(' '), '--since', at, '-o', 'json'])
    expect([changed.code, changed.stdout.trim()]).toEqual([0, '[]'])
  })

  it('goes on after an interruption with the first project that is not whole', async () => {
    const env = { SVC_BASE_URL: server.url, SVC_TOKEN: 'x' }
    const line = ['snapshot', members, '--to', at, '--concurrency', '1']
    const all = { ...table, 'GET /projects/a%2Ftwo/members': [] }
    server.answer = (seen, index) => {
      if (seen.url.includes('b%2Fthree')) taking.kill()
      return answerOrRefuse(all)(seen, index)
    }
    const taking = startKillable(line, { env }, [at])
    expect((await taking.ended).wasKilled).toBe(true)
    expect(readdirSync(at)).not.toContain('manifest.json')
    expect((await runFrom(at, members)).code).toBe(2)
    expect((await call(['snapshot', members, '--to', at])).stderr).toContain('--resume')
    server.seen.length = 0
    server.answer = answerOrRefuse(all)
    const resumed = await call(['snapshot', '--to', at, '--resume'])
    expect(resumed.stderr).toContain('written to')
    expect(resumed.code).toBe(0)
    const asked = server.lines().filter((one) => one.includes('/members'))
    expect(asked).toEqual([expect.stringContaining('b%2Fthree')])
    const { stdout } = await runFrom(at, `${members} -o ndjson`)
    expect(stdout.match(/"(ann|bob)"/g)).toEqual(['"ann"', '"bob"'])
    expect(readManifest(at).kinds.map(({ records }: { records: number }) => records)).toEqual([
      3, 2,
    ])
    expect(readFileSync(join(at, 'projects.ndjson'), 'utf8').trim().split('\n')).toHaveLength(3)
    expect(readdirSync(at).sort()).toEqual(
      ['manifest.json', 'members-of-projects.ndjson', 'projects.ndjson'].sort(),
    )
  })

  it('answers only lines with the filter that it was taken with', async () => {
    server.answer = answerOrRefuse({
      ...table,
      'GET /merge_requests': [{ id: 1, iid: 1, state: 'opened' }],
    })
    await call(['snapshot', 'mr list --scope all --state opened', '--to', at])
    expect((await runFrom(at, 'mr list --scope all --state opened -o id')).code).toBe(0)
    const other = await runFrom(at, 'mr list --scope all')
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('state=opened')])
    expect(other.stderr).toContain(`mr list --scope all --state opened --from ${at}`)
  })
})

describe('what answers from a snapshot', () => {
  it.each([
    'runners list',
    'projects list',
    'projects list --order-by name --sort asc',
    'members list --all-groups',
    'members list -P platform/app',
    'approvals rules list --all-projects --group-by project --count',
    'integrations list --all-projects --with-archived',
    'runners list --where status=online --sort -id --limit 2',
    'geo status',
    'deploy-keys list --instance',
    'error-tracking keys list --all-projects',
    'overview --parts runners,jobs,replication,storages',
    'check runners',
  ])('%s is answered as by the instance', async (line) => {
    const asked = await runLive([...line.split(' '), '-o', 'json'])
    const answered = await runFrom(snapshotPath, `${line} -o json`)
    // Lists of members have no order, a page has its own time and commands, and waiting jobs go on waiting.
    const own = new Set(['at', 'message', 'command', 'why', 'waited_seconds'])
    const told = ({ stdout, code }: typeof asked) => {
      const value: unknown = JSON.parse(stdout, (key, inner) => (own.has(key) ? undefined : inner))
      return [code, Array.isArray(value) ? value.map((one) => JSON.stringify(one)).sort() : value]
    }
    expect(told(answered)).toEqual(told(asked))
    expect(answered.stderr).toContain(`from a snapshot of ${sandbox.url}`)
  })

  it.each([
    ['runners list --search x', 2],
    ['runners list -p work', 2],
    ['runners list --sandbox', 2],
    ['runners list --curl', 2],
    ['runners list --watch 1', 2],
    ['projects list --search app', 2],
    ['projects list --order-by updated_at', 2],
    ['projects list --order-by updated_at --sort asc --fields id', 2],
    ['runners pause 1', 2],
    ['runners get 1', 2],
  ])('%s is refused', async (line, code) => {
    expect((await runFrom(snapshotPath, line)).code).toBe(code)
  })

  it('counts ages in conditions on parameters from its own time, as flags do', async () => {
    const at = join(createFolder(), 'later')
    await runLive(['snapshot', 'issues list --scope all', '--to', at])
    const file = join(at, 'manifest.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/("ended": ?")\d{4}/, '$12040'))
    const count = async (filter: string) =>
      (await runFrom(at, `issues list --scope all ${filter} --count -o json`)).stdout
    expect(JSON.parse(await count('--where created_after=9999d'))).toEqual([{ count: 14 }])
    const recent = await count('--created-after 100w')
    expect(await count('--where created_after=100w')).toBe(recent)
    expect(recent).not.toContain('14')
  })

  it.each<readonly [string, string, (kind: Record<string, unknown>) => void, number]>([
    [
      'a parent without a name',
      'members-of-projects',
      (kind) => changeParent(kind, { name: 7 }),
      2,
    ],
    ['names exchanged', 'members-of-projects', swapNames, 8],
    ['fewer bytes', 'runners', (kind) => changeParent(kind, { bytes: 10 }), 1],
    ['more bytes', 'runners', (kind) => changeParent(kind, { bytes: 1e11 }), 1],
    ['another beginning', 'runners', (kind) => changeParent(kind, { at: 1 }), 2],
    ['no parent', 'runners', (kind) => Object.assign(kind, { parents: [] }), 2],
    [
      'a filter that is no text',
      'runners',
      (kind) => Object.assign(kind, { filter: { a: {} } }),
      2,
    ],
  ])('is no manifest with %s', async (_, name, damage, code) => {
    const at = createFolder()
    cpSync(snapshotPath, at, { recursive: true })
    const manifest = readManifest(at)
    damage(manifest.kinds.find(({ kind }: { kind: string }) => kind === name))
    writeFileSync(join(at, 'manifest.json'), JSON.stringify(manifest))
    const line = name === 'runners' ? 'runners list' : 'members list --all-projects'
    const { code: ended, stdout, stderr } = await runFrom(at, line)
    expect([ended, stderr]).toEqual([code, expect.stringContaining('manifest')])
    if (name === 'runners') expect(stdout).toBe('')
  })

  it.each(['--fields id,version', '--where version=1', '--sort version'])(
    'has no single records, which is said once: runners list %s',
    async (flags) => {
      const { code, stderr } = await runFrom(snapshotPath, `runners list ${flags}`)
      expect(code).toBe(8)
      expect(stderr.match(/the snapshot contains only lists/g)).toHaveLength(1)
      expect(stderr).not.toContain('GET /runners/1')
    },
  )

  it('has the order that it was taken with, also by what no record shows', async () => {
    const at = join(createFolder(), 'ordered')
    const line = 'issues list --scope all --order-by priority'
    await runLive(['snapshot', line, '--to', at])
    const asked = await runLive([...line.split(' '), '-o', 'id'])
    expect((await runFrom(at, `${line} -o id`)).stdout).toBe(asked.stdout)
  })

  it('is not a file that somebody changed', async () => {
    const at = join(createFolder(), 'changed')
    await runLive(['snapshot', 'runners', '--to', at])
    const path = join(at, 'runners.ndjson')
    writeFileSync(path, readFileSync(path, 'utf8').replace('online', 'onlime'))
    const { code, stderr } = await runFrom(at, 'runners list')
    expect([code, stderr]).toEqual([1, expect.stringContaining('was changed')])
    expect((await runFrom(createFolder(), 'runners list')).code).toBe(2)
  })
})

/** Chooses values to filter by: some that the records have, and words of the parameter. */
const chooseValues = (name: string, param: Param, records: readonly Record<string, unknown>[]) => {
  if (param.type === 'boolean') return ['true', 'false']
  const field = param.keeps?.field ?? name
  const found = records.flatMap((record) => {
    const values = field
      .split('.')
      .reduce<unknown[]>(
        (inner, key) => inner.flatMap((one) => (one as Record<string, unknown> | null)?.[key]),
        [record],
      )
    return values.filter((one) => ['string', 'number'].includes(typeof one))
  })
  const there = [...new Set(found.map(String))]
  const words = ('values' in param ? param.values : param.words) ?? []
  // One word that no record has stands for all of them: its list is empty.
  const absent = words.filter((word) => !there.includes(word)).slice(0, 1)
  return 'values' in param
    ? [...there.slice(0, 2 - absent.length), ...absent]
    : [...there.slice(0, 2), ...words]
}

/** Lists the records in an output by parent and ID, without those that could not be read. */
const listRecordNames = (stdout: string): readonly string[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '' && !line.includes('"outcome":"failed"'))
    .map((line) => {
      const { project, group, record, ...own } = JSON.parse(line)
      const { id = JSON.stringify(record ?? own) } = record ?? own
      return `${project ?? group ?? ''} ${id}`
    })
    .sort()

describe('every filter that is declared', async () => {
  const lines: { readonly line: string; readonly name: string; readonly param: Param }[] = []
  for (const area of areas)
    for (const endpoint of Object.values(await area.load())) {
      const places = getPath(endpoint).match(/:\w+/g) ?? []
      const scope = /^\/(project|group)s\/:id\//.exec(getPath(endpoint))?.[1]
      if (endpoint.returns.kind !== 'many' || places.length > (scope === undefined ? 0 : 1))
        continue
      if (endpoint.when?.flag === 'legacy-path') continue
      const form = endpoint.when === undefined ? '' : ` --${endpoint.when.flag}`
      const line = `${area.name} ${endpoint.command}${form}${scope === undefined ? '' : ` --all-${scope}s`}`
      for (const [name, param] of Object.entries(endpoint.params))
        if (param.exact === true || param.keeps !== undefined) lines.push({ line, name, param })
    }

  /** Takes a snapshot of a list, and reads its records. One snapshot serves all filters of the list. */
  const listed = async (bare: string) => {
    const at = join(createFolder(), 'all')
    const taken = await runLive(['snapshot', bare, '--to', at, '--tolerate', 'not_found,forbidden'])
    expect(taken.code).toBe(0)
    const { stdout } = await runFrom(at, `${bare} --limit all -o json`)
    const records = (JSON.parse(stdout) as Record<string, unknown>[]).map(
      (row) => (row.record ?? row) as Record<string, unknown>,
    )
    return { at, records }
  }
  const lists = new Map<string, ReturnType<typeof listed>>()
  const once = (bare: string) => {
    const list = lists.get(bare) ?? listed(bare)
    lists.set(bare, list)
    return list
  }

  it.each(lines)(
    '$line by $name leaves in what the instance leaves in',
    async ({ line, name, param }) => {
      const flag = param.name ?? name.replaceAll('_', '-')
      const wide = /^(mr|issues) list --all-/.test(line)
      const bare = /^(mr|issues) list/.test(line) && !wide ? `${line} --scope all` : line
      const { at, records } = await once(bare)
      const values = chooseValues(name, param, records)
      // The plain lists test the same filters, so one value is enough for these lists.
      for (const value of wide ? values.slice(0, 1) : values) {
        const given =
          param.type === 'boolean' && value === 'false'
            ? [`--no-${flag}`]
            : param.type === 'boolean'
              ? [`--${flag}`]
              : [`--${flag}=${value}`]
        const words = [...bare.split(' '), ...given, '--limit', 'all', '-o', 'ndjson']
        const [asked, answered] = [
          await runLive(words),
          await call([...words, '--from', at], noInstance),
        ]
        if (answered.code === 2) {
          expect(answered.stderr).toContain(`cannot be filtered by ${name}`)
          continue
        }
        expect([value, listRecordNames(answered.stdout)]).toEqual([
          value,
          listRecordNames(asked.stdout),
        ])
      }
    },
  )
})

describe('--since', () => {
  it('shows what was added, removed and changed, by field', async () => {
    const at = join(createFolder(), 'before')
    server.answer = answerOrRefuse({
      'GET /runners': [
        { id: 1, description: 'one', status: 'online', active: true, contacted_at: 'a' },
        { id: 2, description: 'two', status: 'online', active: true },
      ],
    })
    await call(['snapshot', 'runners', '--to', at])
    server.answer = answerOrRefuse({
      'GET /runners': [
        { id: 1, description: 'uno', status: 'online', active: true, contacted_at: 'b' },
        { id: 3, description: 'three', status: 'online', active: true },
      ],
    })
    const line = `runners list --since ${at}`
    const { code, stdout, stderr } = await call(`${line} -o json`)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual([
      { change: 'changed', id: 1, name: 'uno', field: 'description', before: 'one', after: 'uno' },
      {
        change: 'removed',
        id: 2,
        name: 'two',
        field: null,
        before: { status: 'online', active: true },
        after: null,
      },
      {
        change: 'added',
        id: 3,
        name: 'three',
        field: null,
        before: null,
        after: { status: 'online', active: true },
      },
    ])
    expect(stderr).toContain('1 added, 1 removed, 1 changed')
    const all = await call(`${line} --all-fields -o json`)
    expect(all.stdout).toContain('"field":"contacted_at"')
    const some = await call(`${line} --where id=1 -o json`)
    expect(JSON.parse(some.stdout)).toHaveLength(1)
  })

  it('says of an empty list only what changed', async () => {
    const at = join(createFolder(), 'before')
    server.answer = answerOrRefuse({ 'GET /runners': [{ id: 1, description: 'one' }] })
    await call(['snapshot', 'runners', '--to', at])
    server.answer = answerOrRefuse({ 'GET /runners': [] })
    for (const condition of ['', ' --where id=1']) {
      const { code, stderr } = await call(`runners list --since ${at}${condition}`)
      expect([code, stderr]).toEqual([0, expect.stringContaining('0 added, 1 removed, 0 changed')])
      expect(stderr).not.toMatch(/nothing found|no matches/)
    }
  })

  it('leaves out what moves by itself inside of other fields, and the seconds of jobs', async () => {
    const at = join(createFolder(), 'before')
    const job = { id: 1, name: 'build', status: 'pending' }
    const user = { username: 'ana', web_url: 'http://one/ana' }
    const answerJob = (record: object) => {
      server.answer = answerOrRefuse({
        'GET /projects?': [{ id: 1, path_with_namespace: 'a/b' }],
        'GET /projects/a%2Fb/jobs': [{ ...job, ...record }],
      })
    }
    answerJob({ user, queued_duration: 5 })
    await call(['snapshot', 'jobs list --all-projects', '--to', at])
    answerJob({ user: { ...user, web_url: 'http://two/ana' }, queued_duration: 9 })
    const runSince = async (flags = '') =>
      JSON.parse(
        (await call(`jobs list --all-projects --since ${at} -o json ${flags}`.trim())).stdout,
      )
    expect(await runSince()).toEqual([])
    expect(await runSince('--all-fields')).toHaveLength(2)
    answerJob({ user: { ...user, username: 'ben' }, queued_duration: 9 })
    expect(await runSince()).toEqual([expect.objectContaining({ field: 'user' })])
  })

  it('says at which level a member came or went, and tables name the levels', async () => {
    const at = join(createFolder(), 'before')
    const person = { state: 'active', expires_at: null }
    const bea = { id: 2, username: 'bea', name: 'Bea', access_level: 40, ...person }
    const cem = { id: 3, username: 'cem', name: 'Cem', access_level: 20, ...person }
    const list = (first: number, ...others: readonly unknown[]) =>
      answerOrRefuse({
        'GET /projects?': [{ id: 1, path_with_namespace: 'a/p1' }],
        'GET /projects/a%2Fp1/members': [
          { id: 1, username: 'ann', name: 'Ann', access_level: first, ...person },
          ...others,
        ],
      })
    server.answer = list(10, bea)
    const line = 'members list --all-projects'
    await call(['snapshot', line, '--to', at])
    server.answer = list(30, cem)
    const changed = async (format: string) =>
      (await call(`${line} --since ${at} -o ${format}`)).stdout
    const rows = JSON.parse(await changed('json'))
    expect(rows.map((row: Record<string, unknown>) => [row.before, row.after])).toEqual([
      [10, 30],
      [{ name: 'Bea', access_level: 40, ...person }, null],
      [null, { name: 'Cem', access_level: 20, ...person }],
    ])
    expect((await changed('csv')).trimEnd().split(/\r?\n/)).toEqual([
      'change,project,id,name,field,before,after',
      'changed,a/p1,1,ann,access_level,guest,developer',
      'removed,a/p1,2,bea,,"name: Bea, state: active, access_level: maintainer",',
      'added,a/p1,3,cem,,,"name: Cem, state: active, access_level: reporter"',
    ])
  })

  it.each([
    ['commits list -P 1 --since 2026-01-01 --all-fields', '--since of commits list is a time'],
    ['commits list -P 1 --all-fields', '--since of commits list is a time'],
    ['runners list --all-fields', '--all-fields requires --since'],
    ['runners list --since x -o value', '--since and -o value exclude each other'],
    ['runners list --since 2d', 'requires the folder of a snapshot, not the time 2d'],
    ['runners list --since today --all-fields', 'a snapshot, not the time today'],
    ['events list --since 7d', 'For records since that time: --after 7d. '],
    ['mr list --since 7d', 'For records since that time: --created-after 7d. '],
    ['jobs list -P 1 --since 7d', "For records since that time: --where 'created_at<7d'. "],
    ['jobs list -P 1 --since 2026-01-01', "--where 'created_at>2026-01-01'. "],
    ['runners list --since nowhere', 'nowhere holds no complete snapshot'],
  ])('refuses %s', async (line, why) => {
    server.seen.length = 0
    const { code, stderr } = await call(line)
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)])
    expect(server.seen).toEqual([])
  })

  it('has no answer that --tolerate could make a note of, where it lacks the list', async () => {
    const line = 'members list -P 1,2 --from'
    const lacking = join(createFolder(), 'lacking')
    await call(['snapshot', 'runners list --instance', '--to', lacking])
    const ran = await call([...line.split(' '), lacking, '--tolerate', 'not_found'])
    expect([ran.code, ran.stdout]).toEqual([4, ''])
    expect(ran.stderr).toContain('1: the snapshot has no answer to GET /projects/1/members\n')
    expect(ran.stderr).not.toContain('tolerated')
  })

  it('offers --all-fields where it has a meaning', async () => {
    expect((await call('runners list --help --all')).stdout).toContain('--all-fields')
    expect((await call('commits list --help --all')).stdout).not.toContain('--all-fields')
  })

  it('compares two snapshots, and the same one with itself', async () => {
    const { code, stdout, stderr } = await runFrom(
      snapshotPath,
      `members list --all-projects --since ${snapshotPath} -o json`,
    )
    expect([code, JSON.parse(stdout)]).toEqual([0, []])
    expect(stderr).toContain('0 added, 0 removed, 0 changed')
  })

  it.each(['members list --all-projects', 'projects list'])(
    'compares only what a snapshot of some groups can contain: %s',
    async (line) => {
      const at = join(createFolder(), 'some')
      const lists = ['projects list', 'members list --all-projects']
      await runLive(['snapshot', ...lists, '--group', 'web', '--to', at])
      for (const [since, from] of [
        [at, snapshotPath],
        [snapshotPath, at],
      ] as const) {
        const told = await runFrom(from, `${line} --since ${since} -o json`)
        expect([told.code, JSON.parse(told.stdout)]).toEqual([0, []])
        expect(told.stderr).toContain('only projects and groups below web are compared')
      }
    },
  )

  it('does not take what could not be read for removed', async () => {
    const at = join(createFolder(), 'before')
    const projects = [1, 2].map((id) => ({ id, path_with_namespace: `a/p${id}` }))
    const member = [{ id: 1, username: 'ann' }]
    const table = { 'GET /projects?': projects, 'GET /projects/a%2Fp1/members': member }
    server.answer = answerOrRefuse({ ...table, 'GET /projects/a%2Fp2/members': member })
    await call(['snapshot', 'members list --all-projects', '--to', at])
    server.answer = answerOrRefuse({
      ...table,
      'GET /projects/a%2Fp2/members': 403,
    })
    const { code, stdout, stderr } = await call(`members list --all-projects --since ${at} -o json`)
    expect([code, JSON.parse(stdout)]).toEqual([8, []])
    expect(stderr).toContain('not compared')
  })

  it.each(['--sort id', '--limit 1', '--group-by id', '--fields id'])(
    'refuses %s',
    async (flag) => {
      const { code, stderr } = await call(`runners list --since ${snapshotPath} ${flag}`)
      expect([code, stderr]).toEqual([2, expect.stringContaining('--since')])
    },
  )
})
