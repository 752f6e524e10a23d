/** Tests unusual forms of OpenAPI documents: they are read, or left out with a reason. */
import { describe, expect, it } from 'vitest'
import { Findings } from '../../src/base/documents/findings.js'
import type { Endpoint } from '../../src/catalogue/endpoint.js'
import { deriveCommand } from '../../src/engine/command/derive.js'
import { type CompileContext, compileExtension } from '../../src/extension/compile.js'
import { isOpenApi, readOpenApi } from '../../src/extension/document.js'
import { readSource } from '../../src/extension/read-source.js'
import { buildRequest } from '../../src/http/request/request.js'

type Json = Readonly<Record<string, unknown>>

const ok: Json = { responses: { 200: { description: 'ok' } } }
const buildAnswer = (schema: Json, type = 'application/json'): Json => ({
  responses: { 200: { description: 'ok', content: { [type]: { schema } } } },
})
const buildRequestBody = (schema: Json, type = 'application/json'): Json => ({
  ...ok,
  requestBody: { content: { [type]: { schema } } },
})
const buildQueryParam = (name: string, schema: Json, more: Json = {}): Json => ({
  name,
  in: 'query',
  schema,
  ...more,
})
const toDocument = (paths: Json, more: Json = {}): Json => ({ openapi: '3.0.3', paths, ...more })
const read = (paths: Json, more?: Json, only: readonly string[] = []) =>
  readOpenApi(toDocument(paths, more), { only, except: [] })
const getReasons = (paths: Json, more?: Json) =>
  Object.fromEntries(read(paths, more).skipped.map(({ request, reason }) => [request, reason]))
const getParams = (operation: Json, method = 'post', more?: Json) =>
  read({ '/things': { [method]: operation } }, more).operations[0]?.params

const context: CompileContext = {
  documented: [],
  others: [],
  isToolWord: () => false,
  specials: new Set(['jobs why']),
  isSharedFlag: (flag) => ['limit', 'profile'].includes(flag),
  toArea: (word) => word,
}
/** Compiles a document. Returns its endpoints by route, and the reasons for the operations that are left out. */
const compile = async (paths: Json, around = context) => {
  const findings = new Findings()
  const bytes = Buffer.from(JSON.stringify(toDocument(paths)))
  const choice = { only: [], except: [] }
  const declared = await readSource({ name: 'api.json', bytes }, choice, [], findings)
  findings.refuse()
  const { areas, leftOut } = compileExtension('api', declared?.operations ?? [], around)
  const all = Object.entries(areas).flatMap(([area, endpoints]) =>
    Object.values<Endpoint>(endpoints).map((one) => ({
      ...one,
      command: `${area} ${one.command}`,
    })),
  )
  return {
    endpoints: Object.fromEntries(all.map((one) => [one.route, one])),
    reasons: Object.fromEntries(leftOut.map(({ request, reason }) => [request, reason])),
  }
}

