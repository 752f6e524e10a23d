/** Determines the type of a record's field and reads its values, for conditions and for sorting. */

import { getFields, getOwn } from '../../base/objects.js'
import { shownFields } from '../../catalogue/kinds.js'
import type { Params } from '../../catalogue/params.js'
import { toRecordFields } from '../../catalogue/pick.js'
import type { Naming } from '../../catalogue/words.js'
import { type Condition, createConditionFailure, type Names } from './condition.js'
import {
  type FieldKind,
  findFieldKind,
  findFieldLevels,
  getLeaves,
  getShapeFields,
  hasField,
  isOpen,
  type Leaves,
} from './shape.js'

/** The facts about the records that conditions test. */
export interface Known {
  /** The schema of the records of the list, and that of the single record, which may have more fields. */
  readonly list?: unknown
  readonly single?: unknown
  /** The records of the first page. They may have fields that no schema has. */
  readonly samples?: readonly unknown[]
  /** The current time in milliseconds since the epoch. */
  readonly now: number
  /** Returns the names of the numbers of a field without a schema, such as access levels. */
  readonly getNumberNames?: (field: string) => Names
  /** The names of the instance. A record may have a field under either name. */
  readonly naming: Naming
  /** The functions that compute a field from a record that does not have it. */
  readonly computed?: Readonly<Record<string, (record: unknown) => unknown>>
  /** Undocumented fields that the instance has returned before. */
  readonly undocumented?: readonly string[] | undefined
  /** The schema of the records before they were grouped. A column of groups has the values of the field with the same name. */
  readonly ungrouped?: unknown
  /** Returns undocumented values of a field: those that the instance has returned, and those of its vocabulary. */
  readonly getLearntValues?: (field: string) => readonly string[]
  /** True if the values of the conditions have been checked already. */
  readonly areValuesChecked?: boolean
  /** Returns an explanation for a name that is a column of the row, and no field of the record. */
  readonly explainColumn?: (field: string) => string | undefined
  /** Returns the most similar of the known words. */
  readonly findNearest?: (given: string, known: Iterable<string>) => string | undefined
}

/** Leaves out schemas that allow any field if records show which fields there are. */
export const withoutOpenSchemas = (known: Known): Known => {
  const { list, single, samples = [] } = known
  if (samples.length === 0) return known
  return {
    ...known,
    list: isOpen(list) ? undefined : list,
    single: isOpen(single) ? undefined : single,
  }
}

/** True if only the single record has a field, according to the schemas. */
export const isOnlyInSingle = (field: string, { list, single }: Known): boolean =>
  findFieldKind(list, field) === undefined && findFieldKind(single, field) !== undefined

/** Returns the type of a field, according to the schemas; undefined if no schema has the field. */
export const getShapeKind = (
  field: string,
  { list, single, computed = {}, undocumented = [] }: Known,
): FieldKind | undefined =>
  findFieldKind(list, field) ??
  findFieldKind(single, field) ??
  (Object.hasOwn(computed, field) || undocumented.includes(field.split('.', 1)[0] ?? '')
    ? 'any'
    : undefined)

/**
 * Returns the documented name under which the records have a field. A column such as `reference` becomes its field (`references.full`).
 * @param params the parameters of the list, whose names stay as they are
 */
export const getRecordField = (field: string, known: Known, params: Params = {}): string => {
  if (getShapeKind(field, known) !== undefined) return field
  const neutral = Object.hasOwn(params, field) ? field : known.naming.neutral(field)
  if (neutral !== field && getShapeKind(neutral, known) !== undefined) return neutral
  const sources: Readonly<Record<string, string>> = shownFields
  return getOwn(sources, neutral) ?? neutral
}

/** @throws Failure `usage` for a field that no record is known to have */
export const requireFieldKind = (
  { field, at }: Condition,
  text: string,
  known: Known,
): FieldKind => {
  const kind = getShapeKind(field, known)
  if (kind !== undefined) return kind
  const {
    samples = [],
    findNearest,
    explainColumn,
    list,
    single,
    computed = {},
    undocumented = [],
    ungrouped,
    naming,
  } = known
  const path = field.split('.')
  if (samples.some((record) => hasField(record, path)))
    return findFieldKind(ungrouped, field) ?? 'any'
  const shaped = [
    ...getShapeFields(list),
    ...getShapeFields(single),
    ...Object.keys(computed),
    ...undocumented,
  ]
  const fields = new Set([...shaped, ...samples.flatMap(getKeys)])
  const other = explainColumn?.(field)
  const near = findNearest?.(field, naming.addOwnNames([...fields].filter((one) => one !== field)))
  const guess = near === undefined ? '' : `; did you mean ${naming.describeName(near)}?`
  const hint = other === undefined ? guess : `; ${other}`
  throw createConditionFailure(text, at, `no record has the field ${field}${hint}`)
}

const getKeys = (record: unknown): readonly string[] =>
  Object.keys(getFields(toRecordFields(record)))

/** Returns the names of a field's numbers, or its words by rank. */
export const getFieldNames = (field: string, known: Known): Names => {
  const shapes = [known.list, known.single, known.ungrouped]
  const levels = shapes.map((shape) => findFieldLevels(shape, field))
  return levels.find((one) => one !== undefined) ?? known.getNumberNames?.(field)
}

/** Creates a function that reads the values of a field. A field of the record takes precedence over a computed field of the same name. */
export const createLeafReader = (field: string, known: Known): ((record: unknown) => Leaves) => {
  const path = field.split('.')
  const make =
    getShapeKind(field, { ...known, computed: {} }) === undefined &&
    Object.hasOwn(known.computed ?? {}, field)
      ? known.computed?.[field]
      : undefined
  return (record) =>
    make === undefined || hasField(record, path)
      ? getLeaves(record, path)
      : getLeaves(make(record), [])
}
