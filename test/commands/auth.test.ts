/** Tests `auth login|status|logout|switch`: the requests that they send, and what they store and print. */
import { once } from 'node:events'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certificate, key } from '../http/certificate.js'
import { createConfiguration, createFolder } from '../support/program.js'
import { useRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const server = useRecorder()
const good = 'good-token'

/** Mocks an instance that knows one token, which belongs to an administrator unless `settings` is false. */
const mockInstance = (settings = true): void => {
  server.answer = ({ url, headers }) => {
    const token = headers['private-token'] ?? headers.authorization
    if (token !== good && token !== `Bearer ${good}`)
      return { status: 401, body: { message: '401 Unauthorized' } }
    if (url.endsWith('/user')) return { body: { username: 'ana' } }
    if (url.endsWith('/application/settings'))
      return settings ? { body: { id: 1 } } : { status: 403, body: { message: '403 Forbidden' } }
    return { body: { scopes: ['api', 'sudo'] } }
  }
}

const createWorkspace = () => {
  const env = { SVC_CONFIG_DIR: createConfiguration() }
  const run = (line: string, input?: string, more = {}) =>
    svcctl(line.split(' '), { env: { ...env, ...more }, ...(input === undefined ? {} : { input }) })
  const login = (name: string, flags = '', input = `${good}\n`) =>
    run(`auth login ${name} --base-url ${server.url} --token-stdin -o json${flags}`, input)
  const status = async (flags = '', more = {}) => {
    const ran = await run(`auth status -o json${flags}`, undefined, more)
    return { ...ran, rows: JSON.parse(ran.stdout) }
  }
  return { run, login, status }
}

describe('auth login', () => {
  it('tries the token, keeps it, and says who that is', async () => {
    mockInstance()
    const { login, run } = createWorkspace()
    const ran = await login('work')
    expect(ran.code).toBe(0)
    expect(JSON.parse(ran.stdout)).toEqual({
      profile: 'work',
      base_url: server.url,
      kind: 'personal',
      username: 'ana',
      administrator: true,
      scopes: ['api', 'sudo'],
      kept_in: 'file',
    })
    expect(ran.stderr).toContain(
      `signed in to ${server.url} as ana, administrator, scopes api, sudo`,
    )
    expect(ran.stderr).toContain('profile "work"')
    expect(ran.stdout + ran.stderr).not.toContain(good)
    expect((await run('geo nodes get 1')).code).toBe(0)
    expect(server.seen.at(-1)?.headers['private-token']).toBe(good)
  })

  it('warns of the former token in a keyring that it cannot use', async () => {
    mockInstance()
    const SVC_CONFIG_DIR = createConfiguration()
    const stored = { baseUrl: server.url, tokenStore: 'keyring' }
    writeFileSync(
      join(SVC_CONFIG_DIR, 'config.json'),
      JSON.stringify({ profiles: { work: stored } }),
    )
    const env = { SVC_CONFIG_DIR, SVC_NO_KEYRING: '1' }
    const login = ['auth', 'login', 'work', '--token-stdin']
    const words = 'the former token of profile "work" is still in the system keyring'
    expect((await svcctl(login, { env, input: `${good}\n` })).stderr).toContain(words)
    expect((await svcctl(login, { env, input: `${good}\n` })).stderr).not.toContain(words)
  })

  it('sends a token of another kind as such', async () => {
    mockInstance(false)
    const { login } = createWorkspace()
    const ran = await login('work', ' --kind oauth')
    expect(JSON.parse(ran.stdout)).toMatchObject({ kind: 'oauth', administrator: false })
    expect(server.seen[0]?.headers.authorization).toBe(`Bearer ${good}`)
    expect(JSON.parse((await login('other', ' --kind project')).stdout).kind).toBe('personal')
  })

  it('has the address in a flag, and says so where no instance is known', async () => {
    const { run } = createWorkspace()
    for (const line of [`auth login ${server.url}`, `login ${server.url}`])
      expect((await run(line, '')).stderr, line).toContain(
        `Run "svcctl auth login --base-url ${server.url}".`,
      )
  })

  it('keeps nothing of a token that is refused', async () => {
    mockInstance()
    const { login, run } = createWorkspace()
    expect((await login('work', '', 'bad-token\n')).code).toBe(3)
    expect(JSON.parse((await run('profile list -o json')).stdout)).toEqual([])
  })

  it('makes the profile that -p names', async () => {
    mockInstance()
    const { run } = createWorkspace()
    const ran = await run(`auth login -p new --base-url ${server.url} --token-stdin`, good)
    expect(ran.code, ran.stderr).toBe(0)
    expect(JSON.parse((await run('profile list -o json')).stdout)).toMatchObject([{ name: 'new' }])
  })

  it('says of a token that is refused what may be wrong with it, and not to sign in', async () => {
    mockInstance()
    const { login } = createWorkspace()
    const { stderr } = await login('work', '', 'bad-token\n')
    expect(stderr).toContain('"hint":"The token may be mistyped')
    expect(stderr).not.toContain('auth login')
  })

  it('says which scope a token lacks', async () => {
    server.answer = () => ({
      status: 403,
      body: { error: 'insufficient_scope', scope: 'api read_user' },
    })
    const { stderr } = await createWorkspace().login('work')
    expect(stderr).toContain('"hint":"Create a token with the scope ')
    expect(stderr).not.toContain('auth login')
  })

  it.each([
    ['--proxy nonsense', 'invalid proxy'],
    ['--token-url http://elsewhere.test', 'token-url'],
  ])('looks at %s before it sends the token', async (flags, says) => {
    mockInstance()
    const { login, run } = createWorkspace()
    const ran = await login('work', ` ${flags}`)
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain(says)
    expect(server.seen).toEqual([])
    expect(JSON.parse((await run('profile list -o json')).stdout)).toEqual([])
  })

  it.each([
    ['work', '', 'standard input contains no token'],
    ['no/name', good, 'no/name'],
  ])('refuses %j with %j', async (name, input, says) => {
    mockInstance()
    const ran = await createWorkspace().login(name, '', input)
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain(says)
    expect(server.seen).toEqual([])
  })

  it('needs an address and a token, where nobody can be asked', async () => {
    const { run } = createWorkspace()
    expect((await run('auth login work --token-stdin', good)).stderr).toContain('Pass --base-url.')
    const tokenless = await run(`auth login work --base-url ${server.url}`)
    expect(tokenless.code).toBe(2)
    expect(tokenless.stderr).toContain('Pipe the token in and pass --token-stdin.')
  })
})

describe('auth login without a name', () => {
  const second = useRecorder()
  /** Signs in, and returns the names and addresses of all profiles, with the current one marked. */
  const someoneAt = () => {
    const { run } = createWorkspace()
    const at = async (line: string, more = {}) => {
      second.answer = server.answer
      const ran = await run(`auth login ${line} --token-stdin`.replace('  ', ' '), good, more)
      const profiles: { name: string; base_url: string; current: boolean }[] = JSON.parse(
        (await run('profile list -o json')).stdout,
      )
      const shown = profiles.map(
        ({ name, base_url, current }) => `${name} ${base_url}${current ? ' (current)' : ''}`,
      )
      return { ...ran, shown }
    }
    return { run, at }
  }
  const nameOf = (url: string): string => url.replace('http://', '').replace(':', '-')

  it('names the profile after the host, and renews the one that has this address', async () => {
    mockInstance()
    const { at } = someoneAt()
    const first = await at(`--base-url ${server.url}`)
    expect(first.shown).toEqual([`${nameOf(server.url)} ${server.url} (current)`])
    const other = await at(`--base-url ${second.url}/forge`)
    expect(other.shown).toEqual(
      [
        `${nameOf(server.url)} ${server.url}`,
        `${nameOf(second.url)}-forge ${second.url}/forge (current)`,
      ].sort(),
    )
    const again = await at(`--base-url ${server.url}/api/v4/`)
    expect(again.shown).toContain(`${nameOf(server.url)} ${server.url} (current)`)
    expect(again.shown).toHaveLength(2)
    expect((await at('')).stderr).toContain(`signed in to ${server.url} as ana`)
  })

  it('refuses where several profiles have this address', async () => {
    mockInstance()
    const { at } = someoneAt()
    for (const name of ['one', 'two']) await at(`${name} --base-url ${server.url}`)
    server.seen.splice(0)
    const ran = await at(`--base-url ${server.url}`)
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain(`several profiles have the base URL ${server.url}: one, two`)
    expect(server.seen).toEqual([])
  })

  it.each([
    ['a name', 'work', {}],
    ['-p', '-p work', {}],
  ])('refuses to move a profile to another address: %s', async (_, name, more) => {
    mockInstance()
    const { at, run } = someoneAt()
    await at(`work --base-url ${server.url}`)
    await run('profile set work --protected')
    second.seen.splice(0)
    const ran = await at(`${name} --base-url ${second.url}`, more)
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain(`profile "work" is for ${server.url}, not for ${second.url}`)
    expect(ran.stderr).toContain(`svcctl auth login <name> --base-url ${second.url}`)
    expect(second.seen).toEqual([])
    expect(ran.shown).toEqual([`work ${server.url} (current)`])
    const set = await run(`profile set work --base-url ${second.url}`)
    expect([set.code, set.stderr.includes(server.url), set.stderr.includes(second.url)]).toEqual([
      2,
      true,
      true,
    ])
  })

  it('goes by its flags and its name before the variables', async () => {
    mockInstance()
    const { at } = someoneAt()
    await at(`work --base-url ${server.url}`)
    expect((await at('work', { SVC_BASE_URL: second.url })).code).toBe(0)
    const ran = await at(`--base-url ${second.url}`, { SVC_PROFILE: 'work' })
    expect(ran.shown).toContain(`work ${server.url}`)
    expect(ran.shown).toContain(`${nameOf(second.url)} ${second.url} (current)`)
  })

  it('keeps a profile whose name another address would get', async () => {
    mockInstance()
    const { at, run } = someoneAt()
    await run(`profile set ${nameOf(server.url)} --base-url ${second.url}`)
    const ran = await at(`--base-url ${server.url}`)
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain(`is for ${second.url}, not for ${server.url}`)
    expect(ran.shown).toEqual([`${nameOf(server.url)} ${second.url} (current)`])
  })

  it('is what auth logout goes by, too', async () => {
    mockInstance()
    const { at, run } = someoneAt()
    expect((await run('auth logout')).stderr).toContain('no profile to sign out of')
    await at(`--base-url ${server.url}`)
    await at(`--base-url ${second.url}`)
    const ran = await run(`auth logout --base-url ${server.url}`)
    expect(ran.stderr).toContain(`deleted the credential of profile "${nameOf(server.url)}"`)
    expect((await run('auth logout --base-url http://127.0.0.1:1')).code).toBe(2)
  })
})

describe('auth login, to an instance with a certificate authority of its own', () => {
  const secure = createServer({ cert: certificate, key }, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"username":"ana"}')
  })
  const file = (text: string): string => {
    const path = join(createConfiguration(), 'ca.pem')
    writeFileSync(path, text)
    return path
  }
  let line = ''
  beforeAll(async () => {
    secure.listen(0, '127.0.0.1')
    await once(secure, 'listening')
    const { port } = secure.address() as AddressInfo
    line = `auth login work --base-url https://127.0.0.1:${port} --token-stdin`
  })
  afterAll(async () => {
    secure.closeAllConnections()
    secure.close()
    await once(secure, 'close')
  })

  it('trusts --ca-file, and keeps it with the other settings', async () => {
    const { run, status } = createWorkspace()
    const kept = {
      ca_file: file(certificate),
      cert_file: file(certificate),
      key_file: file(key),
      client_id: 'app',
      token_url: 'https://forge.test/oauth/token',
    }
    const flags = Object.entries(kept).map(
      ([name, value]) => `--${name.replace('_', '-')} ${value}`,
    )
    const ran = await run(`${line} ${flags.join(' ')}`, good)
    expect(ran.code, ran.stderr).toBe(0)
    expect(JSON.parse((await run('profile list -o json')).stdout)).toMatchObject([kept])
    expect((await status()).rows).toMatchObject([{ profile: 'work', works: true }])
    await run('profile set work --proxy http://me:pass1234@proxy.test:3128')
    const { ca_file, cert_file, key_file } = kept
    const reached = `curl --insecure --cacert ${ca_file} --cert ${cert_file} --key ${key_file} --proxy http://proxy.test:3128/ --proxy-user "$SVC_PROXY_USER" --header`
    for (const called of ['runners list', 'auth status'])
      expect((await run(`${called} --curl --insecure`)).stdout).toContain(reached)
  })

  it('names --ca-file where it is left out, or holds nothing', async () => {
    const { run } = createWorkspace()
    const without = await run(line, good)
    expect(without.code).toBe(7)
    expect(without.stderr).toContain(
      'Name the PEM file of the certificate authority in SSL_CERT_FILE, or pass --ca-file <pem> to',
    )
    const empty = await run(`${line} --ca-file ${file('')}`, good)
    expect(empty.code).toBe(2)
    expect(empty.stderr).toContain('Name another file with --ca-file, which `svcctl auth login`')
  })
})

