/** The catalogue as an OpenAPI 3.1 document (`svcctl explain --openapi`). */
import { type Endpoint, methodOf, type Param, pathOf, placeOf } from '../catalogue/endpoint.js'
import { areas } from '../catalogue/index.js'

type Json = Record<string, unknown>

/** JSON Schema of a parameter's value. */
export const schemaOf = (param: Param): Json => {
  const base = baseSchema(param)
  const words = param.words === undefined ? base : { anyOf: [base, { enum: [...param.words] }] }
  const open = param.nullable === true ? { anyOf: [words, { type: 'null' }] } : words
  return {
    ...open,
    description: param.help,
    ...(param.default === undefined ? {} : { default: param.default }),
    ...(param.deprecated === undefined ? {} : { deprecated: true }),
    ...(param.edition === undefined ? {} : { 'x-edition': param.edition }),
  }
}

const baseSchema = (param: Param): Json => {
  switch (param.type) {
    case 'integer':
      return {
        type: 'integer',
        ...(param.min === undefined ? {} : { minimum: param.min }),
        ...(param.max === undefined ? {} : { maximum: param.max }),
      }
    case 'boolean':
      return { type: 'boolean' }
    case 'enum':
      return {
        type: 'string',
        enum: [...param.values, ...Object.keys(param.deprecatedValues ?? {})],
      }
    case 'list':
      return listSchema(param)
    case 'hash':
      return param.keys === undefined
        ? { type: 'object', additionalProperties: true }
        : {
            type: 'object',
            properties: Object.fromEntries(
              Object.entries(param.keys).map(([k, p]) => [k, schemaOf(p)]),
            ),
          }
    case 'json':
      return {}
    case 'project':
    case 'group':
      return { anyOf: [{ type: 'integer' }, { type: 'string' }] }
    default:
      return {
        type: 'string',
        ...(param.format === 'datetime' ? { format: 'date-time' } : {}),
        ...(param.format === 'date' ? { format: 'date' } : {}),
      }
  }
}

const listSchema = (param: Param & { type: 'list' }): Json => {
  const item: Json =
    param.of === 'integer'
      ? { type: 'integer' }
      : { type: 'string', ...(param.values === undefined ? {} : { enum: [...param.values] }) }
  const list = {
    type: 'array',
    items: item,
    ...(param.max === undefined ? {} : { maxItems: param.max }),
  }
  return param.single === true ? { anyOf: [item, list] } : list
}

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
      description: param.help,
      ...(param.required === true ? { required: true } : {}),
      ...(param.deprecated === undefined ? {} : { deprecated: true }),
      ...(param.type === 'hash' ? { style: 'deepObject', explode: true } : {}),
      ...(param.type === 'list' && param.join === 'comma' ? { style: 'form', explode: false } : {}),
      schema: schemaOf(param),
    })),
]

const requestBody = (e: Endpoint): Json => {
  const body = Object.entries(e.params).filter(([, param]) => placeOf(e, param) === 'body')
  if (body.length === 0) return {}
  const required = body.filter(([, p]) => p.required === true).map(([name]) => name)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(body.map(([name, param]) => [name, schemaOf(param)])),
    ...(required.length === 0 ? {} : { required }),
  }
  const files = body.some(([, p]) => p.type === 'string' && p.format === 'pem')
  return {
    requestBody: {
      required: required.length > 0,
      content: {
        'application/json': { schema },
        ...(files ? { 'multipart/form-data': { schema } } : {}),
      },
    },
  }
}

const defaultStatus: Readonly<Record<string, number>> = { POST: 201, DELETE: 204 }

const responses = (e: Endpoint, components: Map<string, unknown>): Json => {
  const status = e.status ?? defaultStatus[methodOf(e)] ?? 200
  const { kind, shape } = e.returns
  const content =
    kind === 'file'
      ? { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }
      : shape === null
        ? undefined
        : { 'application/json': { schema: answerSchema(kind, shape, components) } }
  return {
    [status]: { description: e.summary, ...(content === undefined ? {} : { content }) },
    ...(e.unchanged === undefined ? {} : { 304: { description: e.unchanged } }),
    default: { description: 'error' },
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
  ...(e.notes === undefined ? {} : { description: e.notes.join(' ') }),
  parameters: parameters(e),
  ...requestBody(e),
  responses: responses(e, components),
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
      schemas: Object.fromEntries(components),
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'PRIVATE-TOKEN' },
        bearer: { type: 'http', scheme: 'bearer' },
        job: { type: 'apiKey', in: 'header', name: 'JOB-TOKEN' },
      },
    },
    security: [{ token: [] }, { bearer: [] }],
  }
}
