/** Tests `runners drain`: it pauses all runners before it waits for any, and resumes them whatever the command does. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { startSandbox } from '../../src/library/sandbox.js'
import { readJournalLines, readStates } from '../engine/journaling/runs.js'
import { startKillable } from '../support/killed.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { startLine, svcctl } from '../support/within.js'
import { runOnTerminal } from './calling.js'

const server = useRecorder()
/** Number of times that a runner's jobs are reported as running before they end. */
let busy: number
/** Runners that accept jobs, by ID. A runner that is missing here was never paused. */
let active: Map<number, boolean>
beforeEach(() => {
  busy = 0
  active = new Map()
  server.answer = ({ method, url, body }) => {
    if (url.includes('/runners/404')) return { status: 404, body: { message: '404 Not found' } }
    if (url.includes('/jobs')) {
      const jobs = url.includes('/22/') ? [9, 10] : [9]
      return { body: busy-- > 0 ? jobs.map((id) => ({ id, status: 'running' })) : [] }
    }
    const id = Number(/\/runners\/(\d+)/.exec(url)?.[1])
    if (method === 'PUT') active.set(id, JSON.parse(body).active)
    return { body: { id, active: active.get(id) ?? true } }
  }
})

const createEnv = () => ({ SVC_BASE_URL: server.url, SVC_TOKEN: 'secret-token' })
const drain = (...args: string[]) => svcctl(['runners', 'drain', ...args], { env: createEnv() })
const writes = () => server.seen.filter((s) => s.method === 'PUT').map((s) => `${s.url} ${s.body}`)

