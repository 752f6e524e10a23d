/** `svcctl/client` against servers of the tests: its requests, results and errors, and what it must not touch. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { artifacts } from '../../src/catalogue/areas/artifacts.js'
import { areas as known } from '../../src/catalogue/index.js'
import {
  type Api,
  type ConnectOptions,
  connect,
  Failure,
  type ListHow,
} from '../../src/library/client.js'
import { createVerb } from '../../src/library/verbs.js'
import { createFolder } from '../support/program.js'
import { getRejection, sendJson, serve } from '../support/servers.js'

const secret = 'canary-token-4711-of-a-person'

const openApi = (options: ConnectOptions): Api => {
  const api = connect(options)
  onTestFinished(() => api.close())
  return api
}
const openApiAt = (baseUrl: string): Api => openApi({ baseUrl, token: secret, retries: 0 })

/** Creates a configuration with one profile, and returns the environment that names it. */
const createProfile = (
  profile: Readonly<Record<string, unknown>>,
  more: object = {},
): Readonly<Record<string, string>> => {
  const config = createFolder()
  const own = { name: 'work', tokenStore: 'file', ...profile }
  writeFileSync(
    join(config, 'config.json'),
    JSON.stringify({ version: 1, current: 'work', profiles: { work: own } }),
    { mode: 0o600 },
  )
  const token = { token: secret, kind: 'personal', baseUrl: profile.baseUrl, ...more }
  writeFileSync(join(config, 'tokens.json'), JSON.stringify({ work: token }), {
    mode: 0o600,
  })
  return { SVC_CONFIG_DIR: config, SVC_NO_KEYRING: '1' }
}

/** Serves pages of two records each. */
const servePages = (count: number) =>
  serve(({ url }, response) => {
    const page = Number(new URL(url, 'http://x').searchParams.get('page') ?? 1)
    const next =
      page < count
        ? {
            link: `<http://${response.req.headers.host}/api/v4/runners?page=${page + 1}>; rel="next"`,
          }
        : {}
    sendJson(response, 200, [{ id: page * 2 - 1 }, { id: page * 2 }], next)
  })

