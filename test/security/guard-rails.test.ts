import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js'
import { certificate, key } from '../http/certificate.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { type Recorder, startRecorder } from '../support/recorder.js'
import { openScreen } from '../support/screen.js'
import { svcctl } from '../support/within.js'

const readJsonLines = (file: string): Record<string, unknown>[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('a profile', () => {
  let server: Recorder
  let config: string
  beforeAll(async () => {
    server = await startRecorder(() => ({
      body: { id: 7 },
      headers: { 'x-request-id': 'request-1' },
    }))
  })
  afterAll(() => server.close())
  beforeEach(() => {
    config = createConfiguration()
    server.seen.length = 0
  })

  const run = (...args: string[]) =>
    svcctl(args, { env: { SVC_CONFIG_DIR: config, SVC_TOKEN: 'any' } })
  const set = (...settings: string[]) =>
    run('profile', 'set', 'prod', '--base-url', server.url, ...settings)

  it('that is read-only sends no write', async () => {
    await set('--read-only')
    for (const args of [
      ['runners', 'pause', '7'],
      ['deploy-keys', 'delete', '7', '-P', '1', '--yes'],
      ['api', 'post', '/runners'],
      ['runners', 'register', '--token', 'env:SVC_TOKEN'],
      [
        'alerts',
        'send',
        '--endpoint',
        `${server.url}/alert`,
        '--authorization-key',
        'env:SVC_TOKEN',
      ],
    ]) {
      const { code, stdout, stderr } = await run(...args, '-p', 'prod')
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/profile prod is read-only: .* was not sent/)
    }
    expect(server.lines()).toEqual([])
    expect((await run('runners', 'get', '7', '-p', 'prod')).code).toBe(0)
  })

  it('that is protected takes its name besides --yes', async () => {
    await set('--protected')
    // The current profile is an unprotected one.
    await run('profile', 'set', 'test', '--base-url', server.url)
    await run('auth', 'switch', 'test')
    const commands = [
      ['deploy-keys', 'delete', '7', '-P', '1', '-p', 'prod'],
      ['api', 'delete', '/projects/1/deploy_keys/8', '-p', 'prod'],
      ['profile', 'delete', 'prod'],
    ]
    for (const remove of commands) {
      for (const flags of [[], ['--yes'], ['--confirm', 'prod'], ['--yes', '--confirm', 'test']]) {
        const { code, stderr } = await run(...remove, ...flags)
        expect(code).toBe(2)
        expect(stderr).toMatch(/prod/)
      }
      expect(server.lines()).toEqual([])
    }
    for (const remove of commands)
      expect((await run(...remove, '--yes', '--confirm', 'prod')).code).toBe(0)
    expect(server.lines().filter((line) => !line.startsWith('GET'))).toEqual([
      'DELETE /projects/1/deploy_keys/7',
      'DELETE /projects/1/deploy_keys/8',
    ])
  })

  it('asks with the host, the user, and the name to type', async () => {
    await set('--protected')
    const terminal = openScreen(['deploy-keys delete 7 -P 1 --sudo ana'], {
      env: { SVC_CONFIG_DIR: config, SVC_TOKEN: 'any', SVC_PROFILE: 'prod' },
    })
    try {
      const asked = await terminal.until(/Type the profile name \(prod\)/)
      expect(asked).toContain(`On ${server.url} (profile prod), as ana:`)
      terminal.type('test')
      terminal.press('Enter')
      expect(await terminal.until(/exit \d/)).toMatch(
        /not confirmed; nothing was changed[\s\S]*exit 2/,
      )
      // The command looked up the name of the key.
      expect(server.lines()).toEqual(['GET /projects/1/deploy_keys/7'])
    } finally {
      await terminal.close()
    }
  })

  it('puts every write on record, whole, from processes side by side', async () => {
    const log = join(config, 'audit.jsonl')
    await set('--audit-log', log)
    const ids = Array.from({ length: 6 }, (_, at) => at + 1)
    await Promise.all(
      ids.map((id) => run('runners', 'pause', String(id), '-p', 'prod', '--sudo', 'ana')),
    )
    await run('runners', 'get', '7', '-p', 'prod')
    const file = join(config, 'a.yml')
    writeFileSync(file, 'a: {script: [make]}\n')
    await run('ci', 'lint', file, '-p', 'prod')
    expect(server.lines().filter((line) => line.startsWith('POST'))).toEqual(['POST /ci/lint'])
    const entries = readJsonLines(log)
    expect(entries.map(({ path }) => path).sort()).toEqual(ids.map((id) => `/api/v4/runners/${id}`))
    for (const entry of entries)
      expect(entry).toMatchObject({
        profile: 'prod',
        sudo: 'ana',
        method: 'PUT',
        status: 200,
        request_id: 'request-1',
        duration_ms: expect.any(Number),
        time: expect.stringMatching(/^\d{4}-.*Z$/),
      })
    const listed = await run('audit', 'list', '-p', 'prod', '-o', 'json')
    expect(JSON.parse(listed.stdout)).toHaveLength(6)
  })

  it('puts on record what goes by another credential than the user’s, or to another address', async () => {
    const log = join(config, 'audit.jsonl')
    await set('--audit-log', log)
    const other = await startRecorder(() => ({ body: {} }))
    const key = ['--authorization-key', 'env:SVC_TOKEN']
    await run('runners', 'register', '--token', 'env:SVC_TOKEN', '--sudo', 'ana')
    await run('alerts', 'send', '--endpoint', `${other.url}/alert?a=b`, ...key)
    await run('api', 'post', '/runners/1/reset')
    await other.close()
    await run('alerts', 'send', '--endpoint', `${other.url}/alert`, ...key, '--retries', '0')
    // No user was impersonated, and the user of SVC_TOKEN is unknown.
    expect(readJsonLines(log)).toMatchObject([
      { path: '/api/v4/runners', sudo: null, user: null, outcome: 'done' },
      { path: `${other.url}/alert`, sudo: null, user: null, outcome: 'done' },
      { path: '/api/v4/runners/1/reset', outcome: 'done' },
      { path: `${other.url}/alert`, status: null, outcome: 'not_sent' },
    ])
  })

  it('whose audit log cannot be written sends no write', async () => {
    const directory = join(config, 'directory')
    mkdirSync(directory)
    await set('--audit-log', directory)
    const { code, stderr } = await run('runners', 'pause', '7', '-p', 'prod')
    expect(code).toBe(2)
    expect(stderr).toMatch(/cannot open the audit log/)
    expect(server.lines()).toEqual([])
  })

  it.skipIf(!existsSync('/dev/full'))('whose audit log is full sends nothing more', async () => {
    await set('--audit-log', '/dev/full')
    const { code, stderr } = await run(
      'runners',
      'pause',
      '1',
      '2',
      '3',
      '-p',
      'prod',
      '--concurrency',
      '1',
    )
    expect(code).toBe(1)
    expect(stderr).toMatch(/runners\/1 \(200\) was sent but is not in the audit log/)
    expect(stderr).toMatch(/not sent, because the audit log \/dev\/full cannot be written/)
    expect(server.lines()).toEqual(['GET /user', 'GET /runners/1', 'PUT /runners/1'])
  })

  it('says so when tokens would travel in clear, and not on the loopback', async () => {
    const clear = await svcctl(
      ['runners', 'list', '--base-url', 'http://192.0.2.1', '--timeout', '1', '--retries', '0'],
      { env: { SVC_TOKEN: 'any' } },
    )
    expect(clear.stderr).toMatch(
      /http:\/\/192\.0\.2\.1 is not encrypted: the token is sent in clear text/,
    )
    const login = ['auth', 'login', '--base-url', 'http://192.0.2.1', '--token-stdin']
    const signingIn = await svcctl([...login, '--timeout', '1', '--retries', '0'], {
      input: 'any\n',
    })
    expect(signingIn.stderr).toMatch(
      /192\.0\.2\.1 is not encrypted: the token is sent in clear text/,
    )
    const near = await svcctl(['runners', 'get', '7', '--base-url', server.url], {
      env: { SVC_TOKEN: 'any' },
    })
    expect(near.stderr).toBe('')
  })
})