describe('auth status', () => {
  it('shows of each profile where its credential is from and whether it works', async () => {
    mockInstance()
    const { login, status, run } = createWorkspace()
    await login('work')
    await run(`profile set bare --base-url ${server.url}`)
    const { rows, code } = await status()
    expect(code).toBe(3)
    expect(rows).toEqual([
      {
        profile: 'bare',
        base_url: server.url,
        current: false,
        credential: 'none',
        works: false,
        user: 'svcctl auth login signs in',
      },
      {
        profile: 'work',
        base_url: server.url,
        current: true,
        credential: expect.stringContaining('personal, from '),
        works: true,
        user: 'ana, administrator, scopes api, sudo',
      },
    ])
    expect((await status(' work')).code).toBe(0)
    expect((await status(' work')).rows).toHaveLength(1)
    expect((await status(' -p bare')).rows).toMatchObject([{ profile: 'bare' }])
  })

  it('is exit 3 where a credential no longer works, with the reason', async () => {
    mockInstance()
    const { login, status } = createWorkspace()
    await login('work')
    server.answer = () => ({ status: 401, body: { message: '401 Unauthorized' } })
    const { rows, code } = await status()
    expect(code).toBe(3)
    const credential = expect.stringContaining('personal, from ')
    expect(rows).toMatchObject([{ profile: 'work', credential, works: false }])
    expect(rows[0].user).toContain('401')
  })

  it('is not replaced by a sign-in where SVC_TOKEN is the credential', async () => {
    server.answer = () => ({ status: 401, body: { message: '401 Unauthorized' } })
    const env = {
      SVC_BASE_URL: server.url,
      SVC_TOKEN: 'wrong',
      SVC_CONFIG_DIR: createConfiguration(),
    }
    const { stderr } = await svcctl(['runners', 'list'], { env })
    expect(stderr).toContain('It is the token in SVC_TOKEN: set that to another one.')
    expect(stderr).not.toContain('auth login')
  })

  it('shows what the environment makes beside the profiles', async () => {
    mockInstance()
    const { status } = createWorkspace()
    const env = { SVC_BASE_URL: server.url, SVC_TOKEN: good }
    const { rows, code } = await status('', env)
    expect(code).toBe(0)
    expect(rows).toMatchObject([
      { profile: '(environment)', credential: expect.stringContaining('SVC_TOKEN'), works: true },
    ])
    const without = await status('', { SVC_BASE_URL: server.url })
    expect(without.code).toBe(3)
    expect(without.rows).toMatchObject([{ credential: 'none', works: false }])
  })
})

