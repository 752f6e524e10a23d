/** An instance that is in maintenance, not available or rate limited, or that no longer has what is requested. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { createConfiguration } from '../support/program.js'
import { type Script, type ScriptedAnswer, startRecorder } from '../support/recorder.js'
import { svcctl } from '../support/within.js'

const startServer = async (script: Script) => {
  const server = await startRecorder(script)
  onTestFinished(() => server.close())
  const run = (line: string) =>
    svcctl([...line.split(' '), '--base-url', server.url], { env: { SVC_TOKEN: 'any-token' } })
  return { server, run }
}

const buildPage = (title: string): ScriptedAnswer => ({
  status: 503,
  headers: { 'content-type': 'text/html' },
  body: `<!DOCTYPE html><html><head><title>${title}</title></head></html>`,
})
const commands = {
  GET: 'runners get 7',
  PUT: 'runners update 7 --description x',
  DELETE: 'deploy-keys delete 7 -P 1 --yes',
  POST: 'runners enable 7 -P 1',
} as const

/** Counts the requests of a command's operation, without the reads that a write makes first. */
const countRequests = (seen: readonly { readonly method: string }[], line: string): number =>
  line === commands.GET ? seen.length : seen.filter(({ method }) => method !== 'GET').length

describe('maintenance', () => {
  const says = 'You cannot perform write operations on a read-only instance'
  it.each<readonly [string, ScriptedAnswer]>([
    ['a message', { status: 503, body: { message: 'Maintenance mode' } }],
    ['an error', { status: 503, body: { error: 'down for maintenance' } }],
    ['a 403 to a write', { status: 403, body: { message: says } }],
  ])('told by %s is asked once, and certainly did nothing', async (_, answer) => {
    for (const line of Object.values(commands)) {
      const { server, run } = await startServer(() => answer)
      const { code, stderr } = await run(line)
      expect([code, countRequests(server.seen, line)], line).toEqual([7, 1])
      expect(stderr).toContain(`the instance is in maintenance (${answer.status} `)
      expect(stderr).toContain('Try again after the maintenance. Reads may still work.')
      expect(stderr).not.toMatch(/not known|outcome|retrying/)
    }
  })

  it.each<readonly [string, ScriptedAnswer]>([
    ['a page', buildPage('Maintenance')],
    ['plain text', { status: 503, headers: { 'content-type': 'text/plain' }, body: 'Maintenance' }],
  ])('told by %s, which may stand for any failure, is asked once', async (_, answer) => {
    for (const [method, line] of Object.entries(commands)) {
      const { server, run } = await startServer(() => answer)
      const { code, stderr } = await run(line)
      expect([code, countRequests(server.seen, line)], line).toEqual([7, 1])
      expect(stderr).toContain('the instance is in maintenance (503 ')
      expect(stderr.includes('it is unknown whether the request was carried out'), line).toBe(
        method !== 'GET',
      )
    }
  })

  it('that is only a word of a page is a failure as any other', async () => {
    const busy = `${buildPage('503 Service Unavailable').body}maintenance downtime or capacity problems`
    const { server, run } = await startServer((_, i) =>
      i === 0 ? { ...buildPage(''), body: busy } : undefined,
    )
    expect((await run('api /runners')).code).toBe(0)
    expect(server.seen).toHaveLength(2)
  })

  it('stops a run over many objects, in its own words', async () => {
    const { server, run } = await startServer(({ method }) =>
      method === 'GET' ? undefined : { status: 503, body: { message: 'Maintenance mode' } },
    )
    const ids = Array.from({ length: 60 }, (_, i) => i + 1).join(' ')
    const { code, stderr } = await run(`runners pause ${ids}`)
    expect(code).toBe(7)
    expect(stderr).toMatch(/stopped: the instance is in maintenance .*; 0 done, .*not attempted/)
    expect(server.seen.filter(({ method }) => method === 'PUT').length).toBeLessThan(20)
  })

  it('that says when it is over is waited for', async () => {
    const { server, run } = await startServer((_, i) =>
      i === 0
        ? { status: 503, headers: { 'retry-after': '1' }, body: { message: 'Maintenance mode' } }
        : undefined,
    )
    const { code, stderr } = await run('api /runners --retries 1')
    expect([code, server.seen.length]).toEqual([0, 2])
    expect(stderr).toMatch(
      /the instance is not available \(503\): waiting [12] s; requested by the instance/,
    )
    expect(stderr).not.toContain('429')
  })
})