describe('the functions', () => {
  it('are those of every area that is below the API root', () => {
    const camel = (name: string) =>
      name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
    const { close: _, request: __, ...areas } = connect({ baseUrl: 'https://code.test' })
    const names = known.map(({ name }) => camel(name)).filter((name) => name !== 'alerts')
    expect(Object.keys(areas).sort()).toEqual(names.sort())
    expect(Object.keys(areas.approvals)).toContain('rulesList')
  })

  it('send what the endpoint takes, with the one credential', async () => {
    const { base, seen } = await serve((_, response) =>
      sendJson(response, 200, { id: 7, active: false }),
    )
    expect(await openApiAt(base).runners.update({ id: 7, active: false })).toEqual({
      id: 7,
      active: false,
    })
    expect(seen).toMatchObject([
      {
        method: 'PUT',
        url: '/api/v4/runners/7',
        body: '{"active":false}',
        headers: { 'private-token': secret },
      },
    ])
  })

  it('take a project by its path, and parameters that are not known yet', async () => {
    const { base, seen } = await serve((_, response) => sendJson(response, 200, { id: 1 }))
    await openApiAt(base).projects.get({ id: 'platform/app' }, { params: { with_moon: true } })
    expect(seen[0]?.url).toBe('/api/v4/projects/platform%2Fapp?with_moon=true')
  })

  it('give nothing where a write was answered with nothing, and fail where a record should be', async () => {
    const { base } = await serve(({ method }, response) => {
      if (method === 'GET') sendJson(response, 200, ['no record'])
      else response.writeHead(304).end()
    })
    expect(await openApiAt(base).mr.subscribe({ id: 1, merge_request_iid: 2 })).toBeUndefined()
    expect(await getRejection(openApiAt(base).projects.get({ id: 1 }))).toMatchObject({
      category: 'unreachable',
      status: 200,
    })
  })

  it('hand a file over as it comes', async () => {
    const { base } = await serve((_, response) => response.end('bytes'))
    const { body } = await openApiAt(base).artifacts.download({ id: 1, job_id: 2 })
    let text = ''
    for await (const piece of body) text += Buffer.from(piece).toString()
    expect(text).toBe('bytes')
  })

  it('ask no instance for a file that has to be confirmed and was not', async () => {
    const instance = vi.fn()
    const guard = () => {
      throw new Failure('usage', 'not confirmed')
    }
    const download = createVerb(artifacts.download, {
      instance,
      guard,
    }) as Api['artifacts']['download']
    expect(await getRejection(download({ id: 1, job_id: 2 }))).toMatchObject({
      message: 'not confirmed',
    })
    expect(instance).not.toHaveBeenCalled()
  })

  it('refuse what does not compile before anything is sent', async () => {
    const { base, seen } = await serve((_, response) => sendJson(response, 200, {}))
    const api = openApiAt(base)
    const wrong: unknown[] = [
      // @ts-expect-error
      await getRejection(api.runners.update({ active: true })),
      // @ts-expect-error
      await getRejection(api.runners.update({ id: 7, actve: true })),
      // An update without an attribute would change nothing.
      await getRejection(api.runners.update({ id: 7 })),
      // @ts-expect-error
      await getRejection(api.runners.listOfProject({}).all()),
      // JSON would have null for it, which clears the attribute.
      await getRejection(api.runners.update({ id: 7, maximum_timeout: Number.NaN })),
      // @ts-expect-error
      await getRejection(api.mr.list({ created_after: new Date(0) }).all()),
      await getRejection(api.request('PUT /x', { body: { a: [{ b: Number.POSITIVE_INFINITY }] } })),
      // @ts-expect-error
      await getRejection(api.runners.get(7)),
      // @ts-expect-error
      await getRejection(api.runners.get(null)),
      // @ts-expect-error
      await getRejection(api.projects.get({ id: { path: 'a/b' } })),
      // @ts-expect-error
      await getRejection(api.runners.list(5).all()),
      // @ts-expect-error
      await getRejection(api.runners.get({ id: 7 }, null)),
      // @ts-expect-error
      await getRejection(api.runners.get({ id: 7 }, { params: 5 })),
      // @ts-expect-error
      await getRejection(api.runners.get({ id: 7 }, { signal: {} })),
      // @ts-expect-error
      await getRejection(api.request('GET /x', { query: 'a=b' })),
      // @ts-expect-error
      await getRejection(api.request('GET /x', null)),
    ]
    for (const error of wrong) expect(error).toMatchObject({ category: 'usage' })
    expect(seen).toEqual([])
  })
})