describe('runners drain', () => {
  it('pauses, waits until no job is running, and shows the runner', async () => {
    busy = 1
    const ran = await drain('1', '-o', 'json')
    expect(ran.code).toBe(0)
    expect(server.lines()).toEqual([
      'GET /runners/1',
      'PUT /runners/1',
      'GET /runners/1/jobs?status=running&per_page=100',
      'GET /runners/1/jobs?status=running&per_page=100',
      'GET /runners/1',
    ])
    expect(JSON.parse(ran.stdout)).toEqual({ id: 1, active: false })
  })

  it('says on a terminal what it waits for', async () => {
    busy = Number.POSITIVE_INFINITY
    await runOnTerminal('runners drain 1', createEnv(), async (terminal) => {
      expect(await terminal.until(/waiting for 1 job/)).toContain('waiting for 1 job on runner 1')
    })
  })

  it('pauses all before it waits for any', async () => {
    await drain('1', '2', '3')
    const sent = server.lines().filter((line) => !/user$|^GET .runners.\d$/.test(line))
    // A runner of the previous test may still be requested.
    const from = sent.indexOf('PUT /runners/1')
    expect(sent.slice(from, from + 3)).toEqual([
      'PUT /runners/1',
      'PUT /runners/2',
      'PUT /runners/3',
    ])
  })

  it('runs the command once they are idle, and resumes them though it failed', async () => {
    const cwd = createFolder()
    const command = `touch done; echo said; exit 3`
    const args = ['runners', 'drain', '1', '2', '--resume-after', command]
    const ran = await svcctl(args, { env: createEnv(), cwd })
    expect(existsSync(join(cwd, 'done'))).toBe(true)
    expect(ran.stdout).not.toContain('said')
    expect(ran.stderr).toContain('said\n')
    expect(ran.stderr).toContain('ended with exit code 3')
    expect(ran.code).toBe(1)
    expect(writes().slice(2)).toEqual([
      '/api/v4/runners/1 {"active":true}',
      '/api/v4/runners/2 {"active":true}',
    ])
  })

  it('records each runner that could not be resumed as failed', async () => {
    const { answer } = server
    server.answer = (seen, index) =>
      seen.body === '{"active":true}' && seen.url.includes('/2')
        ? { status: 403, body: { message: '403 Forbidden' } }
        : answer(seen, index)
    const journal = join(createFolder(), 'run.ndjson')
    const more = ['--resume-after', 'true', '--journal', journal]
    expect((await drain('1', '2', ...more)).code).toBe(8)
    expect(readStates(journal)).toEqual({ 1: 'done', 2: 'failed' })
    expect(readJournalLines(journal).at(-1)).toMatchObject({
      end: 'completed',
      counts: { done: 1, failed: 1 },
    })
    const shown = await svcctl(['journal', 'show', journal, '-o', 'csv'], { env: createEnv() })
    expect(shown.stdout).toContain('2,failed,auth,403 Forbidden')
  })

  it('leaves paused what was paused before', async () => {
    active.set(2, false)
    const ran = await drain('1', '2', '3', '--resume-after', 'true')
    expect(ran.code, ran.stderr).toBe(0)
    expect(writes().slice(3)).toEqual([
      '/api/v4/runners/1 {"active":true}',
      '/api/v4/runners/3 {"active":true}',
    ])
  })

  it.each([
    ['1 2', [{ id: 1 }, { id: 2 }]],
    ['1 22', [{ id: 1 }, { id: 22, outcome: 'unchanged' }]],
    ['22', { id: 22, outcome: 'unchanged' }],
  ])('prints one JSON answer about %s, with what stays paused', async (ids, answer) => {
    active.set(22, false)
    const ran = await drain(...ids.split(' '), '--resume-after', 'true', '-o', 'json')
    expect(JSON.parse(ran.stdout)).toMatchObject(answer)
  })

  it('does not run the command where one could not be paused', async () => {
    const cwd = createFolder()
    const args = ['runners', 'drain', '1', '404', '--resume-after', 'touch done']
    const ran = await svcctl(args, { env: createEnv(), cwd })
    expect(ran.code).toBe(8)
    expect(ran.stderr).toContain('404: 404 Not found')
    expect(ran.stderr).toContain('the command was not run')
    expect(existsSync(join(cwd, 'done'))).toBe(false)
  })

  it('says why one runner could not be drained, and does not run the command', async () => {
    const ran = await drain('404', '--resume-after', 'true')
    expect(ran.code).toBe(4)
    expect(ran.stderr).toContain('404 Not found')
    expect(ran.stderr).toContain('the command was not run')
  })

  it('ends with 1 when jobs outlast --wait-timeout, and says that it stays paused', async () => {
    busy = Number.POSITIVE_INFINITY
    const ran = await drain('1', '22', '--wait-timeout', '1')
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain('1 job was still running on runner 1')
    expect(ran.stderr).toContain('2 jobs were still running on runner 22')
    expect(ran.stderr).toContain('The runner stays paused. Check it with: svcctl runners jobs')
  })

  it('says when it is interrupted that the runners stay paused', async () => {
    busy = Number.POSITIVE_INFINITY
    const running = startLine(['runners', 'drain', '1'], { env: createEnv() })
    const { answer } = server
    server.answer = (seen, index) => {
      if (seen.url.includes('/jobs')) running.kill('SIGINT')
      return answer(seen, index)
    }
    const ran = await running.ended
    expect(ran.code).toBe(130)
    expect(ran.stderr).toContain('the runners stay paused')
  })

  it('keeps a journal of several, begun before any is paused, and goes on with those left', async () => {
    const config = createConfiguration()
    const around = { ...createEnv(), SVC_CONFIG_DIR: config }
    const journal = join(createFolder(), 'run.ndjson')
    const { answer } = server
    server.answer = (seen, index) =>
      seen.url.includes('/runners/2/jobs') ? { status: 403, body: {} } : answer(seen, index)
    const first = ['runners', 'drain', '1', '2', '--journal', journal]
    const ran = await svcctl(first, { env: around })
    expect(ran.code).toBe(8)
    const lines = readJournalLines(journal)
    expect(lines.slice(1, 6)).toMatchObject([
      { object: '1', state: 'queued' },
      { object: '2', state: 'queued' },
      { input: 'complete' },
      { object: '1', state: 'begun' },
      { object: '2', state: 'begun' },
    ])
    expect(lines).toContainEqual(
      expect.objectContaining({ object: '1', state: 'begun', before: { active: true } }),
    )
    expect(readStates(journal)).toEqual({ 1: 'done', 2: 'failed' })
    server.answer = answer
    server.seen.length = 0
    const again = ['runners', 'drain', '--resume', journal, '--yes', '-o', 'ndjson']
    const resumed = await svcctl(again, { env: around })
    expect([resumed.code, writes()]).toEqual([0, ['/api/v4/runners/2 {"active":false}']])
    expect(readStates(journal)).toEqual({ 1: 'done', 2: 'unchanged' })
  })

  it('waits for what was paused already: jobs may still run on it', async () => {
    busy = 1
    const journal = join(createFolder(), 'run.ndjson')
    for (const id of [1, 2]) active.set(id, false)
    await drain('1', '2', '--journal', journal)
    expect(server.lines().filter((line) => line.includes('/jobs')).length).toBeGreaterThan(2)
    expect(readStates(journal)).toEqual({ 1: 'unchanged', 2: 'unchanged' })
  })

  it.each([
    ['1 2 3', ''],
    ['1', ''],
    ['1 2', ' --journal run.ndjson'],
  ])(
    'of %s with a command is one run in one journal%s, and undo knows all of it',
    async (ids, more) => {
      const sandbox = await startSandbox()
      onTestFinished(() => sandbox.close())
      const [config, cwd] = [createConfiguration(), createFolder()]
      const at = { SVC_CONFIG_DIR: config, SVC_BASE_URL: sandbox.url, SVC_TOKEN: sandbox.token }
      const run = (line: string) => svcctl(line.split(' '), { env: at, cwd })
      const states = async () =>
        (await run('runners list --instance -o csv --fields id,active')).stdout
      const before = await states()
      expect(await run(`runners drain ${ids} --resume-after true${more}`)).toMatchObject({
        code: 0,
      })
      expect(await states()).toBe(before)
      const listed = JSON.parse((await run('journal list -o json')).stdout)
      expect(listed).toHaveLength(1)
      const [{ file }] = listed
      expect(Object.keys(readStates(file))).toEqual(ids.split(' ').map((_, i) => String(i + 1)))
      const again = await run(`runners drain --resume ${file}`)
      expect([again.code, again.stderr]).toEqual([
        2,
        expect.stringContaining('resumes its runners'),
      ])
      const sent = sandbox.requests.length
      const undone = await run(`journal undo ${more === '' ? 'last' : file} --yes`)
      expect([undone.code, undone.stderr]).toEqual([0, expect.stringContaining('0 done, ')])
      expect(sandbox.requests.slice(sent).filter(({ method }) => method !== 'GET')).toEqual([])
      // Another user pauses one of the runners afterwards, so the undo leaves it paused.
      await run('runners pause 1 --journal none')
      expect(await run(`journal undo ${file} --yes`)).toMatchObject({ code: ids === '1' ? 5 : 8 })
      expect(await states()).toBe(before.replace('1,true', '1,false'))
    },
  )

  it('is undone from its journal where it was lost before it resumed them', async () => {
    const config = createConfiguration()
    const at = { ...createEnv(), SVC_CONFIG_DIR: config }
    const cwd = createFolder()
    const begun = join(cwd, 'begun')
    const line = ['runners', 'drain', '1', '--resume-after', 'touch begun; exec sleep 60']
    const draining = startKillable(line, { env: at, cwd }, [config])
    while (!existsSync(begun)) await Promise.race([draining.ended, wait(20)])
    expect(writes()).toEqual(['/api/v4/runners/1 {"active":false}'])
    const { answer } = server
    // A killed process would send no more requests.
    server.answer = () => ({ status: 400 })
    draining.kill()
    expect((await draining.ended).wasKilled).toBe(true)
    server.answer = answer
    const undone = await svcctl(['journal', 'undo', 'last', '--yes'], { env: at })
    expect(undone.code, undone.stderr).toBe(0)
    expect(writes().at(-1)).toBe('/api/v4/runners/1 {"active":true}')
  })
})
