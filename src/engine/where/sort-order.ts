/** Parses `--sort` and compares records by its fields. */

import { compareNumbers, numberPattern } from '../../base/json/decimal.js'
import { ExactNumber, isNumber } from '../../base/json/json.js'
import { getOwn } from '../../base/objects.js'
import { compareVersions, isVersion } from '../../base/version.js'
import { getOwnField } from '../../catalogue/pick.js'
import { usage } from '../../errors.js'
import { type Names, parseTimeValue, spellings } from './condition.js'
import {
  createLeafReader,
  getFieldNames,
  getRecordField,
  getShapeKind,
  type Known,
} from './fields.js'
import { type FieldKind, getLeaves } from './shape.js'

/** A field to sort by. */
export interface SortField {
  readonly field: string
  readonly descending: boolean
}

/** A comparable value, with its type. Values of different types are ordered by type. */
type ComparableValue =
  | readonly ['number', number | ExactNumber]
  | readonly ['time' | 'rank', number]
  | readonly ['version' | 'text' | 'other', string]

/** The values by which a record is sorted: a list for each field, which is empty if the record lacks the field. */
export type SortKey = readonly (readonly ComparableValue[])[]

/** An order of records. */
export interface RecordOrder {
  /** Returns the values by which a record is sorted. @param row the record with its additional columns, if there are any */
  readonly toSortKey: (record: unknown, row?: unknown) => SortKey
  /** Returns a negative number if the first record comes first. */
  readonly compare: (a: SortKey, b: SortKey) => number
}

/**
 * Parses `name,-created_at`.
 * @throws Failure `usage`
 */
export const parseSort = (texts: readonly string[]): readonly SortField[] =>
  texts.map((text) => {
    const field = text.replace(/^-/, '')
    if (field === '')
      throw usage(`--sort must be a list of fields, such as name,-created_at, not "${text}"`)
    return { field, descending: text.startsWith('-') }
  })

/** Converts the syntax of other languages (`name desc`, `name:desc`, `+name`) to that of `--sort`; undefined for any other text. */
export const toSortSyntax = (text: string): string | undefined => {
  const [, plus = '', field, direction = ''] =
    /^(\+?)([a-z_][\w.]*?)(?:[ .:](asc|desc)(?:ending)?)?$/i.exec(text) ?? []
  if (field === undefined || (plus === '' && direction === '')) return undefined
  return direction.toLowerCase() === 'desc' ? `-${field}` : field
}

/** The types of comparable values, in the order in which values of different types are sorted. */
const valueTypes = ['number', 'rank', 'time', 'version', 'text', 'other']

const { compare: compareTexts } = new Intl.Collator('en')

const compareValues = (a: ComparableValue, b: ComparableValue): number => {
  if (a[0] !== b[0]) return valueTypes.indexOf(a[0]) - valueTypes.indexOf(b[0])
  const [type, value] = a
  const other = b[1]
  if (isNumber(value)) return compareNumbers(value, String(other))
  return (type === 'version' ? compareVersions : compareTexts)(value, String(other))
}

/** Compares lists value by value. A list that is the beginning of another comes first. */
const compareLists = (a: readonly ComparableValue[], b: readonly ComparableValue[]): number => {
  for (const [i, one] of a.entries()) {
    const other = b[i]
    const order = other === undefined ? 1 : compareValues(one, other)
    if (order !== 0) return order
  }
  return a.length - b.length
}

const toComparableBoolean = (value: unknown): ComparableValue | undefined => {
  const known = spellings.get(value)
  return known === undefined ? undefined : ['rank', Number(known)]
}

const toComparableLevel = (value: unknown, names: Names): ComparableValue | undefined => {
  const rank = getOwn(names, String(value).toLowerCase())
  return rank === undefined ? undefined : ['rank', rank]
}

const toComparableTime = (value: unknown): ComparableValue | undefined => {
  const time = parseTimeValue(value)
  return time === undefined ? undefined : ['time', time]
}

const toComparableNumber = (value: unknown): ComparableValue | undefined => {
  if (isNumber(value)) return ['number', value]
  return typeof value === 'string' && numberPattern.test(value)
    ? ['number', new ExactNumber(value)]
    : undefined
}

const toComparableVersion = (value: unknown): ComparableValue | undefined =>
  typeof value === 'string' && isVersion(value) ? ['version', value] : undefined

/** The functions that convert the values of a field of each type. */
const converters: Readonly<
  Record<FieldKind, (value: unknown, names: Names) => ComparableValue | undefined>
> = {
  number: toComparableNumber,
  boolean: toComparableBoolean,
  time: toComparableTime,
  version: toComparableVersion,
  level: toComparableLevel,
  text: () => undefined,
  object: () => undefined,
  any: (value) =>
    typeof value === 'boolean'
      ? toComparableBoolean(value)
      : (toComparableTime(value) ?? toComparableNumber(value)),
}

/** Converts a value to a comparable one. Values that do not have the type of the field come last. */
const toComparable = (value: unknown, kind: FieldKind, names: Names): ComparableValue =>
  converters[kind](value, names) ??
  (typeof value === 'string' ? ['text', value] : ['other', JSON.stringify(value) ?? ''])

/** Creates a function that compares two values of a field as `--sort` compares records by it. */
export const createValueOrder = (
  field: string,
  known: Known,
): ((a: unknown, b: unknown) => number) => {
  const source = getRecordField(field, known)
  const [kind = 'any', names] = [getShapeKind(source, known), getFieldNames(source, known)]
  return (a, b) => compareValues(toComparable(a, kind, names), toComparable(b, kind, names))
}

/** Creates a function that reads the comparable values of one field. */
const createValueReader = (
  { field }: SortField,
  known: Known,
  extraColumns: readonly string[],
): ((record: unknown, row: unknown) => readonly ComparableValue[]) => {
  const source = getRecordField(getOwnField(field, extraColumns), known)
  const kind = getShapeKind(source, known)
  if (extraColumns.includes(field))
    return (_, row) =>
      getLeaves(row, [field]).values.map((value) => toComparable(value, 'text', undefined))
  if (kind === 'object')
    throw usage(
      `--sort ${field}: ${known.naming.describeName(field)} is an object`,
      `Sort by one of its fields, after a dot. "svcctl explain" lists them.`,
    )
  const names = getFieldNames(source, known)
  const leaves = createLeafReader(source, known)
  return (record) => {
    const { values } = leaves(record)
    return values.map((value) => toComparable(value, kind ?? 'any', names))
  }
}

/**
 * Creates the order by fields. Records without a field come last, in both directions.
 * @param extraColumns columns of the rows that are not fields of the records
 * @throws Failure `usage` for a field that has no order
 */
export const createOrder = (
  fields: readonly SortField[],
  known: Known,
  extraColumns: readonly string[],
): RecordOrder => {
  const valueReaders = fields.map((field) => createValueReader(field, known, extraColumns))
  return {
    toSortKey: (record, row = record) => valueReaders.map((read) => read(record, row)),
    compare: (a, b) => {
      for (const [i, { descending }] of fields.entries()) {
        const [left = [], right = []] = [a[i], b[i]]
        const missing = Number(left.length === 0) - Number(right.length === 0)
        if (missing !== 0) return missing
        const order = compareLists(left, right)
        if (order !== 0) return descending ? -order : order
      }
      return 0
    },
  }
}