describe('lists', () => {
  it('go over all pages as they are read', async () => {
    const { base, seen } = await servePages(3)
    const ids: unknown[] = []
    for await (const { id } of openApiAt(base).runners.list()) ids.push(id)
    expect(ids).toEqual([1, 2, 3, 4, 5, 6])
    expect(seen).toHaveLength(3)
  })
  it('come whole, and as many as are wanted', async () => {
    const { base } = await servePages(3)
    expect(
      await openApiAt(base).runners.list({ status: 'online' }, { limit: 3 }).all(),
    ).toHaveLength(3)
    expect(await openApiAt(base).runners.list().all()).toHaveLength(6)
  })
  it('come whole without a limit, whatever other option a program passes on', async () => {
    const { base } = await serve(({ url }, response) => {
      const from = Number(new URL(url, 'http://x').searchParams.get('page') ?? 1) * 100 - 100
      const ids = Array.from({ length: from < 200 ? 100 : 50 }, (_, i) => ({ id: from + i }))
      const page = `<http://${response.req.headers.host}/api/v4/runners?page=${from / 100 + 2}>`
      sendJson(response, 200, ids, from < 200 ? { link: `${page}; rel="next"` } : {})
    })
    const count = async (how: ListHow) => (await openApiAt(base).runners.list({}, how).all()).length
    const none = undefined as unknown as number
    for (const how of [{ concurrency: 2 }, { limit: none }, { page: none, perPage: none }])
      expect([how, await count(how)]).toEqual([how, 250])
    expect(await count({ limit: 'all', perPage: 100 })).toBe(250)
    expect(await count({ page: 2 })).toBe(100)
  })
  it.each([{ limit: 0 }, { limit: -1 }, { limit: 1.5 }, { page: Number.NaN }, { concurrency: 0 }])(
    'are not asked for with %j',
    async (how) => {
      const { base, seen } = await servePages(1)
      const error = await getRejection(openApiAt(base).runners.list({}, how).all())
      expect(error).toMatchObject({
        category: 'usage',
        message: expect.stringContaining('whole number above 0'),
      })
      expect(seen).toEqual([])
    },
  )
  it('come page by page with what is around each, an empty one and one that the limit cuts too', async () => {
    const served = [[{ id: 1 }, { id: 2 }], [], [{ id: 3 }, { id: 4 }]]
    const { base } = await serve(({ url }, response) => {
      const page = Number(new URL(url, 'http://x').searchParams.get('page') ?? 1)
      const next = `<http://${response.req.headers.host}/api/v4/runners?page=${page + 1}>; rel="next"`
      const more = page < served.length ? { link: next } : {}
      sendJson(response, 200, served[page - 1], {
        'x-request-id': `r-${page}`,
        'set-cookie': `session=${secret}`,
        ...more,
      })
    })
    const found: unknown[] = []
    for await (const page of openApiAt(base).runners.list({}, { limit: 3 }).pages()) {
      expect(JSON.stringify(page)).not.toContain(secret)
      found.push([page.requestId, page.status, page.data.map(({ id }) => id)])
    }
    expect(found).toEqual([
      ['r-1', 200, [1, 2]],
      ['r-2', 200, []],
      ['r-3', 200, [3]],
    ])
  })
  it('ask anew for each loop, and nothing before', async () => {
    const { base, seen } = await servePages(1)
    const list = openApiAt(base).runners.list()
    expect(seen).toHaveLength(0)
    await list.all()
    await list.all()
    expect(seen).toHaveLength(2)
  })
})

/** Starts a server that never answers, with a signal that is aborted at the first request. */
const serveSilence = async () => {
  const leaving = new AbortController()
  const server = await serve(() => leaving.abort())
  return { ...server, leaving }
}

describe('the signal of a client', () => {
  it('ends what is under way, and lets nothing else begin', async () => {
    const { base, seen, leaving } = await serveSilence()
    const api = openApi({ baseUrl: base, token: secret, signal: leaving.signal })
    for (const call of [api.runners.get({ id: 1 }), api.runners.list().all()])
      expect(await getRejection(call)).toMatchObject({ category: 'interrupted' })
    expect(await getRejection(api.runners.get({ id: 2 }))).toMatchObject({
      category: 'interrupted',
    })
    expect(seen.length).toBeLessThan(3)
  })

  it('says that the client is closed where it is used after that', async () => {
    const { base, seen } = await serveSilence()
    const api = connect({ baseUrl: base, token: secret })
    await api.close()
    const closed = { category: 'usage', message: 'the client is closed' }
    for (const call of [
      api.runners.get({ id: 1 }),
      api.runners.list().all(),
      api.request('GET /version'),
    ])
      expect(await getRejection(call)).toMatchObject(closed)
    expect(seen).toEqual([])
  })

  it('ends the renewal of a token', async () => {
    const { base: tokens, leaving } = await serveSilence()
    const { base } = await serve((_, response) => sendJson(response, 401, {}))
    const profile = { baseUrl: base, tokenKind: 'oauth', tokenUrl: `${tokens}/oauth/token` }
    const env = createProfile(profile, { kind: 'oauth', refreshToken: 'canary-refresh' })
    const api = openApi({ profile: 'work', env, signal: leaving.signal, timeout: 2 })
    expect(await getRejection(api.runners.get({ id: 1 }))).toMatchObject({
      category: 'interrupted',
    })
  })

  it('ends the program that prints a token', async () => {
    const { base, leaving } = await serveSilence()
    const tokenCommand = [process.execPath, '-e', `fetch('${base}')`]
    const env = createProfile({ baseUrl: base, tokenStore: undefined, tokenCommand })
    const api = openApi({ profile: 'work', env, signal: leaving.signal })
    expect(await getRejection(api.runners.get({ id: 1 }))).toMatchObject({
      category: 'interrupted',
    })
  })
})

