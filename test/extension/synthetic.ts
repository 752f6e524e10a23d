/** Creates a synthetic OpenAPI document of any size, with the oddities of real documents and with nothing of a vendor. */

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

const createRecord = (more: Json = {}): Json => ({
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

const createAnswer = (schema: Json, status = '200'): Json => ({
  [status]: { description: 'ok', content: { 'application/json': { schema } } },
})

const createParameter = (name: string, schema: Json, place = 'query', more: Json = {}): Json => ({
  name,
  in: place,
  schema,
  ...more,
})

const createPathParameters = (path: string): readonly Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    createParameter(name, { type: name === 'id' ? 'string' : 'integer' }, 'path', {
      required: true,
    }),
  )

const createBody = (): Json => ({
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

/** Adds a list and its single records below a path. */
const addResource = (base: string, name: string, paths: Json): void => {
  const list = `${base}/${name}s`
  const item = `${list}/{${name}_id}`
  const ofList = createPathParameters(list)
  const ofItem = createPathParameters(item)
  paths[list] = {
    get: {
      operationId: `get${list}`,
      summary: `List all ${name}s. Paged.`,
      parameters: [
        ...ofList,
        createParameter('search', { type: 'string' }),
        createParameter('page', { type: 'integer' }),
        createParameter('per_page', { type: 'integer' }),
      ],
      responses: createAnswer({ type: 'array', items: createRecord() }),
    },
    post: {
      parameters: ofList,
      requestBody: createBody(),
      responses: createAnswer(createRecord(), '201'),
    },
  }
  paths[item] = {
    get: { parameters: ofItem, responses: createAnswer(createRecord()) },
    put: { parameters: ofItem, requestBody: createBody(), responses: createAnswer(createRecord()) },
    patch: {
      parameters: ofItem,
      requestBody: createBody(),
      responses: createAnswer(createRecord()),
    },
    delete: { parameters: ofItem, responses: { 204: { description: 'gone' } } },
    head: { responses: {} },
  }
}

const oddities: Json = {
  '/auth/steal': { get: { responses: createAnswer(createRecord()) } },
  '/extend/all': { get: { responses: createAnswer(createRecord()) } },
  '/help/me': { post: { responses: {} } },
  '/a/../b': { get: { responses: createAnswer(createRecord()) } },
  'https://evil.test/users': { get: { responses: createAnswer(createRecord()) } },
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
      parameters: [createParameter('X-Key', { type: 'string' }, 'header', { required: true })],
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
        content: { 'application/json': { schema: { type: 'array', items: createRecord() } } },
      },
      responses: {},
    },
  },
  '/statistics': {
    get: { summary: '\u001b[31mred\u202e', responses: { 200: { description: 'no schema' } } },
  },
  '/wrapped_things': {
    get: {
      parameters: [createParameter('per_page', { type: 'integer' })],
      responses: createAnswer(createRecord()),
    },
  },
  '/exports/raw': {
    get: {
      responses: {
        200: { description: 'text', content: { 'text/plain': { schema: { type: 'string' } } } },
      },
    },
  },
  '/old_things': {
    get: { deprecated: true, responses: createAnswer({ type: 'array', items: createRecord() }) },
  },
  '/__proto__': { get: { responses: createAnswer(createRecord()) } },
  '/users/{id}/block': { post: { responses: { 201: { description: 'done' } } } },
  '/users': {
    get: {
      responses: createAnswer({
        type: 'array',
        items: createRecord({ username: { type: 'string' } }),
      }),
    },
  },
  '/projects/{id}/jobs/{job_id}/retry': {
    post: {
      parameters: createPathParameters('/{id}/{job_id}'),
      responses: createAnswer(createRecord(), '201'),
    },
  },
  '/projects/{id}/jobs/{job_id}': { get: { responses: createAnswer(createRecord()) } },
  '/groups/{id}/vulnerabilities': {
    get: { responses: createAnswer({ type: 'array', items: createRecord() }) },
  },
}

/** Creates a document with at least `wanted` operations. */
export const createDocument = (wanted: number): Json => {
  const paths: Json = { ...oddities }
  const count = () =>
    Object.values(paths).reduce<number>((sum, one) => sum + Object.keys(one as Json).length, 0)
  for (let i = 0; count() < wanted; i++) {
    const name = `${nouns[i % nouns.length]}${i < nouns.length ? '' : `_${'abcdefghijklmnopqrstuvwxyz'[Math.floor(i / nouns.length)] ?? i}`}`
    const bases = ['/projects/{id}', '/groups/{id}', '']
    addResource(bases[i % 3] ?? '', name, paths)
    if (i % 4 === 0) addResource('/groups/{id}', name, paths)
    const item = `${bases[i % 3]}/${name}s/{${name}_id}`
    addResource(item, nouns2[i % nouns2.length] ?? 'note', paths)
    for (const verb of verbs.slice(i % 5, (i % 5) + 3))
      paths[`${item}/${verb}`] = {
        post: {
          parameters: createPathParameters(item),
          responses: createAnswer(createRecord(), '201'),
        },
      }
    paths[`${bases[i % 3]}/${name}_settings`] = {
      get: {
        parameters: createPathParameters(bases[i % 3] ?? ''),
        responses: createAnswer(createRecord()),
      },
      put: {
        parameters: createPathParameters(bases[i % 3] ?? ''),
        requestBody: createBody(),
        responses: createAnswer(createRecord()),
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
