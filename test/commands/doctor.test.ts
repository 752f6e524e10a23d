/** Tests `doctor` against instances that are healthy, and against faulty ones. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecure } from 'node:https'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import type { TlsOptions } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { checkKeyring } from '../../src/commands/doctor.js'
import { certificate, key } from '../http/certificate.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { hasProgram } from '../support/terminal.js'
import { svcctl } from '../support/within.js'
import { runOnTerminal } from './calling.js'

interface Line {
  readonly check: string
  readonly status: string
  readonly message: string
  readonly remedy?: string
}

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  stops.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const answerJson =
  (answer: (path: string) => readonly [number, unknown], headers = {}): RequestListener =>
  (request, response) => {
    const [status, body] = answer(request.url ?? '')
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  }

const runDoctor = async (args: readonly string[], env: Record<string, string> = {}) => {
  const ran = await svcctl(['doctor', '-o', 'json', ...args], { env })
  const lines = JSON.parse(ran.stdout) as Line[]
  return { ...ran, line: (name: string) => lines.find((l) => l.check === name) }
}

describe('doctor', () => {
  it.each([
    ['bash', '.bashrc'],
    ['bash', '.bash_profile'],
    ['bash', '.profile'],
    ['bash', '.bash_completion'],
    ['bash', '.local/share/bash-completion/completions/svcctl'],
    ['zsh', '.zshrc'],
    ['zsh', '.zprofile'],
    ['zsh', '.zshenv'],
    ['fish', '.config/fish/config.fish'],
    ['fish', '.config/fish/completions/svcctl.fish'],
  ])('finds the completion of %s in ~/%s', async (shell, name) => {
    const home = createFolder()
    const file = join(home, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, 'source <(svcctl completion here)')
    const base = await serve(answerJson(() => [401, {}]))
    const { line } = await runDoctor([], { SVC_BASE_URL: base, SHELL: `/bin/${shell}`, HOME: home })
    expect(line('completion')?.message).toBe(`${shell} loads the completion from ${file}`)
  })

  it('finds the embedded instance usable', async () => {
    const { code, line } = await runDoctor(['--sandbox'])
    expect(code).toBe(0)
    expect(line('base path')?.status).toBe('ok')
    expect(line('user')?.message).toBe('root')
    expect(line('administrator')?.message).toBe('yes')
    expect(line('scopes')?.message).toContain('api')
    expect(line('page headers')?.status).toBe('ok')
  })

  it('exits 7 where nothing listens, with a remedy, and looks no further', async () => {
    const base = await serve(() => {})
    for (const stop of stops.splice(0)) stop()
    const { code, line } = await runDoctor(['--base-url', base])
    expect(code).toBe(7)
    expect(line('connection')).toMatchObject({ status: 'failure' })
    expect(line('connection')?.remedy).toMatch(/firewall/)
    expect(line('base path')).toBeUndefined()
  })

  it('exits 3 without a credential', async () => {
    const base = await serve(answerJson(() => [401, { message: '401 Unauthorized' }]))
    const { code, line } = await runDoctor(['--base-url', base])
    expect(code).toBe(3)
    expect(line('base path')?.status).toBe('ok')
    expect(line('credential')?.remedy).toMatch(/svcctl auth login --base-url/)
  })

  it('exits 3 with a credential that is not taken, and does not show it', async () => {
    const base = await serve(answerJson(() => [401, { message: '401 Unauthorized' }]))
    const { code, line, stdout, stderr } = await runDoctor(['--base-url', base], {
      SVC_TOKEN: 'not-to-be-seen',
    })
    expect(code).toBe(3)
    expect(line('credential')?.status).toBe('failure')
    expect(line('credential')?.remedy).toMatch(/the token in SVC_TOKEN: set that to another one/)
    expect(stdout + stderr).not.toContain('not-to-be-seen')
  })

  it('sends no credential before it knows that the API answers', async () => {
    const seen: unknown[] = []
    const base = await serve((request, response) => {
      seen.push(request.headers['private-token'])
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>welcome</html>')
    })
    const { code, line } = await runDoctor(['--base-url', base], { SVC_TOKEN: 'not-to-be-sent' })
    expect(code).not.toBe(0)
    expect(line('base path')?.status).toBe('failure')
    expect(line('base path')?.remedy).toMatch(/base URL/)
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.every((token) => token === undefined)).toBe(true)
  })

  it('warns of a clock that differs and of page headers that are missing', async () => {
    const answer = (path: string): readonly [number, unknown] => [
      200,
      path.includes('/user') ? { username: 'ada' } : [],
    ]
    const date = new Date(Date.now() - 3_600_000).toUTCString()
    const base = await serve(answerJson(answer, { date }))
    const { code, line } = await runDoctor(['--base-url', base], { SVC_TOKEN: 'x' })
    expect(code).toBe(0)
    expect(line('clock')).toMatchObject({ status: 'warning' })
    expect(line('clock')?.message).toMatch(/ahead of the instance/)
    expect(line('page headers')).toMatchObject({ status: 'warning' })
  })

  it('names commands that a credential without administrator rights cannot run', async () => {
    const answer = (path: string): readonly [number, unknown] =>
      path.includes('/settings')
        ? [403, {}]
        : [200, path.includes('/user') ? { username: 'a' } : []]
    const base = await serve(answerJson(answer))
    const { line } = await runDoctor(['--base-url', base], { SVC_TOKEN: 'x' })
    expect(line('administrator')).toEqual({
      check: 'administrator',
      status: 'warning',
      message: 'no; settings, geo, runners list --instance and other commands need one',
      remedy: 'Use an administrator’s token for these commands.',
    })
  })

  it('looks at the proxy, unless the address is exempt from it', async () => {
    const base = await serve(answerJson(() => [401, { message: '401 Unauthorized' }]))
    const proxy = { HTTP_PROXY: 'http://someone:canary@127.0.0.1:9', NO_PROXY: '' }
    const by = await runDoctor(['--base-url', base.replace('127.0.0.1', 'svc.test')], proxy)
    expect(by.line('proxy')?.message).toBe('http://127.0.0.1:9')
    expect(by.line('connection')?.message).toContain('the proxy http://127.0.0.1:9')
    expect(by.stdout).not.toContain('canary')
    const without = await runDoctor(['--base-url', base], { ...proxy, NO_PROXY: '127.0.0.1' })
    expect(without.line('proxy')?.message).toBe('not used')
    expect(without.line('connection')?.status).toBe('ok')
  })

  it('is a page on a terminal, each remedy below its check', async () => {
    await runOnTerminal('doctor', { SHELL: '/bin/other' }, async (terminal) => {
      const screen = await terminal.until(/ended with/)
      expect(screen).toMatch(/^✓ configuration {4}\S/m)
      expect(screen).toMatch(/^✗ instance {9}no instance is configured\n {19}→ Sign in with/m)
      // The lines of a long text are indented to the column of its first line.
      const further = screen.split('\n').filter((line) => /^ +\S/.test(line))
      expect(further.length).toBeGreaterThan(2)
      for (const line of further) expect(line).toMatch(/^ {19}(→ | {2})?\S/)
    })
  })

  it('counts the profiles, and names the current one', async () => {
    const env = { SVC_CONFIG_DIR: createConfiguration() }
    const counted = async () => (await runDoctor([], env)).line('configuration')?.message
    expect(await counted()).toMatch(/: 0 profiles$/)
    await svcctl(['profile', 'set', 'work', '--base-url', 'http://127.0.0.1:9'], { env })
    expect(await counted()).toMatch(/: 1 profile, current profile: "work"$/)
    await svcctl(['profile', 'set', 'home', '--base-url', 'http://127.0.0.1:9'], { env })
    expect(await counted()).toMatch(/: 2 profiles, current profile: "work"$/)
  })

  it('says what is wrong with the configuration', async () => {
    const { code, line } = await runDoctor([], { SVC_BASE_URL: '' })
    expect(code).not.toBe(0)
    expect(line('instance')?.remedy).toMatch(/auth login/)
  })
})

describe('the keyring', () => {
  it('is none that an executable could use, which it says', async () => {
    expect(await checkKeyring({ HOME: createFolder() }, async () => true)).toMatchObject({
      status: 'warning',
      message: 'not available in the standalone executable, only in the npm package',
      remedy: expect.stringContaining('in a file that only you can read'),
    })
    const other = await checkKeyring({ HOME: createFolder() })
    expect(other.message).not.toContain('executable')
  })

  it('is not used where a variable says so, whatever the folder of the configuration', async () => {
    const env = { HOME: createFolder(), SVC_CONFIG_DIR: createFolder() }
    expect((await checkKeyring(env)).message).not.toContain('not used')
    expect(await checkKeyring({ ...env, SVC_NO_KEYRING: '1' })).toMatchObject({
      status: 'ok',
      message: 'not used, because SVC_NO_KEYRING is set',
    })
  })
})

describe('files that others can write to', () => {
  it.skipIf(process.platform === 'win32')('says what is not believed, and why', async () => {
    const root = createConfiguration()
    const trusted = await runDoctor(['--sandbox'], { SVC_CONFIG_DIR: root })
    for (const name of ['trusted profiles', 'trusted cache'])
      expect(trusted.line(name)?.status).toBe('ok')
    chmodSync(join(root, 'cache'), 0o777)
    const { code, line } = await runDoctor(['--sandbox'], { SVC_CONFIG_DIR: root })
    expect(code).toBe(0)
    expect(line('trusted profiles')?.status).toBe('ok')
    expect(line('trusted cache')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('other users can write to'),
      remedy: `Run: chmod go-w ${join(root, 'cache')}`,
    })
  })
})

/** Runs the certificate check against an instance. With `trusted`, a profile names the certificate. */
const runCertificateCheck = async (
  pair: { readonly cert: string; readonly key: string } & TlsOptions,
  { trusted = false, args = [] }: { trusted?: boolean; args?: readonly string[] } = {},
) => {
  const answer = answerJson(() => [200, { id: 1, username: 'root', version: '17.0.0' }])
  const server = createSecure(pair, answer)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  stops.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const file = join(createFolder(), 'ca.pem')
  writeFileSync(file, pair.cert)
  const env = { SVC_CONFIG_DIR: createConfiguration(), SVC_TOKEN: 'any' }
  const trust = trusted ? ['--ca-file', file] : []
  await svcctl(['profile', 'set', 'secure', '--base-url', base, ...trust], { env })
  const { code, line } = await runDoctor(['--profile', 'secure', ...args], env)
  return { code, certificate: line('certificate'), further: line('base path') !== undefined }
}

