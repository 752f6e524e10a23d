/** Parameters as JSON Schema. What one reader takes otherwise than the API is laid over that, by the kind of value. */
import type { JsonValue, JsonValues } from '../base/objects.js'
import {
  type EnumParam,
  formatOf,
  getParamValues,
  type IntegerParam,
  type ListParam,
  type Param,
  type Params,
  type StringParam,
} from './params.js'

/** A JSON Schema. */
export type JsonSchema = { readonly [key: string]: JsonValue }

/** Returns the keywords that have a value. */
export const omitUndefined = (keywords: JsonValues): JsonSchema => {
  const all = Object.entries(keywords)
  return Object.fromEntries(
    all.filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  )
}

/** Returns a schema that any of the given schemas fulfills; absent ones are left out. */
export const createAnyOf = (...some: readonly (JsonSchema | false | undefined)[]): JsonSchema => {
  const schemas = some.filter((one): one is JsonSchema => typeof one === 'object')
  const [only, ...others] = schemas
  return only !== undefined && others.length === 0 ? only : { anyOf: schemas }
}

export const listOf = (items: JsonSchema, max?: number): JsonSchema =>
  omitUndefined({ type: 'array', items, maxItems: max })

/** Returns the values of an enumeration, with the deprecated ones that still work. */
export const getAllValues = (param: EnumParam | ListParam): readonly string[] => [
  ...getParamValues(param),
  ...Object.keys(param.deprecatedValues ?? {}),
]

/** Returns the range of a whole number; items of a list have none. */
export const createRange = (param: IntegerParam | ListParam): JsonSchema =>
  param.type === 'integer' ? omitUndefined({ minimum: param.min, maximum: param.max }) : {}

/** The functions that write the schema of each kind of value. */
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

/** Creates the options for values as the API takes them. @param inner writes a parameter inside of another */
const createApiOptions = (inner: (param: Param) => JsonSchema): SchemaOptions => {
  const objectOf = (keys: Params): JsonSchema => {
    const entries = Object.entries(keys)
    const required = entries.filter(([, { required: needed }]) => needed).map(([name]) => name)
    return omitUndefined({
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, param]) => [name, inner(param)])),
      required: required.length === 0 ? undefined : required,
    })
  }
  return {
    integer: (param) => ({ type: 'integer', ...createRange(param) }),
    choice: (param) => ({ type: 'string', enum: getAllValues(param) }),
    text: (param) => omitUndefined({ type: 'string', format: formats[formatOf(param) ?? ''] }),
    list: (items, { max, single }) => createAnyOf(single === true && items, listOf(items, max)),
    object: (keys) =>
      keys === undefined ? { type: 'object', additionalProperties: true } : objectOf(keys),
    json: (keys) => (keys === undefined ? {} : listOf(objectOf(keys))),
    scope: createAnyOf({ type: 'integer' }, { type: 'string' }),
  }
}

const createItemSchema = (param: ListParam, ways: SchemaOptions): JsonSchema => {
  if (param.of === 'integer') return ways.integer(param)
  return param.of === 'enum' ? ways.choice(param) : ways.text()
}

/**
 * Creates the schema of a parameter's value, without what may stand in its place: a bare word, null.
 * @param inner writes a parameter inside of another, as a whole
 * @param over the options that differ from the API's
 */
export const createValueSchema = (
  param: Param,
  inner: (param: Param) => JsonSchema,
  over: Partial<SchemaOptions> = {},
): JsonSchema => {
  const ways = { ...createApiOptions(inner), ...over }
  switch (param.type) {
    case 'boolean':
      return { type: 'boolean' }
    case 'integer':
      return ways.integer(param)
    case 'enum':
      return ways.choice(param)
    case 'list':
      return ways.list(createItemSchema(param, ways), param)
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