describe('a 503 that asks for more patience than anybody has', () => {
  it('ends a run over many objects, and is no limit', async () => {
    const { server, run } = await startServer(({ method }) =>
      method === 'GET' ? undefined : { status: 503, headers: { 'retry-after': '3600' }, body: {} },
    )
    const ids = Array.from({ length: 60 }, (_, i) => i + 1).join(' ')
    const { code, stderr } = await run(`runners pause ${ids}`)
    expect(code).toBe(7)
    expect(stderr).toMatch(/stopped: .*0 done, .*not attempted/)
    expect(stderr).toContain('3600 s')
    expect(stderr).not.toMatch(/\b429\b|too many requests/)
    expect(server.seen.length).toBeLessThan(20)
  })
})

describe('a limit that never ends', () => {
  const limit = (after: string) => () => ({ status: 429, headers: { 'retry-after': after } })
  const ids = Array.from({ length: 60 }, (_, i) => i + 1).join(' ')

  it.each([
    'runners list',
    'runners get 7',
    'api /runners',
    'api /runners --paginate',
    'api DELETE /projects/1 --yes',
    'ci lint -P 1',
    'jobs list -P 1 -P 2 --tolerate not_found',
    'mr rebase 1 -P 1 --wait',
    'jobs get 5 -P 1 --wait-until status=success --max-wait 0',
    'runners pause --select status=online --instance --yes',
    'doctor',
  ])('ends %s with 6 after all retries', async (line) => {
    const { server, run } = await startServer(limit('0'))
    const { code, stdout, stderr } = await run(`${line} --retries 1`)
    expect([code, stdout + stderr]).toEqual([6, expect.stringMatching(/429|limits requests/)])
    const asked = server.seen.map(({ method, url }) => `${method} ${url}`)
    const most = Math.max(...asked.map((one) => asked.filter((other) => other === one).length))
    expect(most).toBeLessThanOrEqual(2)
  })

  it.each([Object.values(commands)].flat())('is asked twice at most: %s', async (line) => {
    const { server, run } = await startServer(({ method }) =>
      method === 'GET' && line !== commands.GET ? undefined : limit('0')(),
    )
    expect((await run(`${line} --retries 1`)).code).toBe(6)
    expect(countRequests(server.seen, line)).toBe(2)
  })

  it('stops a run over many objects', async () => {
    const { server, run } = await startServer(({ method }) =>
      method === 'GET' ? undefined : limit('0')(),
    )
    const { code, stderr } = await run(`runners pause ${ids} --retries 1`)
    expect([code, stderr]).toEqual([6, expect.stringMatching(/stopped: .*0 done, .*not attempted/)])
    expect(server.seen.length).toBeLessThan(20)
  })

  it('of one page of a list ends the list', async () => {
    const { server, run } = await startServer(({ url }) => {
      const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1)
      if (page === 3) return limit('0')()
      const next = url.replace(/([?&]page=)\d+|$/, (_, name = '&page=') => `${name}${page + 1}`)
      const link = `<http://127.0.0.1${next}>; rel="next"`
      const headers = { link, 'x-total-pages': '9', 'x-per-page': '1', 'x-total': '9' }
      return { headers, body: [{ id: page }] }
    })
    const { code, stdout } = await run('runners list --limit all -o id --retries 1')
    expect([code, stdout]).toEqual([6, '1\n2\n'])
    expect(server.seen.length).toBeLessThan(12)
  })

  it.each(['--max-wait 2', '--max-wait 0 --retries 100'])('ends with %s', async (flags) => {
    for (const [status, exit] of [
      [429, 6],
      [503, 7],
    ] as const) {
      const { server, run } = await startServer(() => ({ ...limit('3')(), status }))
      const { code, stderr } = await run(`runners get 7 ${flags}`)
      expect([code, server.seen.length]).toEqual([exit, 1])
      expect(stderr).toContain('3 s')
    }
  })

  it('ends as its profile says, unless the flag does', async () => {
    const { server } = await startServer(limit('0'))
    const env = { SVC_CONFIG_DIR: createConfiguration(), SVC_TOKEN: 'any-token' }
    const run = (line: string) => svcctl(line.split(' '), { env })
    expect((await run(`profile set p --base-url ${server.url} --max-wait 0`)).code).toBe(0)
    expect((await run('profile get p -o json')).stdout).toMatch(/"max_wait":\s*0/)
    expect((await run('runners get 7 -p p')).code).toBe(6)
    expect(server.seen).toHaveLength(1)
    expect((await run('runners get 7 -p p --max-wait 60 --retries 1')).code).toBe(6)
    expect(server.seen).toHaveLength(3)
  })

  it.each(['-5', 'soon', 'soon 5', ''])('waits as ever where it asks for "%s"', async (after) => {
    const { run } = await startServer(limit(after))
    const { code, stderr } = await run('runners get 7 --max-wait 1 --retries 1')
    expect([code, stderr]).toEqual([6, expect.not.stringMatching(/-5|soon/)])
  })
})

