/** What operations share: credentials, pages, errors (`http/README.md`). */
import {
  type CredentialNeed,
  type Endpoint,
  methodOf,
  pathOf,
} from '../../../catalogue/endpoint.js'
import type { Json } from './schema.js'

/** How a credential travels. */
export const securitySchemes = {
  token: { type: 'apiKey', in: 'header', name: 'PRIVATE-TOKEN' },
  bearer: { type: 'http', scheme: 'bearer' },
  session: { type: 'apiKey', in: 'cookie', name: '_svc_session' },
  job: { type: 'apiKey', in: 'header', name: 'JOB-TOKEN' },
  key: {
    type: 'http',
    scheme: 'basic',
    description: 'an authorization key as password, with an empty user name',
  },
} as const

type Alternative = Partial<Record<keyof typeof securitySchemes, readonly string[]>>

const user: readonly Alternative[] = [{ token: [] }, { bearer: [] }, { session: [] }]
const job: Alternative = { job: [] }
const alternatives: Readonly<Record<CredentialNeed, readonly Alternative[]>> = {
  user,
  optional: [{}, ...user],
  job: [job],
  'user-or-job': [...user, job],
  parameter: [],
}

/** Each alternative is enough. A parameter that is the credential needs no other. */
export const securityOf = (e: Endpoint): readonly Alternative[] =>
  pathOf(e).startsWith('/') ? alternatives[e.credential ?? 'user'] : [{ bearer: [] }, { key: [] }]

const counted = (description: string): Json => ({ description, schema: { type: 'integer' } })

/** What says which pages there are. */
export const pageHeaders = {
  Link: {
    description: 'addresses of other pages, by rel: prev, next, first, last',
    schema: { type: 'string' },
  },
  'X-Next-Page': {
    description: 'index of the next page; empty on the last',
    schema: { type: 'string' },
  },
  'X-Page': counted('index of this page, from 1'),
  'X-Per-Page': counted('records a page'),
  'X-Prev-Page': {
    description: 'index of the page before; empty on the first',
    schema: { type: 'string' },
  },
  'X-Total': counted('how many records there are; may be absent'),
  'X-Total-Pages': counted('how many pages there are; may be absent'),
} as const

export const headerRefs: Json = Object.fromEntries(
  Object.keys(pageHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
)

export const sharedParameters = {
  page: {
    name: 'page',
    in: 'query',
    description: 'index of the page',
    schema: { type: 'integer', minimum: 1, default: 1 },
  },
  per_page: {
    name: 'per_page',
    in: 'query',
    description: 'records a page',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  },
  unmodified: {
    name: 'If-Unmodified-Since',
    in: 'header',
    description: 'delete only what has not changed since (HTTP date); else 412',
    schema: { type: 'string' },
  },
} as const

const parameterRef = (name: keyof typeof sharedParameters): Json => ({
  $ref: `#/components/parameters/${name}`,
})

/** Parameters that an endpoint takes for what it is, not by a table of its own. */
export const impliedParameters = (e: Endpoint): readonly Json[] => [
  ...(e.returns.kind === 'many'
    ? (['page', 'per_page'] as const)
        .filter((name) => !Object.hasOwn(e.params, name))
        .map(parameterRef)
    : []),
  ...(methodOf(e) === 'DELETE' ? [parameterRef('unmodified')] : []),
]

/** Bodies of errors. */
export const errorSchemas = {
  MessageError: {
    type: 'object',
    required: ['message'],
    properties: {
      message: {
        description: 'a text, or texts by attribute',
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
      scope: { type: 'string', description: 'the scope that the token lacks' },
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

const nameOf = (status: string): string => (status === 'default' ? 'Error' : `Error${status}`)

export const errorResponses: Json = Object.fromEntries(
  Object.entries(meanings).map(([status, description]) => [
    nameOf(status),
    {
      description,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  ]),
)

/** The errors that an endpoint may answer with. */
export const errorsOf = (e: Endpoint): Json => {
  const method = methodOf(e)
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
        : [[status, { $ref: `#/components/responses/${nameOf(String(status))}` }]],
    ),
  )
}
