/** Prints groups instead of records, with counts and totals (`--group-by`, `--count`, `--sum` …). */

import { toCanonicalNumber } from '../../base/json/decimal.js'
import { ExactNumber, isNumber, serializeExact } from '../../base/json/json.js'
import { parseBytes } from '../../base/json/records.js'
import type { ValueReader } from '../../base/json/values.js'
import { isObject } from '../../base/objects.js'
import { createMaskedPick } from '../../base/secrets/mask-records.js'
import { findNearest } from '../../base/suggest.js'
import { createPicker, getOwnField } from '../../catalogue/pick.js'
import type { GroupFacts, Inspection } from '../../catalogue/views.js'
import { toMaxCount } from '../../client/paging.js'
import { Failure, usage } from '../../errors.js'
import type { Globals } from '../command/globals.js'
import { createKnown } from '../command/record-facts.js'
import type { RecordsRow, RecordView, Rows } from '../rows.js'
import {
  createValueOrder,
  getShapeKind,
  type Known,
  parseSort,
  parseTimeValue,
  toSortSyntax,
} from '../where/index.js'
import {
  type AnswerContext,
  createFieldInspection,
  getColumnsBeside,
  getShapes,
  unwrapRow,
} from './known-fields.js'
import type { ListStage, StageOptions } from './list-stage.js'
import { maxExact, Total, totalFunctions } from './totals.js'

type Flags = Pick<
  Globals,
  'avg' | 'count' | 'fields' | 'groupBy' | 'limit' | 'max' | 'min' | 'p95' | 'sort' | 'sum'
>

/** The maximum number of groups, and of groups with a percentile, which store values. */
const [maxGroups, maxWithValues] = [100_000, 5000]

// Parsing the flags.

/** A column with a function of a field. */
interface Measure {
  readonly name: (typeof totalFunctions)[number]
  readonly field: string
  readonly column: string
}

/** A column whose values distinguish groups. */
type Key = GroupFacts['keys'][number]

/** The lengths by which `--group-by` groups times: `created_at:day`. */
export const units = ['hour', 'day', 'week', 'month'] as const

const toColumnName = (text: string): string => text.replaceAll(/[.:]/g, '_')

const parseKey = (text: string): Key => {
  const [, field = text, unit] = /^(.+):(\w+)$/.exec(text) ?? []
  if (unit !== undefined && !units.some((one) => one === unit))
    throw usage(
      `--group-by ${text}: times are grouped by ${units.join(', ')}, not by "${unit}"`,
      `For example: --group-by ${field}:day`,
    )
  return { field, column: toColumnName(text), unit }
}

interface GroupQuery extends GroupFacts {
  readonly measures: readonly Measure[]
  readonly columns: readonly string[]
}

/**
 * Parses the flags.
 * @throws Failure `usage` for an unknown unit of time, or two columns of one name
 */
const parseQuery = (flags: Flags): GroupQuery => {
  const keys = (flags.groupBy ?? []).map(parseKey)
  const measures = totalFunctions.flatMap((name) =>
    (flags[name] ?? []).map((field) => ({ name, field, column: `${name}_${toColumnName(field)}` })),
  )
  const counts = flags.count || measures.length === 0
  const columns = [
    ...keys.map(({ column }) => column),
    ...(counts ? ['count'] : []),
    ...measures.map(({ column }) => column),
  ]
  const twice = columns.find((column, i) => columns.indexOf(column) !== i)
  if (twice !== undefined) throw usage(`the column ${twice} would be printed twice`)
  return { keys, measures, columns, counts }
}

/**
 * Checks that the values which are grouped by a length of time can be times.
 * @throws Failure `usage` for a field of another type
 */
const checkUnits = ({ keys }: GroupQuery, known: Known): void => {
  for (const { field, unit } of keys) {
    const kind = getShapeKind(field, known) ?? 'any'
    if (unit === undefined || kind === 'time' || kind === 'any') continue
    throw usage(`--group-by ${field}:${unit}: ${field} is not a time`, `Omit :${unit}.`)
  }
}

/** Returns the start of the hour, day, week or month of a time, in UTC; a value that is no time is unchanged. */
const toBucket = (value: unknown, unit: string | undefined): unknown => {
  const moment = unit === undefined ? undefined : parseTimeValue(value)
  if (unit === undefined || moment === undefined) return value
  const time = new Date(moment)
  if (unit === 'week') time.setUTCDate(time.getUTCDate() - ((time.getUTCDay() + 6) % 7))
  const length = { hour: 13, day: 10, week: 10, month: 7 }[unit] ?? 10
  return time.toISOString().slice(0, length)
}

// Collecting the groups.

