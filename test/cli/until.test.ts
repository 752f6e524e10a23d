/** Tests `--wait-until`: rounds that end when a condition is true, and the output of them. */
import { describe, expect, it } from 'vitest'
import { documentedWords } from '../../src/catalogue/words.js'
import { WaitCondition } from '../../src/engine/repeat.js'
import type { Rows } from '../../src/engine/rows.js'
import { createCaller } from '../commands/calling.js'

const { server, call, atTerminal } = createCaller()
const createJobAnswer = (status: string) => ({ body: { id: 5, status } })
const createJobsAnswer = (...all: readonly string[]) => ({
  body: all.map((status, id) => ({ id, status })),
})
const get = 'jobs get 5 -P 1 -o json --wait-until status=success'

describe('--wait-until', () => {
  it('asks again until the record matches, and prints the last answer alone', async () => {
    server.answer = (_, i) => createJobAnswer(i < 1 ? 'running' : 'success')
    const ran = await call(get)
    expect(ran.code).toBe(0)
    expect(JSON.parse(ran.stdout)).toEqual({ id: 5, status: 'success' })
    expect(server.seen).toHaveLength(2)
  })

  it('prints every round where --watch says so', async () => {
    server.answer = (_, i) => createJobAnswer(i < 1 ? 'running' : 'success')
    const { stdout } = await call(`${get} --watch 1`)
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).status),
    ).toEqual(['running', 'success'])
  })

  it('writes no empty line for a round without an answer', async () => {
    const list = 'jobs list -P 1 --fields id --wait-until status=success --wait-timeout 3 --watch 1'
    server.answer = (_, i) =>
      createJobsAnswer(...(i === 1 ? ['running'] : i > 2 ? ['success'] : []))
    expect((await call(`${list} -o table`)).stdout).toBe('id\n0\n\nid\n0\n')
    server.answer = () => createJobsAnswer()
    expect((await call(`${list} -o table`)).stdout).toBe('')
    server.answer = () => ({ status: 503, body: {} })
    expect((await call(`${list} --retries 0`)).stdout).toBe('')
  })

  it('holds for a list with a record, when all of them match', async () => {
    const rounds = [
      createJobsAnswer(),
      createJobsAnswer('success', 'running'),
      createJobsAnswer('success', 'success'),
    ]
    server.answer = (_, i) => rounds[i]
    const ran = await call('jobs list -P 1 -o json --watch 1 --wait-until status=success')
    expect(ran.code).toBe(0)
    expect(server.seen).toHaveLength(3)
  })

  it('ends with 1 at --wait-timeout, and shows how it stands', async () => {
    server.answer = () => createJobAnswer('running')
    const ran = await call(`${get} --wait-timeout 1`)
    expect(ran.code).toBe(1)
    expect(JSON.parse(ran.stdout)).toEqual({ id: 5, status: 'running' })
    expect(ran.stderr).toContain('status=success did not become true')
  })

  it('waits no longer for the next round than there is time', async () => {
    server.answer = () => createJobAnswer('running')
    expect((await call(`${get} --watch 3600 --wait-timeout 1`)).code).toBe(1)
    expect(server.seen).toHaveLength(2)
  })

  it('takes an answer that is a list for its items', async () => {
    const until = new WaitCondition(['status=success'], {
      command: { area: 'jobs', naming: documentedWords },
    })
    const see = async (items: readonly object[]): Promise<void> => {
      const batch = [Buffer.from(JSON.stringify(items))]
      const rows = async function* (): Rows {
        yield { kind: 'records', batch }
      }
      for await (const row of until.observe(rows())) expect(row).toEqual({ kind: 'records', batch })
    }
    const [ended, runs] = [{ status: 'success' }, { status: 'running' }]
    await see([ended, runs])
    expect(until.holds(new Date())).toBe(false)
    until.begin()
    await see([ended, ended])
    expect(until.holds(new Date())).toBe(true)
  })

  it('tries a round again that the network lost, the first as well', async () => {
    server.answer = (_, i) => (i < 1 ? { status: 503, body: {} } : createJobAnswer('success'))
    const ran = await call(`${get} --retries 0 --watch 1`)
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('503')
  })

  it('tries again what had to be read before the first round', async () => {
    const path = { body: { id: 1, path_with_namespace: 'platform/app' } }
    server.answer = ({ url }, i) =>
      i < 1
        ? { status: 503, body: {} }
        : url.endsWith('/projects/1')
          ? path
          : createJobAnswer('success')
    const line =
      'mr get platform/app!5 -P 1 -o json --retries 0 --watch 1 --wait-until status=success'
    expect((await call(line)).code).toBe(0)
    const asked = ['/projects/1', '/projects/1', '/projects/platform%2Fapp/merge_requests/5']
    expect(server.lines()).toEqual(asked.map((one) => `GET ${one}`))
  })

  it.each([
    [401, 3],
    [404, 4],
  ])('ends at once with the code of a %d', async (status, code) => {
    server.answer = () => ({ status, body: { message: 'no' } })
    expect((await call(get)).code).toBe(code)
    expect(server.seen).toHaveLength(1)
  })

  it.each([
    ['jobs get 5 -P 1 --wait-until status', 'one of'],
    ['jobs get 5 -P 1 --wait-timeout 5', '--wait-timeout requires --wait-until'],
    ['runners pause 5 --wait-until status=paused', '--wait-until'],
  ])('refuses %s before anything is sent', async (line, says) => {
    const ran = await call(line)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(says)
    expect(server.seen).toEqual([])
  })

  it('refuses a field that no record has', async () => {
    server.answer = () => createJobAnswer('success')
    const ran = await call('jobs get 5 -P 1 --wait-until stauts=success')
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain('did you mean status?')
  })

  it('is still taken by its earlier names', async () => {
    server.answer = () => createJobAnswer('running')
    const ran = await call('jobs get 5 -P 1 --until status=success --until-timeout 1')
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('--wait-timeout') })
    expect(server.seen).toHaveLength(2)
  })

  it('leaves --until to the API where it has a filter of that name', async () => {
    server.answer = () => ({ body: [{ id: 'a1', title: 'x' }] })
    const ran = await call('commits list -P 1 --until 2026-01-02 --wait-until title=x -o id')
    expect(ran).toMatchObject({ code: 0, stdout: 'a1\n' })
    expect(server.lines()).toEqual([expect.stringContaining('until=2026-01-02')])
  })

  it('ends by itself at a terminal', async () => {
    server.answer = (_, i) => createJobAnswer(i < 1 ? 'running' : 'success')
    await atTerminal('jobs get 5 -P 1 --wait-until status=success', async (terminal) => {
      expect(await terminal.until(/ended with 0/)).toMatch(/^~ .*success/m)
    })
  })
})