describe('one call', () => {
  it('ends by its own signal, and the others go on', async () => {
    const { base, seen, leaving } = await serveSilence()
    const { signal } = leaving
    const api = openApiAt(base)
    expect(await getRejection(api.runners.get({ id: 1 }, { signal }))).toMatchObject({
      category: 'interrupted',
    })
    const aborted = { signal: AbortSignal.abort() }
    expect(await getRejection(api.runners.list({}, aborted).all())).toMatchObject({
      category: 'interrupted',
    })
    expect(seen).toHaveLength(1)
    const sandbox = await serve((_, response) => sendJson(response, 200, { id: 1 }))
    const other = openApiAt(sandbox.base)
    await getRejection(other.runners.get({ id: 1 }, aborted))
    expect(await other.runners.get({ id: 1 })).toEqual({ id: 1 })
  })
  it('waits as long as it says', async () => {
    const { base } = await serveSilence()
    const how = { timeout: 0.05 }
    const api = openApiAt(base)
    expect(await getRejection(api.runners.get({ id: 1 }, how))).toMatchObject({
      category: 'unreachable',
    })
    expect(await getRejection(api.runners.list({}, how).all())).toMatchObject({
      category: 'unreachable',
    })
  })
  it('is tried as often as it says, and every page of a list', async () => {
    const { base, seen } = await serve(({ url }, response) => {
      if (url.includes('page=2')) return sendJson(response, 503, {})
      const link = `<http://${response.req.headers.host}/api/v4/runners?page=2>; rel="next"`
      return sendJson(response, url.includes('/7') ? 503 : 200, [{ id: 1 }], { link })
    })
    const api = openApi({ baseUrl: base, token: secret, retries: 9 })
    const how = { retries: 0 }
    expect(await getRejection(api.runners.get({ id: 7 }, how))).toMatchObject({ status: 503 })
    const alone = seen.length
    expect(await getRejection(api.runners.list({}, how).all())).toMatchObject({ status: 503 })
    expect([alone, seen.length]).toEqual([1, 3])
  })
  it('refuses a time-out and retries that are none', async () => {
    const { base, seen } = await serve((_, response) => sendJson(response, 200, {}))
    for (const how of [
      { timeout: 0 },
      { timeout: Number.NaN },
      { timeout: 86_401 },
      { retries: -1 },
      { retries: 0.5 },
    ])
      expect(await getRejection(openApiAt(base).runners.get({ id: 1 }, how))).toMatchObject({
        category: 'usage',
      })
    expect(seen).toEqual([])
  })
  it('refuses a time-out of the client that no timer has', async () => {
    const { base, seen } = await serve((_, response) => sendJson(response, 200, {}))
    const api = openApi({ baseUrl: base, token: secret, timeout: 3e6 })
    expect(await getRejection(api.runners.get({ id: 1 }))).toMatchObject({ category: 'usage' })
    expect(seen).toEqual([])
  })
  it.each<[limits: object, message: string]>([
    [{ retries: 'all' }, 'connect(): retries must be an integer from 0'],
    [{ timeout: '5' }, 'connect(): timeout must be a number of seconds above 0'],
    [{ maxWait: -1 }, 'connect(): maxWait must be a number of seconds from 0'],
    [{ concurrency: 0 }, 'connect(): concurrency must be a whole number above 0'],
  ])('refuses the limits %j of the client', async (limits, message) => {
    const { base, seen } = await serve((_, response) => sendJson(response, 503, {}))
    const api = openApi({ baseUrl: base, token: secret, ...limits })
    const error = await getRejection(api.runners.get({ id: 1 }))
    expect(error).toMatchObject({
      category: 'usage',
      message: expect.stringContaining(message),
    })
    expect(seen).toEqual([])
  })
  it('gives status and headers on demand, without cookies', async () => {
    const { base, seen } = await serve((_, response) =>
      sendJson(
        response,
        201,
        { id: 7 },
        { 'x-request-id': 'r-1', 'x-many': ['a', 'b'], 'set-cookie': `session=${secret}` },
      ),
    )
    const whole = await openApiAt(base).runners.update({ id: 7, active: true }).withResponse()
    expect(whole).toMatchObject({ data: { id: 7 }, status: 201, requestId: 'r-1' })
    expect(whole.headers['x-many']).toBe('a, b')
    expect(JSON.stringify(whole)).not.toContain(secret)
    expect(seen).toHaveLength(1)
  })
  it('throws its failure where the response was asked for, and nowhere else', async () => {
    const { base } = await serve((_, response) => sendJson(response, 404, {}))
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    onTestFinished(() => void process.off('unhandledRejection', unhandled))
    expect(await getRejection(openApiAt(base).runners.get({ id: 1 }).withResponse())).toMatchObject(
      {
        status: 404,
      },
    )
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).not.toHaveBeenCalled()
  })
})

