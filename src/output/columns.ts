/** Rows: which columns a view has, and a record's values for them. */
import { type Fields, isObject } from '../base/objects.js'
import { accessLevels } from '../catalogue/shapes/common.js'
import { dotted } from '../catalogue/words.js'
import type { FormatView, View } from './types.js'

// Access levels by the names that `--access-level` takes back: in tables and csv, for people.

const names = new Map<unknown, string>(
  Object.entries(accessLevels).map(([name, level]) => [level, name]),
)
const column = /(^|[._])access_level$/

/** The name of a level under a field of that name; undefined for a custom number and anything else. */
export const getLevelName = (field: string | undefined, value: unknown): string | undefined =>
  field !== undefined && typeof value === 'number' && column.test(field)
    ? names.get(value)
    : undefined

/** The column of records that are no objects. */
const bare = 'value'

const fieldsOf = (record: unknown): Fields => (isObject(record) ? record : { [bare]: record })

interface Rows {
  /** Known from the start, else by the first record; as the documents call them. */
  readonly columns: () => readonly string[]
  /** What stands above them: the instance's own words, where it has some. */
  readonly headings: () => readonly string[]
  readonly values: (record: unknown) => readonly unknown[]
}

/** What a field means, whose name is the instance's. */
export const getMeaning = (name: string, { words }: Pick<View, 'words'>): string =>
  words === undefined ? name : dotted(name, words.neutral)

/**
 * The columns that were asked for, else the catalogue's, else the fields of the first record.
 * @param choose which of a record's fields become columns when nobody says
 */
export const createRows = (
  view: FormatView,
  choose: (record: Fields) => readonly string[] = Object.keys,
): Rows => {
  let columns = view.fields ?? view.columns
  const valuesOf = (record: unknown): readonly unknown[] => {
    const fields = fieldsOf(record)
    columns ??= choose(fields)
    return columns.map((path) => view.pick(fields, path))
  }
  const { parents, titled, words } = view
  const named = (word: ((name: string) => string) | undefined) => (): readonly string[] => {
    const all = columns ?? []
    const said = word === undefined ? all : all.map((path) => dotted(path, word))
    return parents === undefined ? said : [...parents, ...said]
  }
  const names = {
    columns: named(words?.neutral),
    headings: named(titled === true ? undefined : words?.name),
  }
  if (parents === undefined) return { ...names, values: valuesOf }
  return {
    ...names,
    values: (whole) => {
      const { record, ...above } = fieldsOf(whole)
      return [...parents.map((parent) => above[parent]), ...valuesOf(record)]
    },
  }
}
