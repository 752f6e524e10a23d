/** Creates the OpenAPI 3.1 document of the catalogue for `explain --openapi`. */
import {
  type CredentialNeed,
  type Endpoint,
  getMethod,
  getPath,
  getPlace,
  getStatus,
} from './endpoint.js'
import { listAreas } from './index.js'
import { getParamFormat, isListParam, type Param, takesPairs } from './params.js'
import { createAnyOf, createValueSchema, type JsonSchema, omitUndefined } from './schema.js'

// JSON Schemas of parameters.

type Json = Record<string, unknown>

/** Describes a parameter by its help, and its replacement if it is deprecated. */
const describeParameter = (param: Param): string =>
  param.deprecated === undefined ? param.help : `${param.help} (deprecated: ${param.deprecated})`

/** Returns the JSON Schema of a parameter's value. */
const toParameterSchema = (param: Param): JsonSchema => {
  const words = param.words && { enum: param.words }
  const known = createAnyOf(createValueSchema(param, toParameterSchema), words)
  return {
    ...createAnyOf(known, param.nullable === true && { type: 'null' }),
    ...omitUndefined({
      description: describeParameter(param),
      default: param.default,
      deprecated: param.deprecated === undefined ? undefined : true,
      'x-deprecated-values': 'deprecatedValues' in param ? param.deprecatedValues : undefined,
      'x-edition': param.edition,
    }),
  }
}

// The parts that operations share: credentials, pagination and errors (`http/README.md`).

/** The ways to send a credential. */
const securitySchemes = {
  token: { type: 'apiKey', in: 'header', name: 'PRIVATE-TOKEN' },
  bearer: { type: 'http', scheme: 'bearer' },
  session: { type: 'apiKey', in: 'cookie', name: '_svc_session' },
  job: { type: 'apiKey', in: 'header', name: 'JOB-TOKEN' },
  key: {
    type: 'http',
    scheme: 'basic',
    description: 'the authorization key as the password, with an empty username',
  },
} as const

type Alternative = Partial<Record<keyof typeof securitySchemes, readonly string[]>>

const userCredentials: readonly Alternative[] = [{ token: [] }, { bearer: [] }, { session: [] }]
const jobCredential: Alternative = { job: [] }
const alternatives: Readonly<Record<CredentialNeed, readonly Alternative[]>> = {
  user: userCredentials,
  optional: [{}, ...userCredentials],
  job: [jobCredential],
  'user-or-job': [...userCredentials, jobCredential],
  parameter: [],
}

/**
 * Returns the credentials that an endpoint accepts, each sufficient alone. An endpoint whose parameter is the credential requires no other.
 */
const getSecurity = (e: Endpoint): readonly Alternative[] =>
  getPath(e).startsWith('/') ? alternatives[e.credential ?? 'user'] : [{ bearer: [] }, { key: [] }]

const createCountHeader = (description: string): Json => ({
  description,
  schema: { type: 'integer' },
})

/** The headers of pagination. */
const pageHeaders = {
  Link: {
    description: 'links to other pages, by rel: prev, next, first, last',
    schema: { type: 'string' },
  },
  'X-Next-Page': {
    description: 'index of the next page; empty on the last',
    schema: { type: 'string' },
  },
  'X-Page': createCountHeader('index of this page, from 1'),
  'X-Per-Page': createCountHeader('records per page'),
  'X-Prev-Page': {
    description: 'index of the previous page; empty on the first',
    schema: { type: 'string' },
  },
  'X-Total': createCountHeader('total number of records; may be absent'),
  'X-Total-Pages': createCountHeader('total number of pages; may be absent'),
} as const