describe('what is left out', () => {
  it('a path that refers to another document, and no other path', () => {
    const paths = { '/far': { $ref: 'other.yaml#/p' }, '/near': { get: ok } }
    expect(getReasons(paths)).toEqual({ '/far': 'it refers to another document, or to itself' })
    expect(read(paths).operations.map(({ path }) => path)).toEqual(['/near'])
  })

  it.each([
    ['it is of another server', { ...ok, servers: [{ url: 'https://upload.test' }] }],
    [
      'it requires the cookie sid',
      { ...ok, parameters: [{ name: 'sid', in: 'cookie', required: true }] },
    ],
    ['it takes a file', buildRequestBody({ type: 'string', format: 'binary' }, '*/*')],
    ['its body is text/plain', buildRequestBody({ type: 'string' }, 'text/plain')],
    [
      'its body is application/merge-patch+json',
      buildRequestBody({}, 'application/merge-patch+json'),
    ],
    ['its body is a single value', buildRequestBody({ type: 'string' })],
    ['its body is a list', buildRequestBody({ type: 'array' })],
    [
      'its query and its body have parameters of one name',
      {
        ...buildRequestBody({ properties: { name: {} } }),
        parameters: [buildQueryParam('name', {})],
      },
    ],
    [
      'it refers to what the document does not have',
      buildRequestBody({ properties: { a: { $ref: '#/components/schemas/None' } } }),
    ],
  ])('%s', (reason, operation) => {
    expect(getReasons({ '/things': { post: operation } })).toEqual({ 'POST /things': reason })
  })

  it('a GET with a body, and each operation with a broken schema', () => {
    const components = { schemas: { Broken: { properties: {}, allOf: [{ $ref: '#/none' }] } } }
    const broken = buildRequestBody({ $ref: '#/components/schemas/Broken' })
    const paths = {
      '/a': { get: buildRequestBody({ properties: { name: {} } }) },
      '/b': { post: broken, put: broken },
    }
    expect(getReasons(paths, { components })).toEqual({
      'GET /a': 'its GET has a body',
      'POST /b': 'it refers to what the document does not have',
      'PUT /b': 'it refers to what the document does not have',
    })
  })

  it('no operation that names the server of the document', () => {
    const servers = [{ url: 'https://api.test' }]
    expect(getReasons({ '/things': { get: ok, servers } }, { servers })).toEqual({})
  })

  it('no operation for headers that every request has', () => {
    const headers = ['Authorization', 'Content-Type', 'accept'].map((name) => ({
      name,
      in: 'header',
      required: true,
    }))
    expect(getReasons({ '/things': { get: { ...ok, parameters: headers } } })).toEqual({})
  })

  it('a path without words, and a word that is a group of others', async () => {
    const { reasons, endpoints } = await compile({
      '/{a}/{b}': { get: ok },
      '/{account}/members': { get: buildAnswer({ type: 'array', items: {} }) },
      '/jobs/{id}/why/again': { get: ok },
      '/things/{id}/services': { get: ok },
      '/things/{id}/services/{service}/restart': { post: ok },
    })
    expect(reasons).toEqual({
      'GET /:a/:b': 'its path has no words for a command',
      'GET /jobs/:id/why/again': 'jobs why is a command',
    })
    expect(Object.values(endpoints).map(({ command }) => command)).toEqual([
      'members list',
      'things services get',
      'things services restart',
    ])
  })

  it('a second form with another kind of argument', async () => {
    const { reasons } = await compile({
      '/topics/comments/{id}': { delete: ok },
      '/topics/{topic}/comments/{id}': { delete: ok },
    })
    expect(reasons).toEqual({
      'DELETE /topics/:topic/comments/:id': 'the command of this name has another manner',
    })
  })
})

