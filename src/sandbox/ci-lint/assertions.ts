/** Provides the assertions of JSON Schema for the check of CI keywords. References that were not expanded pass in lists and hashes. */
import { isKeywordReference } from './formats.js'
import { type AnySchema, isHash, type Keys, type Schemas } from './types.js'

const patterns = new Map<string, RegExp>()
export const getPattern = (source: string): RegExp => {
  const known = patterns.get(source) ?? new RegExp(source)
  patterns.set(source, known)
  return known
}

const getForm = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return isHash(value) ? 'object' : typeof value
}

export const hasForm = (types: unknown, value: unknown): boolean =>
  [types].flat().some((type) => {
    if (type === 'integer') return Number.isInteger(value)
    return type === getForm(value)
  })

const getKeys = (value: unknown): readonly string[] => (isHash(value) ? Object.keys(value) : [])
const hasKeys = (value: unknown, keys: readonly string[]): boolean =>
  isHash(value) && keys.every((key) => key in value)

/** Checks a value against one keyword. `holds` checks a part of it against a schema. */
type KeywordCheck = (
  limit: never,
  value: unknown,
  holds: (schema: AnySchema, value: unknown) => boolean,
) => boolean

const getSize = (value: unknown): number | undefined =>
  typeof value === 'string' || Array.isArray(value) ? value.length : undefined

/** The keywords that are assertions, in the order in which they are checked. Only the first one that fails is reported. */
export const assertions: Readonly<Record<string, KeywordCheck>> = {
  type: (types: unknown, value) => hasForm(types, value),
  enum: (words: readonly unknown[], value) => words.includes(value),
  const: (constant: unknown, value) => value === constant,
  pattern: (source: string, value) => typeof value !== 'string' || getPattern(source).test(value),
  multipleOf: (_: number, value) => Number.isInteger(value),
  minimum: (least: number, value) => Number(value) >= least,
  maximum: (most: number, value) => Number(value) <= most,
  items: (item: AnySchema, value, holds) =>
    !Array.isArray(value) || value.every((one) => isKeywordReference(one) || holds(item, one)),
  minItems: (least: number, value) => !Array.isArray(value) || value.length >= least,
  maxItems: (most: number, value) => !Array.isArray(value) || value.length <= most,
  maxLength: (most: number, value) => (getSize(value) ?? 0) <= most,
  uniqueItems: (_: true, value) => !Array.isArray(value) || new Set(value).size === value.length,
  minProperties: (least: number, value) => isHash(value) && Object.keys(value).length >= least,
  maxProperties: (most: number, value) => getKeys(value).length <= most,
  propertyNames: (name: AnySchema, value, holds) => getKeys(value).every((key) => holds(name, key)),
  properties: (keys: Keys, value, holds) =>
    Object.entries(keys).every(
      ([key, schema]) => !isHash(value) || !(key in value) || holds(schema, value[key]),
    ),
  additionalProperties: (schema: AnySchema, value, holds) =>
    !isHash(value) ||
    Object.values(value).every((one) => isKeywordReference(one) || holds(schema, one)),
  required: (keys: readonly string[], value) => hasKeys(value, keys),
  dependentRequired: (others: Readonly<Record<string, readonly string[]>>, value) =>
    Object.entries(others).every(([key, keys]) => !hasKeys(value, [key]) || hasKeys(value, keys)),
  anyOf: (schemas: Schemas, value, holds) => schemas.some((schema) => holds(schema, value)),
  not: (schema: AnySchema, value, holds) => !holds(schema, value),
}