/** Returns a key that is equal for equal numbers, however they are written. */
const toGroupKey = (value: unknown): unknown =>
  isNumber(value) && !Number.isSafeInteger(value)
    ? new ExactNumber(toCanonicalNumber(value))
    : value

/** Returns each value once. A record counts only once in a group, even if a list has the same value several times. */
const keepDistinct = (values: readonly unknown[]): readonly unknown[] =>
  values.length === 1
    ? values
    : [...new Map(values.map((value) => [serializeExact(toGroupKey(value)), value])).values()]

interface Group {
  readonly values: readonly unknown[]
  count: number
  readonly totals: readonly Total[]
}

/** Returns all combinations of a record's values: a record with lists counts in several groups. */
const combineValues = (lists: readonly (readonly unknown[])[]): readonly (readonly unknown[])[] =>
  lists.reduce<readonly (readonly unknown[])[]>(
    (all, list) => all.flatMap((one) => list.map((value) => [...one, value])),
    [[]],
  )

interface GroupOptions {
  readonly answering: AnswerContext
  readonly globals: Flags
  readonly now: () => Date
  /** Returns a field of a record, masked. */
  readonly pick: ValueReader
}

/** A column by which groups are sorted. */
interface SortedColumn {
  readonly column: string
  readonly descending: boolean
  /** Compares two values of the column, neither of which is missing. */
  readonly compare: (a: unknown, b: unknown) => number
}

/** Compares two groups by a column. Groups without a value come last in both directions. */
const compareGroups = (
  left: Readonly<Record<string, unknown>>,
  right: Readonly<Record<string, unknown>>,
  { column, descending, compare }: SortedColumn,
): number => {
  const [a, b] = [left[column], right[column]]
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return descending ? compare(b, a) : compare(a, b)
}

class GroupStage implements ListStage {
  readonly view: RecordView
  readonly #query: GroupQuery
  readonly #options: GroupOptions
  readonly #order: readonly SortedColumn[]
  readonly #groups = new Map<string, Group>()
  readonly #beside: readonly string[]
  readonly #maxPrinted: number
  /** The number of records without a number in a column, by column. */
  readonly #without = new Map<string, number>()
  #inspection: Inspection | undefined
  #hasLists = false

