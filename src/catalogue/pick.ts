/** Picks fields of records by dotted names, and computes further fields. */

import { isScalar, type ValueReader } from '../base/json/values.js'
import { getOwn, isObject, mapValues } from '../base/objects.js'
import { shownFields } from './kinds.js'
import type { Naming } from './words.js'

/** Functions that compute fields from a record, by name. */
export type ComputedFields = Readonly<Record<string, (record: unknown) => unknown>>

/** The fields of records that are printed. */
interface FieldChoice {
  readonly fields?: readonly string[] | undefined
  /** The columns of the targets that the records stand below. */
  readonly parents?: readonly string[] | undefined
  /** Records below their targets become one object with them. */
  readonly flat?: boolean | undefined
  readonly pick: ValueReader
}

/** Returns the fields of a record. A record that is a text or a number has the field `value`. */
export const toRecordFields = (record: unknown): unknown =>
  isScalar(record) && record !== null && record !== undefined ? { value: record } : record

/**
 * Returns the value under a dotted name; undefined if there is none. A key that contains the dots itself comes first. Inside a list, a
 * number picks an item, and a name picks from every item.
 */
export const pick = (value: unknown, path: string): unknown => {
  if (Array.isArray(value)) return pickFromList(value, path)
  if (!isObject(value)) return undefined
  if (Object.hasOwn(value, path)) return value[path]
  const dot = path.indexOf('.')
  return dot < 0 ? undefined : pick(getOwn(value, path.slice(0, dot)), path.slice(dot + 1))
}

/** The fields of the catalogue that responses do not have under these names. */
const shownAlready: ComputedFields = mapValues(
  shownFields,
  (path) => (record) => pick(record, path),
)

const element = /^(\d+)(?:\.(.+))?$/

const pickFromList = (list: readonly unknown[], path: string): unknown => {
  const [, index, rest] = element.exec(path) ?? []
  if (index === undefined) return list.map((item) => pick(item, path) ?? null)
  const item = list[Number(index)]
  return rest === undefined ? item : pick(item, rest)
}

/**
 * Creates a function that picks fields of records. A field of the record comes before a computed one.
 * @param naming the names of the instance: a field is found by either of its names
 */
export const createPicker = (
  more: ComputedFields | undefined,
  { makeLegible, neutral }: Pick<Naming, 'makeLegible' | 'neutral'>,
): ValueReader => {
  const made = { ...shownAlready, ...more }
  return (row, path) => {
    const record = toRecordFields(makeLegible(row))
    const make = getOwn(made, path)
    if (make === undefined || (isObject(record) && Object.hasOwn(record, path)))
      return pick(record, neutral(path))
    return make(record)
  }
}

/** Returns the name of a record's own field: where columns of targets stand beside the record, it may begin with `record.`. */
export const getOwnField = (field: string, targets: readonly string[]): string =>
  targets.length === 0 ? field : field.replace(/^record\./, '')

/** Returns the columns of targets that come before the fields of a record: those that are no field of the line themselves. */
export const getLeadingColumns = ({
  fields,
  parents = [],
}: Omit<FieldChoice, 'pick'>): readonly string[] =>
  parents.filter((column) => fields?.includes(column) !== true)

/** Creates a function that picks fields of a record below its targets; a target's column wins over the record's own field. */
export const createTargetPicker =
  ({ parents = [], pick: take }: FieldChoice): ValueReader =>
  (row, path) => {
    if (!isObject(row) || parents.length === 0) return take(row, path)
    return parents.includes(path) ? row[path] : take(row.record, getOwnField(path, parents))
  }

/** Creates a function that returns a record for JSON and YAML: the whole record, or the requested fields that it has. */
export const createShaper = (choice: FieldChoice): ((record: unknown) => unknown) => {
  const { fields, flat, parents, pick: take } = choice
  if (fields === undefined) return (record) => record
  const pickShape = (record: unknown, names: readonly string[], from: ValueReader): unknown =>
    Object.fromEntries(
      names.flatMap((path) => {
        const value = from(record, path)
        return value === undefined ? [] : [[path, value] as const]
      }),
    )
  if (parents === undefined) return (record) => pickShape(record, fields, take)
  const all = [...getLeadingColumns(choice), ...fields]
  const below = createTargetPicker(choice)
  return (whole) => {
    if (!isObject(whole) || !('record' in whole)) return whole
    return flat === true
      ? pickShape(whole, all, below)
      : { ...whole, record: pickShape(whole.record, fields, take) }
  }
}
