/** Parameters as JSON Schema. What one reader takes otherwise than the API is laid over that, by the kind of value. */
import type { JsonValue, JsonValues } from '../base/objects.js'
import {
  type EnumParam,
  formatOf,
  type IntegerParam,
  type ListParam,
  type Param,
  type Params,
  type StringParam,
  valuesOf,
} from './params.js'

/** A JSON Schema. */
export type JsonSchema = { readonly [key: string]: JsonValue }

/** The keywords that have a value. */
export const defined = (keywords: JsonValues): JsonSchema => {
  const all = Object.entries(keywords)
  return Object.fromEntries(
    all.filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  )
}

/** Any of those that there are. */
export const either = (...some: readonly (JsonSchema | false | undefined)[]): JsonSchema => {
  const schemas = some.filter((one): one is JsonSchema => typeof one === 'object')
  const [only, ...others] = schemas
  return only !== undefined && others.length === 0 ? only : { anyOf: schemas }
}

export const listOf = (items: JsonSchema, max?: number): JsonSchema =>
  defined({ type: 'array', items, maxItems: max })

/** The values of an enumeration, with those that still work. */
export const allValues = (param: EnumParam | ListParam): readonly string[] => [
  ...valuesOf(param),
  ...Object.keys(param.deprecatedValues ?? {}),
]

/** The range of a whole number; items of a list have none. */
export const rangeOf = (param: IntegerParam | ListParam): JsonSchema =>
  param.type === 'integer' ? defined({ minimum: param.min, maximum: param.max }) : {}

/** How each kind of value is written. */
export interface SchemaOptions {
  readonly integer: (param: IntegerParam | ListParam) => JsonSchema
  readonly choice: (param: EnumParam | ListParam) => JsonSchema
  /** @param param undefined for an item of a list */
  readonly text: (param?: StringParam) => JsonSchema
  readonly list: (items: JsonSchema, param: ListParam) => JsonSchema
  readonly object: (keys: Params | undefined) => JsonSchema
  readonly json: (keys: Params | undefined) => JsonSchema
  readonly scope: JsonSchema
}

const formats: Partial<Record<string, string>> = { datetime: 'date-time', date: 'date' }

/** As the API takes them. @param inner writes a parameter inside of another */
const ofApi = (inner: (param: Param) => JsonSchema): SchemaOptions => {
  const objectOf = (keys: Params): JsonSchema => {
    const entries = Object.entries(keys)
    const required = entries.filter(([, { required: needed }]) => needed).map(([name]) => name)
    return defined({
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, param]) => [name, inner(param)])),
      required: required.length === 0 ? undefined : required,
    })
  }
  return {
    integer: (param) => ({ type: 'integer', ...rangeOf(param) }),
    choice: (param) => ({ type: 'string', enum: allValues(param) }),
    text: (param) => defined({ type: 'string', format: formats[formatOf(param) ?? ''] }),
    list: (items, { max, single }) => either(single === true && items, listOf(items, max)),
    object: (keys) =>
      keys === undefined ? { type: 'object', additionalProperties: true } : objectOf(keys),
    json: (keys) => (keys === undefined ? {} : listOf(objectOf(keys))),
    scope: either({ type: 'integer' }, { type: 'string' }),
  }
}

const itemSchema = (param: ListParam, ways: SchemaOptions): JsonSchema => {
  if (param.of === 'integer') return ways.integer(param)
  return param.of === 'enum' ? ways.choice(param) : ways.text()
}

/**
 * The schema of a parameter's value, without what may stand in its place: a bare word, null.
 * @param inner writes a parameter inside of another, as a whole
 * @param over what is written otherwise than the API takes it
 */
export const valueSchema = (
  param: Param,
  inner: (param: Param) => JsonSchema,
  over: Partial<SchemaOptions> = {},
): JsonSchema => {
  const ways = { ...ofApi(inner), ...over }
  switch (param.type) {
    case 'boolean':
      return { type: 'boolean' }
    case 'integer':
      return ways.integer(param)
    case 'enum':
      return ways.choice(param)
    case 'list':
      return ways.list(itemSchema(param, ways), param)
    case 'hash':
      return ways.object(param.keys)
    case 'json':
      return ways.json(param.items)
    case 'string':
      return ways.text(param)
    default:
      return ways.scope
  }
}
