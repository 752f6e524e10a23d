/** Proxies between svcctl and the instance, and how they change requests and answers. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer as createSecure } from 'node:https'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { certificate, key } from '../http/certificate.js'
import { createConfiguration, createFolder } from '../support/program.js'
import {
  type AsyncScript,
  type Recorder,
  type ScriptedAnswer,
  startRecorder,
} from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const token = 'canary-token-of-the-network'

const openRecorder = async (answer?: AsyncScript): Promise<Recorder> => {
  const server = await startRecorder(answer)
  onTestFinished(() => server.close())
  return server
}

const run = (line: string, env: Readonly<Record<string, string>> = {}) =>
  svcctl(line.split(' '), { env: { SVC_TOKEN: token, ...env } })

const user = { body: { id: 1, username: 'ana' } }

describe('a proxy', () => {
  it.each([
    ['192.0.2.0/24', 1],
    ['127.0.0.0/8', 0],
    ['127.0.0.1', 0],
    ['::ffff:7f00:0/104', 0],
    ['*', 0],
    ['10.0.0.0/8,.1', 1],
  ])('is asked unless NO_PROXY exempts the address: %s', async (list, asked) => {
    const proxy = await openRecorder(() => user)
    const instance = await openRecorder(() => user)
    const env = { SVC_CONFIG_DIR: createConfiguration(), NO_PROXY: list }
    const set = `profile set p --base-url ${instance.url} --proxy ${proxy.url}`
    expect((await run(set, env)).code).toBe(0)
    expect((await run('api /user -p p', env)).code).toBe(0)
    expect([proxy.seen.length, instance.seen.length]).toEqual([asked, 1 - asked])
    const { stdout } = await run('doctor -p p -o json', env)
    const checks: { check: string; message: string }[] = JSON.parse(stdout)
    const said = checks.find(({ check }) => check === 'proxy')?.message
    expect(said).toBe(asked === 0 ? 'not used' : proxy.url)
  })

  it.each([
    ['user:pa%3Ass@', 'user:pa:ss'],
    ['user@', 'user:'],
    [':pass@', ':pass'],
    ['', undefined],
  ])('gets the credential of its own URL: %s', async (before, credential) => {
    const proxy = await openRecorder(() => user)
    const HTTP_PROXY = proxy.url.replace('://', `://${before}`)
    const { code, stderr } = await run('api /user -vv --base-url http://git.example', {
      HTTP_PROXY,
    })
    expect(code).toBe(0)
    const basic = credential && `Basic ${Buffer.from(credential).toString('base64')}`
    expect(proxy.seen[0]?.headers['proxy-authorization']).toBe(basic)
    expect(stderr).not.toMatch(/pa:ss|pa%3Ass|:pass/)
  })
})

describe('a redirect', () => {
  const other = 'https://new.example'
  it.each([
    ['', (url: string) => url.replace('http:', 'https:'), 'it redirects to https (HTTPS)', 'HTTPS'],
    ['', () => other, `it redirects to another host, ${other}`, other],
    ['', () => `${other}/git`, `it redirects to another host, ${other}/git`, `${other}/git`],
    ['/old', (url: string) => `${url}/git`, 'it redirects to HTTP/git', 'HTTP/git'],
    ['/old', (url: string) => url, 'it redirects to HTTP,', 'HTTP'],
  ])('from "%s" offers the base URL that it leads to', async (path, to, says, base) => {
    for (const [line, method] of [
      ['projects get 7', 'GET'],
      ['jobs list -P 7', 'GET'],
      ['artifacts download 7 -P 7 --to -', 'GET'],
      ['runners update 7 --description x', 'PUT'],
      ['mr subscribe 1 -P 7', 'POST'],
    ] as const) {
      const server = await openRecorder(({ url }) => ({
        status: 301,
        headers: { location: `${to(server.url)}${url.slice(path.length)}` },
      }))
      const named = (text: string) =>
        text.replace('HTTPS', server.url.replace('http:', 'https:')).replace('HTTP', server.url)
      const { code, stderr } = await run(`${line} --base-url ${server.url}${path}`)
      expect([line, code, stderr]).toEqual([
        line,
        1,
        expect.stringContaining('301: it redirects to'),
      ])
      if (method === 'GET') expect(stderr).toContain(`${named(says)}`)
      else expect(stderr).toContain(`redirects of a ${method} are not followed`)
      expect(stderr).toContain(`Use the base URL ${named(base)}.`)
      expect(server.seen.length).toBeLessThanOrEqual(2)
    }
  })

  it('of a write below the same base URL does not offer that base URL', async () => {
    const server = await openRecorder(({ url }) => ({
      status: 301,
      headers: { location: `${url}/` },
    }))
    const { code, stderr } = await run(`runners pause 7 --base-url ${server.url}`)
    expect([code, stderr]).toEqual([1, expect.stringContaining('The base URL is right.')])
    expect(server.seen.filter(({ method }) => method === 'PUT')).toHaveLength(1)
  })

  it('to a page of a proxy names it without its query', async () => {
    const location = 'https://sso.example/login?token=canary'
    const server = await openRecorder(() => ({ status: 302, headers: { location } }))
    const { code, stderr } = await run(`api /user --base-url ${server.url}`)
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('another host, https://sso.example/login'),
    ])
    expect(stderr).toContain('sign-in page of a proxy')
    expect(stderr).not.toContain('canary')
  })
})

describe('a next link', () => {
  const pages = 3
  /** Serves pages of two records, each with a link to the next one under the host name that the instance uses. */
  const listed = (next: (page: number) => string) =>
    openRecorder(({ url }) => {
      const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1)
      const headers = page < pages ? { link: `<${next(page + 1)}>; rel="next"` } : {}
      return { headers, body: [{ id: 2 * page - 1 }, { id: 2 * page }] }
    })
  it.each([
    ['/git', 'https://inner.example/api/v4/projects?page='],
    ['/git', 'https://inner.example/deep/er/api/v4/projects?page='],
    ['/git', '/api/v4/projects?page='],
    ['/git', '/git/api/v4/projects?page='],
    ['', 'http://inner.example:8080/git/api/v4/projects?page='],
    ['', '?page='],
  ])('below "%s" is taken as the base URL’s: %s', async (path, before) => {
    const server = await listed((page) => `${before}${page}`)
    const { code, stdout, stderr } = await run(
      `projects list -o id -v --limit all --base-url ${server.url}${path}`,
    )
    expect([code, stdout]).toEqual([0, '1\n2\n3\n4\n5\n6\n'])
    expect(server.seen.map(({ url }) => url.replace(/\?.*/, ''))).toEqual(
      Array.from({ length: pages }, () => `${path}/api/v4/projects`),
    )
    const rewritten = !before.startsWith('?') && !before.startsWith(`${path}/api`)
    expect(stderr.includes(`taken as ${server.url}${path}/api/v4`)).toBe(rewritten)
  })

  it.each(['https://evil.example/steal?page=2', '/elsewhere', 'http://['])(
    'to %s ends the list after the records before it',
    async (next) => {
      const server = await listed(() => next)
      const { code, stdout, stderr } = await run(
        `projects list -o id --limit all --base-url ${server.url}`,
      )
      expect([code, stdout, server.seen.length]).toEqual([7, '1\n2\n', 1])
      expect(stderr).toContain('which was not contacted')
      const few = await run(`projects list -o id --limit 2 --base-url ${server.url}`)
      expect([few.code, few.stdout]).toEqual([0, '1\n2\n'])
    },
  )
})