describe('a request to any path', () => {
  it('goes below the API root with query, body and credential', async () => {
    const { base, seen } = await serve((_, response) => sendJson(response, 200, { moon: 1 }))
    const api = openApiAt(base)
    const whole = await api
      .request('POST /moons/:7', { query: { ids: [1, 2], q: 'a b' }, body: { name: 'x', at: [1] } })
      .withResponse()
    expect(whole).toMatchObject({ data: { moon: 1 }, status: 200 })
    expect(await api.request('GET /moons', { query: { deep: true } })).toEqual({ moon: 1 })
    expect(seen).toMatchObject([
      {
        method: 'POST',
        url: '/api/v4/moons/%3A7?ids[]=1&ids[]=2&q=a%20b',
        body: '{"name":"x","at":[1]}',
        headers: { 'private-token': secret },
      },
      { method: 'GET', url: '/api/v4/moons?deep=true' },
    ])
  })
  it('gives bytes where what came is no JSON, and nothing where nothing came', async () => {
    const { base } = await serve(({ url }, response) => {
      if (url.endsWith('/empty')) return response.writeHead(204).end()
      return response.writeHead(200, { 'content-type': 'application/octet-stream' }).end('\x00moon')
    })
    expect(await openApiAt(base).request('GET /moons/1/raw')).toEqual(Buffer.from('\x00moon'))
    expect(await openApiAt(base).request('POST /empty')).toBeUndefined()
    expect(await openApiAt(base).request('GET /empty')).toBeUndefined()
  })
  it('is refused for another place, before anything is sent', async () => {
    const { base, seen } = await serve((_, response) => sendJson(response, 200, {}))
    const { request } = openApiAt(base)
    const wrong = [
      'GET https://elsewhere.test/x',
      'GET /api/graphql',
      'GET /projects/../../../admin',
      'GET /projects/%2e%2E/x',
      'GET /x?private_token=1',
      'TRACE /x',
      '/x',
    ]
    for (const route of wrong)
      expect(await getRejection(request(route))).toMatchObject({ category: 'usage' })
    const body = { a: 1 }
    expect(await getRejection(request('GET /x', { body }))).toMatchObject({ category: 'usage' })
    expect(await getRejection(request('PUT /x', { body, query: body }))).toMatchObject({
      category: 'usage',
    })
    expect(seen).toEqual([])
  })
  it('keeps to the rules of a profile, and is on record', async () => {
    const { base, seen } = await serve((_, response) => sendJson(response, 200, { id: 1 }))
    const readOnly = openApi({
      profile: 'work',
      env: createProfile({ baseUrl: base, readOnly: true }),
    })
    expect(await readOnly.request('GET /runners/1')).toEqual({ id: 1 })
    expect(await getRejection(readOnly.request('PUT /runners/1'))).toMatchObject({
      category: 'usage',
    })
    const env = createProfile({ baseUrl: base, protected: true })
    const kept = openApi({ profile: 'work', env })
    expect(await getRejection(kept.request('DELETE /runners/1'))).toMatchObject({
      category: 'usage',
    })
    expect(seen.map(({ method }) => method)).toEqual(['GET'])
    const auditLog = join(createFolder(), 'audit.jsonl')
    const audited = openApi({ profile: 'work', env: createProfile({ baseUrl: base, auditLog }) })
    await audited.request('PUT /moons/1', { body: { name: 'x' } })
    const line = readFileSync(auditLog, 'utf8')
    expect(JSON.parse(line)).toMatchObject({ method: 'PUT', outcome: 'done' })
    expect(line).not.toContain(secret)
  })
})

