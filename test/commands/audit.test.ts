/** `audit list` and `sandbox alerts`: looking back at what was done. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { startSandbox } from '../../src/sandbox/index.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const server = useRecorder()
let config = ''
beforeEach(() => {
  config = createConfiguration()
  server.answer = ({ url, method }) => {
    if (url.endsWith('/user')) return { body: { id: 1, username: 'ana' } }
    if (method !== 'GET' && url.endsWith('/9')) return { status: 403, body: {} }
    return { body: { id: 1, active: true }, headers: { 'x-request-id': 'r-1' } }
  }
})
const run = (line: string) =>
  svcctl(line.split(' '), {
    env: { SVC_CONFIG_DIR: config, SVC_BASE_URL: server.url, SVC_TOKEN: 'a-token-of-ana' },
  })
const list = async (flags = ''): Promise<readonly Record<string, unknown>[]> => {
  const ran = await run(`audit list -o json${flags}`)
  expect(ran.code, ran.stderr).toBe(0)
  return JSON.parse(ran.stdout)
}
const writes = async (flags = ''): Promise<readonly string[]> =>
  (await list(flags)).map(({ method, path, status, outcome }) =>
    [method, path, status, outcome].join(' '),
  )

describe('audit list', () => {
  it('has every write of every run, whatever sent it, oldest first', async () => {
    await run('runners pause 1 2')
    await run('runners pause 3 --journal none')
    await run('api DELETE runners/4?token=c4n4ry --yes')
    await run('deploy-keys delete 5 -P platform/app --yes')
    await run('runners get 1')
    await run('runners pause 1 --dry-run')
    expect(await writes()).toEqual([
      'PUT /api/v4/runners/1 200 done',
      'PUT /api/v4/runners/2 200 done',
      'PUT /api/v4/runners/3 200 done',
      'DELETE /api/v4/runners/4 200 done',
      'DELETE /api/v4/projects/platform%2Fapp/deploy_keys/5 200 done',
    ])
    const [first, , third] = await list()
    expect(first).toMatchObject({ run: expect.stringContaining('runners-pause'), user: 'ana' })
    expect(third).toMatchObject({ request_id: 'r-1', duration_ms: expect.any(Number) })
  })

  it('tells what was not sent, because the profile only reads', async () => {
    await run(`profile set here --base-url ${server.url} --read-only`)
    for (const line of ['runners pause 1 2 -p here', 'runners pause 3 -p here'])
      expect((await run(line)).code).toBe(2)
    expect(server.seen.filter(({ method }) => method !== 'GET')).toEqual([])
    const all = await writes(' -p here')
    expect(all.map((line) => line.split(' ').at(-1))).toEqual(all.map(() => 'not_sent'))
    expect(all.length).toBeGreaterThan(1)
  })

  it('keeps the order of what is sent at once by its end, and is that of a shared log', async () => {
    const log = join(config, 'audit.ndjson')
    await run(`profile set here --base-url ${server.url} --audit-log ${log}`)
    await run('runners pause 1 9 -p here')
    await run('runners resume 1 -p here --journal none')
    const logged = readFileSync(log, 'utf8')
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text))
      .map(({ method, path, status, outcome }) => [method, path, status, outcome].join(' '))
    expect((await writes(' -p here')).toSorted()).toEqual(logged.toSorted())
    expect(await writes(' -p other')).toEqual([])
  })

  it.each([
    [' --method delete', ['DELETE']],
    [' --status 4xx', ['PUT']],
    [' --status 403', ['PUT']],
    [' --status none', []],
    [' --user ana', ['PUT', 'PUT', 'DELETE']],
    [' --user ben', []],
    [' --until 2020-01-30', []],
    [' --since 2020-01-31', ['PUT', 'PUT', 'DELETE']],
    [' --since 1h --until today', ['PUT', 'PUT', 'DELETE']],
    [' --until 1h', []],
    [' --last 1', ['DELETE']],
  ])('%s', async (flags, methods) => {
    await run('runners pause 1 9')
    await run('deploy-keys delete 5 6 -P platform/app --max-failures 1 --yes')
    const found = await list(flags)
    expect([...new Set(found.map(({ method }) => method))]).toEqual([...new Set(methods)])
  })

  it('has what a killed run may have sent as unknown', async () => {
    await run('runners pause 1 2 --concurrency 1')
    await run('runners pause 3 --journal none')
    const folder = join(config, 'state', 'runs')
    for (const name of readdirSync(folder)) {
      const file = join(folder, name)
      const lines = readFileSync(file, 'utf8').split('\n')
      const kept = lines.filter((text) => !/"end"|"object":"2","state":"done"|"outcome"/.test(text))
      writeFileSync(file, kept.join('\n'))
    }
    expect(await writes()).toEqual([
      'PUT /api/v4/runners/1 200 done',
      'PUT /api/v4/runners/2  unknown',
      'PUT /runners/3  unknown',
    ])
  })

  it('refuses times and statuses that are none', async () => {
    expect((await run('audit list --since yesterdayish')).code).toBe(2)
    expect((await run('audit list --status bad')).code).toBe(2)
  })

  it('says that there is nothing', async () => {
    const { code, stderr } = await run('audit list')
    expect([code, stderr]).toEqual([0, expect.stringContaining('nothing found')])
  })
})

describe('sandbox alerts', () => {
  it('shows an alert that was sent to an endpoint that it lists', async () => {
    const stateDir = createFolder()
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
