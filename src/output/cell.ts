/**
 * Rows and cells: which columns a view has, a record's values for them, and a value as people read it: words, symbols
 * and ages instead of codes and timestamps.
 */
import { ExactNumber } from '../base/json/json.js'
import { isScalar, stringify } from '../base/json/values.js'
import { type Fields, isObject } from '../base/objects.js'
import type { Tone } from '../base/text.js'
import { getLevelName } from '../catalogue/levels.js'
import { dotted } from '../catalogue/words.js'
import { type SafeText, shown } from './escape.js'
import type { FormatView, View } from './types.js'

/** How the text of a cell is painted once it has its width. */
interface CellStyle {
  readonly tone?: Tone
  readonly url?: string
}

/** The text of a cell, before control characters are made visible. */
interface CellText extends CellStyle {
  readonly text: string
}

/** Text of one line, safe to be shown, and how it is painted. */
export interface Cell extends CellStyle {
  readonly text: SafeText
}

const none: CellText = { text: '–', tone: 'quiet' }

const statusName = /(^|[._])(status|state|health|severity|outcome|verdict)$/
const secondsName = /(^|[._])(duration|seconds|timeout)$|_duration$|_seconds$/
const expiryName = /(^|[._])(expir(es|ed|y|ation)(_at|_on|_date)?|due_date|not_after)$/
/** Returns true for a field that holds a status. */
export const isStatus = (name: string): boolean => statusName.test(name)
/** Returns true for a field that says when something ends. */
export const isExpiry = (name: string): boolean => expiryName.test(name)
/** Returns true for a field that holds a number of seconds. */
export const secondsColumn = (name: string): boolean => secondsName.test(name)
/** Columns of values that were set or are to be: of a preview, or of what a write changed. */
const valueName = /^(old|new|now)$/
const day = 24 * 60 * 60 * 1000
const soon = 30 * day

/** What an object is called among others: its path, name or title. */
const nameKeys = ['path_with_namespace', 'full_path', 'full', 'name', 'username', 'title', 'path']

/** The page of a record on its instance; undefined when it names none. */
export const linkIn = (record: unknown): string | undefined =>
  isObject(record) && typeof record.web_url === 'string' ? record.web_url : undefined

/** The name of an object; undefined when it has none. */
export const getLabel = (value: Fields): string | undefined => {
  const key = nameKeys.find((k) => Object.hasOwn(value, k) && typeof value[k] === 'string')
  return key === undefined ? undefined : String(value[key])
}

/** The object that a column looks into for its name: `author` of `author.username`. */
export const getColumnOwner = (column: string): string => {
  const cut = column.lastIndexOf('.')
  return cut > 0 && nameKeys.includes(column.slice(cut + 1)) ? column.slice(0, cut) : column
}

const expiry = (name: string, text: string, now: Date): Tone | undefined => {
  if (!expiryName.test(name)) return undefined
  const left = Date.parse(text) - now.getTime()
  if (Number.isNaN(left) || left > soon) return undefined
  return left <= 0 ? 'bad' : 'warn'
}

const expiryWords = { bad: '✗ ', warn: '! ' } as const

/** An age; of an expiry, and of a value that is set, its day as well: `in 1 mo (2026-12-27)`. */
const ageText = (name: string, value: string, age: string): string => {
  const [date] = /^\d{4}-\d\d-\d\d/.exec(value) ?? []
  const isMeant = expiryName.test(name) || valueName.test(name)
  return date === undefined || !isMeant ? age : `${age} (${date})`
}

const ofString = (name: string, value: string, view: View, whole: boolean): CellText => {
  const { style, now } = view
  const status = statusName.test(name) ? style.status(value) : undefined
  if (status !== undefined) return status
  const age = style.age(value, now)
  const tone = expiry(name, value, now)
  const mark = !style.accessible && (tone === 'bad' || tone === 'warn') ? expiryWords[tone] : ''
  const text = age === undefined ? value : whole ? `${value} (${age})` : ageText(name, value, age)
  const url = /^https?:\/\//.test(value) ? { url: value } : {}
  return { text: mark + text, tone, ...url }
}

const ofNumber = (
  name: string,
  value: number | ExactNumber,
  view: View,
  whole: boolean,
): CellText => {
  const level = getLevelName(name, Number(value))
  if (level !== undefined) return { text: whole ? `${level} (${value})` : level }
  if (!secondsName.test(name)) return { text: String(value) }
  const span = view.style.span(Number(value))
  return { text: whole ? `${value} (${span})` : span }
}

/** `Ana Adler (ana)`: people share names. */
const titleOf = (value: Fields): string | undefined => {
  const label = getLabel(value)
  const { username } = value
  return typeof username === 'string' && username !== label ? `${label} (${username})` : label
}

const itemText = (value: unknown, whole: boolean): string =>
  isObject(value)
    ? ((whole ? titleOf(value) : getLabel(value)) ?? stringify(value))
    : isScalar(value)
      ? String(value ?? '–')
      : stringify(value)

const saidOf = (name: string, value: unknown, view: View, whole: boolean): CellText => {
  if (value === null || value === undefined || value === '') return none
  if (typeof value === 'boolean') return { text: value ? 'yes' : 'no' }
  if (typeof value === 'number' || value instanceof ExactNumber)
    return ofNumber(name, value, view, whole)
  if (typeof value === 'string') return ofString(name, value, view, whole)
  if (Array.isArray(value) && value.length === 0) return none
  const items = Array.isArray(value) ? value : [value]
  return { text: items.map((item) => itemText(item, whole)).join(', ') }
}

/**
 * A value under its field name as one line.
 * @param whole whether there is room for more than a word: times and levels with their codes
 */
export const createCell = (name: string, value: unknown, view: View, whole = false): Cell => {
  const said = saidOf(name, value, view, whole)
  return { ...said, text: shown(said.text, view.style) }
}

/** The text in its colour, and as a link where it has an address. */
export const painted = (cell: Cell, text: string, view: View): string => {
  const colored = cell.tone === undefined ? text : view.style.paint(text, cell.tone)
  return cell.url === undefined ? colored : view.style.link(colored, cell.url)
}

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
