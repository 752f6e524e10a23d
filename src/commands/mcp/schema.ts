/** Data as JSON Schema: what agents are told of the values that a command takes. */
import type { Param } from '../../catalogue/params.js'
import type { Datum } from '../../engine/command/data.js'

interface JsonSchema {
  readonly [name: string]: unknown
}

const itemsOf = (of: 'string' | 'integer' | 'enum', values?: readonly string[]): JsonSchema =>
  of === 'integer'
    ? { type: 'integer' }
    : { type: 'string', ...(of === 'enum' && values !== undefined ? { enum: values } : {}) }

const keysOf = (keys: Readonly<Record<string, Param>>): JsonSchema =>
  Object.fromEntries(Object.entries(keys).map(([name, param]) => [name, schemaOf(param)]))

/** The kind of a value, without what may stand in for it. */
const kindOf = (param: Param): JsonSchema => {
  switch (param.type) {
    case 'boolean':
      return { type: 'boolean' }
    case 'integer':
      return {
        type: param.names === undefined ? 'integer' : ['integer', 'string'],
        minimum: param.min,
        maximum: param.max,
      }
    case 'enum':
      return { type: 'string', enum: param.values }
    case 'list':
      return { type: 'array', items: itemsOf(param.of, param.values) }
    case 'hash':
      return {
        type: 'object',
        properties: param.keys === undefined ? undefined : keysOf(param.keys),
      }
    case 'json':
      return param.items === undefined
        ? {}
        : { type: 'array', items: { type: 'object', properties: keysOf(param.items) } }
    case 'project':
    case 'group':
      return { type: ['integer', 'string'] }
    case 'string':
      return { type: 'string' }
  }
}

/** What a schema cannot say, in words. */
const beside = (param: Param): string => {
  const { help, words, nullable, deprecated } = param
  const names = param.type === 'integer' && param.names ? Object.keys(param.names) : []
  return [
    help,
    ...(names.length === 0 ? [] : [`by number or name: ${names.join(', ')}`]),
    ...(words === undefined ? [] : [`or the string ${words.join(', ')}`]),
    ...(nullable === true ? ['null clears it'] : []),
    ...(deprecated === undefined ? [] : [`deprecated: ${deprecated}`]),
  ].join('; ')
}

const schemaOf = (param: Param): JsonSchema => {
  const kind = kindOf(param)
  const { words, nullable } = param
  const types = [kind.type ?? []].flat()
  const all = [
    ...types,
    ...(words !== undefined && !types.includes('string') ? ['string'] : []),
    ...(nullable === true ? ['null'] : []),
  ]
  const type = all.length === 0 ? {} : { type: all.length === 1 ? all[0] : all }
  // A word, or null, is none of the values.
  const { enum: values, ...rest } = kind
  const open = words !== undefined || nullable === true
  return {
    ...(open || values === undefined ? rest : kind),
    ...type,
    description: beside(param),
  }
}

/** The schema of a command's data. */
export const schemaOfData = (data: readonly Datum[]) => ({
  type: 'object' as const,
  properties: Object.fromEntries(
    data.map(({ name, param, flag }) => {
      const schema = schemaOf(param)
      // An object may be named by a reference as well: platform/app!42.
      const isObject = flag === undefined && schema.type === 'integer'
      return [name, isObject ? { ...schema, type: ['integer', 'string'] } : schema] as const
    }),
  ),
  required: data.filter(({ required }) => required).map(({ name }) => name),
  additionalProperties: false,
})
