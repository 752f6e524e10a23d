/** `--group-by`, `--count`, `--sum` …: an answer of which groups are printed, and what their records come to. */

import { isMoment } from '../../base/dates.js'
import { compareNumbers, toCanonicalNumber } from '../../base/json/decimal.js'
import { ExactNumber, isNumber, serializeExact } from '../../base/json/json.js'
import { parseBytes } from '../../base/json/records.js'
import type { Pick as FieldPick } from '../../base/json/values.js'
import { isObject } from '../../base/objects.js'
import { createMaskedPick } from '../../base/secrets/mask-records.js'
import { findNearest } from '../../base/suggest.js'
import { createPicker, getOwnField } from '../../catalogue/pick.js'
import type { GroupFacts, Inspection } from '../../catalogue/views.js'
import { defaultLimit } from '../../client/defaults.js'
import { Failure, usage } from '../../errors.js'
import type { Globals } from '../command/globals.js'
import type { RecordsRow, RecordView, Rows } from '../rows.js'
import { parseSort, toSortForm } from '../where/index.js'
import {
  type AnswerContext,
  createFieldInspection,
  getColumnsBeside,
  unwrapRow,
} from './known-fields.js'
import type { ListStage, StageOptions } from './list-stage.js'
import { functions, maxExact, Total } from './totals.js'

type Flags = Pick<
  Globals,
  'avg' | 'count' | 'fields' | 'groupBy' | 'limit' | 'max' | 'min' | 'p95' | 'sort' | 'sum'
>

/** The maximum number of groups that are kept, and of groups whose values are kept. */
const [maxGroups, maxWithValues] = [100_000, 5000]

// What is asked for.

/** A column of numbers: a function of a field. */
interface Measure {
  readonly name: (typeof functions)[number]
  readonly field: string
  readonly column: string
}

/** A column that tells groups apart. */
type Key = GroupFacts['keys'][number]

const units = ['hour', 'day', 'week', 'month'] as const

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