const headerRefs: Json = Object.fromEntries(
  Object.keys(pageHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
)

const sharedParameters = {
  page: {
    name: 'page',
    in: 'query',
    description: 'index of the page',
    schema: { type: 'integer', minimum: 1, default: 1 },
  },
  per_page: {
    name: 'per_page',
    in: 'query',
    description: 'records per page',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  },
  unmodified: {
    name: 'If-Unmodified-Since',
    in: 'header',
    description: 'delete only if unchanged since this HTTP date; otherwise 412',
    schema: { type: 'string' },
  },
} as const

const createParameterRef = (name: keyof typeof sharedParameters): Json => ({
  $ref: `#/components/parameters/${name}`,
})

/** Creates the parameters that an endpoint has because of its kind, such as pagination. */
const createImpliedParameters = (e: Endpoint): readonly Json[] => [
  ...(e.returns.kind === 'many'
    ? (['page', 'per_page'] as const)
        .filter((name) => !Object.hasOwn(e.params, name))
        .map(createParameterRef)
    : []),
  ...(getMethod(e) === 'DELETE' ? [createParameterRef('unmodified')] : []),
]

/** The schemas of error bodies. */
const errorSchemas = {
  MessageError: {
    type: 'object',
    required: ['message'],
    properties: {
      message: {
        description: 'a message, or messages by attribute',
        anyOf: [{ type: 'string' }, { type: 'array' }, { type: 'object' }],
      },
      error_code: {
        type: 'string',
        description: 'why a cherry-pick or revert failed',
        examples: ['conflict', 'empty'],
      },
    },
  },
  PlainError: {
    type: 'object',
    required: ['error'],
    properties: {
      error: { type: 'string', examples: ['content is missing', 'insufficient_scope'] },
      error_description: { type: 'string' },
      scope: { type: 'string', description: 'scope that the token lacks' },
    },
  },
  Error: {
    anyOf: [
      { $ref: '#/components/schemas/MessageError' },
      { $ref: '#/components/schemas/PlainError' },
    ],
  },
} as const

const meanings = {
  400: 'a required attribute is missing or the request is invalid',
  401: 'not authenticated',
  403: 'not allowed',
  404: 'not found, or a private project that the caller cannot see',
  409: 'a conflicting resource already exists',
  412: 'the resource changed in between (If-Unmodified-Since)',
  422: 'the entity could not be processed',
  429: 'the application rate limit is exceeded',
  default: 'any other error',
} as const
type Status = keyof typeof meanings

const getResponseName = (status: string): string =>
  status === 'default' ? 'Error' : `Error${status}`

const errorResponses: Json = Object.fromEntries(
  Object.entries(meanings).map(([status, description]) => [
    getResponseName(status),
    {
      description,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  ]),
)

/** Returns the errors that an endpoint may return. */
const getErrorResponses = (e: Endpoint): Json => {
  const method = getMethod(e)
  const takes = Object.keys(e.params).length > 0 || e.returns.kind === 'many'
  const statuses: readonly (Status | false)[] = [
    takes && 400,
    e.credential !== 'parameter' && 401,
    403,
    Object.keys(e.path).length > 0 && 404,
    (method === 'POST' || method === 'PUT') && 409,
    method === 'DELETE' && 412,
    method !== 'GET' && 422,
    429,
    'default',
  ]
  return Object.fromEntries(
    statuses.flatMap((status) =>
      status === false
        ? []
        : [[status, { $ref: `#/components/responses/${getResponseName(String(status))}` }]],
    ),
  )
}

const createParameters = (e: Endpoint): Json[] => [
  ...Object.entries(e.path).map(([name, param]) => ({
    name,
    in: 'path',
    required: true,
    description: param.help,
    schema: toParameterSchema(param),
  })),
  ...Object.entries(e.params)
    .filter(([, param]) => getPlace(e, param) === 'query')
    .map(([name, param]) => ({
      name: isListParam(param) && param.join === undefined ? `${name}[]` : name,
      in: 'query',
      description: describeParameter(param),
      ...(param.required === true ? { required: true } : {}),
      ...(param.deprecated === undefined ? {} : { deprecated: true }),
      ...(takesPairs(param) ? { style: 'deepObject', explode: true } : {}),
      ...(isListParam(param) && param.join === 'comma' ? { style: 'form', explode: false } : {}),
      schema: toParameterSchema(param),
    })),
  ...createImpliedParameters(e),
]

const createRequestBody = (e: Endpoint): Json => {
  const body = Object.entries(e.params).filter(([, param]) => getPlace(e, param) === 'body')
  if (body.length === 0) return {}
  const schema = createValueSchema(
    { type: 'hash', help: '', keys: Object.fromEntries(body) },
    toParameterSchema,
  )
  const files = body.some(([, p]) => getParamFormat(p) === 'pem')
  return {
    requestBody: {
      required: body.some(([, p]) => p.required === true),
      content: {
        'application/json': { schema },
        ...(files ? { 'multipart/form-data': { schema } } : {}),
      },
    },
  }
}

const createResponses = (e: Endpoint, components: Map<string, unknown>): Json => {
  const { kind, shape, media } = e.returns
  const content =
    kind === 'file'
      ? { [media ?? 'application/octet-stream']: { schema: { type: 'string', format: 'binary' } } }
      : shape === null
        ? undefined
        : { 'application/json': { schema: createAnswerSchema(kind, shape, components) } }
  return {
    [getStatus(e)]: {
      description: e.summary,
      ...(kind === 'many' ? { headers: headerRefs } : {}),
      ...(content === undefined ? {} : { content }),
    },
    ...(e.unchanged === undefined ? {} : { 304: { description: e.unchanged } }),
    ...getErrorResponses(e),
  }
}

/** Returns the schema of an answer. Titled shapes become components, so that the document contains each only once. */
const createAnswerSchema = (
  kind: string,
  shape: unknown,
  components: Map<string, unknown>,
): Json => {
  const item = extractSchema(shape, components)
  return kind === 'many' ? { type: 'array', items: item } : item
}

const extractSchema = (schema: unknown, components: Map<string, unknown>): Json => {
  if (schema === null || typeof schema !== 'object') return {}
  const plain = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, extractFromValue(value, components)]),
  )
  const title = plain.title
  if (typeof title !== 'string') return plain
  const name = title.replace(/[^A-Za-z0-9]+(.)?/g, (_, c?: string) => (c ?? '').toUpperCase())
  components.set(name, plain)
  return { $ref: `#/components/schemas/${name}` }
}

