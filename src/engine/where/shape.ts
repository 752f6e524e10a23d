/** Finds what a field holds by the shape of its record: a JSON Schema. */
import { type Fields, getOwn, isObject } from '../../base/objects.js'
import { getProperties } from '../../catalogue/fields.js'
import { findKey, type Naming } from '../../catalogue/words.js'

// What stands under a dotted field of a record: through lists as well.

export interface Leaves {
  /** False where it is absent, or null: then nothing is compared. */
  readonly there: boolean
  readonly values: readonly unknown[]
}

const absent: Leaves = { there: false, values: [] }

const collectLeaves = (
  value: unknown,
  path: readonly string[],
  depth: number,
  words: Naming | undefined,
): Leaves => {
  if (value === null || value === undefined) return absent
  const name = path[depth]
  if (Array.isArray(value)) {
    const parts = value.map((element) => collectLeaves(element, path, depth, words))
    // An empty list is there, where it is what is asked for.
    const there = name === undefined ? true : parts.some((part) => part.there)
    return { there, values: parts.flatMap((part) => part.values) }
  }
  if (name === undefined) return { there: true, values: [value] }
  const key = isObject(value) ? findKey(value, name, words) : undefined
  return isObject(value) && key !== undefined
    ? collectLeaves(value[key], path, depth + 1, words)
    : absent
}

/** @param words the instance's own, by which fields are found as well */
export const getLeaves = (record: unknown, path: readonly string[], words?: Naming): Leaves =>
  collectLeaves(record, path, 0, words)

/** True if a record has a field, whatever it holds. */
export const hasField = (
  record: unknown,
  [name, ...rest]: readonly string[],
  words?: Naming,
): boolean => {
  if (name === undefined) return true
  if (Array.isArray(record))
    return record.some((element) => hasField(element, [name, ...rest], words))
  const key = isObject(record) ? findKey(record, name, words) : undefined
  return isObject(record) && key !== undefined && hasField(record[key], rest, words)
}

const digits = /^\d+$/

/**
 * True if a record may have a field, as far as it shows: below null, and in an empty list, there may be anything. A
 * number picks an element of a list, as in `--fields`.
 */
export const mayHave = (
  record: unknown,
  [name, ...rest]: readonly string[],
  words?: Naming,
): boolean => {
  if (name === undefined || record === null) return true
  if (Array.isArray(record)) {
    const path = digits.test(name) ? rest : [name, ...rest]
    return record.length === 0 || record.some((element) => mayHave(element, path, words))
  }
  const key = isObject(record) ? findKey(record, name, words) : undefined
  return isObject(record) && key !== undefined && mayHave(record[key], rest, words)
}

/** `any`: the value itself decides. */
export type FieldKind =
  | 'number'
  | 'boolean'
  | 'time'
  | 'version'
  | 'level'
  | 'text'
  | 'object'
  | 'any'

/** Words that have an order, by their rank. */
export type Ranks = Readonly<Record<string, number>>

const plain: Readonly<Record<string, FieldKind>> = {
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  object: 'object',
}

/** Returns the schemas that a value may be of: of a union each but null, of a list its items. */
const getVariants = (schema: unknown): readonly unknown[] => {
  if (!isObject(schema)) return []
  if (Array.isArray(schema.anyOf)) return schema.anyOf.flatMap(getVariants)
  if (schema.type === 'null') return []
  return schema.type === 'array' ? getVariants(schema.items) : [schema]
}

const formats: Readonly<Record<string, FieldKind>> = {
  'date-time': 'time',
  date: 'time',
  version: 'version',
}

const getTextKind = (schema: Fields): FieldKind =>
  getLevels(schema) === undefined ? (formats[String(schema.format)] ?? 'text') : 'level'

const isRank = (entry: [string, unknown]): entry is [string, number] => typeof entry[1] === 'number'

const getLevels = (schema: unknown): Ranks | undefined => {
  const levels = isObject(schema) ? schema['x-levels'] : undefined
  return isObject(levels) ? Object.fromEntries(Object.entries(levels).filter(isRank)) : undefined
}

const getSchemaKind = (schema: unknown): FieldKind => {
  if (!isObject(schema)) return 'any'
  if (schema.type === 'string') return getTextKind(schema)
  return typeof schema.type === 'string' ? (plain[schema.type] ?? 'any') : 'any'
}

/** Schemas without fields of their own hold any. */
const isOpen = (schema: unknown): boolean =>
  isObject(schema) && getProperties(schema) === undefined && (schema.type ?? 'object') === 'object'

const enter = (schema: unknown, name: string): readonly unknown[] => {
  const properties = getProperties(schema)
  if (properties === undefined) return isOpen(schema) ? [{}] : []
  return getVariants(getOwn(properties, name))
}

/** Finds the schemas under a dotted field, none if it is there and nothing else is known of it. */
const findSchemas = (shape: unknown, field: string): readonly unknown[] | undefined => {
  let schemas = getVariants(shape)
  for (const name of field.split('.')) {
    const inner = schemas.flatMap((schema) => enter(schema, name))
    // A field of which nothing is known but that it is there, or may be null only.
    if (inner.length === 0)
      return schemas.some((schema) => hasProperty(schema, name)) ? [] : undefined
    schemas = inner
  }
  return schemas
}

/** Returns what stands under a dotted field; undefined where a shape has no such field. */
export const findFieldKind = (shape: unknown, field: string): FieldKind | undefined => {
  const schemas = findSchemas(shape, field)
  if (schemas === undefined) return undefined
  const kinds = new Set(schemas.map(getSchemaKind))
  const [only] = kinds
  return kinds.size === 1 ? only : 'any'
}

/** Returns the levels that a field holds; undefined if it holds none. */
export const getShapeLevels = (shape: unknown, field: string): Ranks | undefined =>
  findSchemas(shape, field)
    ?.map(getLevels)
    .find((levels) => levels !== undefined)

/** Returns the words that a field is documented to hold. */
export const findFieldWords = (shape: unknown, field: string): readonly string[] =>
  (findSchemas(shape, field) ?? []).flatMap((schema) =>
    isObject(schema) && Array.isArray(schema.examples)
      ? schema.examples.filter((word) => typeof word === 'string')
      : [],
  )

const isList = (schema: unknown): boolean =>
  isObject(schema) &&
  (schema.type === 'array' || (Array.isArray(schema.anyOf) && schema.anyOf.some(isList)))

/** True if a shape knows a field, and no record has several values of it. */
export const isSingular = (shape: unknown, field: string): boolean => {
  let schemas = getVariants(shape)
  for (const name of field.split('.')) {
    const inner = schemas.flatMap((schema) => getOwn(getProperties(schema), name) ?? [])
    if (inner.length === 0 || inner.some(isList)) return false
    schemas = inner.flatMap(getVariants)
  }
  return true
}

const hasProperty = (schema: unknown, name: string): boolean =>
  Object.hasOwn(getProperties(schema) ?? {}, name)

/** Returns the fields of a shape, and those of the objects in it. */
export const getShapeFields = (shape: unknown, depth = 1): readonly string[] =>
  getVariants(shape).flatMap((schema) =>
    Object.entries(getProperties(schema) ?? {}).flatMap(([name, inner]) => [
      name,
      ...(depth === 0 ? [] : getShapeFields(inner, depth - 1).map((field) => `${name}.${field}`)),
    ]),
  )