describe('auth logout', () => {
  it('forgets the credential, of the current profile unless one is named', async () => {
    mockInstance()
    const { login, run, status } = createWorkspace()
    await login('work')
    await login('home')
    expect((await run('auth logout')).stderr).toContain('deleted the credential of profile "home')
    expect((await run('auth logout')).stderr).toContain('profile "home" has no credential')
    expect((await run('auth logout -p work')).stderr).toContain('credential of profile "work"')
    expect((await status()).rows.map((r: { works: boolean }) => r.works)).toEqual([false, false])
  })

  it('names a token command that stays, and refuses a profile that is not there', async () => {
    const { run } = createWorkspace()
    await run(`profile set work --base-url ${server.url} --token-command false`)
    const { code, stderr } = await run('auth logout work')
    expect(code).toBe(0)
    expect(stderr).toContain('has no stored credential')
    const line = /svcctl (profile set work --unset token-command)/.exec(stderr)?.[1] ?? ''
    expect((await run(line)).code).toBe(0)
    expect((await run('auth logout work')).stderr).toBe('profile "work" has no credential\n')
    const typo = await run('auth logout wrok')
    expect([typo.code, typo.stderr]).toEqual([2, expect.stringContaining('unknown profile "wrok"')])
  })
})

describe('auth token', () => {
  it('prints the credential of a profile, and none of a protected one', async () => {
    mockInstance()
    const { login, run } = createWorkspace()
    await login('work')
    expect(await run('auth token')).toMatchObject({ code: 0, stdout: `${good}\n`, stderr: '' })
    expect(await run('auth token -p work -q')).toMatchObject({ code: 0, stdout: `${good}\n` })
    const file = join(createFolder(), 'token')
    for (const prepare of [() => {}, () => chmodSync(file, 0o644)]) {
      prepare()
      expect((await run(`auth token --to ${file} --yes`)).code).toBe(0)
      expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([
        `${good}\n`,
        0o600,
      ])
    }
    await run('profile set work --protected')
    const refused = await run('auth token')
    expect([refused.code, refused.stdout]).toEqual([2, ''])
    expect(refused.stderr).toContain('protected')
  })

  it('prints the one of the environment, and says where there is none', async () => {
    const { run } = createWorkspace()
    const env = { SVC_BASE_URL: server.url, SVC_TOKEN: 'other-token' }
    expect(await run('auth token', undefined, env)).toMatchObject({ stdout: 'other-token\n' })
    const none = await run('auth token', undefined, { SVC_BASE_URL: server.url })
    expect(none).toMatchObject({ code: 3, stdout: '' })
    expect(none.stderr).toContain('svcctl auth login')
    expect(server.seen).toEqual([])
  })

  it.each(['-o json', '-o id', '-p a,b', '--all-profiles'])('has no form for %s', async (flags) => {
    mockInstance()
    const { login, run } = createWorkspace()
    await login('a')
    await login('b')
    const ran = await run(`auth token ${flags}`)
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).not.toContain(good)
  })

  it('prints no session cookie', async () => {
    const { run } = createWorkspace()
    const env = { SVC_BASE_URL: server.url, SVC_TOKEN: good, SVC_TOKEN_KIND: 'session' }
    const ran = await run('auth token', undefined, env)
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toContain('a session cookie is no token')
  })
})

