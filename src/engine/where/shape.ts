/** Determines types of fields from JSON Schemas, and reads the values of dotted fields, for conditions and sorting. */

import { type Fields, getFields, getOwn, isObject } from '../../base/objects.js'
import { getProperties } from '../../catalogue/fields.js'
import { toRecordFields } from '../../catalogue/pick.js'

// Values of dotted fields. If a part of the path is a list, the values of all its elements count, or of the one that a number selects.

const digits = /^\d+$/

/** The values of a field in a record. */
export interface Leaves {
  /** False if the field is absent or null. Then no value is compared. */
  readonly isPresent: boolean
  readonly values: readonly unknown[]
}

/** The result for a field that is absent or null. */
const absent: Leaves = { isPresent: false, values: [] }

/** Returns the key that is the whole rest of a path, with its dots. It comes before nested fields, as in `--fields`. */
const getWholeKey = (value: Fields, path: readonly string[], depth = 0): string | undefined => {
  if (depth + 1 >= path.length) return undefined
  const whole = path.slice(depth).join('.')
  return Object.hasOwn(value, whole) ? whole : undefined
}

const collectLeaves = (value: unknown, path: readonly string[], depth: number): Leaves => {
  if (value === null || value === undefined) return absent
  const name = path[depth]
  if (Array.isArray(value)) {
    if (name !== undefined && digits.test(name))
      return collectLeaves(value[Number(name)], path, depth + 1)
    const parts = value.map((element) => collectLeaves(element, path, depth))
    // An empty list at the end of the path counts as present.
    const isPresent = name === undefined ? true : parts.some((part) => part.isPresent)
    return { isPresent, values: parts.flatMap((part) => part.values) }
  }
  if (name === undefined) return { isPresent: true, values: [value] }
  if (!isObject(value)) return absent
  const whole = getWholeKey(value, path, depth)
  if (whole !== undefined) return collectLeaves(value[whole], [], 0)
  return collectLeaves(getOwn(value, name), path, depth + 1)
}

/** Returns the values of a field in a record; without a path, the values of a field that was computed. */
export const getLeaves = (record: unknown, path: readonly string[]): Leaves =>
  collectLeaves(path.length === 0 ? record : toRecordFields(record), path, 0)

const hasPath = (value: unknown, path: readonly string[]): boolean => {
  const [name, ...rest] = path
  if (name === undefined) return true
  if (Array.isArray(value))
    return digits.test(name)
      ? Number(name) < value.length && hasPath(value[Number(name)], rest)
      : value.some((element) => hasPath(element, path))
  if (!isObject(value)) return false
  if (getWholeKey(value, path) !== undefined) return true
  return Object.hasOwn(value, name) && hasPath(value[name], rest)
}

/** True if a record has a field, even if its value is null. */
export const hasField = (record: unknown, path: readonly string[]): boolean =>
  hasPath(toRecordFields(record), path)

const canHavePath = (value: unknown, path: readonly string[]): boolean => {
  const [name, ...rest] = path
  if (name === undefined || value === null) return true
  if (Array.isArray(value)) {
    const inner = digits.test(name) ? rest : path
    return value.length === 0 || value.some((element) => canHavePath(element, inner))
  }
  if (!isObject(value)) return false
  if (getWholeKey(value, path) !== undefined) return true
  return Object.hasOwn(value, name) && canHavePath(value[name], rest)
}

/**
 * True if a record has a field or could have it: below null and in an empty list, any field is possible. A number selects an element of a
 * list, as in `--fields`.
 */
export const canHaveField = (record: unknown, path: readonly string[]): boolean =>
  canHavePath(toRecordFields(record), path)

/** The type of a field. For `any`, the type of each value decides how it is compared. */
export type FieldKind =
  | 'number'
  | 'boolean'
  | 'time'
  | 'version'
  | 'level'
  | 'text'
  | 'object'
  | 'any'

/** The ranks of words that have an order. */
export type Ranks = Readonly<Record<string, number>>

/** The types of values other than text, by the `type` of their schemas. */
const plainKinds: Readonly<Record<string, FieldKind>> = {
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  object: 'object',
}

