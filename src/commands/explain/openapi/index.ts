/** The catalogue as an OpenAPI 3.1 document (`svcctl explain --openapi`). */
import { type Endpoint, methodOf, pathOf, placeOf, statusOf } from '../../../catalogue/endpoint.js'
import { areas } from '../../../catalogue/index.js'
import {
  errorResponses,
  errorSchemas,
  errorsOf,
  headerRefs,
  impliedParameters,
  pageHeaders,
  securityOf,
  securitySchemes,
  sharedParameters,
} from './common.js'
import { descriptionOf, type Json, objectOf, schemaOf } from './schema.js'

const parameters = (e: Endpoint): Json[] => [
  ...Object.entries(e.path).map(([name, param]) => ({
    name,
    in: 'path',
    required: true,
    description: param.help,
    schema: schemaOf(param),
  })),
  ...Object.entries(e.params)
    .filter(([, param]) => placeOf(e, param) === 'query')
    .map(([name, param]) => ({
      name: param.type === 'list' && param.join === undefined ? `${name}[]` : name,
      in: 'query',
      description: descriptionOf(param),
      ...(param.required === true ? { required: true } : {}),
      ...(param.deprecated === undefined ? {} : { deprecated: true }),
      ...(param.type === 'hash' ? { style: 'deepObject', explode: true } : {}),
      ...(param.type === 'list' && param.join === 'comma' ? { style: 'form', explode: false } : {}),
      schema: schemaOf(param),
    })),
  ...impliedParameters(e),
]

const requestBody = (e: Endpoint): Json => {
  const body = Object.entries(e.params).filter(([, param]) => placeOf(e, param) === 'body')
  if (body.length === 0) return {}
  const schema = objectOf(Object.fromEntries(body))
  const files = body.some(([, p]) => p.type === 'string' && p.format === 'pem')
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

const responses = (e: Endpoint, components: Map<string, unknown>): Json => {
  const { kind, shape, media } = e.returns
  const content =
    kind === 'file'
      ? { [media ?? 'application/octet-stream']: { schema: { type: 'string', format: 'binary' } } }
      : shape === null
        ? undefined
        : { 'application/json': { schema: answerSchema(kind, shape, components) } }
  return {
    [statusOf(e)]: {
      description: e.summary,
      ...(kind === 'many' ? { headers: headerRefs } : {}),
      ...(content === undefined ? {} : { content }),
    },
    ...(e.unchanged === undefined ? {} : { 304: { description: e.unchanged } }),
    ...errorsOf(e),
  }
}

/** Titled shapes become components, so that each stands once. */
const answerSchema = (kind: string, shape: unknown, components: Map<string, unknown>): Json => {
  const item = hoist(shape, components)
  return kind === 'many' ? { type: 'array', items: item } : item
}

const hoist = (schema: unknown, components: Map<string, unknown>): Json => {
  if (schema === null || typeof schema !== 'object') return {}
  const plain = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, hoistValue(value, components)]),
  )
  const title = plain.title
  if (typeof title !== 'string') return plain
  const name = title.replace(/[^A-Za-z0-9]+(.)?/g, (_, c?: string) => (c ?? '').toUpperCase())
  components.set(name, plain)
  return { $ref: `#/components/schemas/${name}` }
}

const hoistValue = (value: unknown, components: Map<string, unknown>): unknown => {
  if (Array.isArray(value)) return value.map((v) => hoistValue(v, components))
  if (value === null || typeof value !== 'object') return value
  return hoist(value, components)
}

/** `/projects/:id/x/*path` → `/projects/{id}/x/{path}`. */
const templated = (path: string): string =>
  path.replace(/[:*]([a-z_]+)/g, (_, name: string) => `{${name}}`)

const operation = (area: string, key: string, e: Endpoint, components: Map<string, unknown>) => ({
  operationId: `${area}.${key}`.replace(/-/g, '_'),
  tags: [area],
  summary: e.summary,
  description: e.notes?.join(' '),
  parameters: parameters(e),
  ...requestBody(e),
  responses: responses(e, components),
  security: securityOf(e),
  ...(e.access === undefined ? {} : { 'x-access': e.access }),
  ...(e.edition === undefined ? {} : { 'x-edition': e.edition }),
  ...(e.implied === true ? { 'x-implied': true } : {}),
})

/**
 * The whole catalogue as an OpenAPI 3.1 document. The alert endpoint has no path below the API
 * root (its address is given by the instance), so it stands under `webhooks`.
 */
export const openapi = async (version: string): Promise<Json> => {
  const components = new Map<string, unknown>()
  const paths: Record<string, Record<string, unknown>> = {}
  const webhooks: Record<string, unknown> = {}
  for (const row of areas) {
    for (const [key, e] of Object.entries(await row.load())) {
      const path = pathOf(e)
      const item = { [methodOf(e).toLowerCase()]: operation(row.name, key, e, components) }
      if (path.startsWith('/')) paths[templated(path)] = { ...paths[templated(path)], ...item }
      else webhooks[path.replace(/[<>]/g, '')] = item
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Collaboration and CI service REST API', version: '4', 'x-svcctl': version },
    servers: [
      { url: '{base_url}/api/v4', variables: { base_url: { default: 'https://svc.example' } } },
    ],
    tags: areas.map((row) => ({ name: row.name, description: row.summary })),
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
