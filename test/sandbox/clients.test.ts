/** Tests that every client's way to write a request has the same meaning on every route: additions, omissions and other spellings. */
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { getPath } from '../../src/catalogue/endpoint.js'
import { getInnerParams } from '../../src/catalogue/params.js'
import { collectRoutes, type ServedRoute } from '../../src/sandbox/server/routes.js'
import { toExamplePath } from './addresses.js'
import { useSharedSandbox } from './instance.js'

const { send, url } = useSharedSandbox({ now: () => new Date('2026-11-02T10:00:00Z') })

const routes = collectRoutes().filter(({ url: path }) => typeof path === 'string')
/** Returns a path of a route in the sample data, below the API root. */
const getExample = ({ url: path, endpoint }: ServedRoute): string =>
  toExamplePath(endpoint === undefined ? String(path).replace('/api/v4', '') : getPath(endpoint))

const token = { 'private-token': 'sandbox-root-token' }

/** Opens a request with an unchanged target and unchanged headers. */
const open = (
  method: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
): ClientRequest =>
  openRequest({
    port: new URL(url()).port,
    host: '127.0.0.1',
    method,
    path: target,
    headers: { ...token, ...headers },
  })

const getAnswer = async (request: ClientRequest) => {
  const [answer]: IncomingMessage[] = await once(request, 'response')
  if (answer === undefined) throw new Error('there is no answer')
  return { status: answer.statusCode, body: await text(answer), headers: answer.headers }
}

const ask = (method: string, target: string, headers?: Readonly<Record<string, string>>) => {
  const request = open(method, target, headers)
  request.end()
  return getAnswer(request)
}

describe('an empty value', () => {
  const lists = routes.filter(
    ({ method, url: path, endpoint, accepts }) =>
      method === 'GET' &&
      (endpoint === undefined
        ? accepts !== undefined && !/:\w+$/.test(String(path))
        : endpoint.returns.kind === 'many'),
  )
  /** Returns the names of all parameters of a route, with those inside of hashes in brackets. */
  const getNames = ({ endpoint, accepts }: ServedRoute): readonly string[] =>
    Object.entries(endpoint?.params ?? accepts?.params ?? {}).flatMap(([name, param]) => [
      name,
      ...Object.keys(getInnerParams(param) ?? {}).map((key) => `${name}[${key}]`),
    ])

  /** Returns queries with each parameter empty, empty in brackets, and all of them at once. */
  const getQueries = (route: ServedRoute): readonly string[] => {
    const names = [...getNames(route), 'page', 'per_page', 'sudo', 'nothing']
    const single = names.filter((name) => !names.some((other) => other.startsWith(`${name}[`)))
    return [...names.flatMap((name) => [`${name}=`, `${name}[]=`]), single.join('&')]
  }

  it('is tried in every parameter of every list', () => {
    expect(lists.length).toBeGreaterThan(45)
    expect(lists.flatMap(getQueries).length).toBeGreaterThan(700)
  })

  it.each(lists.map((route) => [getExample(route), route] as const))(
    'filters nothing, whatever the parameter, also in brackets: %s',
    async (target, route) => {
      const mark = target.includes('?') ? '&' : '?'
      const get = async (query: string) => {
        const { status, text: body, headers } = await send(`GET ${target}${mark}${query}`)
        return { status, body, total: headers.get('x-total') }
      }
      const [whole, short] = [await get(''), await get('per_page=3')]
      expect(whole.status).toBe(200)
      for (const query of getQueries(route)) {
        const paged = /^(per_page|page)/.test(query) || query.includes('&')
        const came = await get(paged ? query : `per_page=3&${query}`)
        expect({ ...came, query }).toEqual({ ...(paged ? whole : short), query })
      }
    },
  )

  it('leaves the filters beside it as they are', async () => {
    const [plain, with_] = await Promise.all(
      ['state=opened', 'milestone=&state=opened&author_id=&created_after=&labels[]='].map((query) =>
        send(`GET /projects/1/merge_requests?${query}`),
      ),
    )
    expect(with_?.text).toBe(plain?.text)
    expect(plain?.text).not.toBe((await send('GET /projects/1/merge_requests')).text)
  })

  it('still clears what a write can clear', async () => {
    const put = async (expires_at: string) =>
      (await send('PUT /groups/platform/members/4', { json: { access_level: 30, expires_at } }))
        .body
    expect(await put('2036-01-01')).toHaveProperty('expires_at', '2036-01-01T00:00:00.000Z')
    expect(await put('')).toHaveProperty('expires_at', null)
  })
})

