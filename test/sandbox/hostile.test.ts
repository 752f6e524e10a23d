/** Requests that no client of good will sends; each once ended the process or was answered 500. */
import { request as httpRequest } from 'node:http'
import { describe, expect, it } from 'vitest'
import { getPath } from '../../src/catalogue/endpoint.js'
import { readState } from '../../src/sandbox/index.js'
import { collectRoutes } from '../../src/sandbox/server/routes.js'
import { toExamplePath } from './addresses.js'
import { useSharedSandbox } from './instance.js'

const { send, url, folder } = useSharedSandbox()
const commits = '/projects/platform%2Fapp/repository/commits'

const create = (more: Readonly<Record<string, unknown>>) => {
  const actions = [{ action: 'create', file_path: 'hostile.txt', content: 'a' }]
  const json = { branch: 'hostile', start_branch: 'main', commit_message: 'x', actions, ...more }
  return send(`POST ${commits}`, { json })
}

describe('a query', () => {
  it.each([
    ['//?x=1&x[]=2', 'x is invalid'],
    ['//?x[]=2&x=1', 'x is invalid'],
    ['/issues?iids=1&iids[]=2', 'iids is invalid'],
    ['/issues?not=1&not[labels]=2', 'not is invalid'],
    ['/runners/all?page[a]=1', 'page is invalid'],
    [`/issues?${'a=1&'.repeat(8)}a${'[b]'.repeat(40)}=1`, 'a is nested too deeply'],
  ])('that contradicts itself is refused, and the process lives: %s', async (path, error) => {
    const { status, refusal } = await send(`GET ${path}`)
    expect([status, refusal]).toEqual([400, { error }])
    expect((await send('GET /user')).status).toBe(200)
  })

  it('has days and moments of the calendar', async () => {
    for (const value of ['2026-02-30', '2026-13-01', 'soon'])
      for (const path of ['/events', '/users/ben/events', '/projects/1/events'])
        expect((await send(`GET ${path}?before=${value}`)).refusal).toEqual({
          error: 'before is invalid',
        })
    for (const value of ['2026-02-30T00:00:00Z', '2026-02-01T25:00:00Z', 'soon'])
      expect((await send(`GET /issues?created_after=${value}`)).refusal).toEqual({
        error: 'created_after is invalid',
      })
    expect((await send('GET /events?after=9999-12-31')).body).toEqual([])
  })

  it('holds no NUL', async () => {
    for (const path of [`${commits}/a%00b`, `${commits}?ref_name=a%00b`, `${commits}?path=a%00b`])
      expect((await send(`GET ${path}`)).status, path).toBe(400)
  })

  it('stands behind a path that can be read', async () => {
    const { status, refusal } = await send('GET //%ff')
    expect([status, refusal]).toEqual([400, { error: 'the path is not properly encoded' }])
  })
})