const extractFromValue = (value: unknown, components: Map<string, unknown>): unknown => {
  if (Array.isArray(value)) return value.map((v) => extractFromValue(v, components))
  if (value === null || typeof value !== 'object') return value
  return extractSchema(value, components)
}

/** Converts a path: `/projects/:id/x/*path` → `/projects/{id}/x/{path}`. */
const toTemplate = (path: string): string =>
  path.replace(/[:*](\w+)/g, (_, name: string) => `{${name}}`)

const createOperation = (
  area: string,
  key: string,
  e: Endpoint,
  components: Map<string, unknown>,
) => ({
  operationId: `${area}.${key}`.replace(/-/g, '_'),
  tags: [area],
  summary: e.summary,
  description: e.notes?.join(' '),
  parameters: createParameters(e),
  ...createRequestBody(e),
  responses: createResponses(e, components),
  security: getSecurity(e),
  ...(e.access === undefined ? {} : { 'x-access': e.access }),
  ...(e.edition === undefined ? {} : { 'x-edition': e.edition }),
  ...(e.implied === true ? { 'x-implied': true } : {}),
  ...(e.from === undefined ? {} : { 'x-from': e.from }),
})

/**
 * Creates the OpenAPI 3.1 document. The alert endpoint is listed under `webhooks`, because the instance provides its URL, which is not
 * below the API root.
 */
export const createOpenApi = async (version: string): Promise<Json> => {
  const components = new Map<string, unknown>()
  const paths: Record<string, Record<string, unknown>> = {}
  const webhooks: Record<string, unknown> = {}
  for (const row of listAreas()) {
    for (const [key, e] of Object.entries(await row.load())) {
      const path = getPath(e)
      const item = { [getMethod(e).toLowerCase()]: createOperation(row.name, key, e, components) }
      if (path.startsWith('/')) paths[toTemplate(path)] = { ...paths[toTemplate(path)], ...item }
      else webhooks[path.replace(/[<>]/g, '')] = item
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Collaboration and CI service REST API', version: '4', 'x-svcctl': version },
    servers: [
      { url: '{base_url}/api/v4', variables: { base_url: { default: 'https://svc.example' } } },
    ],
    tags: listAreas().map((row) => ({ name: row.name, description: row.summary })),
    paths,
    ...(Object.keys(webhooks).length === 0 ? {} : { webhooks }),
    components: {
      schemas: { ...Object.fromEntries(components), ...errorSchemas },
      parameters: sharedParameters,
      headers: pageHeaders,
      responses: errorResponses,
      securitySchemes,
    },
  }
}
