/** `audit list` and `sandbox alerts`: looking back at what was done. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startSandbox } from '../../src/sandbox/index.js'
import { configuration, folder } from '../support/program.js'
import { svcctl } from '../support/within.js'

const entry = (time: string, method: string, status: number | null, user = 'root') =>
  JSON.stringify({
    time,
    profile: 'here',
    user,
    sudo: null,
    method,
    path: '/api/v4/runners/7',
    status,
    request_id: null,
    duration_ms: 12,
    outcome: 'done',
  })

const withLog = async () => {
  const config = folder()
  const log = join(config, 'audit.ndjson')
  writeFileSync(
    log,
    [
      entry('2026-01-30T23:00:00Z', 'PUT', 200),
      entry('2026-01-31T12:00:00Z', 'DELETE', 403, 'ada'),
      '{"cut sho',
      entry('2026-02-01T12:00:00Z', 'POST', null),
      '',
    ].join('\n'),
  )
  const env = { SVC_CONFIG_DIR: config }
  const set = ['profile', 'set', 'here', '--base-url', 'https://forge.example', '--audit-log', log]
  expect((await svcctl(set, { env })).code).toBe(0)
  const list = async (...args: string[]) => {
    const ran = await svcctl(['audit', 'list', '-p', 'here', '-o', 'json', ...args], { env })
    const times = ran.code === 0 ? JSON.parse(ran.stdout).map((e: { time: string }) => e.time) : []
    return { ...ran, times: times as string[] }
  }
  return { env, list, log }
}

describe('audit list', () => {
  it('gives every entry, oldest first, and counts what is no entry', async () => {
    const { list } = await withLog()
    const { times, stderr } = await list()
    expect(times.map((t) => t.slice(0, 10))).toEqual(['2026-01-30', '2026-01-31', '2026-02-01'])
    expect(stderr).toMatch(/1 lines? .*not valid entries/)
  })

  it.each([
    [['--method', 'delete'], ['2026-01-31T12:00:00Z']],
    [['--status', '4xx'], ['2026-01-31T12:00:00Z']],
    [['--status', 'none'], ['2026-02-01T12:00:00Z']],
    [['--user', 'ada'], ['2026-01-31T12:00:00Z']],
    [['--until', '2026-01-30'], ['2026-01-30T23:00:00Z']],
    [['--since', '2026-01-31', '--until', '2026-01-31'], ['2026-01-31T12:00:00Z']],
    [['--last', '1'], ['2026-02-01T12:00:00Z']],
  ])('%j', async (args, expected) => {
    const { list } = await withLog()
    expect((await list(...args)).times).toEqual(expected)
  })

  it('takes no more of a line than an entry can have, and a time that is none for no entry', async () => {
    const { list, log } = await withLog()
    appendFileSync(log, `${'x'.repeat(3 << 20)}\n${entry('never', 'PUT', 200)}\n`)
    appendFileSync(log, `${entry('2026-02-02T12:00:00Z', 'PUT', 200)}\n`)
    const { times, stderr } = await list()
    expect(times).toHaveLength(4)
    expect(stderr).toContain('3 lines')
    expect((await list('--last', '1')).times).toEqual(['2026-02-02T12:00:00Z'])
    expect((await list('--last', '3')).times).toHaveLength(3)
  })

  it.runIf(process.platform !== 'win32')('reads no pipe', async () => {
    const { list, log } = await withLog()
    rmSync(log)
    execFileSync('mkfifo', [log])
    const { code, stderr } = await list()
    expect([code, stderr]).toEqual([2, expect.stringContaining('it is a pipe')])
  })

  it('refuses times and statuses that are none', async () => {
    const { list } = await withLog()
    expect((await list('--since', 'yesterdayish')).code).toBe(2)
    expect((await list('--status', 'bad')).code).toBe(2)
  })

  it('says how a log is begun', async () => {
    const env = { SVC_CONFIG_DIR: configuration() }
    await svcctl(['profile', 'set', 'here', '--base-url', 'https://forge.example'], { env })
    const ran = await svcctl(['audit', 'list', '-p', 'here'], { env })
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain('svcctl profile set here --audit-log')
  })
})

describe('sandbox alerts', () => {
  it('shows an alert that was sent to an endpoint that it lists', async () => {
    const stateDir = folder()
    const sandbox = await startSandbox({ stateDir })
    const where = ['--state-dir', stateDir, '-o', 'json']
    try {
      const endpoints = await svcctl([
        'sandbox',
        'alerts',
        '--endpoints',
        '--base-url',
        sandbox.url,
        ...where,
      ])
      const [first] = JSON.parse(endpoints.stdout) as { url: string; key: string }[]
      expect(first?.url.startsWith(sandbox.url)).toBe(true)
      const sent = await svcctl(
        ['alerts', 'send', '--title', 'disk full', '--endpoint', first?.url ?? ''],
        { env: { SVC_ALERT_KEY: first?.key ?? '' } },
      )
      expect(sent.stderr).not.toContain('error')
      expect(sent.code).toBe(0)
    } finally {
      await sandbox.close()
    }
    const received = await svcctl(['sandbox', 'alerts', ...where])
    expect(JSON.parse(received.stdout)).toMatchObject([{ title: 'disk full' }])
  })
})