describe('a request without a body', () => {
  const types = [
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'multipart/form-data; boundary=b',
    'text/plain',
    'application/octet-stream',
    'application/xml',
    'json',
    'a/b; c',
    ';',
  ]
  const bodies: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['none', {}],
    ['length 0', { 'content-length': '0' }],
    ['no chunk', { 'transfer-encoding': 'chunked' }],
  ]

  it('is not judged by a content type, on any route, however the body is left out', async () => {
    let cells = 0
    for (const route of routes) {
      // Without a token, so that little changes; requests that are refused before they are read would be refused here, too.
      const ways = route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]
      for (const method of ways) {
        const target = `/api/v4${getExample(route)}`.replace('/api/v4/oauth', '/oauth')
        const plain = await ask(method, target, { 'private-token': '' })
        const type = types[cells % types.length] ?? ''
        for (const [body, headers] of bodies) {
          const sent = { ...headers, 'content-type': type, 'private-token': '' }
          const came = await ask(method, target, sent)
          const label = `${method} ${target}, ${type}, ${body}`
          expect([came.status, came.body], label).toEqual([plain.status, plain.body])
          cells += 1
        }
      }
    }
    expect(cells).toBeGreaterThan(600)
  })

  it.each([
    ['GET', '/api/v4/user', 200],
    ['DELETE', '/api/v4/projects/1/deploy_keys/999', 404],
    ['POST', '/api/v4/geo_nodes/1/repair', 201],
    ['PUT', '/api/v4/runners/1', 400],
    ['PATCH', '/api/v4/user', 405],
    ['OPTIONS', '/api/v4/user', 405],
  ])('is answered whatever its content type: %s %s', async (method, target, status) => {
    for (const type of types)
      for (const [body, headers] of bodies) {
        const came = await ask(method, target, { ...headers, 'content-type': type })
        expect([came.status, came.body], `${type}, ${body}`).toEqual([
          status,
          expect.not.stringMatching(/content-type|Unsupported/),
        ])
      }
  })

  it('is still told apart from one whose type is none that is known', async () => {
    for (const type of ['text/plain', 'application/xml', 'json', ';']) {
      const request = open('PUT', '/api/v4/runners/1', { 'content-type': type })
      request.end('description=x')
      expect((await getAnswer(request)).status, type).toBe(415)
    }
  })
})

describe('a body that is too large', () => {
  const bound = 64 * 1024 * 1024
  const target = '/api/v4/runners/1'
  const refusal = { error: 'the request body is larger than 64 MiB' }
  const types = [
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=b',
    'text/plain',
  ]

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'GET'])(
    'is refused by its length, before a byte of it is there: %s',
    async (method) => {
      for (const type of types)
        for (const length of [bound + 1, 200_000_000]) {
          const headers = { 'content-type': type, 'content-length': String(length) }
          const request = open(method, target, headers)
          request.flushHeaders()
          const { status, body } = await getAnswer(request)
          request.destroy()
          expect([status, JSON.parse(body)]).toEqual([413, refusal])
        }
    },
  )

  it('is refused while its sender waits to go on', async () => {
    const headers = { 'content-length': '200000000', expect: '100-continue' }
    const request = open('PUT', target, headers)
    let goesOn = false
    request.on('continue', () => {
      goesOn = true
    })
    request.flushHeaders()
    expect((await getAnswer(request)).status).toBe(413)
    request.destroy()
    expect(goesOn).toBe(false)
  })

  it.each(types)('is refused as soon as it passes the bound: %s', async (type) => {
    const request = open('PUT', target, { 'content-type': type, 'transfer-encoding': 'chunked' })
    const answer = getAnswer(request)
    let answered = false
    request.on('response', () => {
      answered = true
    })
    request.on('error', () => {})
    const chunk = Buffer.alloc(1024 * 1024, 'a')
    let sent = 0
    while (!answered && sent < 4 * bound) {
      sent += chunk.length
      await new Promise((done) => request.write(chunk, done))
    }
    const { status, body } = await answer
    request.destroy()
    expect([status, JSON.parse(body)]).toEqual([413, refusal])
    expect(sent).toBeGreaterThan(bound)
    expect(sent).toBeLessThan(2 * bound)
  })

  it('does no harm to the next request, and one within the bound is read', async () => {
    const description = 'd'.repeat(1_000_000)
    const { status, body } = await send('PUT /runners/1', { json: { description } })
    expect([status, body.description.length]).toEqual([200, 1_000_000])
    await send('PUT /runners/1', { json: { description: 'shared-linux-1' } })
  })
})