describe('auth git-credential', () => {
  const ask = (lines: Readonly<Record<string, string>>) =>
    Object.entries(lines)
      .map(([key, value]) => `${key}=${value}\n`)
      .join('')

  it('stores and erases nothing, and refuses any other word', async () => {
    mockInstance()
    const { login, run } = createWorkspace()
    await login('work')
    for (const verb of ['store', 'erase'])
      expect(
        await run(`auth git-credential ${verb}`, 'protocol=http\nusername=x\npassword=y\n\n'),
      ).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(await run('auth token')).toMatchObject({ stdout: `${good}\n` })
    expect(await run('auth git-credential fill')).toMatchObject({ code: 2, stdout: '' })
    expect(await run('auth git-credential')).toMatchObject({ code: 2, stdout: '' })
  })

  it('answers for the scheme, host and port of a profile, whatever the current one is', async () => {
    mockInstance()
    const { login, run } = createWorkspace()
    await login('work')
    await run('profile set other --base-url https://svc.example')
    await run('auth switch other')
    const { host } = new URL(server.url)
    const git = (lines: Readonly<Record<string, string>>, end = '\n') =>
      run('auth git-credential get', ask(lines) + end)
    const answer = `username=oauth2\npassword=${good}\n`
    expect(await git({ protocol: 'http', host })).toMatchObject({ code: 0, stdout: answer })
    const path = 'platform/app.git'
    expect(
      await git({ 'capability[]': 'authtype', protocol: 'http', host, path }, ''),
    ).toMatchObject({ code: 0, stdout: answer, stderr: '' })
    expect(await git({ protocol: 'http', host, username: 'ana' })).toMatchObject({
      stdout: `username=ana\npassword=${good}\n`,
    })
  })

  it.each([
    ['another scheme', 'https', ''],
    ['another port', 'http', '1'],
    ['another host', 'http', '.example'],
  ])('answers nothing for %s', async (_, protocol, more) => {
    mockInstance()
    const { login, run } = createWorkspace()
    await login('work')
    const host = `${new URL(server.url).host}${more}`
    const ran = await run('auth git-credential get', ask({ protocol, host }))
    expect(ran).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  it('answers nothing for a protected profile, and for what is no request', async () => {
    mockInstance()
    const { login, run } = createWorkspace()
    await login('work')
    await run('profile set work --protected')
    const { host } = new URL(server.url)
    for (const text of [
      ask({ protocol: 'http', host }),
      '',
      '\n',
      'host\n=x\n',
      `host=${host}\n`,
    ]) {
      const ran = await run('auth git-credential get', text)
      expect(ran, text).toMatchObject({ code: 0, stdout: '' })
    }
  })
})

describe('auth switch', () => {
  it('makes a profile the current one', async () => {
    mockInstance()
    const { login, run, status } = createWorkspace()
    await login('work')
    await login('home')
    const ran = await run('auth switch work')
    expect(ran).toMatchObject({ code: 0, stdout: '' })
    expect(ran.stderr).toContain('profile "work"')
    expect((await status()).rows).toMatchObject([{ current: false }, { current: true }])
    const nowhere = await run('auth switch nowhere')
    expect(nowhere.code).not.toBe(0)
    expect(nowhere.stderr).toContain('nowhere')
    expect((await run('auth switch')).code).toBe(2)
  })
})