/** @throws Failure `usage` for what says nothing together */
const parseQuery = (flags: Flags): GroupQuery => {
  const keys = (flags.groupBy ?? []).map(parseKey)
  const measures = functions.flatMap((name) =>
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

/** Returns the beginning of the unit of time that a moment is in, UTC; the value itself if it is no moment. */
const toBucket = (value: unknown, unit: string | undefined): unknown => {
  if (unit === undefined || typeof value !== 'string' || !isMoment(value)) return value
  const time = new Date(Date.parse(value))
  if (unit === 'week') time.setUTCDate(time.getUTCDate() - ((time.getUTCDay() + 6) % 7))
  const length = { hour: 13, day: 10, week: 10, month: 7 }[unit] ?? 10
  return time.toISOString().slice(0, length)
}

// The groups.

/** Numbers of one value are in one group, however they are written. */
const toGroupKey = (value: unknown): unknown =>
  isNumber(value) && !Number.isSafeInteger(value)
    ? new ExactNumber(toCanonicalNumber(value))
    : value

interface Group {
  readonly values: readonly unknown[]
  count: number
  readonly totals: readonly Total[]
}

/** Combines the values that a record has under the keys in every way; a list counts by each of its elements. */
const combineValues = (lists: readonly (readonly unknown[])[]): readonly (readonly unknown[])[] =>
  lists.reduce<readonly (readonly unknown[])[]>(
    (all, list) => all.flatMap((one) => list.map((value) => [...one, value])),
    [[]],
  )

interface GroupOptions {
  readonly answering: AnswerContext
  readonly globals: Flags
  /** Picks a field of a record, masked. */
  readonly pick: FieldPick
}

const { compare } = new Intl.Collator('en', { numeric: true })

/** Returns a number below zero if the first comes before the second; what is not there comes last, in both directions. */
const compareValues = (a: unknown, b: unknown, descending: boolean): number => {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  const order = isNumber(a) && isNumber(b) ? compareNumbers(a, b) : compare(String(a), String(b))
  return descending ? -order : order
}

class Groups implements ListStage {
  readonly view: RecordView
  readonly #question: GroupQuery
  readonly #options: GroupOptions
  readonly #order: readonly { readonly column: string; readonly descending: boolean }[]
  readonly #groups = new Map<string, Group>()
  readonly #beside: readonly string[]
  /** Records that a column left out, by column. */
  readonly #without = new Map<string, number>()
  #inspection: Inspection | undefined
  #severally = false

  constructor(question: GroupQuery, options: GroupOptions) {
    const { answering, globals } = options
    const { columns } = question
    this.view = {
      columns,
      names: columns.slice(0, 1),
      approximate: getRoughColumns(question),
      groups: question,
    }
    this.#question = question
    this.#options = options
    this.#beside = getColumnsBeside(answering.emit)
    this.#order = parseOrder(globals.sort, question)
    const fields = [...question.keys, ...question.measures].map(({ field }) => field)
    const own = fields.filter((field) => !this.#beside.includes(field))
    this.#inspection = createFieldInspection(answering, [...new Set(own)])
    if (question.keys.length === 0) this.#group([])
  }

  async take({ batch }: RecordsRow): Promise<undefined> {
    for (const bytes of batch) this.#takeRow(parseBytes(bytes))
  }

  async *finish(): Rows {
    await this.#inspection?.end()
    const all = [...this.#groups.values()].map((group) => this.#rowOf(group))
    all.sort((a, b) => {
      for (const { column, descending } of this.#order) {
        const order = compareValues(a[column], b[column], descending)
        if (order !== 0) return order
      }
      return 0
    })
    for (const value of all.slice(0, this.#most)) yield { kind: 'value', value }
  }

  #takeRow(row: unknown): void {
    const record = unwrapRow(row, this.#options.answering)
    if (record === undefined) return
    if (this.#inspection?.see([row]) === true) this.#inspection = undefined
    const lists = this.#question.keys.map((key) => this.#valuesOf(row, record, key))
    for (const values of combineValues(lists)) this.#count(this.#group(values), record)
  }

  /** The largest number of groups that is shown. */
  get #most(): number {
    const { limit = defaultLimit } = this.#options.globals
    return limit === 'all' ? Number.POSITIVE_INFINITY : limit
  }

  /** The values of a record under a key: each element of a list. @throws Failure `usage` for an object */
  #valuesOf(row: unknown, record: unknown, { field, unit }: Key): readonly unknown[] {
    const beside = this.#beside.includes(field) && isObject(row)
    const value = beside ? row[field] : this.#options.pick(record, getOwnField(field, this.#beside))
    const all: readonly unknown[] = Array.isArray(value) && value.length > 0 ? value : [value]
    if (all.length > 1) this.#severally = true
    const object = all.find((one) => isObject(one))
    if (isObject(object)) {
      const names = Object.keys(object).slice(0, 8)
      throw usage(
        `--group-by ${field}: this is an object, not a value`,
        `Choose one of its fields: ${names.map((name) => `${field}.${name}`).join(', ')}.`,
      )
    }
    return Array.isArray(value) && value.length === 0
      ? [null]
      : all.map((one) => toBucket(one ?? null, unit))
  }

  #group(values: readonly unknown[]): Group {
    const key = serializeExact(values.map(toGroupKey)) ?? ''
    const found = this.#groups.get(key)
    if (found !== undefined) return found
    const { measures } = this.#question
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
    for (const [i, { field, column }] of this.#question.measures.entries()) {
      if (
        group.totals[i]?.add(this.#options.pick(record, getOwnField(field, this.#beside))) === true
      )
        continue
      this.#without.set(column, (this.#without.get(column) ?? 0) + 1)
    }
  }

  #rowOf({ values, count, totals }: Group): Readonly<Record<string, unknown>> {
    const { keys, measures, counts } = this.#question
    const approximate = totals.some(({ percentile }) => percentile?.approximate === true)
    return Object.fromEntries([
      ...keys.map(({ column }, i) => [column, values[i]] as const),
      ...(counts ? [['count', count] as const] : []),
      ...measures.map(({ column }, i) => [column, totals[i]?.value() ?? null] as const),
      ...(approximate ? [['approximate', true] as const] : []),
    ])
  }

  *describe(): Generator<string> {
    const groups = [...this.#groups.values()]
    if (this.#most < groups.length)
      yield `showing ${this.#most} of ${groups.length} groups; use --limit <n> or --limit all for more`
    for (const [column, missing] of this.#without)
      yield `${missing} record${missing === 1 ? '' : 's'} without a number ${missing === 1 ? 'is' : 'are'} left out of ${column}`
    if (this.#severally) yield 'records with several values are counted in several groups'
    if (groups.some(({ totals }) => totals.some(({ percentile }) => percentile?.approximate)))
      yield `p95 of more than ${maxExact} values is within one percent`
  }
}

/** Returns the columns whose numbers may not be exact. */
const getRoughColumns = ({ measures }: GroupQuery): readonly string[] =>
  measures.flatMap(({ name, column }) => (name === 'p95' ? [column] : []))

/**
 * Parses by which columns the groups are ordered: by what tells them apart, unless the line says otherwise.
 * @throws Failure `usage` for what is no column
 */
const parseOrder = (sort: Flags['sort'], { columns, keys, measures }: GroupQuery) => {
  if (sort === undefined) return keys.map(({ column }) => ({ column, descending: false }))
  return parseSort(sort).map(({ field, descending }) => {
    const alone = measures.filter(({ name }) => name === field)
    const [only] = alone.length === 1 ? alone : []
    const column = columns.find((one) => one === toColumnName(field)) ?? only?.column
    if (column !== undefined) return { column, descending }
    const form = toSortForm(field) ?? findNearest(field, [...columns])
    const flags = [...(keys.length > 0 ? ['group-by'] : []), ...measures.map(({ name }) => name)]
    const said = flags.length === 0 ? '--count' : `--${flags[0]}`
    throw usage(
      `--sort ${field}: the groups of ${said} have no such column`,
      form === undefined ? `They have ${columns.join(', ')}.` : `Did you mean ${form}?`,
    )
  })
}

/**
 * Returns the columns of the groups.
 * @throws Failure `usage`
 */
export const groupColumns = (flags: Flags): readonly string[] => parseQuery(flags).columns

/**
 * Creates what makes groups of the records of a list.
 * @throws Failure `usage` for what says nothing together
 */
export const createGroupStage = (emit: RecordView, options: StageOptions): ListStage => {
  const { command, globals, hiddenFor, words } = options
  const pick = createMaskedPick(createPicker(command.computedFields, words), hiddenFor(emit), words)
  return new Groups(parseQuery(globals), { answering: { command, emit, words }, globals, pick })
}