describe('the end of a window', () => {
  const window = (remaining: string, reset: number) => ({
    'ratelimit-limit': '600',
    'ratelimit-remaining': remaining,
    'ratelimit-reset': String(reset),
  })
  it.each([
    [502, '599'],
    [503, '1'],
    [504, '2'],
  ])('is not what a %i waits for while %s remain', async (status, remaining) => {
    const { server, run } = await startServer((_, i) =>
      i < 2 ? { status, headers: window(remaining, 600), body: {} } : undefined,
    )
    const { code, stderr } = await run('api /runners')
    expect([code, server.seen.length]).toEqual([0, 3])
    expect(stderr).toMatch(/retrying in 0\.\d s \(1 of 3\)[\s\S]*retrying in [01]\.\d s/)
  })

  it('is waited for where nothing remains, and after a 429', async () => {
    for (const status of [429, 503]) {
      const { server, run } = await startServer((_, i) =>
        i < 1 ? { status, headers: window('0', 1), body: {} } : undefined,
      )
      const { code, stderr } = await run('api /runners')
      expect([code, server.seen.length]).toEqual([0, 2])
      expect(stderr).toMatch(/(?:waiting [12] s|retrying in 1\.0 s)/)
    }
  })
})

describe('a project that has moved', () => {
  const moved = 'Non GET methods are not allowed for moved projects'
  it.each<readonly [string, ScriptedAnswer]>([
    ['405', { status: 405, body: { message: moved } }],
    ['301', { status: 301, headers: { location: '/api/v4/projects/12/deploy_keys/7' } }],
  ])('is said of a write that is answered by %s, with the way to its path', async (_, answer) => {
    const { server, run } = await startServer(() => answer)
    const { code, stderr } = await run(
      'deploy-keys delete 7 -P old/app --yes --no-undo-record -o json',
    )
    expect([code, server.seen.length]).toEqual([1, 1])
    const { error } = JSON.parse(stderr)
    expect(error.hint).toContain('`svcctl projects get old/app --fields path_with_namespace --')
    if (answer.status === 405) expect(error.message).toMatch(/^the project has moved, .*405 /)
  })

  it('is found by that line', async () => {
    const { run } = await startServer(({ url }) =>
      url.includes('/projects/12')
        ? { body: { id: 12, path_with_namespace: 'new/app' } }
        : { status: 301, headers: { location: '/api/v4/projects/12' } },
    )
    const line = 'projects get old/app --fields path_with_namespace -o value'
    expect((await run(line)).stdout).toBe('new/app\n')
  })
})

describe('a 410', () => {
  it('says that the instance no longer offers it, and is not asked again', async () => {
    for (const line of Object.values(commands)) {
      const { server, run } = await startServer(() => ({
        status: 410,
        body: { message: '410 Gone' },
      }))
      const { code, stderr } = await run(line)
      expect([code, countRequests(server.seen, line)], line).toEqual([4, 1])
      expect(stderr).toContain('the instance no longer supports this (410 Gone')
      expect(stderr).toContain('Its version removed this endpoint. Its release notes name the')
    }
  })
})

describe('a request that fails each time', () => {
  it.each([
    ['three times where nobody says how often', '', 4],
    ['as often as is said', ' --retries 1', 2],
  ])('is sent again %s', async (_, flags, times) => {
    const failing = { status: 502, headers: { 'retry-after': '0' }, body: {} }
    const { server, run } = await startServer(() => failing)
    const { code } = await run(`${commands.GET}${flags}`)
    expect([code, server.seen.length]).toEqual([7, times])
  })
})

describe('a deletion that is tried again', () => {
  it.each<readonly [string, ScriptedAnswer, number]>([
    ['the record is missing', { status: 404, body: { message: '404 Not found' } }, 0],
    ['the route is missing', { status: 404, body: { error: '404 Not Found' } }, 4],
    ['a page answers', { ...buildPage('Not Found'), status: 404 }, 4],
    ['the route is gone', { status: 410, body: {} }, 4],
  ])('is done where the instance says so: %s', async (_, answer, exit) => {
    let lost = true
    const { run } = await startServer(({ method }) => {
      if (method !== 'DELETE') return { body: { id: 1, username: 'ana' } }
      return lost ? { status: 502, body: {} } : answer
    })
    const first = await run('deploy-keys delete 7 8 -P 1 --yes --retries 0')
    expect(first.code, first.stderr).toBe(7)
    lost = false
    const [, journal = ''] = /Journal: (\S+)/.exec(first.stderr) ?? []
    expect(journal).not.toBe('')
    const again = await run(`deploy-keys delete --resume ${journal} --yes`)
    expect(again.code, again.stderr).toBe(exit)
  })
})