describe('a profile that says how its instance is reached', () => {
  it('is reached so when signing in, and when its credential is tried', async () => {
    const server = createServer({ cert: certificate, key }, (_request, response) => {
      response.setHeader('content-type', 'application/json')
      response.end('{"id":1,"username":"root"}')
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    try {
      const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
      const config = createFolder()
      const file = join(config, 'ca.pem')
      writeFileSync(file, certificate)
      const env = { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1' }
      await svcctl(['profile', 'set', 'own', '--base-url', url, '--ca-file', file], { env })
      const login = ['auth', 'login', 'own', '--kind', 'impersonation', '--token-stdin']
      const signedIn = await svcctl(login, { env, input: 'token\n' })
      expect(signedIn.stderr).toMatch(/signed in to .* as root/)
      expect(signedIn.code).toBe(0)
      const status = await svcctl(['auth', 'status', '-o', 'json'], { env })
      expect(JSON.parse(status.stdout)).toMatchObject([
        { profile: 'own', works: true, credential: 'personal, from token file' },
      ])
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})

describe('a certificate that nobody vouches for', () => {
  it('ends the run, unless --insecure is given each time, with a warning', async () => {
    let requests = 0
    const server = createServer({ cert: certificate, key }, (_request, response) => {
      requests += 1
      response.setHeader('content-type', 'application/json')
      response.end('{"id":7}')
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    try {
      const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
      const args = ['runners', 'get', '7', '-o', 'json', '--base-url', url]
      const strict = await svcctl(args, { env: { SVC_TOKEN: 'any' } })
      expect(strict).toMatchObject({ code: 7, stdout: '' })
      expect(strict.stderr).toMatch(/certificate/)
      expect(requests).toBe(0)
      const loose = await svcctl([...args, '--insecure'], { env: { SVC_TOKEN: 'any' } })
      expect(loose).toMatchObject({ code: 0, stdout: '{"id":7}\n' })
      expect(loose.stderr).toMatch(/--insecure: the certificate of https:.* is not verified/)
      // The flag is not stored: a profile that was set with it is as strict as before.
      const env = { SVC_CONFIG_DIR: createConfiguration(), SVC_TOKEN: 'any' }
      await svcctl(['profile', 'set', 'a', '--base-url', url], { env })
      expect((await svcctl(['runners', 'get', '7', '-p', 'a'], { env })).code).toBe(7)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})

describe('a secret in the wrong place of the command line', () => {
  it.each([
    [['runners', 'list', '--private-token=canary'], /unknown option '--private-token'/],
    [
      ['runners', 'list', '--base-url', 'https://forge.example/?private_token=canary'],
      /has a query/,
    ],
    [['runners', 'list', '--base-url', 'https://forge.example/#canary'], /has a fragment/],
    [
      ['runners', 'list', '--base-url', 'https://canary@forge.example'],
      /it must not contain credentials/,
    ],
    [
      ['mr', 'get', 'https://a.example/b/c/-/merge_requests/1?private_token=canary'],
      /is not a web address on/,
    ],
  ])('is not repeated: %j', async (args, says) => {
    const env = { SVC_BASE_URL: 'https://forge.example', SVC_TOKEN: 'any' }
    const { code, stderr } = await svcctl(args, { env })
    expect(code).toBe(2)
    expect(stderr).toMatch(says)
    expect(stderr).not.toContain('canary')
  })
})

describe('--sudo', () => {
  let sandbox: Sandbox
  const state = createFolder()
  beforeAll(async () => {
    sandbox = await startSandbox({ stateDir: state })
  })
  afterAll(async () => {
    await sandbox.close()
    rmSync(state, { recursive: true, force: true })
  })

  const as = (token: string, sudo: string) =>
    svcctl(['runners', 'list', '--sudo', sudo, '-v'], {
      env: { SVC_BASE_URL: sandbox.url, SVC_TOKEN: token },
    })

  it('acts as that user, and the trace says so', async () => {
    const { code, stderr } = await as('sandbox-root-token', 'ana')
    expect(code).toBe(0)
    expect(stderr).toMatch(/as ana/)
  })

  it.each([
    ['sandbox-ben-token', 'ana', 3, /only administrators can act as another user \(/],
    ['sandbox-root-nosudo-token', 'ana', 3, /it lacks the scope sudo/],
    [
      'sandbox-root-token',
      'nobody',
      4,
      /the user to act as does not exist \(404 User with ID or username 'nobody' Not Found/,
    ],
  ])('refused to %s for %s says why and what to do', async (token, sudo, exit, says) => {
    const { code, stdout, stderr } = await as(token, sudo)
    expect(code).toBe(exit)
    expect(stdout).toBe('')
    expect(stderr).toMatch(says)
    expect(stderr).toMatch(/hint: .*(--sudo|SVC_SUDO)/)
  })
})