/** Returns the possible schemas of a value: the members of a union except null, and the items of a list. */
const getVariants = (schema: unknown): readonly unknown[] => {
  if (!isObject(schema)) return []
  if (Array.isArray(schema.anyOf)) return schema.anyOf.flatMap(getVariants)
  if (schema.type === 'null') return []
  return schema.type === 'array' ? getVariants(schema.items) : [schema]
}

/** The types of text, by the `format` of their schemas. */
const textKinds: Readonly<Record<string, FieldKind>> = {
  'date-time': 'time',
  date: 'time',
  version: 'version',
}

const getTextKind = (schema: Fields): FieldKind =>
  getLevels(schema) === undefined ? (textKinds[String(schema.format)] ?? 'text') : 'level'

const isRank = (entry: [string, unknown]): entry is [string, number] => typeof entry[1] === 'number'

/** Returns the ranks that a schema gives its words (`x-levels`). */
const getLevels = (schema: unknown): Ranks | undefined => {
  const levels = getFields(schema)['x-levels']
  return isObject(levels) ? Object.fromEntries(Object.entries(levels).filter(isRank)) : undefined
}

const getSchemaKind = (schema: unknown): FieldKind => {
  if (!isObject(schema)) return 'any'
  if (schema.type === 'string') return getTextKind(schema)
  return typeof schema.type === 'string' ? (plainKinds[schema.type] ?? 'any') : 'any'
}

/** True if a schema has no fields of its own and so allows any field. */
export const isOpen = (schema: unknown): boolean =>
  isObject(schema) && getProperties(schema) === undefined && (schema.type ?? 'object') === 'object'

/** True if a schema knows the type of no field. Records may have others besides those that it names. */
export const isUntyped = (schema: unknown): boolean =>
  Object.values(getProperties(schema) ?? {}).every(
    (one) => Object.keys(getFields(one)).length === 0,
  )

const getInnerSchemas = (schema: unknown, name: string): readonly unknown[] => {
  const properties = getProperties(schema)
  if (properties === undefined) return isOpen(schema) ? [{}] : []
  return getVariants(getOwn(properties, name))
}

/** Finds the schemas of a dotted field; an empty list if the field exists and has no schema. */
const findSchemas = (shape: unknown, field: string): readonly unknown[] | undefined => {
  let schemas = getVariants(shape)
  for (const name of field.split('.')) {
    const inner = schemas.flatMap((schema) => getInnerSchemas(schema, name))
    // The field exists, but it has no schema, or may only be null.
    if (inner.length === 0)
      return schemas.some((schema) => hasProperty(schema, name)) ? [] : undefined
    schemas = inner
  }
  return schemas
}

/** Returns the type of a dotted field; undefined if the schema has no such field. */
export const findFieldKind = (shape: unknown, field: string): FieldKind | undefined => {
  const schemas = findSchemas(shape, field)
  if (schemas === undefined) return undefined
  const kinds = new Set(schemas.map(getSchemaKind))
  const [only] = kinds
  return kinds.size === 1 ? only : 'any'
}

/** Returns the ranks of a field's levels; undefined if the field has none. */
export const findFieldLevels = (shape: unknown, field: string): Ranks | undefined =>
  findSchemas(shape, field)
    ?.map(getLevels)
    .find((levels) => levels !== undefined)

/** Returns the documented values of a field. */
export const findDocumentedValues = (shape: unknown, field: string): readonly string[] =>
  (findSchemas(shape, field) ?? []).flatMap((schema) =>
    isObject(schema) && Array.isArray(schema.examples)
      ? schema.examples.filter((word) => typeof word === 'string')
      : [],
  )

const isList = (schema: unknown): boolean =>
  isObject(schema) &&
  (schema.type === 'array' || (Array.isArray(schema.anyOf) && schema.anyOf.some(isList)))

/** True if a schema has a field, and a record has at most one value of it. */
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

/** Returns the fields of a schema, and dotted fields down to the given depth. */
export const getShapeFields = (shape: unknown, depth = 1): readonly string[] =>
  getVariants(shape).flatMap((schema) =>
    Object.entries(getProperties(schema) ?? {}).flatMap(([name, inner]) => [
      name,
      ...(depth === 0 ? [] : getShapeFields(inner, depth - 1).map((field) => `${name}.${field}`)),
    ]),
  )
