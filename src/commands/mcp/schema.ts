/** Data as JSON Schema: what agents are told of the values that a command takes. */
import { namesOf, type Param } from '../../catalogue/params.js'
import {
  defined,
  type JsonSchema,
  listOf,
  rangeOf,
  type SchemaWays,
  valueSchema,
} from '../../catalogue/schema.js'
import type { Datum } from '../../engine/command/data.js'

/** A list is written as one, whatever the API takes, and a name where numbers have some. */
const told: Partial<SchemaWays> = {
  integer: (param) => ({
    type: param.names === undefined ? 'integer' : ['integer', 'string'],
    ...rangeOf(param),
  }),
  choice: ({ values = [] }) => ({ type: 'string', enum: values }),
  text: () => ({ type: 'string' }),
  list: (items, { max }) => listOf(items, max),
  scope: { type: ['integer', 'string'] },
}

/** What a schema cannot say, in words. */
const beside = (param: Param): string => {
  const { help, words, nullable, deprecated } = param
  const names = namesOf(param)
  return [
    help,
    ...(names.length === 0 ? [] : [`by number or name: ${names.join(', ')}`]),
    ...(words === undefined ? [] : [`or the string ${words.join(', ')}`]),
    ...(nullable === true ? ['null clears it'] : []),
    ...(deprecated === undefined ? [] : [`deprecated: ${deprecated}`]),
  ].join('; ')
}

const schemaOf = (param: Param): JsonSchema => {
  const kind = valueSchema(param, schemaOf, told)
  const { words, nullable } = param
  const types = [kind.type ?? []].flat()
  const all = [
    ...types,
    ...(words !== undefined && !types.includes('string') ? ['string'] : []),
    ...(nullable === true ? ['null'] : []),
  ]
  // A word, or null, is none of the values.
  const open = words !== undefined || nullable === true
  return defined({
    ...kind,
    enum: open ? undefined : kind.enum,
    type: all.length > 1 ? all : all[0],
    description: beside(param),
  })
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
