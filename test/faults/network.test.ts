/** What stands between svcctl and the instance: proxies, and what they make of requests and answers. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { configuration } from '../support/program.js'
import { type Answering, type Recorder, record } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const token = 'canary-token-of-the-network'

const started = async (answer?: Answering): Promise<Recorder> => {
  const server = await record(answer)
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
    const proxy = await started(() => user)
    const instance = await started(() => user)
    const env = { SVC_CONFIG_DIR: configuration(), NO_PROXY: list }
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
    const proxy = await started(() => user)
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
      const server = await started(({ url }) => ({
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

  it('to a page of a proxy names it without its query', async () => {
    const location = 'https://sso.example/login?token=canary'
    const server = await started(() => ({ status: 302, headers: { location } }))
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
  /** Pages of two records, each naming the next as the instance calls itself. */
  const listed = (next: (page: number) => string) =>
    started(({ url }) => {
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