describe('a page of something in front of the instance', () => {
  const pages: Readonly<Record<string, ScriptedAnswer>> = {
    'a document': {
      headers: { 'content-type': 'text/html' },
      body: '<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>',
    },
    'a fragment': { body: '\ufeff<center><h1>Just a moment...</h1></center>' },
    'text that claims to be one': {
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: 'Just a moment...',
    },
  }
  const inFront = /proxy|web server|in front/
  it.each(
    Object.entries(pages).flatMap(([name, page]) =>
      (
        [
          [400, 1],
          [401, 3],
          [403, 3],
          [404, 4],
          [407, 7],
          [413, 1],
          [500, 7],
          [502, 7],
          [503, 7],
        ] as const
      ).map(([status, exit]) => ({ name, page, status, exit })),
    ),
  )('is said to be that: $name, $status', async ({ page, status, exit }) => {
    for (const line of ['runners get 7', 'runners list', 'runners update 7 --description x']) {
      const server = await openRecorder(() => ({ ...page, status }))
      const { code, stderr } = await run(`${line} --retries 0 --base-url ${server.url} -o json`)
      const { error } = JSON.parse(stderr)
      expect([line, code, error.message]).toEqual([
        line,
        exit,
        expect.stringContaining('an HTML page'),
      ])
      expect(`${error.message} ${error.hint}`).toMatch(/[Pp]roxy|PROXY|in front|current state/)
      expect(error.hint).not.toMatch(/token|credential|role|named values/)
    }
  })

  it('is not taken for a rejected credential, however often it comes', async () => {
    const server = await openRecorder(({ method }) =>
      method === 'GET' ? undefined : { ...pages['a document'], status: 401 },
    )
    const ids = Array.from({ length: 30 }, (_, i) => i + 1).join(' ')
    const { code, stderr } = await run(`runners pause ${ids} --base-url ${server.url}`)
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/stopped: requests were rejected ten/),
    ])
    expect(stderr).toMatch(inFront)
    expect(stderr).not.toContain('credential')
  })

  it.each([401, 403])('is what doctor finds, before the credential: %i', async (status) => {
    const server = await openRecorder(() => ({ ...pages['a document'], status }))
    const { code, stdout } = await run(`doctor --base-url ${server.url} -o json`)
    expect([code, server.seen.length]).toEqual([3, 1])
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({
        check: 'base path',
        status: 'failure',
        remedy: expect.stringContaining('in front of the instance'),
      }),
    )
  })

  it('leaves what the instance says itself to it', async () => {
    const server = await openRecorder(() => ({
      status: 401,
      body: { message: '401 Unauthorized' },
    }))
    const { code, stderr } = await run(`runners get 7 --base-url ${server.url}`)
    expect([code, stderr]).toEqual([3, expect.stringContaining('The credential is wrong')])
  })
})

