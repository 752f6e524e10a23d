/** Rows: which columns a view has, and a record's values for them. */
import { type Fields, isObject } from '../base/objects.js'
import type { Sight } from './types.js'

/** The column of records that are no objects. */
const bare = 'value'

const fieldsOf = (record: unknown): Fields => (isObject(record) ? record : { [bare]: record })

export interface Rows {
  /** Known from the start, else by the first record. */
  readonly columns: () => readonly string[]
  readonly values: (record: unknown) => readonly unknown[]
}

/**
 * The columns that were asked for, else the catalogue's, else the fields of the first record.
 * @param choose which of a record's fields become columns when nobody says
 */
export const rowsOf = (
  view: Sight,
  choose: (record: Fields) => readonly string[] = Object.keys,
): Rows => {
  let columns = view.fields ?? view.columns
  const valuesOf = (record: unknown): readonly unknown[] => {
    const fields = fieldsOf(record)
    columns ??= choose(fields)
    return columns.map((path) => view.pick(fields, path))
  }
  const { parent } = view
  if (parent === undefined) return { columns: () => columns ?? [], values: valuesOf }
  return {
    columns: () => [parent, ...(columns ?? [])],
    values: (whole) => {
      const { [parent]: name, record } = fieldsOf(whole)
      return [name, ...valuesOf(record)]
    },
  }
}