describe('what is read', () => {
  it('the items of a list that is wrapped, beside the list', async () => {
    const page = buildAnswer({ properties: { data: { type: 'array', items: { properties: {} } } } })
    const { endpoints, reasons } = await compile({
      '/files': { get: page },
      '/files/{id}': { get: ok },
      '/orgs/{id}/avatar': { post: ok, delete: ok },
    })
    expect(reasons).toEqual({})
    expect(Object.values(endpoints).map(({ command }) => command)).toEqual([
      'files list',
      'files get',
      'orgs avatar create',
      'orgs avatar delete',
    ])
  })

  it('versions that are numbers, and documents in one line', () => {
    for (const text of ['swagger: 2.0\n', '{openapi: 3.1.0, paths: {}}', '{"swagger":2.0}'])
      expect({ text, is: isOpenApi(text) }).toEqual({ text, is: true })
    const two = { swagger: 2, paths: { '/things': { get: ok } } }
    expect(readOpenApi(two, { only: [], except: [] }).operations).toHaveLength(1)
  })

  it('unions that contain themselves, within a moment', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => {
        const next = { $ref: `#/components/schemas/S${(i + 1) % 40}` }
        return [`S${i}`, { allOf: [next, next], properties: { [`p${i}`]: { type: 'integer' } } }]
      }),
    )
    const params = getParams(buildRequestBody({ $ref: '#/components/schemas/S0' }), 'post', {
      components: { schemas },
    })
    expect(Object.keys(params ?? {})).toHaveLength(40)
  })

  it('the type beside null, so that conditions compare it as text', () => {
    const types: Json = {
      a: { type: ['string', 'null'] },
      b: { oneOf: [{ type: 'null' }, { type: 'string', format: 'date-time' }] },
      c: { enum: ['x', 'y'] },
    }
    const [one] = read({ '/things': { get: buildAnswer({ properties: types }) } }).operations
    expect(one?.shape).toMatchObject({
      properties: {
        a: { type: 'string' },
        b: { type: 'string', format: 'date-time' },
        c: { type: 'string' },
      },
    })
  })

  it('several kinds of a value as what takes all of them: an ID or a path as text', () => {
    const [text, id] = [{ type: 'string' }, { type: 'integer' }]
    const kinds: Json = {
      a: { oneOf: [id, text] },
      b: { anyOf: [{ enum: ['x'] }, text, { type: 'null' }] },
      c: { anyOf: [{ enum: ['x', 'y'] }, { type: 'string', enum: ['z'] }] },
      d: { anyOf: [id, { enum: ['all'] }] },
      e: { anyOf: [id, { type: 'null' }] },
      f: {
        oneOf: [
          { type: 'string', format: 'date-time' },
          { type: 'string', format: 'date' },
        ],
      },
      g: { oneOf: [{ type: 'object', properties: {} }, text] },
    }
    expect(getParams(buildRequestBody({ properties: kinds }), 'post')).toMatchObject({
      a: { type: 'string' },
      b: { type: 'string' },
      c: { type: 'enum', values: ['x', 'y', 'z'] },
      d: { type: 'string' },
      e: { type: 'integer' },
      f: { type: 'string', format: 'datetime' },
      g: { type: 'json' },
    })
  })

  it('text of OpenAPI 2.0 as a file', () => {
    const get = { produces: ['text/plain'], responses: { 200: { schema: { type: 'string' } } } }
    expect(read({ '/log': { get } }).operations[0]?.returns).toBe('file')
  })

  it('all forms of a list as a list, if one is declared so', async () => {
    const many = buildAnswer({ type: 'array', items: {} })
    const { endpoints, reasons } = await compile({
      '/hooks': { get: many, post: ok },
      '/projects/{id}/hooks': { get: ok },
    })
    expect(reasons).toEqual({})
    expect(endpoints['GET /projects/:id/hooks']?.returns.kind).toBe('many')
  })

  it('a command that the document names, with a verb if it is also a group', async () => {
    const { endpoints, reasons } = await compile({
      '/builds/{id}/trace': {
        get: { ...ok, 'x-svcctl': { command: 'builds log' } },
        put: { ...ok, 'x-svcctl': { command: 'builds log' } },
      },
      '/builds/{id}/erase': { post: { ...ok, 'x-svcctl': { command: 'builds log erase' } } },
    })
    expect(reasons).toEqual({})
    expect(Object.values(endpoints).map(({ command }) => command)).toEqual([
      'builds log get',
      'builds log update',
      'builds log erase',
    ])
  })

  it('an object around a page as one object', () => {
    const page = { properties: { total: {}, runs: { type: 'array', items: { properties: {} } } } }
    const list = {
      ...buildAnswer(page),
      parameters: [buildQueryParam('per_page', { type: 'integer' })],
    }
    expect(read({ '/runs': { get: list } }).operations[0]?.returns).toBe('one')
  })

  it('patterns of paths', () => {
    const paths = Object.fromEntries(
      ['/users', '/users/{id}/keys', '/usersx', '/a/b/c'].map((path) => [path, { get: ok }]),
    )
    const choose = (...only: readonly string[]) =>
      read(paths, undefined, only).operations.map(({ path }) => path)
    expect(choose('users/**')).toEqual(['/users', '/users/:id/keys'])
    expect(choose('/users/*/keys, a/**/c')).toEqual(['/users/:id/keys', '/a/b/c'])
    expect(choose('users*')).toEqual(['/users', '/usersx'])
  })
})