describe('an address', () => {
  const encode = (part: string): string =>
    Buffer.from(part)
      .toString('hex')
      .replace(/../g, (byte) => `%${byte}`)
  const spellings: readonly (readonly [string, (path: string) => string])[] = [
    ['with a slash at its end', (path) => `${path}/`],
    ['with doubled slashes', (path) => path.replaceAll('/', '//')],
    ['with slashes before and after', (path) => `//${path}///`],
    ['with encoded letters', (path) => path.replace(/(?<=\/)[a-z_]+(?=\/|$)/g, encode)],
    ['with encoded capitals', (path) => path.replace(/(?<=\/)api(?=\/)/, '%61%70%69')],
    ['as a proxy has it', (path) => url() + path],
    ['as a proxy has it, in capitals', (path) => `HTTP://LOCALHOST:1${path}`],
  ]

  it('means the same, however it is spelled, on every route that reads', async () => {
    let cells = 0
    let found = 0
    for (const route of routes.filter(({ method }) => method === 'GET')) {
      const [path = '', query] = `/api/v4${getExample(route)}`.split('?')
      const tail = query === undefined ? '' : `?${query}`
      const headers: Readonly<Record<string, string>> =
        route.auth.credential === 'job'
          ? { 'private-token': '', 'job-token': 'sandbox-job-token' }
          : {}
      const plain = await ask('GET', path + tail, headers)
      if (plain.status === 200) found += 1
      for (const [label, spell] of spellings) {
        // A slash at the end would be part of the file's path.
        if (label === 'with a slash at its end' && String(route.url).includes('*')) continue
        const came = await ask('GET', spell(path) + tail, headers)
        const own = `http://localhost:1`
        expect([came.status, came.body.replaceAll(own, url())], `${path} ${label}`).toEqual([
          plain.status,
          plain.body,
        ])
        cells += 1
      }
    }
    expect(found).toBeGreaterThan(70)
    expect(cells).toBeGreaterThan(500)
  })

  it('that is unknown or wrong stays so', async () => {
    expect((await ask('GET', '/api/v4/%70rojekts')).status).toBe(404)
    expect((await ask('GET', '/api/v4/%zz')).status).toBe(400)
    expect((await ask('GET', '//')).status).toBe(404)
    expect((await ask('GET', '/api/v4/projects/platform%2F%2Fapp')).status).toBe(404)
    expect((await ask('PATCH', '//api//v4/%75ser/')).status).toBe(405)
  })

  it('of another host is turned away, whatever its Host header says', async () => {
    for (const host of ['rebound.example.test', '127.0.0.1.example.test', '']) {
      const came = await ask('GET', `http://${host}/api/v4/user`)
      expect(came.status, host).toBe(403)
    }
    const came = await ask('GET', `${url()}/api/v4/user`, { host: 'rebound.example.test' })
    expect(came.status).toBe(200)
  })

  it('leads to pages of the host that it names', async () => {
    const { headers } = await ask('GET', 'http://localhost:1/api/v4/runners/all?per_page=1')
    expect(headers.link).toContain('<http://localhost:1/api/v4/runners/all?per_page=1&page=2>')
  })

  const say = async (...lines: readonly string[]): Promise<string> => {
    const socket = connect(Number(new URL(url()).port), '127.0.0.1')
    socket.end([...lines, '', ''].join('\r\n'))
    return text(socket)
  }

  it('needs no host in HTTP/1.0, which knows none', async () => {
    const answer = await say(
      'GET /api/v4/runners/all?per_page=1 HTTP/1.0',
      'private-token: sandbox-root-token',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(answer).toContain(`<${url()}/api/v4/runners/all?per_page=1&page=2>; rel="next"`)
    const away = await say('GET /api/v4/user HTTP/1.0', 'host: rebound.example.test')
    expect(away).toMatch(/^HTTP\/1\.1 403 /)
  })

  it('needs one in HTTP/1.1', async () => {
    const answer = await say('GET /api/v4/user HTTP/1.1', 'connection: close')
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toMatch(/\{"error":"the Host header is missing"\}$/)
  })
})

describe('an archive', () => {
  const path = 'GET /projects/6/jobs/artifacts/main/download?job=build'
  const get = (headers: Readonly<Record<string, string>>, as = 'root') =>
    send(path, { headers, as })

  it('that is known already is not sent again', async () => {
    const whole = await get({})
    const tag = whole.headers.get('etag') ?? ''
    expect([whole.status, tag]).toEqual([200, expect.stringMatching(/^"\w+"$/)])
    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
      const came = await get({ 'if-none-match': known, range: 'bytes=0-3' })
      expect([came.status, came.text, came.headers.get('etag')], known).toEqual([304, '', tag])
    }
    for (const other of ['"x"', tag.slice(1, -1), 'W/"x"'])
      expect((await get({ 'if-none-match': other })).status, other).toBe(200)
    expect((await get({ 'if-none-match': tag }, 'fay')).status).toBe(403)
    expect((await get({ 'if-none-match': tag }, 'wrong-token')).status).toBe(401)
  })
})

