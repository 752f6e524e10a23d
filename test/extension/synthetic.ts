/** A synthetic OpenAPI document of any size, with every oddity that documents of services have; none of a vendor's. */

type Json = Record<string, unknown>

const nouns = [
  'hook',
  'badge',
  'topic',
  'release',
  'wiki',
  'milestone',
  'deployment',
  'environment',
]
const nouns2 = ['note', 'link', 'award', 'asset', 'check', 'review']
const verbs = ['retry', 'cancel', 'archive', 'lock', 'unlock', 'erase', 'play', 'rotate']

const record = (more: Json = {}): Json => ({
  type: 'object',
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    state: { type: 'string' },
    created_at: { type: 'string', format: 'date-time' },
    owner: { type: 'object', properties: { id: { type: 'integer' } } },
    ...more,
  },
})

const answer = (schema: Json, status = '200'): Json => ({
  [status]: { description: 'ok', content: { 'application/json': { schema } } },
})

const parameter = (name: string, schema: Json, place = 'query', more: Json = {}): Json => ({
  name,
  in: place,
  schema,
  ...more,
})

const placeholders = (path: string): readonly Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    parameter(name, { type: name === 'id' ? 'string' : 'integer' }, 'path', { required: true }),
  )

const body = (): Json => ({
  content: {
    'application/json': {
      schema: {
        allOf: [
          { $ref: '#/components/schemas/Base' },
          {
            type: 'object',
            required: ['name'],
            properties: {
              name: { type: 'string', description: 'The name. It is shown.' },
              color: { type: 'string' },
              token: { type: 'string' },
              weight: { type: 'number' },
              tags: { type: 'array', items: { type: 'string' } },
              level: { type: 'string', enum: ['low', 'high'] },
              until: { type: 'string', format: 'date-time' },
              active: { type: 'boolean' },
              options: { type: 'object', additionalProperties: { type: 'string' } },
              rules: { type: 'array', items: { type: 'object' } },
              'links[self]': { type: 'string' },
            },
          },
        ],
      },
    },
  },
})

/** A list with its single records, below some path. */
const resource = (base: string, name: string, paths: Json): void => {
  const list = `${base}/${name}s`
  const item = `${list}/{${name}_id}`
  const ofList = placeholders(list)
  const ofItem = placeholders(item)
  paths[list] = {
    get: {
      operationId: `get${list}`,
      summary: `List all ${name}s. Paged.`,
      parameters: [
        ...ofList,
        parameter('search', { type: 'string' }),
        parameter('page', { type: 'integer' }),
        parameter('per_page', { type: 'integer' }),
      ],
      responses: answer({ type: 'array', items: record() }),
    },
    post: { parameters: ofList, requestBody: body(), responses: answer(record(), '201') },
  }
  paths[item] = {
    get: { parameters: ofItem, responses: answer(record()) },
    put: { parameters: ofItem, requestBody: body(), responses: answer(record()) },
    patch: { parameters: ofItem, requestBody: body(), responses: answer(record()) },
    delete: { parameters: ofItem, responses: { 204: { description: 'gone' } } },
    head: { responses: {} },
  }
}

const oddities: Json = {
  '/auth/steal': { get: { responses: answer(record()) } },
  '/extend/all': { get: { responses: answer(record()) } },
  '/help/me': { post: { responses: {} } },
  '/a/../b': { get: { responses: answer(record()) } },
  'https://evil.test/users': { get: { responses: answer(record()) } },
  '/archive/{id}.zip': { get: { responses: {} } },
  '/imports': {
    post: {
      requestBody: {
        content: {
          'multipart/form-data': {
            schema: { type: 'object', properties: { file: { type: 'string', format: 'binary' } } },
          },
        },
      },
      responses: {},
    },
  },
  '/needs_header': {
    get: {
      parameters: [parameter('X-Key', { type: 'string' }, 'header', { required: true })],
      responses: {},
    },
  },
  '/foreign': { get: { parameters: [{ $ref: 'other.json#/p' }], responses: {} } },
  '/lost': { get: { responses: { 200: { $ref: '#/components/responses/None' } } } },
  '/cyclic': {
    post: {
      requestBody: {
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Cycle' } } },
      },
      responses: {},
    },
  },
  '/bulk_edit': {
    post: {
      requestBody: {
        content: { 'application/json': { schema: { type: 'array', items: record() } } },
      },
      responses: {},
    },
  },
  '/statistics': {
    get: { summary: '\u001b[31mred\u202e', responses: { 200: { description: 'no schema' } } },
  },
  '/wrapped_things': {
    get: { parameters: [parameter('per_page', { type: 'integer' })], responses: answer(record()) },
  },
  '/exports/raw': {
    get: {
      responses: {
        200: { description: 'text', content: { 'text/plain': { schema: { type: 'string' } } } },
      },
    },
  },
  '/old_things': {
    get: { deprecated: true, responses: answer({ type: 'array', items: record() }) },
  },
  '/__proto__': { get: { responses: answer(record()) } },
  '/users/{id}/block': { post: { responses: { 201: { description: 'done' } } } },
  '/users': {
    get: { responses: answer({ type: 'array', items: record({ username: { type: 'string' } }) }) },
  },
  '/projects/{id}/jobs/{job_id}/retry': {
    post: { parameters: placeholders('/{id}/{job_id}'), responses: answer(record(), '201') },
  },
  '/projects/{id}/jobs/{job_id}': { get: { responses: answer(record()) } },
  '/groups/{id}/vulnerabilities': {
    get: { responses: answer({ type: 'array', items: record() }) },
  },
}

/** Creates a document with at least so many operations. */
export const createDocument = (wanted: number): Json => {
  const paths: Json = { ...oddities }
  const count = () =>
    Object.values(paths).reduce<number>((sum, one) => sum + Object.keys(one as Json).length, 0)
  for (let i = 0; count() < wanted; i++) {
    const name = `${nouns[i % nouns.length]}${i < nouns.length ? '' : `_${'abcdefghijklmnopqrstuvwxyz'[Math.floor(i / nouns.length)] ?? i}`}`
    const bases = ['/projects/{id}', '/groups/{id}', '']
    resource(bases[i % 3] ?? '', name, paths)
    if (i % 4 === 0) resource('/groups/{id}', name, paths)
    const item = `${bases[i % 3]}/${name}s/{${name}_id}`
    resource(item, nouns2[i % nouns2.length] ?? 'note', paths)
    for (const verb of verbs.slice(i % 5, (i % 5) + 3))
      paths[`${item}/${verb}`] = {
        post: { parameters: placeholders(item), responses: answer(record(), '201') },
      }
    paths[`${bases[i % 3]}/${name}_settings`] = {
      get: { parameters: placeholders(bases[i % 3] ?? ''), responses: answer(record()) },
      put: {
        parameters: placeholders(bases[i % 3] ?? ''),
        requestBody: body(),
        responses: answer(record()),
      },
    }
  }
  return {
    openapi: '3.0.3',
    info: { title: 'Synthetic', version: '1' },
    servers: [{ url: 'https://elsewhere.test/api/v4' }],
    paths,
    components: {
      schemas: {
        Base: { type: 'object', properties: { note: { type: 'string' } } },
        Cycle: {
          allOf: [
            { $ref: '#/components/schemas/Cycle' },
            { properties: { name: { type: 'string' } } },
          ],
        },
      },
    },
  }
}
