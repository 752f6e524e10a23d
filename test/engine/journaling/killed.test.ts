/**
 * Tests runs that are interrupted: no write is repeated without need, and none is lost. For killed processes: `killed.process.test.ts`.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import fc from 'fast-check'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { readRunHistory } from '../../../src/engine/journal/reader.js'
import { startKillable } from '../../support/killed.js'
import { createFolder } from '../../support/program.js'
import { startLine, svcctl } from '../../support/within.js'
import { createRuns, readJournalLines, readStates, user } from './runs.js'

const { server, run, files, written, forget, fresh } = createRuns()
let config = ''
const width = 8
const count = 120
const ids = Array.from({ length: count }, (_, i) => String(i + 1))

beforeEach(() => {
  config = fresh()
})

const createEnv = () => ({
  SVC_CONFIG_DIR: config,
  SVC_BASE_URL: server.url,
  SVC_TOKEN: 'x',
})

const getId = (url: string): string => url.slice(url.lastIndexOf('/') + 1)

it('killed at random moments, then resumed: each is written, none that was done', {
  timeout: 120_000,
}, async () => {
  const file = join(config, 'run.ndjson')
  const times = new Map<string, number>()
  let done = new Set<string>()
  const again: string[] = []
  let untilKill = 0
  let kill = (): void => {}
  server.answer = ({ method, url }) => {
    if (method === 'GET') return user
    const id = getId(url)
    times.set(id, (times.get(id) ?? 0) + 1)
    if (done.has(id)) again.push(id)
    untilKill -= 1
    if (untilKill === 0) kill()
    return { body: { id: Number(id) } }
  }
  const requests = fc.sample(fc.integer({ min: 1, max: 30 }), 5)
  let kills = 0
  for (let ended = false; !ended; ) {
    const before = new Map(times)
    untilKill = requests[kills] ?? Number.POSITIVE_INFINITY
    const begun = existsSync(file)
    const cut = begun && (await readRunHistory(file)).total === undefined
    const args = [
      ...['runners', 'update', ...(begun && !cut ? [] : ['-'])],
      ...(begun ? ['--resume', file] : ['--no-active', '--journal', file]),
      ...['--concurrency', String(width)],
    ]
    const how = { env: createEnv(), input: `${ids.join('\n')}\n` }
    const updating = startKillable(args, how, [config])
    kill = updating.kill
    const { code, stderr, wasKilled } = await updating.ended
    const twice = [...times].filter(([id, n]) => before.has(id) && n > (before.get(id) ?? 0))
    expect(twice.length).toBeLessThanOrEqual(width)
    if (wasKilled) kills += 1
    else {
      expect(code, stderr).toBe(0)
      ended = true
    }
    const { states } = await readRunHistory(file)
    done = new Set(
      readJournalLines(file).flatMap((line) =>
        'n' in line && states.get(line.n) === 'done' ? [line.object] : [],
      ),
    )
  }
  expect([kills, again]).toEqual([5, []])
  expect([...times.keys()].toSorted()).toEqual(ids.toSorted())
  expect((await readRunHistory(file)).counts).toMatchObject({ done: count, not_tried: 0 })
})

describe('a run that begins before its input ends', () => {
  it('works on what came, and says with SIGINT what was done', { timeout: 60_000 }, async () => {
    const second = new Promise<void>((resolve) => {
      server.answer = ({ method, url }) => {
        if (method === 'GET') return user
        if (getId(url) === '2') setTimeout(resolve, 0)
        return { body: { id: Number(getId(url)) } }
      }
    })
    const updating = startLine(['runners', 'update', '-', '--no-active'], { env: createEnv() })
    void updating.write('1\n2\n')
    // The input is still open.
    await second
    while (!readFileSync(files()[0] ?? '', 'utf8').includes('"n":2,"object":"2","state":"done"'))
      await new Promise((resolve) => setTimeout(resolve, 10))
    updating.kill('SIGINT')
    const { code, stderr } = await updating.ended
    expect(code, stderr).toBe(130)
    const [file = ''] = files()
    expect(readJournalLines(file).at(-1)).toMatchObject({ end: 'interrupted', counts: { done: 2 } })
    expect(stderr).toContain('2 done. Journal:')
    expect(stderr).toContain('svcctl runners update --resume last - completes the run')
    forget()
    const cut = await run('runners update --resume last')
    expect([cut.code, written()]).toEqual([8, []])
    const whole = await run('runners update - --resume last', '1\n2\n3\n')
    expect([whole.code, written()]).toEqual([0, ['PUT /runners/3']])
    expect(readStates(file)).toEqual({ 1: 'done', 2: 'done', 3: 'done' })
  })

  it('ends where nobody reads what it prints, and the journal has the rest', {
    timeout: 60_000,
  }, async () => {
    server.answer = ({ method, url }) =>
      method === 'GET' ? user : { body: { id: Number(getId(url)), description: 'x'.repeat(9000) } }
    const closed = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
    let pieces = 0
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => done(pieces++ === 0 ? null : closed),
    })
    const { code, stderr } = await svcctl(
      ['runners', 'update', '-', '--no-active', '-o', 'ndjson'],
      {
        env: createEnv(),
        input: `${Array.from({ length: 2000 }, (_, i) => i + 1).join('\n')}\n`,
        io: { stdout },
      },
    )
    expect(code, stderr).toBe(8)
    const past = await readRunHistory(files()[0] ?? '')
    expect([past.end, past.total]).toEqual(['stopped', 2000])
    expect(past.counts.not_tried).toBeGreaterThan(0)
    expect(past.counts.done).toBe(written().length)
  })

  it('sends nothing of what came together with a line that is no object', async () => {
    const { code } = await run('runners update - --no-active', '1\n2\nid\tstage\n')
    expect([code, written(), files()]).toEqual([2, [], []])
  })

  it('of something destructive asks first, about all of them', async () => {
    server.answer = ({ url }) => (url.endsWith('/user') ? user : { status: 204 })
    const line = 'deploy-keys delete - -P a/b'
    const input = `${Array.from({ length: 12 }, (_, i) => i + 1).join('\n')}\n`
    const refused = await run(line, input)
    expect([refused.code, written(), files()]).toEqual([2, [], []])
    expect(refused.stderr).toContain('confirmation required')
    expect((await run(`${line} --yes`, input)).code).toBe(0)
    expect(written()).toHaveLength(12)
  })

  it('goes without a journal, too', async () => {
    server.answer = ({ method }) => (method === 'GET' ? user : { body: { id: 1 } })
    const { code } = await run('runners update - --no-active --journal none', '1\n2\n1\n')
    const [file = ''] = files()
    expect([code, written().toSorted()]).toEqual([0, ['PUT /runners/1', 'PUT /runners/2']])
    // The journal has the requests, and no object.
    expect(readStates(file)).toEqual({})
    expect(readJournalLines(file).filter((line) => 'request' in line)).toHaveLength(4)
  })
})

/** Mounts a small file system that is soon full. Returns undefined if the user may not mount one. */
const mountSmallDisk = (): string | undefined => {
  const path = createFolder()
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', path])
  if (status !== 0) return undefined
  onTestFinished(() => {
    execFileSync('umount', [path])
  })
  return path
}

it('sends nothing further where the disk is full', { timeout: 60_000 }, async ({ skip }) => {
  const disk = mountSmallDisk()
  if (disk === undefined) return skip('no file system may be mounted here')
  server.answer = ({ method, url }) =>
    method === 'GET' ? user : { body: { id: Number(getId(url)) } }
  const file = join(disk, 'run.ndjson')
  const ids = (length: number) => `${Array.from({ length }, (_, i) => i + 1).join('\n')}\n`
  const line = ['runners', 'update', '-', '--no-active', '--journal', file, '--concurrency', '2']
  const none = await run(line, ids(3000))
  expect([none.code, written()]).toEqual([1, []])
  expect(none.stderr).toMatch(/cannot write the journal .*; nothing was sent\n.*Free some space/)
  const { code, stderr } = await run(line, ids(600))
  expect(code, stderr).toBe(1)
  expect(stderr).toMatch(
    /cannot write the journal .*\n.*Free some space, then continue with --resume/,
  )
  const begun = readJournalLines(file).flatMap((line) =>
    'n' in line && line.state === 'begun' ? [line.object] : [],
  )
  expect(written()).not.toEqual([])
  // Each request that was sent is in the journal.
  for (const line of written()) expect(begun).toContain(getId(line))
})