describe('what is thrown', () => {
  it('has category, status and code, no hint and no credential, wherever the instance says it back', async () => {
    const { base } = await serve(({ headers }, response) =>
      sendJson(
        response,
        403,
        { error: 'insufficient_scope', message: `no ${headers['private-token']}`, scope: 'api' },
        { 'x-request-id': secret },
      ),
    )
    const api = openApiAt(base)
    for (const work of [() => api.runners.get({ id: 1 }), () => api.runners.list().all()]) {
      const error = await getRejection(work())
      expect(error).toBeInstanceOf(Failure)
      expect(error).toMatchObject({ category: 'auth', status: 403, code: 'insufficient_scope' })
      expect(Object.keys((error as Failure).details)).not.toContain('hint')
      expect(Object.keys((error as Failure).details)).not.toContain('advice')
      const { stack } = error as Failure
      expect(`${inspect(error, { depth: 9 })}${JSON.stringify(error)}${stack}`).not.toContain(
        secret,
      )
    }
  })
  it('comes at once for an address or a profile that is none', () => {
    const env = { SVC_CONFIG_DIR: createFolder() }
    expect(() => connect({ baseUrl: 'https://user:pw@host' })).toThrow(Failure)
    expect(() => connect({ profile: 'none', env })).toThrow('unknown profile "none"')
    expect(() => connect({ env })).toThrow('no instance is configured')
    // @ts-expect-error
    expect(() => connect({})).toThrow('connect() requires a base URL, a profile or an environment')
    // @ts-expect-error
    expect(() => connect({ profile: 'work', token: 'x' })).toThrow('takes either a token')
  })
  it.each<[options: unknown, message: string]>([
    [undefined, 'connect(): the options must be an object'],
    [null, 'connect(): the options must be an object'],
    ['https://code.test', 'connect(): the options must be an object'],
    [{ baseUrl: new URL('https://code.test') }, 'connect(): baseUrl must be a string'],
    [{ token: 5 }, 'connect(): token must be a string'],
    [{ token: null }, 'connect(): token must be a string'],
    [{ tokenKind: 'basic' }, 'connect(): tokenKind must be personal, oauth or session'],
    [{ sudo: 5 }, 'connect(): sudo must be a string'],
    [{ signal: 5 }, 'connect(): signal must be an AbortSignal'],
    [{ note: 5 }, 'connect(): note must be a function'],
    [{ trace: 5 }, 'connect(): trace must be a function'],
    [{ transport: { proxy: 5 } }, 'connect(): proxy must be a string'],
    [{ transport: { proxy: 'nowhere' } }, 'connect(): proxy is not a valid proxy URL'],
    [{ baseUrl: undefined, env: 'x' }, 'connect(): env must be an object'],
  ])('comes at once for options of a wrong type: %j', (options, message) => {
    const untyped = connect as unknown as (options: unknown) => unknown
    const isObject = typeof options === 'object' && options !== null
    const all = isObject ? { baseUrl: 'https://code.test', ...options } : options
    expect(() => untyped(all)).toThrow(Failure)
    expect(() => untyped(all)).toThrow(message)
  })
  it('is the last of several tries, as many as are asked for', async () => {
    const { base, seen } = await serve((_, response) => sendJson(response, 503, {}))
    const api = openApi({ baseUrl: base, token: secret, retries: 1, timeout: 5 })
    expect(await getRejection(api.runners.get({ id: 1 }))).toMatchObject({ status: 503 })
    expect(seen.length).toBeGreaterThan(1)
  })
})

