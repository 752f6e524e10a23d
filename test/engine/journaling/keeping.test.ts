/** Tests which runs keep a journal, and what the journal contains. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { lock } from '../../../src/base/files/lock.js'
import { Failure } from '../../../src/errors.js'
import { createFolder } from '../../support/program.js'
import type { ScriptedAnswer } from '../../support/recorder.js'
import { startLine } from '../../support/within.js'
import { createRuns, notFound, readHeader, readJournalLines, readStates, user } from './runs.js'

const { server, run, files, written, fresh } = createRuns()

const getId = (url: string): number => Number(/runners\/(\d+)/.exec(url)?.[1])
beforeEach(() => {
  fresh()
  server.answer = ({ url, method }) => {
    if (url.endsWith('/user')) return user
    if (url.includes('runners/all')) return { body: [1, 2].map((id) => ({ id, active: true })) }
    if (method === 'GET') return { body: { id: getId(url), active: true } }
    if (getId(url) === 9) return notFound
    return { body: { id: getId(url), active: false }, headers: { 'x-request-id': 'r-1' } }
  }
})

describe('a journal is kept', () => {
  it('of runners drain, with one begun line for each object', async () => {
    server.answer = ({ url, method }) => {
      if (url.endsWith('/user')) return user
      if (url.includes('/jobs')) return { body: [] }
      return { body: { id: getId(url), active: method === 'GET', paused: method !== 'GET' } }
    }
    const { code, stderr } = await run('runners drain 1 2 --yes')
    expect(code, stderr).toBe(0)
    const lines = readJournalLines(files()[0] ?? '')
    const begun = lines.filter((line) => 'state' in line && line.state === 'begun')
    expect(begun.map((line) => 'object' in line && line.object)).toEqual(['1', '2'])
  })

  it.each([
    ['runners pause 1 2', undefined, 'arguments'],
    ['runners pause 1 1', undefined, 'arguments'],
    ['runners pause -', '1\n2\n', 'stdin'],
    ['runners pause -', '1\n', 'stdin'],
    ['runners pause --instance --select active=true --yes', undefined, 'select'],
    ['deploy-keys enable 5 -P a/b -P a/c', undefined, 'parents'],
    ['api put runners/{} -', '1\n2\n', 'stdin'],
  ])('of %s', async (line, input, source) => {
    const { code, stderr } = await run(line, input)
    expect(code, stderr).toBe(0)
    const [file = '', ...others] = files()
    expect(others).toEqual([])
    expect(readHeader(file)).toMatchObject({ run: 1, source, instance: server.url, user: 'ana' })
    expect(readJournalLines(file).at(-1)).toMatchObject({ end: 'completed' })
    expect(stderr).toContain(`done. Journal: ${file}\n`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['runners pause 1 --curl', undefined],
    ['runners get 1 2', undefined],
    ['runners get -', '1\n2\n'],
    ['api get runners/{} -', '1\n2\n'],
    ['runners pause 1 2 --dry-run', undefined],
    ['runners pause 1 2 --curl', undefined],
    ['runners list -P a/b -P a/c', undefined],
  ])('of %s none is', async (line, input) => {
    const { stderr } = await run(line, input)
    expect(files()).toEqual([])
    expect(stderr).not.toContain('Journal:')
    expect(server.lines()).not.toContain('GET /user')
  })

  it.each([
    ['runners pause 1', { command: 'runners pause', user: null, options: { undo_record: true } }],
    ['runners pause 1 --no-undo-record', { options: { args: [], flags: {} } }],
    ['runners update 1 --description -', { options: { flags: { description: ['-'] } } }],
    ['settings update --param signup_enabled=true', { endpoint: 'PUT /application/settings' }],
    [
      'issues promote 4 -P a/b --yes',
      { irreversible: expect.stringContaining('cannot be undone') },
    ],
    ['api put runners/1 --param active=false', { command: 'api', endpoint: 'PUT /runners/1' }],
    ['runners register --token s3cret-t0ken', { final: expect.stringContaining('secret') }],
  ])('of one object, and nothing is said of it: %s', async (line, header) => {
    const { code, stderr } = await run(line)
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(/journal|resum/i)])
    const [file = '', ...others] = files()
    expect([file, others]).toEqual([expect.stringMatching(/-1\.ndjson$/), []])
    expect(readHeader(file)).toMatchObject(header)
    expect(readFileSync(file, 'utf8')).not.toContain('s3cret')
    expect(Object.values(readStates(file))).toEqual(['done'])
    expect(readJournalLines(file).at(-1)).toMatchObject({ end: 'completed' })
  })

  it('of one object that fails, with its own exit code', async () => {
    const { code, stderr } = await run('runners pause 9')
    expect([code, stderr]).toEqual([4, expect.not.stringContaining('Journal')])
    expect(readStates(files()[0] ?? '')).toEqual({ 9: 'failed' })
  })

  it.each<[string, ScriptedAnswer]>([
    ['refused', { status: 403, body: { message: '403 Forbidden' } }],
    ['a failure', { status: 500, body: {} }],
    ['cut', { body: '{"active":' }],
    ['huge', { body: `{"active": true, "x": "${'x'.repeat(5 << 20)}"}` }],
  ])(
    'whose read before is %s: it is written all the same, and why it cannot be undone is kept',
    async (_, answer) => {
      const { answer: before } = server
      server.answer = (seen, index) =>
        seen.method === 'GET' && seen.url.includes('/runners/') ? answer : before(seen, index)
      expect((await run('runners pause 1')).code).toBe(0)
      expect(server.lines()).toEqual(['GET /runners/1', 'PUT /runners/1'])
      const done = readJournalLines(files()[0] ?? '').find(
        (line) => 'state' in line && line.state === 'done',
      )
      expect(done).toMatchObject({ unread: expect.any(String) })
      const undone = await run('journal undo last --yes')
      const why = /^svcctl: the run \S+ \(runners pause, started at 2\S+Z\) cannot be undone: /
      expect([undone.code, undone.stderr]).toEqual([2, expect.stringMatching(why)])
    },
  )

  it('never of a rounded number: undo leaves it, and says so', async () => {
    const { answer } = server
    server.answer = (seen, index) =>
      seen.method === 'GET' && seen.url.includes('/runners/')
        ? { body: '{"id":1,"maximum_timeout":9007199254740993,"locked":true}' }
        : answer(seen, index)
    const line = 'runners update 1 --maximum-timeout 600 --no-locked'
    expect((await run(line)).code).toBe(0)
    expect(readFileSync(files()[0] ?? '', 'utf8')).not.toContain('90071992547409')
    server.answer = () => ({ body: { id: 1, maximum_timeout: 600, locked: false } })
    const { code, stderr } = await run('journal undo last --yes')
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        'skipped, because the journal has no previous values: maximum_timeout',
      ),
    ])
    expect(server.seen.at(-1)?.body).toBe('{"locked":true}')
  })

  it('of one object where it is asked for, in the file that is named', async () => {
    const file = join(createFolder(), 'new', 'one.ndjson')
    const { code, stderr } = await run(['runners', 'pause', '1', '--journal', file])
    expect(code, stderr).toBe(0)
    expect(readJournalLines(file)).toEqual([
      expect.objectContaining({ command: 'runners pause', endpoint: 'PUT /runners/:id' }),
      { n: 1, object: '1', state: 'queued' },
      { input: 'complete', total: 1 },
      { n: 1, object: '1', state: 'begun', before: { active: true }, at: expect.any(String) },
      {
        n: 1,
        object: '1',
        state: 'done',
        status: 200,
        request_id: 'r-1',
        at: expect.any(String),
      },
      {
        end: 'completed',
        counts: { done: 1, unchanged: 0, failed: 0, unknown: 0, not_tried: 0 },
        at: expect.any(String),
      },
    ])
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700)
  })

  it('says what failed, and how to go on', async () => {
    const { code, stderr } = await run('runners pause 1 9')
    expect(code).toBe(8)
    const [file = ''] = files()
    // Another try would not help, so no line to resume is advised.
    expect(stderr).toContain(`1 done, 1 failed (1 not found). Journal: ${file}\n`)
    expect(readJournalLines(file)).toContainEqual({
      n: 2,
      object: '9',
      state: 'failed',
      category: 'not_found',
      status: 404,
      message: expect.stringContaining('404'),
      at: expect.any(String),
    })
  })

  it('of two runs in one second, each in a file of its own', async () => {
    await Promise.all(Array.from({ length: 4 }, () => run('runners pause 1 2')))
    expect(new Set(files().map((file) => readHeader(file).id)).size).toBe(4)
  })
})

describe('nothing is sent where it cannot be kept', () => {
  const refused = async (line: readonly string[], words: string): Promise<void> => {
    const { code, stderr } = await run(line)
    expect([code, written()]).toEqual([2, []])
    expect(stderr).toContain(words)
  }

  it('and --journal none is named where the folder cannot be written', async () => {
    const config = fresh()
    mkdirSync(join(config, 'state'), { recursive: true })
    // A file in place of the folder: no user can create the folder.
    writeFileSync(join(config, 'state', 'runs'), '')
    await refused(['runners', 'pause', '1', '2'], '--journal none')
  })

  it('but a line without an instance blames no journal', async () => {
    fresh()
    const { code, stderr } = await run('runners pause 1 -p nosuch')
    expect([code, written()]).toEqual([2, []])
    expect(stderr).toMatch(/^svcctl: unknown profile "nosuch"\n/)
  })

  it('but one object is, with a single warning', async () => {
    const config = fresh()
    mkdirSync(join(config, 'state'), { recursive: true })
    writeFileSync(join(config, 'state', 'runs'), '')
    const { code, stderr } = await run('runners pause 1')
    expect([code, written()]).toEqual([0, ['PUT /runners/1']])
    expect(stderr).toMatch(
      /^warning: this write cannot be recorded \(.* a part of its path is not a directory\): it cannot be undone, and "svcctl journal undo last" undoes an earlier run\n$/,
    )
  })

  it('since the file is there already, or is a link', async () => {
    const there = join(createFolder(), 'there.ndjson')
    writeFileSync(there, 'mine')
    await refused(['runners', 'pause', '1', '--journal', there], 'it exists')
    expect(readFileSync(there, 'utf8')).toBe('mine')
    const link = join(createFolder(), 'link.ndjson')
    symlinkSync('/nowhere/at/all', link)
    await refused(['runners', 'pause', '1', '--journal', link], 'it exists')
  })

  it('since it cannot be locked, whatever the system says', async () => {
    const file = join(createFolder(), 'run.ndjson')
    writeFileSync(`${file}.lock`, '')
    await refused(['runners', 'pause', '1', '--journal', file], `cannot create the journal ${file}`)
    expect(existsSync(file)).toBe(false)
  })

  it('since a destructive run is not confirmed: its journal goes', async () => {
    await refused(['deploy-keys', 'delete', '1', '2', '-P', 'a/b'], '--yes')
    expect(files()).toEqual([])
  })

  it.each([
    [['--resume', 'last', '--journal', 'x'], 'exclude each other'],
    [['--dry-run', '--journal', 'x'], 'exclude each other'],
    [['--shard', '3/2'], 'invalid shard'],
    [['--rate', '2/h'], 'invalid rate'],
    [['--shard', 'ci'], 'CI_NODE_INDEX'],
  ])('for %j', async (flags, words) => {
    await refused(['runners', 'pause', '1', '2', ...flags], words)
    expect(files()).toEqual([])
  })
})

describe('who made the run', () => {
  it('is not known where the instance does not say, which is noted', async () => {
    server.answer = ({ url }) => (url.endsWith('/user') ? notFound : { body: { id: getId(url) } })
    const { code, stderr } = await run('runners pause 1 2')
    expect(code).toBe(0)
    expect(stderr).toContain('the instance does not report your user: --resume will require --yes')
    expect(readHeader(files()[0] ?? '')).toMatchObject({ user: null })
  })

  it('is asked once, and --sudo is written down', async () => {
    await run('runners pause 1 2 3 --sudo ben')
    expect(server.lines().filter((line) => line === 'GET /user')).toHaveLength(1)
    expect(readHeader(files()[0] ?? '')).toMatchObject({ sudo: 'ben' })
  })
})

it('keeps the newest of the default folder', { timeout: 60_000 }, async () => {
  const config = fresh()
  const journals = join(config, 'state', 'runs')
  mkdirSync(journals, { recursive: true })
  chmodSync(journals, 0o700)
  await run('runners pause 1 2')
  const [first = ''] = files()
  const text = readFileSync(first, 'utf8')
  for (let i = 100; i < 160; i++)
    writeFileSync(join(journals, `${i}-20200101T000${i}-x.ndjson`), text)
  await run('runners pause 1 2')
  expect(files()).toHaveLength(50)
  // Journals of a single object are kept in addition, and do not replace the others.
  for (let i = 100; i < 360; i++)
    writeFileSync(join(journals, `${i - 99}-20200101T000${i}-x-1.ndjson`), text)
  await run('runners pause 1')
  expect(files().filter((file) => /-1\.ndjson$/.test(file))).toHaveLength(250)
  expect(files()).toHaveLength(300)
})

describe('the folder of runs that another process has locked', () => {
  it.each([
    'runners pause 1',
    'runners pause 1 2',
    'runners pause 1 --journal none',
    'runners pause 1 2 --dry-run --save',
  ])('is waited for with a note, until an interruption: %s', async (line) => {
    const config = fresh()
    const directory = join(config, 'state', 'runs', '.lock')
    const held = await lock(directory, {
      patience: 0,
      held: (owner) => new Failure('failed', owner),
    })
    try {
      const env = { SVC_CONFIG_DIR: config, SVC_BASE_URL: server.url, SVC_TOKEN: 'a-token-of-ana' }
      const started = startLine(line.split(' '), { env })
      await started.noted(`waiting for process ${process.pid}, which has locked ${directory}`)
      started.kill('SIGINT')
      const { code } = await started.ended
      expect([code, written()]).toEqual([130, []])
    } finally {
      held.release()
    }
  })
})