describe('sudo', () => {
  const as = (json: unknown, actor?: string) =>
    send('POST /projects/1/merge_requests/1/subscribe', {
      json,
      ...(actor === undefined ? {} : { as: actor }),
    })

  it('counts in a body as in a query, and is refused alike', async () => {
    expect((await as({ sudo: 'dov' })).body.subscribed).toBe(true)
    expect((await send('POST /projects/1/merge_requests/1/subscribe?sudo=dov')).status).toBe(304)
    const form = new URLSearchParams({ sudo: '5' })
    expect((await send('POST /projects/1/merge_requests/1/subscribe', { body: form })).status).toBe(
      304,
    )
    // A sudo without a user never makes the request the administrator's own.
    expect((await as({ sudo: 5 })).status).toBe(304)
    for (const sudo of [['dov'], { dov: 1 }, true])
      expect((await as({ sudo })).refusal, JSON.stringify(sudo)).toEqual({
        error: 'sudo is invalid',
      })
    expect((await as({ sudo: 'nobody' })).status).toBe(404)
    expect((await as({ sudo: 'ben' }, 'ana')).status).toBe(403)
    expect((await as({ sudo: 'ben' }, 'sandbox-root-nosudo-token')).refusal.error).toBe(
      'insufficient_scope',
    )
  })

  it('never is somebody who is blocked, on any route', async () => {
    let asked = 0
    for (const route of routes) {
      const { credential } = route.auth
      if (credential === 'job' || credential === 'parameter') continue
      const came = await send(`${route.method} ${getExample(route)}`, { headers: { sudo: 'fay' } })
      expect([came.status, came.refusal.message], getExample(route)).toEqual([
        403,
        '403 Forbidden - Your account has been blocked.',
      ])
      asked += 1
    }
    expect(asked).toBeGreaterThan(120)
  })
})