describe('a web server that decodes %2F', () => {
  const project = { id: 7, path_with_namespace: 'g/p.q' }
  const known: Readonly<Record<string, unknown>> = {
    '/api/v4/user': { id: 1, username: 'root' },
    '/api/v4/version': { version: '17.0.0' },
    '/api/v4/projects': [project],
    '/api/v4/projects/7': project,
  }
  const page = { headers: { 'content-type': 'text/html' }, body: '<html><title>404</title></html>' }
  const answers: Readonly<Record<string, ScriptedAnswer>> = {
    'a page': { status: 404, ...page },
    'a route that is missing': { status: 404, body: { error: '404 Not Found' } },
    nothing: { status: 404 },
    'a refusal': { status: 400, body: 'Bad Request' },
  }
  const decoding = (answer: ScriptedAnswer, decodes = true) =>
    openRecorder(({ url }) => {
      const path = url.replace(/\?.*/, '')
      const found = path === '/api/v4/projects/g%2Fp%2Eq' && !decodes ? project : known[path]
      return found === undefined ? answer : { body: found }
    })
  const checked = async (url: string, env = {}) => {
    const { code, stdout } = await run(`doctor --base-url ${url} -o json`, env)
    const checks: { check: string; status: string; remedy?: string }[] = JSON.parse(stdout)
    return { code, paths: checks.find(({ check }) => check === 'paths with %2F') }
  }

  it.each(Object.entries(answers))(
    'is found by doctor, and named after a 404: %s',
    async (_, answer) => {
      const { url } = await decoding(answer)
      const { code, stderr } = await run(`projects get g/p.q --base-url ${url}`)
      expect(code).toBe(answer.status === 404 ? 4 : 1)
      if (answer.status === 404) expect(stderr).toMatch(/%2F.*`svcctl doctor --base-url [^`]*`/)
      expect((await run(`projects get 7 -o id --base-url ${url}`)).stdout).not.toBe('')
      const found = await checked(url)
      expect(found.code).not.toBe(0)
      expect(found.paths).toMatchObject({
        status: 'failure',
        remedy: expect.stringContaining('AllowEncodedSlashes NoDecode'),
      })
      const unsigned = await checked(url, { SVC_TOKEN: '' })
      expect([unsigned.code, unsigned.paths?.status]).toEqual([3, 'failure'])
    },
  )

  it('is not found where there is none, and not suspected where there is no path', async () => {
    const { url } = await decoding({ status: 404, ...page }, false)
    expect(await checked(url)).toMatchObject({ code: 0, paths: { status: 'ok' } })
    for (const line of ['projects get 9', 'runners get 9'])
      expect((await run(`${line} --base-url ${url}`)).stderr).not.toContain('%2F')
  })
})

describe('authorities of the environment', () => {
  /** Creates a folder with certificate files and other files, and an instance that one of the certificates verifies. */
  const prepare = async () => {
    const home = createFolder()
    const file = (name: string, text: string): string => {
      mkdirSync(dirname(join(home, name)), { recursive: true })
      writeFileSync(join(home, name), text)
      return join(home, name)
    }
    const server = createSecure({ cert: certificate, key }, (_, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"id":1,"username":"ana"}'),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const ca = file('ca.pem', certificate)
    file('dir/readme', 'none')
    file('dir/a.0', certificate)
    mkdirSync(join(home, 'empty'))
    const names = { home, ca, url, other: rootCertificates[0] ?? '' }
    const bundle = file('bundle.pem', `# roots\n${names.other}\n${certificate}`)
    file('garbage.pem', 'garbage')
    file('other.pem', names.other)
    const fill = (text: string): string =>
      text.replaceAll('HOME', home).replace('URL', url).replace('BUNDLE', bundle)
    const env = (variables: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.entries(variables).map(([name, text]) => [name, fill(text)]))
    return { url, env }
  }

  it.each<readonly [number, Readonly<Record<string, string>>]>([
    [7, {}],
    [0, { SSL_CERT_FILE: 'HOME/ca.pem' }],
    [0, { SSL_CERT_FILE: 'BUNDLE' }],
    [7, { SSL_CERT_FILE: 'HOME/other.pem' }],
    [0, { SSL_CERT_DIR: 'HOME/dir' }],
    [0, { SSL_CERT_DIR: 'HOME/dir:HOME/dir' }],
    [0, { SSL_CERT_FILE: 'HOME/other.pem', SSL_CERT_DIR: 'HOME/dir' }],
    [0, { NODE_EXTRA_CA_CERTS: 'HOME/ca.pem' }],
    [0, { NODE_EXTRA_CA_CERTS: 'HOME/ca.pem', SSL_CERT_FILE: 'HOME/other.pem' }],
    [0, { CI_SERVER_TLS_CA_FILE: 'HOME/ca.pem', CI_SERVER_URL: 'URL' }],
    [0, { CI_SERVER_TLS_CA_FILE: 'HOME/ca.pem', CI_SERVER_URL: 'URL/sub/' }],
    [7, { CI_SERVER_TLS_CA_FILE: 'HOME/ca.pem', CI_SERVER_URL: 'https://other.example' }],
    [7, { CI_SERVER_TLS_CA_FILE: 'HOME/ca.pem', CI_SERVER_URL: 'nonsense' }],
    [7, { CI_SERVER_TLS_CA_FILE: 'HOME/ca.pem' }],
    [7, { SSL_CERT_FILE: '', SSL_CERT_DIR: '' }],
  ])('end in %i: %j', async (exit, variables) => {
    const { url, env } = await prepare()
    const flags = `--retries 0 --base-url ${url}`
    const { code, stderr } = await run(`api /user ${flags}`, env(variables))
    expect([code, stderr]).toEqual([
      exit,
      exit === 0 ? '' : expect.stringContaining('SSL_CERT_FILE'),
    ])
    const { stdout } = await run(`doctor ${flags} -o json`, env(variables))
    const checks: { check: string; status: string }[] = JSON.parse(stdout)
    const found = checks.find(({ check }) => check === 'certificate')
    expect(found?.status).toBe(exit === 0 ? 'ok' : 'failure')
  })

  it.each([
    ['SSL_CERT_FILE', 'HOME/none.pem', 'cannot read HOME/none.pem (SSL_CERT_FILE)'],
    ['SSL_CERT_FILE', 'HOME/dir', 'it is a directory'],
    ['SSL_CERT_FILE', 'HOME/garbage.pem', 'contains no certificate in PEM format'],
    ['SSL_CERT_DIR', 'HOME/none', 'cannot read HOME/none (SSL_CERT_DIR)'],
    ['SSL_CERT_DIR', 'HOME/empty', 'contains no certificates in PEM format'],
    ['CI_SERVER_TLS_CA_FILE', 'HOME/none.pem', 'none.pem (CI_SERVER_TLS_CA_FILE)'],
  ])('that cannot be used are exit 2: %s=%s', async (name, value, says) => {
    const { url, env } = await prepare()
    const variables = env({ [name]: value, CI_SERVER_URL: 'URL' })
    const { code, stderr } = await run(`api /user --base-url ${url}`, variables)
    const home = (variables[name] ?? '').replace(value.replace('HOME', ''), '')
    expect([code, stderr]).toEqual([2, expect.stringContaining(says.replace('HOME', home))])
    expect(stderr).toContain(name)
    // Without TLS, the files are not read.
    const { url: plain } = await openRecorder(() => user)
    expect((await run(`api /user --base-url ${plain}`, variables)).code).toBe(0)
  })
})
