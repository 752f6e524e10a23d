/** What files may say of an attribute, as JSON Schema: no less than what reading them takes. */
import type { JsonValue } from '../../base/json/value.js'
import type { Param, StringParam } from '../../catalogue/params.js'
import type { Attribute } from '../attributes.js'

/** A JSON Schema. */
export type JsonSchema = { readonly [key: string]: JsonValue }

const nothing: JsonSchema = { type: 'null' }
/** A text that YAML reads as something else is taken as it is written. */
const text: JsonSchema = { type: ['string', 'number', 'boolean'] }

export const either = (...schemas: readonly JsonSchema[]): JsonSchema => {
  const [only, ...others] = schemas
  return only !== undefined && others.length === 0 ? only : { anyOf: schemas }
}

const listOf = (items: JsonSchema, max?: number): JsonSchema => ({
  type: 'array',
  items,
  ...(max === undefined ? {} : { maxItems: max }),
})

const wordsIn = ({ values = [], ...param }: Param & { type: 'enum' | 'list' }): JsonSchema => ({
  enum: [...values, ...Object.keys(param.deprecatedValues ?? {})],
})

/** Numbers as texts; where there are few, just those. */
const digitsIn = (min: number | undefined, max: number | undefined): string => {
  if (min === undefined || max === undefined || max - min > 100) return '-?\\d+'
  return Array.from({ length: max - min + 1 }, (_, i) => String(min + i)).join('|')
}

const numberOf = (param: Param & { type: 'integer' | 'list' }): JsonSchema => {
  const [min, max] = param.type === 'integer' ? [param.min, param.max] : []
  const number: JsonSchema = {
    type: 'integer',
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
  }
  const digits: JsonSchema = { type: 'string', pattern: `^(?:${digitsIn(min, max)})$` }
  if (param.names === undefined) return either(number, digits)
  return either(number, { enum: Object.keys(param.names) }, digits)
}

const formats: Readonly<Partial<Record<NonNullable<StringParam['format']>, JsonSchema>>> = {
  date: { type: 'string', format: 'date' },
  datetime: { type: 'string', format: 'date-time' },
  pem: { type: 'string', pattern: '-----BEGIN ' },
  'public-key': { type: 'string', pattern: '^\\s*\\S+ +\\S' },
  csv: either(text, listOf(text)),
  spaced: either(text, listOf(text)),
}

const textOf = (param: StringParam): JsonSchema => {
  const plain = formats[param.format ?? 'text'] ?? text
  return param.clears === true ? either(plain, { const: '' }) : plain
}

const itemOf = (param: Param & { type: 'list' }): JsonSchema => {
  if (param.of === 'integer') return numberOf(param)
  return param.of === 'enum' ? wordsIn(param) : text
}

/** A list, whole or as what changes of it. */
const listIn = (items: JsonSchema, param: Param & { type: 'list' }): JsonSchema => {
  const list = listOf(items, param.max)
  const delta: JsonSchema = {
    type: 'object',
    properties: { $add: list, $remove: list },
    additionalProperties: false,
    minProperties: 1,
  }
  return either(list, delta, ...(param.single === true ? [items] : []))
}

/** In place of a value: what is inside is left as it is. */
const rangesOf = (value: JsonSchema, bounds: boolean): readonly JsonSchema[] => {
  const range = (properties: JsonSchema, more: JsonSchema): JsonSchema => ({
    type: 'object',
    properties,
    additionalProperties: false,
    minProperties: 1,
    ...more,
  })
  const oneOf = { one_of: { type: 'array', items: value, minItems: 1 } }
  return [
    ...(bounds ? [range({ min: value, max: value }, { description: 'at least, at most' })] : []),
    range(oneOf, { description: 'any of these; otherwise the first' }),
  ]
}

const plainOf = (param: Param, named: boolean): JsonSchema => {
  const name: JsonSchema = { $ref: '#/$defs/name' }
  switch (param.type) {
    case 'integer':
      return named ? name : either(numberOf(param), ...rangesOf(numberOf(param), true))
    case 'boolean':
      return { type: 'boolean' }
    case 'enum':
      return either(wordsIn(param), ...rangesOf(wordsIn(param), false))
    case 'list':
      return listIn(named ? name : itemOf(param), param)
    case 'hash':
      return { type: 'object' }
    case 'json':
      return {}
    case 'string':
      return textOf(param)
    default:
      return name
  }
}

/** Whether null, which unsets an attribute, is something that it takes. */
const canBeUnset = (param: Param): boolean =>
  param.nullable === true ||
  param.type === 'json' ||
  (param.type === 'string' &&
    (param.clears === true || [undefined, 'text', 'csv', 'spaced', 'url'].includes(param.format)))

const described = ({ param }: Attribute): string =>
  param.edition === undefined ? param.help : `${param.help} (${param.edition})`

/** What an attribute that nothing is created without may not be. */
export const filled: JsonSchema = { not: { enum: [null, '', []] } }

/** What files may say of an attribute. */
export const valueSchema = (attribute: Attribute): JsonSchema => ({
  ...anyValue(attribute),
  ...(attribute.required ? filled : {}),
})

const anyValue = (attribute: Attribute): JsonSchema => {
  const { param, ref, source } = attribute
  const description = described(attribute)
  if (source === 'secret') return { $ref: '#/$defs/secret', description }
  const plain = plainOf(param, ref !== undefined)
  const schemas = [
    plain,
    ...(param.words === undefined ? [] : [{ enum: param.words }]),
    ...(source === 'file' ? [{ $ref: '#/$defs/held' }] : []),
    ...(canBeUnset(param) ? [nothing] : []),
  ]
  return { ...either(...schemas), description }
}