describe('a body', () => {
  const boundary = 'multipart/form-data; boundary=b'
  const name = 'content-disposition: form-data; name='

  it.each([
    ['without a boundary', 'multipart/form-data', 'x'],
    ['cut in a part', boundary, `--b\r\n${name}"title"\r\n\r\nx`],
    ['cut in a header', boundary, '--b\r\ncontent-dis'],
    [
      'with a part that is no JSON',
      boundary,
      `--b\r\n${name}"title"\r\ncontent-type: application/json\r\n\r\n{\r\n--b--\r\n`,
    ],
    ['with the name of a prototype', boundary, `--b\r\n${name}"__proto__"\r\n\r\nx\r\n--b--\r\n`],
  ])('of several parts %s is refused', async (_kind, type, body) => {
    const headers = { 'content-type': type }
    const came = await send('POST /projects/1/deploy_keys', { headers, body })
    expect([came.status, came.refusal]).toEqual([
      400,
      { error: 'message body does not match declared format' },
    ])
  })

  it('that is a form is bounded in depth and number', async () => {
    const post = (text: string) =>
      send('POST /projects/1/deploy_keys', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: text,
      })
    expect((await post('a=1&a[]=2')).refusal.error).toBe('a is invalid')
    expect((await post(`a${'[b]'.repeat(100_000)}=1`)).refusal.error).toMatch('too long')
    expect((await post('a=1&'.repeat(70_000))).refusal.error).toBe('too many parameters')
  })

  it('that is JSON is bounded in depth: deeper it could never be saved', async () => {
    const deep = `{"title":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    const { status, refusal } = await send(
      'POST //platform/app/alerts/notify/monitoring/3a1f0c5d9b7e2468.json',
      {
        as: '',
        headers: { authorization: 'Bearer sandbox-alert-key', 'content-type': 'application/json' },
        body: deep,
      },
    )
    expect([status, refusal.error]).toEqual([400, 'message body is nested too deeply'])
  })
})

describe('a commit', () => {
  const long = 'x'.repeat(200_000)
  const file = (more: object) => ({ actions: [{ action: 'create', content: '', ...more }] })

  it.each([
    ['NUL in its branch', { branch: 'a\0b' }, 400],
    ['NUL in a path', file({ file_path: 'a\0b' }), 400],
    ['a path that git refuses', file({ file_path: 'a/.git/b' }), 400],
    ['a branch longer than an argument', { branch: long }, 400],
    ['a branch longer than a file name', { branch: long.slice(0, 300) }, 400],
    ['a branch below another', { branch: 'main/x' }, 400],
    ['a start longer than an argument', { start_branch: undefined, start_sha: long }, 400],
    ['an author longer than an argument', { author_name: long }, 400],
    ['an author of nothing', { author_name: '<>', author_email: '' }, 400],
  ])('with %s is refused', async (_kind, more, status) => {
    expect((await create(more)).status).toBe(status)
  })

  it('keeps its message as it is', async () => {
    for (const commit_message of ['one line', 'with an end\n', 'a\n\nb\n\n'])
      expect(
        (await create({ branch: `m${commit_message.length}`, commit_message })).body.message,
      ).toBe(commit_message)
  })
})

describe('an answer', () => {
  it('is application/json and nothing more, on every route', async () => {
    for (const route of collectRoutes()) {
      const { endpoint, method, url: path } = route
      const target =
        endpoint === undefined || typeof path !== 'string'
          ? `/${String(path)}`
          : toExamplePath(getPath(endpoint))
      for (const sending of [{ as: '' }, {}, method === 'GET' ? {} : { json: {} }]) {
        const { headers, text } = await send(`${method} ${target}`, sending)
        if (text === '' || headers.has('content-disposition')) continue
        expect(headers.get('content-type'), `${method} ${target}`).toBe('application/json')
      }
    }
  })

  it('is so where the framework or the parser speaks, too', async () => {
    const type = async (route: string, sending = {}) => {
      const { status, headers } = await send(route, sending)
      return [status, headers.get('content-type')]
    }
    expect(await type('GET //nothing')).toEqual([404, 'application/json'])
    expect(await type('GET //%zz')).toEqual([400, 'application/json'])
    expect(await type('PATCH /user')).toEqual([405, 'application/json'])
    expect(await type('OPTIONS /user')).toEqual([405, 'application/json'])
    const text = { body: 'x', headers: { 'content-type': 'text/plain' } }
    expect(await type('POST /runners', text)).toEqual([415, 'application/json'])
    const json = { body: '{', headers: { 'content-type': 'application/json' } }
    expect(await type('POST /runners', json)).toEqual([400, 'application/json'])
    const big = { headers: { 'x-long': 'a'.repeat(20_000) } }
    expect(await type('GET /user', big)).toEqual([431, 'application/json'])
  })

  it('to a write comes when the write is on disk', async () => {
    const token = 'sandbox-instance-registration'
    const { body } = await send('POST /runners', { as: '', json: { token, description: 'saved' } })
    expect((await readState(folder())).runners.get(body.id)?.description).toBe('saved')
    await Promise.all(
      [1, 2, 3, 4].map((id) => send(`PUT /runners/${id}`, { json: { description: `r${id}` } })),
    )
    const { runners } = await readState(folder())
    expect([1, 2, 3, 4].map((id) => runners.get(id)?.description)).toEqual(['r1', 'r2', 'r3', 'r4'])
  })
})

describe('a page in a browser', () => {
  /** `fetch` sets some of these headers itself. */
  const ask = (path: string, headers: Readonly<Record<string, string>>): Promise<number> =>
    new Promise((resolve, reject) => {
      httpRequest(`${url()}/api/v4${path}`, { headers }, (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      })
        .on('error', reject)
        .end()
    })
  const token = { 'private-token': 'sandbox-root-token' }
  const inQuery = '/user?private_token=sandbox-root-token'

  it.each([
    [{ host: 'rebound.example.test' }],
    [{ host: 'localhost.example.test:80' }],
    [{ host: '127.0.0.1.example.test' }],
    [{ origin: 'https://example.test' }],
    [{ origin: 'null' }],
    [{ origin: 'http://localhost.example.test' }],
    [{ referer: 'https://example.test/page' }],
    [{ 'sec-fetch-site': 'cross-site' }],
  ])('of another site is turned away: %j', async (headers) => {
    expect(await ask('/user', { ...token, ...headers })).toBe(403)
  })

  it.each([
    [{}],
    [{ host: 'localhost' }],
    [{ host: 'LOCALHOST:3000' }],
    [{ host: '127.0.0.1:1' }],
    [{ host: '[::1]:8080' }],
    [{ origin: 'http://localhost:3000' }],
    [{ 'sec-fetch-site': 'none' }],
  ])('of the loopback, and programs, come in: %j', async (headers) => {
    expect(await ask('/user', { ...token, ...headers })).toBe(200)
  })

  it('has no credential in a query: an address is no sign of its will', async () => {
    expect(await ask(inQuery, {})).toBe(200)
    expect(await ask(inQuery, { 'sec-fetch-site': 'none' })).toBe(200)
    expect(await ask(inQuery, { origin: 'http://localhost:3000' })).toBe(401)
    expect(await ask(inQuery, { 'sec-fetch-site': 'same-site' })).toBe(401)
  })
})