  constructor(question: GroupQuery, options: GroupOptions) {
    const { answering, globals, now } = options
    const { columns } = question
    this.view = {
      columns,
      names: columns.slice(0, 1),
      approximate: getRoughColumns(question),
      groups: question,
    }
    this.#query = question
    this.#options = options
    this.#beside = getColumnsBeside(answering.emit)
    const known = {
      ...createKnown(answering.command, now()),
      list: { anyOf: getShapes(answering) },
    }
    checkUnits(question, known)
    this.#order = parseOrder(globals.sort, question).map(({ column, descending }) => {
      const { field } = question.keys.find((key) => key.column === column) ?? { field: column }
      return { column, descending, compare: createValueOrder(field, known) }
    })
    this.#maxPrinted = toMaxCount(globals.limit)
    const fields = [...question.keys, ...question.measures].map(({ field }) => field)
    const own = fields.filter((field) => !this.#beside.includes(field))
    this.#inspection = createFieldInspection(answering, [...new Set(own)])
    if (question.keys.length === 0) this.#findGroup([])
  }

  async addRecords({ batch }: RecordsRow): Promise<undefined> {
    for (const bytes of batch) this.#addRow(parseBytes(bytes))
  }

  async *finish(): Rows {
    await this.#inspection?.end()
    const all = [...this.#groups.values()].map((group) => this.#toRow(group))
    all.sort((a, b) => {
      for (const one of this.#order) {
        const order = compareGroups(a, b, one)
        if (order !== 0) return order
      }
      return 0
    })
    for (const value of all.slice(0, this.#maxPrinted)) yield { kind: 'value', value }
  }

  #addRow(row: unknown): void {
    const record = unwrapRow(row, this.#options.answering)
    if (record === undefined) return
    if (this.#inspection?.see([row]) === true) this.#inspection = undefined
    const lists = this.#query.keys.map((key) => this.#getValues(row, record, key))
    for (const values of combineValues(lists)) this.#count(this.#findGroup(values), record)
  }

  /**
   * Returns the values of a record for a key: the elements of a list, or the value.
   * @throws Failure `usage` if it is an object
   */
  #getValues(row: unknown, record: unknown, { field, unit }: Key): readonly unknown[] {
    const beside = this.#beside.includes(field) && isObject(row)
    const value = beside ? row[field] : this.#options.pick(record, getOwnField(field, this.#beside))
    const all: readonly unknown[] = Array.isArray(value) && value.length > 0 ? value : [value]
    const object = all.find((one) => isObject(one))
    if (isObject(object)) {
      const names = Object.keys(object).slice(0, 8)
      throw usage(
        `--group-by ${field}: this is an object, not a value`,
        `Choose one of its fields: ${names.map((name) => `${field}.${name}`).join(', ')}.`,
      )
    }
    if (Array.isArray(value) && value.length === 0) return [null]
    const values = keepDistinct(all.map((one) => toBucket(one ?? null, unit)))
    if (values.length > 1) this.#hasLists = true
    return values
  }

  #findGroup(values: readonly unknown[]): Group {
    const key = serializeExact(values.map(toGroupKey)) ?? ''
    const found = this.#groups.get(key)
    if (found !== undefined) return found
    const { measures } = this.#query
    const most = measures.some(({ name }) => name === 'p95') ? maxWithValues : maxGroups
    if (this.#groups.size >= most)
      throw new Failure('failed', `there are more than ${most} groups`, {
        hint: 'Narrow the list with --where, or group by another field.',
      })
    const group = { values, count: 0, totals: measures.map(({ name }) => new Total(name)) }
    this.#groups.set(key, group)
    return group
  }

  #count(group: Group, record: unknown): void {
    group.count += 1
    for (const [i, { field, column }] of this.#query.measures.entries()) {
      if (
        group.totals[i]?.add(this.#options.pick(record, getOwnField(field, this.#beside))) === true
      )
        continue
      this.#without.set(column, (this.#without.get(column) ?? 0) + 1)
    }
  }

  #toRow({ values, count, totals }: Group): Readonly<Record<string, unknown>> {
    const { keys, measures, counts } = this.#query
    const approximate = totals.some(({ percentile }) => percentile?.approximate === true)
    return Object.fromEntries([
      ...keys.map(({ column }, i) => [column, values[i]] as const),
      ...(counts ? [['count', count] as const] : []),
      ...measures.map(({ column }, i) => [column, totals[i]?.compute() ?? null] as const),
      ...(approximate ? [['approximate', true] as const] : []),
    ])
  }

  *describe(): Generator<string> {
    const groups = [...this.#groups.values()]
    if (this.#maxPrinted < groups.length)
      yield `showing ${this.#maxPrinted} of ${groups.length} groups; use --limit <n> or --limit all for more`
    for (const [column, missing] of this.#without)
      yield `${missing} record${missing === 1 ? '' : 's'} without a number ${missing === 1 ? 'is' : 'are'} left out of ${column}`
    if (this.#hasLists) yield 'records with several values are counted in several groups'
    if (groups.some(({ totals }) => totals.some(({ percentile }) => percentile?.approximate)))
      yield `p95 of more than ${maxExact} values is within one percent`
  }
}

/** Returns the columns whose numbers may be approximate. */
const getRoughColumns = ({ measures }: GroupQuery): readonly string[] =>
  measures.flatMap(({ name, column }) => (name === 'p95' ? [column] : []))

/**
 * Parses --sort for groups; by default they are ordered by their keys.
 * @throws Failure `usage` if there is no such column
 */
const parseOrder = (sort: Flags['sort'], { columns, keys, measures }: GroupQuery) => {
  if (sort === undefined) return keys.map(({ column }) => ({ column, descending: false }))
  return parseSort(sort).map(({ field, descending }) => {
    const alone = measures.filter(({ name }) => name === field)
    const [only] = alone.length === 1 ? alone : []
    const column = columns.find((one) => one === toColumnName(field)) ?? only?.column
    if (column !== undefined) return { column, descending }
    const form = toSortSyntax(field) ?? findNearest(field, [...columns])
    const flags = [...(keys.length > 0 ? ['group-by'] : []), ...measures.map(({ name }) => name)]
    const flagText = flags.length === 0 ? '--count' : `--${flags[0]}`
    throw usage(
      `--sort ${field}: the groups of ${flagText} have no such column`,
      form === undefined ? `They have ${columns.join(', ')}.` : `Did you mean ${form}?`,
    )
  })
}

/**
 * Returns the columns of the groups.
 * @throws Failure `usage` if the flags are invalid
 */
export const getGroupColumns = (flags: Flags): readonly string[] => parseQuery(flags).columns

/**
 * Creates the stage that groups the records of a list.
 * @throws Failure `usage` if the flags are invalid
 */
export const createGroupStage = (emit: RecordView, options: StageOptions): ListStage => {
  const { command, globals, now, getHidden } = options
  const { computedFields, naming } = command
  const pick = createMaskedPick(createPicker(computedFields, naming), getHidden(emit))
  return new GroupStage(parseQuery(globals), { answering: { command, emit }, globals, now, pick })
}