describe('the certificate of an instance', () => {
  it('that nobody vouches for is a failure, behind which nothing is looked for', async () => {
    expect(await runCertificateCheck({ cert: certificate, key })).toEqual({
      code: 7,
      certificate: {
        check: 'certificate',
        status: 'failure',
        message: expect.stringMatching(/^not trusted: /),
        remedy: expect.stringContaining('--ca-file <file>'),
      },
      further: false,
    })
  })

  it('is a warning with --insecure', async () => {
    expect(
      await runCertificateCheck({ cert: certificate, key }, { args: ['--insecure'] }),
    ).toMatchObject({
      certificate: {
        status: 'warning',
        message: expect.stringMatching(/^not trusted \(.+\), but accepted because of --insecure$/),
      },
      further: true,
    })
  })

  it('is well where the profile trusts it, until when it says', async () => {
    expect(await runCertificateCheck({ cert: certificate, key }, { trusted: true })).toMatchObject({
      certificate: {
        status: 'ok',
        message: expect.stringMatching(/^valid until 2126-10-27, \d+ days$/),
      },
      further: true,
    })
  })

  it.skipIf(!hasProgram('openssl', 'version')).each([
    [20, 'warning', /, 19 days left$/, 'Renew the certificate.'],
    [22, 'ok', /, 21 days$/, undefined],
  ])('that ends in %i days is %s', async (days, status, message, remedy) => {
    const cwd = createFolder()
    const made = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=soon'
    const names = '-addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out cert.pem'
    const args = ['req', ...made.split(' '), ...names.split(' '), '-days', String(days)]
    execFileSync('openssl', args, { cwd, stdio: 'pipe' })
    const [cert, own] = ['cert.pem', 'key.pem'].map((name) => readFileSync(join(cwd, name), 'utf8'))
    const found = await runCertificateCheck({ cert: cert ?? '', key: own ?? '' }, { trusted: true })
    expect(found.certificate).toMatchObject({ status, message: expect.stringMatching(message) })
    expect(found.certificate?.remedy).toBe(remedy)
  })

  it('is not seen where a client certificate is required: TLS 1.2', async () => {
    const pair = { cert: certificate, key, ca: certificate, requestCert: true }
    const server = { ...pair, rejectUnauthorized: true, maxVersion: 'TLSv1.2' } as const
    const found = await runCertificateCheck(server, { trusted: true })
    expect(found).toMatchObject({
      code: 7,
      certificate: {
        status: 'failure',
        message: expect.stringMatching(
          /^the instance refused the TLS handshake, and may require a client certificate \(ERR_SSL_/,
        ),
        remedy: expect.stringContaining('--cert-file and --key-file'),
      },
    })
  })

  it('is not there behind a base URL that should not begin with https', async () => {
    const base = await serve(() => {})
    const { code, line } = await runDoctor(['--base-url', base.replace('http:', 'https:')])
    expect(code).toBe(7)
    expect(line('certificate')).toMatchObject({
      status: 'failure',
      message: expect.stringMatching(/^no TLS connection/),
      remedy: 'Check whether the base URL should begin with https.',
    })
  })
})
