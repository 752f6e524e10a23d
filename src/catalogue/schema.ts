/** Converts parameters to JSON Schema. Readers with other rules than the API can override the schema of each type. */
import type { JsonValue, JsonValues } from '../base/objects.js'
import {
  type EnumParam,
  getParamFormat,
  getParamValues,
  type IntegerParam,
  type ListParam,
  type Param,
  type Params,
  type StringParam,
} from './params.js'

export type JsonSchema = { readonly [key: string]: JsonValue }

/** Removes the keywords without a value. */
export const omitUndefined = (keywords: JsonValues): JsonSchema => {
  const all = Object.entries(keywords)
  return Object.fromEntries(
    all.filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  )
}

/** Returns a schema that accepts what any of the given schemas accepts. Absent schemas are ignored. */
export const createAnyOf = (...some: readonly (JsonSchema | false | undefined)[]): JsonSchema => {
  const schemas = some.filter((one): one is JsonSchema => typeof one === 'object')
  const [only, ...others] = schemas
  return only !== undefined && others.length === 0 ? only : { anyOf: schemas }
}

export const listOf = (items: JsonSchema, max?: number): JsonSchema =>
  omitUndefined({ type: 'array', items, maxItems: max })

/** Returns the values of an enumeration, including deprecated ones. */
export const getAllValues = (param: EnumParam | ListParam): readonly string[] => [
  ...getParamValues(param),
  ...Object.keys(param.deprecatedValues ?? {}),
]

/** Returns the range of an integer. The items of a list have none. */
export const createRange = (param: IntegerParam | ListParam): JsonSchema =>
  param.type === 'integer' ? omitUndefined({ minimum: param.min, maximum: param.max }) : {}

/** The functions that create the schema of each type of value. */
export interface SchemaOptions {
  readonly integer: (param: IntegerParam | ListParam) => JsonSchema
  readonly choice: (param: EnumParam | ListParam) => JsonSchema
  /** Creates the schema of a text. `param` is undefined for an item of a list. */
  readonly text: (param?: StringParam) => JsonSchema
  readonly list: (items: JsonSchema, param: ListParam) => JsonSchema
  readonly object: (keys: Params | undefined) => JsonSchema
  readonly json: (keys: Params | undefined) => JsonSchema
  readonly scope: JsonSchema
}

const formats: Partial<Record<string, string>> = { datetime: 'date-time', date: 'date' }

/** Creates the options for values in the form of the API. @param inner creates the schema of a parameter inside another one */
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
    text: (param) =>
      omitUndefined({ type: 'string', format: formats[getParamFormat(param) ?? ''] }),
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
 * Creates the schema of a parameter's value, without null and without words such as `Any` that replace a value.
 * @param inner creates the whole schema of a parameter inside another one
 * @param over the options that differ from those of the API
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
