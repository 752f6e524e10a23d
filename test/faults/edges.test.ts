/** Edge cases of HTTP and of the machine, through the whole program. */
import { rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { certificate, key } from '../http/certificate.js'
import { createFolder, type ProgramLineOptions } from '../support/program.js'
import { type Script, startRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const startServer = async (script: Script) => {
  const server = await startRecorder(script)
  onTestFinished(() => server.close())
  const run = (line: string, how: ProgramLineOptions = {}) =>
    svcctl([...line.split(' '), '--base-url', server.url, '--retries', '0'], {
      ...how,
      env: { SVC_TOKEN: 'any-token', ...how.env },
    })
  return { server, run }
}

describe('an answer that is no record', () => {
  it.each(['runners pause 7', 'runners pause 7 8 -o json'])(
    'of a write is said: %s',
    async (line) => {
      const { run } = await startServer(() => ({ status: 200, body: '' }))
      const { code, stderr } = await run(line)
      expect(code).toBe(0)
      if (!line.includes('json'))
        expect(stderr).toContain(
          'according to the status only: the instance answered 200 without the record',
        )
    },
  )
  it('of a read is a failure', async () => {
    const { run } = await startServer(() => ({ status: 204 }))
    const { code, stdout, stderr } = await run('runners get 7')
    expect([code, stdout]).toEqual([7, ''])
    expect(stderr).toContain('the instance answered 204 without the requested data')
  })
  it.each([
    { status: 202, body: {} },
    { status: 204 },
    { status: 200, body: { iid: 1 } },
    { status: 200, body: '[]' },
  ])('of a rebase that is followed is no sign of its end: %j', async (poll) => {
    const { run } = await startServer(({ method }) =>
      method === 'PUT' ? { status: 202, body: { rebase_in_progress: true } } : poll,
    )
    const { code, stdout, stderr } = await run('mr rebase 1 -P 1 --wait')
    expect([code, stdout]).toEqual([7, ''])
    expect(stderr).not.toContain('rebased')
  })
  it.each([{ status: 204 }, { status: 200, body: {} }, { status: 202, body: { id: 'x' } }])(
    'signs nobody in: %j',
    async (user) => {
      const { run } = await startServer(() => user)
      const home = createFolder()
      const ran = await run('auth login --token-stdin', {
        input: 'any-token',
        env: { SVC_CONFIG_DIR: home, SVC_NO_KEYRING: '1', SVC_TOKEN: '' },
      })
      expect(ran.code).toBe(7)
      expect(ran.stderr).toContain('expected the user or version from')
      rmSync(home, { recursive: true })
    },
  )
})

describe('a run over many objects', () => {
  const ids = Array.from({ length: 60 }, (_, i) => String(i + 1)).join(' ')
  it('ends at ten refusals of the credential in a row', async () => {
    const { server, run } = await startServer((_, i) => (i <= 20 ? {} : { status: 401, body: {} }))
    const { code, stdout, stderr } = await run(
      `runners pause ${ids} --concurrency 2 --no-undo-record -o json`,
    )
    expect(code).toBe(3)
    expect(stderr).toMatch(
      /stopped: .*rejected ten times in a row; 20 done, 1[01] failed, \d+ not attempted/,
    )
    // The program asks for the user first.
    expect(server.seen.length - 1).toBeLessThanOrEqual(31)
    // Objects that were not attempted are counted but not printed. One that had begun when the run stopped fails without a request.
    const unsent = JSON.parse(stdout).length - (server.seen.length - 1)
    expect([0, 1]).toContain(unsent)
  })
  it('ends at twenty that could not be reached in a row', async () => {
    const { server, run } = await startServer(() => ({ status: 503, body: '' }))
    const { code, stderr } = await run(`runners pause ${ids}`)
    expect(code).toBe(7)
    expect(stderr).toMatch(/stopped: the instance answered 503 twenty times in a row; 0 done/)
    expect(server.seen.length).toBeLessThanOrEqual(24)
  })
  it('goes on where it is the objects that are refused', async () => {
    const { server, run } = await startServer((_, i) => ({
      status: [401, 403, 404][i % 3] ?? 0,
      body: {},
    }))
    expect((await run(`runners pause ${ids} --concurrency 1`)).code).toBe(8)
    expect(server.seen.filter(({ method }) => method !== 'GET')).toHaveLength(60)
  })
})

const noProxies = [
  'http://proxy.test:3128/path',
  'proxy.test/%',
  'http://proxy.test?x',
  'http://proxy.test#x',
  'nonsense:port',
  '::',
  '%',
]

it.each([...noProxies, 'http:/proxy.test:3128', 'http:proxy.test'])(
  'a variable that names no proxy is a mistake and no defect: %j',
  async (proxy) => {
    for (const name of ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY']) {
      const env = { SVC_BASE_URL: 'https://svc.invalid', SVC_TOKEN: 'any', [name]: proxy }
      const { code, stderr } = await svcctl(['runners', 'get', '7'], { env })
      expect(code, stderr).toBe(2)
      expect(stderr).toContain(`${name.toUpperCase()} is not a valid proxy URL`)
    }
  },
)

it.each(noProxies)('no profile keeps %j as a proxy', async (proxy) => {
  const set = 'profile set x --base-url https://x.test --proxy'
  const { code, stderr } = await svcctl([...set.split(' '), proxy])
  expect(code, stderr).toBe(2)
  expect(stderr).toMatch(/invalid proxy|proxy is not a valid proxy URL/)
})

it.each([
  ['/runners 7', '%20'],
  ['/runners\r\nx: y', '%0D'],
  ['/rünners', '%C3%BC'],
  ['/a#b', '%23'],
])('an API path of %j is refused and not sent', async (path, hint) => {
  const { server } = await startServer(() => ({}))
  const env = { SVC_TOKEN: 'any-token' }
  const ran = await svcctl(['api', 'GET', path, '--base-url', server.url], { env })
  expect(ran.code).toBe(2)
  expect(ran.stderr).toContain(hint)
  expect(server.seen).toEqual([])
})

it('ignores NODE_TLS_REJECT_UNAUTHORIZED=0 and says so', async () => {
  const server = createServer({ cert: certificate, key }, (_, response) => response.end('{}'))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const env = { SVC_TOKEN: 'any-token', NODE_TLS_REJECT_UNAUTHORIZED: '0' }
  const ran = await svcctl(['runners', 'get', '7', '--base-url', url, '--retries', '0'], { env })
  expect(ran.code).toBe(7)
  expect(ran.stderr).toContain('NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored')
  expect(ran.stderr).not.toContain('makes TLS connections')
})

it('extracts without a folder for temporary files', async () => {
  const work = createFolder()
  const args = ['artifacts', 'download', '13', '-P', 'platform/app', '--extract', '--to', 'out']
  const env = { TMPDIR: join(work, 'missing'), SVC_CONFIG_DIR: join(work, 'config') }
  const { code, stderr } = await svcctl([...args, '--sandbox'], { cwd: work, env })
  expect(stderr).toContain('extracted')
  expect(code).toBe(0)
  rmSync(work, { recursive: true })
})