describe('of the machine', () => {
  it('nothing counts beside an address', async () => {
    const { base, seen } = await serve((_, response) => sendJson(response, 200, []))
    const mine = {
      ...createProfile({ baseUrl: base }),
      SVC_TOKEN: secret,
      SVC_BASE_URL: base,
      SVC_SUDO: 'ana',
    }
    onTestFinished(() => void vi.unstubAllEnvs())
    for (const [name, value] of Object.entries(mine)) vi.stubEnv(name, value)
    await openApi({ baseUrl: base }).projects.list().all()
    expect(JSON.stringify(seen)).not.toContain(secret)
    expect(seen[0]?.headers.sudo).toBeUndefined()
  })
  it('the environment counts that is handed over', async () => {
    const { base, seen } = await serve((_, response) => sendJson(response, 200, []))
    const env = {
      SVC_CONFIG_DIR: createFolder(),
      SVC_BASE_URL: base,
      SVC_TOKEN: secret,
      SVC_SUDO: 'ana',
    }
    await openApi({ env }).projects.list().all()
    expect(seen[0]?.headers).toMatchObject({ 'private-token': secret, sudo: 'ana' })
  })
})

describe('a profile', () => {
  it('gives address, credential and audit log', async () => {
    const { base, seen } = await serve((_, response) => sendJson(response, 200, { id: 1 }))
    const auditLog = join(createFolder(), 'audit.jsonl')
    const api = openApi({ profile: 'work', env: createProfile({ baseUrl: base, auditLog }) })
    await api.runners.update({ id: 1, active: true })
    expect(seen[0]?.headers['private-token']).toBe(secret)
    expect(JSON.parse(readFileSync(auditLog, 'utf8'))).toMatchObject({
      profile: 'work',
      method: 'PUT',
      outcome: 'done',
    })
  })
  it('that only reads sends no writes', async () => {
    const { base, seen } = await serve((_, response) => sendJson(response, 200, []))
    const api = openApi({ profile: 'work', env: createProfile({ baseUrl: base, readOnly: true }) })
    await api.projects.list().all()
    expect(await getRejection(api.runners.update({ id: 1, active: true }))).toMatchObject({
      category: 'usage',
    })
    expect(seen.map(({ method }) => method)).toEqual(['GET'])
  })
  it('that is protected destroys nothing without its name', async () => {
    const { base, seen } = await serve((_, response) => response.writeHead(204).end())
    const env = createProfile({ baseUrl: base, protected: true })
    const gone = { id: 1, key_id: 2 }
    expect(await getRejection(openApi({ env }).deployKeys.delete(gone))).toMatchObject({
      category: 'usage',
    })
    expect(seen).toEqual([])
    await openApi({ env, confirm: 'work' }).deployKeys.delete(gone)
    expect(seen.map(({ method }) => method)).toEqual(['DELETE'])
  })
})