describe('what is public', () => {
  /** The documents require a login for these, even to read public data. */
  const signedIn = ['mr', 'approvals']

  it('is read without a credential wherever any user reads it, in every area', async () => {
    let cells = 0
    let open = 0
    for (const route of routes) {
      const path = getExample(route)
      const [, place = '', rest = ''] = /^\/(projects|groups)\/[^/]+(.*)$/.exec(path) ?? []
      if (route.method !== 'GET' || place === '') continue
      // `gus` is a member of none of these.
      for (const id of place === 'projects'
        ? ['6', 'web%2Fdocs', 'ana%2Fdotfiles']
        : ['4', 'web']) {
        const target = `GET /${place}/${id}${rest}`
        const [user, nobody] = await Promise.all(['gus', ''].map((as) => send(target, { as })))
        const closed = user?.status === 403 || signedIn.includes(route.area ?? '')
        expect(nobody?.status, `${route.area} ${target}`).toBe(closed ? 401 : user?.status)
        if (nobody?.status === 200) open += 1
        cells += 1
      }
    }
    expect(cells).toBeGreaterThan(130)
    expect(open).toBeGreaterThan(50)
  })

  it('shows nobody more than any user, and nothing of what is private', async () => {
    let cells = 0
    for (const route of routes) {
      if (route.method !== 'GET' || !/\/(projects|groups)\/:/.test(String(route.url))) continue
      const hidden = getExample(route)
        .replace('/projects/platform%2Fapp', '/projects/labs%2Fsensors')
        .replace('/projects/web%2Fsite', '/projects/labs%2Fsensors')
        .replace(/^\/groups\/(platform|1)/, '/groups/labs')
      const came = await send(`GET ${hidden}`, { as: '' })
      expect([401, 404], `${hidden}: ${came.text}`).toContain(came.status)
      cells += 1
    }
    expect(cells).toBeGreaterThan(55)
  })

  it('is not read with a credential that is worth nothing', async () => {
    for (const path of ['/projects/6', '/projects/6/jobs', '/groups/web', '/projects?simple=true'])
      for (const as of ['wrong-token', 'sandbox-ben-expired-token', 'sandbox-ben-revoked-token'])
        expect((await send(`GET ${path}`, { as })).status, `${path} ${as}`).toBe(401)
    expect((await send('GET /projects/6/jobs', { as: 'fay' })).status).toBe(403)
  })
})

describe('what clients ask before all else', () => {
  const get = async (path: string, as = 'root') =>
    JSON.parse((await send(`GET ${path}`, { as })).text)

  it('is the version and edition, the same wherever it is said', async () => {
    const version = await get('/version', 'eva')
    expect(version).toEqual({
      version: '14.5.0',
      revision: expect.any(String),
      enterprise: true,
      kas: { enabled: false, externalUrl: null, externalK8sProxyUrl: null, version: null },
    })
    expect(await get('/metadata')).toEqual(version)
    for (const node of await get('/geo_nodes/status')) {
      expect(node.version).toBe(version.version)
      expect(node.revision).toBe(version.revision)
    }
    expect((await send('GET /version', { as: '' })).status).toBe(401)
  })

  it('is who they are, and what their token may do', async () => {
    expect(await get('/user')).toMatchObject({
      id: 1,
      username: 'root',
      email: 'root@example.test',
      commit_email: 'root@example.test',
      is_admin: true,
      bot: false,
      external: false,
      can_create_group: true,
      can_create_project: true,
      two_factor_enabled: false,
      identities: [],
    })
    expect(await get('/user', 'sandbox-app-project-token')).toMatchObject({ bot: true })
    expect(await get('/personal_access_tokens/self', 'ben')).toMatchObject({
      user_id: 3,
      scopes: expect.arrayContaining(['api']),
      active: true,
      revoked: false,
      expires_at: null,
      last_used_at: null,
    })
  })

  it('is what they may work on', async () => {
    const query =
      'membership=true&per_page=100&with_merge_requests_enabled=true&min_access_level=30&archived=false'
    const paths = (await get(`/projects?${query}`, 'chi')).map(
      (project: { path_with_namespace: string }) => project.path_with_namespace,
    )
    expect(paths).toContain('platform/app')
    expect((await send('GET /license')).status).toBe(404)
  })
})