describe('paths', () => {
  it('are sent with the end that they have', async () => {
    const { endpoints } = await compile({
      '/things/': { get: buildAnswer({ type: 'array', items: {} }), post: ok },
      '/things/{id}/': { get: ok, delete: ok },
      '/accounts.json': { get: buildAnswer({ type: 'array', items: {} }) },
      '/accounts/{sid}.json': { get: ok },
    })
    const rows = Object.values(endpoints).map(({ route, command }) => [route, command])
    expect(Object.fromEntries(rows)).toEqual({
      'GET /things/': 'things list',
      'POST /things/': 'things create',
      'GET /things/:id/': 'things get',
      'DELETE /things/:id/': 'things delete',
      'GET /accounts.json': 'accounts list',
      'GET /accounts/:sid.json': 'accounts get',
    })
    const one = endpoints['GET /accounts/:sid.json']
    if (one === undefined) throw new Error('no endpoint')
    const { path } = buildRequest({ endpoint: one, values: { sid: 'a/b' } })
    expect(path).toBe('/accounts/a%2Fb.json')
  })

  it('are named without their versions, unless there are several', async () => {
    const name = async (...paths: readonly string[]) => {
      const all = Object.fromEntries(paths.map((path) => [path, { get: ok }]))
      return Object.values((await compile(all)).endpoints).map(({ command }) => command)
    }
    expect(await name('/rest/api/3/issue/{id}', '/2010-04-01/calls/{id}')).toEqual([
      'issue get',
      'calls get',
    ])
    expect(await name('/{org}/_apis/git/repos/{id}')).toEqual(['git repos get'])
    expect(await name('/v1/calls/{id}', '/v2/calls/{id}')).toEqual(['v1 calls get', 'v2 calls get'])
    expect(await name('/packages/{id}/-/latest')).toEqual(['packages latest'])
  })

  it('have flags for placeholders that no word comes before', async () => {
    const { endpoints } = await compile({ '/{realm}/users/{id}': { get: ok } })
    const [one] = Object.values(endpoints)
    expect(one?.path.realm).toMatchObject({ name: 'realm', help: 'realm realm' })
  })

  it('and bodies have a value each for a name that both have', async () => {
    const body = { properties: { owner: { type: 'string' }, id: { type: 'integer' } } }
    const { endpoints } = await compile({ '/repos/{owner}/{id}': { put: buildRequestBody(body) } })
    const [one] = Object.values(endpoints)
    expect([one?.route, Object.keys(one?.params ?? {})]).toEqual([
      'PUT /repos/:owner_/:id_',
      ['owner', 'id'],
    ])
  })
})

describe('lists', () => {
  it('keep the [] of their names, and take the words beside their items', () => {
    const words = { type: 'array', enum: ['a', 'b'], items: { type: 'string' } }
    const operation = {
      ...ok,
      parameters: [
        buildQueryParam('ids[]', { type: 'string' }, { explode: true }),
        buildQueryParam('names', { type: 'array', items: {} }, { explode: true }),
        buildQueryParam('kinds', words),
        buildQueryParam('piped', words, { style: 'pipeDelimited', explode: false }),
        buildQueryParam('spaced', words, { collectionFormat: 'ssv' }),
      ],
    }
    expect(getParams(operation, 'get')).toMatchObject({
      piped: { type: 'string' },
      spaced: { type: 'string' },
      ids: { type: 'list', of: 'string' },
      names: { type: 'list', join: 'repeat' },
      kinds: { type: 'list', of: 'enum', values: ['a', 'b'] },
    })
    expect(getParams(operation, 'get')?.ids).not.toHaveProperty('join')
  })
})

describe('flags', () => {
  it('are never opposites of others, and share --sort only with directions', async () => {
    const shared: CompileContext = {
      ...context,
      isSharedFlag: (flag, { type }) => flag === 'sort' && type !== 'enum',
    }
    const get = (schema: Json) => ({
      get: {
        ...ok,
        parameters: [buildQueryParam('sort', schema), buildQueryParam('no_of_employees', {})],
      },
    })
    const { endpoints } = await compile(
      { '/a': get({ type: 'string' }), '/b': get({ enum: ['asc', 'desc'] }) },
      shared,
    )
    const names = Object.values(endpoints).map(({ params }) =>
      Object.entries(params).map(([name, param]) => param.name ?? name),
    )
    expect(names).toEqual([
      ['api-sort', 'api-no-of-employees'],
      ['sort', 'api-no-of-employees'],
    ])
  })

  it('have names that are free, and none of the path', async () => {
    const names = ['limit', 'a_b', 'a-b', 'a[b]', 'profile', 'id', 'имя', 'push', 'no_push']
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
    const { endpoints } = await compile({
      '/profiles/{profile_id}/things/{id}': { put: buildRequestBody({ properties }) },
    })
    const one = endpoints['PUT /profiles/:profile_id/things/:id_']
    const flags = Object.entries({ ...one?.path, ...one?.params })
    expect(Object.fromEntries(flags.map(([name, param]) => [name, param.name ?? name]))).toEqual({
      profile_id: 'api-profile',
      id_: 'id',
      id: 'id',
      limit: 'api-limit',
      a_b: 'a_b',
      'a-b': 'api-a-b',
      'a[b]': 'api-a-b-2',
      profile: 'api-profile-2',
      имя: 'parameter',
      push: 'push',
      no_push: 'api-no-push',
    })
  })

  it('are called as the document calls what stands side by side in a path', async () => {
    const { endpoints } = await compile({ '/repos/{owner}/{repo}/tags/{tag}': { get: ok } })
    const [one] = Object.values(endpoints)
    expect(Object.values(one?.path ?? {}).map(({ name }) => name)).toEqual(['owner', 'repo', 'tag'])
    expect(one?.args).toEqual(['tag'])
  })

  it('have no other name that another flag has, or that is no word', () => {
    const endpoint = (name: string, param: object) => ({
      [name]: { type: 'string', help: '', ...param },
    })
    const one = {
      route: 'POST /things',
      returns: { kind: 'empty', shape: null },
      summary: '',
      command: 'create',
      path: {},
      params: {
        ...endpoint('repo', { name: 'instance-repo' }),
        ...endpoint('owner', { name: 'repo' }),
        ...endpoint('Box__Key', { name: 'box-key' }),
        ...endpoint('other_name', { name: 'short' }),
      },
    } as unknown as Endpoint
    const { flags } = deriveCommand('things', 'create', { one })
    expect(flags.map(({ name, aliases }) => [name, aliases])).toEqual([
      ['instance-repo', undefined],
      ['repo', ['owner']],
      ['box-key', undefined],
      ['short', ['other-name']],
    ])
  })

  it('have types that the body keeps', () => {
    const properties = {
      weight: { type: 'number' },
      rules: { type: 'array', items: { $ref: '#/components/schemas/Rule' } },
      counts: { type: 'object', additionalProperties: { type: 'integer' } },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      level: { enum: ['low', null] },
      escape: { enum: ['\u001b[2J', 'low'] },
      id: { type: 'integer', readOnly: true },
    }
    const components = { schemas: { Rule: { properties: { name: {} } } } }
    const params = getParams(buildRequestBody({ properties }), 'post', { components }) ?? {}
    const types = Object.entries(params).map(([name, { type }]) => [name, type])
    expect(Object.fromEntries(types)).toEqual({
      weight: 'json',
      rules: 'json',
      counts: 'json',
      labels: 'hash',
      level: 'enum',
      escape: 'string',
    })
  })
})

describe('what loses something', () => {
  const list = buildAnswer({ type: 'array', items: { type: 'object' } })
  it.each([
    ['/things', 'delete', 'delete-all', 'Delete all things', 'All things are deleted.'],
    ['/things/{id}/revoke', 'post', 'revoke', 'Revoke a thing', 'The thing is revoked.'],
    ['/things/revoke_all', 'post', 'revoke-all', undefined, 'All things are revoked.'],
    [
      '/things/{id}/reset_access_token',
      'post',
      'reset-access-token',
      undefined,
      'The access token of the thing is reset.',
    ],
    ['/things/{id}/bulk_remove', 'post', 'bulk-remove', undefined, 'The thing is removed.'],
    ['/things/{id}/start', 'post', 'start', 'Start a thing', undefined],
    ['/things/{id}/reset_times', 'get', 'reset-times', undefined, undefined],
  ])('asks before %s with %s: %s', async (path, method, verb, summary, loss) => {
    const { endpoints } = await compile({
      '/things': { get: list },
      '/things/{id}': { get: ok, delete: ok },
      ...(path === '/things'
        ? { [path]: { get: list, [method]: ok } }
        : { [path]: { [method]: ok } }),
    })
    const found = Object.values(endpoints).find(({ command }) => command === `things ${verb}`)
    expect(found).toMatchObject(summary === undefined ? {} : { summary })
    expect(found?.destructive).toBe(loss)
  })
})
