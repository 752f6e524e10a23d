/**
 * Rows and cells: which columns a view has, a record's values for them, and a value as people read it: words, symbols
 * and ages instead of codes and timestamps.
 */
import { formatMinute, isMoment } from '../base/dates.js'
import { ExactNumber } from '../base/json/json.js'
import { isScalar, serializeJson } from '../base/json/values.js'
import { type Fields, isObject } from '../base/objects.js'
import type { Tone } from '../base/text.js'
import { getLevelName } from '../catalogue/levels.js'
import { createTargetPicker, getLeadingColumns } from '../catalogue/pick.js'
import { mapDottedName } from '../catalogue/words.js'
import { escapeLine, type SafeText } from './escape.js'
import type { FormatView, View } from './types.js'

/** The style of a cell's text, applied when its width is known. */
interface CellStyle {
  readonly tone?: Tone
  readonly url?: string
}

/** The text of a cell, before control characters are made visible. */
interface CellText extends CellStyle {
  readonly text: string
}

/** Text of one line, safe to be shown, with its style. */
export interface Cell extends CellStyle {
  readonly text: SafeText
}

/** The text that a cell without a value shows. */
export const emptyText = '–'

const none: CellText = { text: emptyText, tone: 'quiet' }

const statusName = /(^|[._])(status|state|health|severity|outcome|verdict)$/
const secondsName = /(^|[._])(duration|seconds|timeout)$|_duration$|_seconds$/
const expiryName = /(^|[._])(expir(es|ed|y|ation)(_at|_on|_date)?|due_date|not_after)$/
/** Returns true for a field that holds a status. */
export const isStatus = (name: string): boolean => statusName.test(name)
/** Returns true for a field that says when something ends. */
export const isExpiry = (name: string): boolean => expiryName.test(name)
/** Returns true for a field that holds a number of seconds. */
export const isSecondsColumn = (name: string): boolean => secondsName.test(name)
/** Columns of old and new values: of a preview, or of the changes of a write. */
const valueName = /^(old|new|now)$/
const day = 24 * 60 * 60 * 1000
const soon = 30 * day

/** The keys by which an object is named, the best first: its path, name or title. */
const nameKeys = ['path_with_namespace', 'full_path', 'full', 'name', 'username', 'title', 'path']

/** Returns the page of a record on its instance; undefined if it names none. */
const linkIn = (record: unknown): string | undefined =>
  isObject(record) && typeof record.web_url === 'string' ? record.web_url : undefined

/** Returns the name of an object; undefined if it has none. */
export const getLabel = (value: Fields): string | undefined => {
  const key = nameKeys.find((k) => Object.hasOwn(value, k) && typeof value[k] === 'string')
  return key === undefined ? undefined : String(value[key])
}

/** Returns the object in which a column looks for its name: `author` of `author.username`. */
export const getColumnOwner = (column: string): string => {
  const cut = column.lastIndexOf('.')
  return cut > 0 && nameKeys.includes(column.slice(cut + 1)) ? column.slice(0, cut) : column
}

const getExpiryTone = (name: string, text: string, now: Date): Tone | undefined => {
  if (!expiryName.test(name)) return undefined
  const left = Date.parse(text) - now.getTime()
  if (Number.isNaN(left) || left > soon) return undefined
  return left <= 0 ? 'bad' : 'warn'
}

const expiryWords = { bad: '✗ ', warn: '! ' } as const

/** Formats an age. For an expiry and for a value to be set, the day is added: `in 1 mo (2026-12-27)`. */
const formatAge = (name: string, value: string, age: string): string => {
  const [date] = /^\d{4}-\d\d-\d\d/.exec(value) ?? []
  const isMeant = expiryName.test(name) || valueName.test(name)
  return date === undefined || !isMeant ? age : `${age} (${date})`
}

const formatString = (name: string, value: string, view: View, whole: boolean): CellText => {
  const { style, now } = view
  // A snapshot is known by its time, and is not an age.
  if (name === 'snapshot' && isMoment(value)) return { text: formatMinute(new Date(value)) }
  const status = statusName.test(name) ? style.status(value) : undefined
  if (status !== undefined) return status
  const age = style.age(value, now)
  const tone = getExpiryTone(name, value, now)
  const mark = !style.accessible && (tone === 'bad' || tone === 'warn') ? expiryWords[tone] : ''
  const text = age === undefined ? value : whole ? `${value} (${age})` : formatAge(name, value, age)
  const url = /^https?:\/\//.test(value) ? { url: value } : {}
  return { text: mark + text, tone, ...url }
}

const formatNumber = (
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

/** Returns the name with the username, because people share names: `Ana Adler (ana)`. */
const getTitle = (value: Fields): string | undefined => {
  const label = getLabel(value)
  const { username } = value
  return typeof username === 'string' && username !== label ? `${label} (${username})` : label
}

const formatItem = (value: unknown, whole: boolean): string =>
  isObject(value)
    ? ((whole ? getTitle(value) : getLabel(value)) ?? serializeJson(value))
    : isScalar(value)
      ? String(value ?? emptyText)
      : serializeJson(value)

const formatValue = (name: string, value: unknown, view: View, whole: boolean): CellText => {
  if (value === null || value === undefined || value === '') return none
  if (typeof value === 'boolean') return { text: value ? 'yes' : 'no' }
  if (typeof value === 'number' || value instanceof ExactNumber)
    return formatNumber(name, value, view, whole)
  if (typeof value === 'string') return formatString(name, value, view, whole)
  if (Array.isArray(value) && value.length === 0) return none
  const items = Array.isArray(value) ? value : [value]
  return { text: items.map((item) => formatItem(item, whole)).join(', ') }
}

/**
 * Creates the cell of a value, as one line.
 * @param whole whether there is room for more than a word: times and levels with their codes
 */
export const createCell = (name: string, value: unknown, view: View, whole = false): Cell => {
  const said = formatValue(name, value, view, whole)
  return { ...said, text: escapeLine(said.text, view.style) }
}

/** Paints the text of a cell in its color, as a link if it has an address. */
export const paintCell = (cell: Cell, text: string, view: View): string => {
  const colored = cell.tone === undefined ? text : view.style.paint(text, cell.tone)
  return cell.url === undefined ? colored : view.style.link(colored, cell.url)
}

/** The column of records that are no objects. */
const bare = 'value'

const toFields = (record: unknown): Fields => (isObject(record) ? record : { [bare]: record })

/** The columns of a view, and the values and links of its records. */
export interface RowReader {
  /** Known from the start, else by the first record; as the documents call them. */
  readonly columns: () => readonly string[]
  /** The headings above the columns: the instance's own words, if it has some. */
  readonly headings: () => readonly string[]
  readonly values: (record: unknown) => readonly unknown[]
  /** Returns the address of a record's own page, for its first column. Columns of targets come before that. */
  readonly link: (record: unknown, column: number) => string | undefined
}

/** Returns the view of a row: ages of a snapshot's record count from the time of that snapshot. */
export const getRowView = (row: unknown, view: FormatView): FormatView => {
  const { snapshot } = view.parents?.includes('snapshot') === true ? toFields(row) : {}
  return typeof snapshot === 'string' ? { ...view, now: new Date(snapshot) } : view
}

/** Returns the documented name of a field that has the instance's name. */
export const getMeaning = (name: string, { words }: Pick<View, 'words'>): string =>
  words === undefined ? name : mapDottedName(name, words.neutral)

/**
 * Creates rows of the requested columns, else the catalogue's, else the fields of the first record.
 * @param choose chooses which of a record's fields become columns if none are named
 */
export const createRows = (
  view: FormatView,
  choose: (record: Fields) => readonly string[] = Object.keys,
): RowReader => {
  let columns = view.fields ?? view.columns
  const valuesOf = (record: unknown): readonly unknown[] => {
    const fields = toFields(record)
    columns ??= choose(fields)
    return columns.map((path) => view.pick(fields, path))
  }
  const { fields, parents, titled, words } = view
  const leading = getLeadingColumns(view)
  const named = (word: ((name: string) => string) | undefined) => (): readonly string[] => {
    const all = columns ?? []
    const said = word === undefined ? all : all.map((path) => mapDottedName(path, word))
    return [...leading, ...said]
  }
  const names = {
    columns: named(words?.neutral),
    headings: named(titled === true ? undefined : words?.name),
  }
  if (parents === undefined)
    return {
      ...names,
      values: valuesOf,
      link: (record, column) => (column === 0 ? linkIn(record) : undefined),
    }
  const below = createTargetPicker(view)
  return {
    ...names,
    link: (row, column) =>
      column <= parents.length &&
      column === names.columns().findIndex((name) => !parents.includes(name))
        ? linkIn(toFields(row).record)
        : undefined,
    values: (row) => {
      const whole = toFields(row)
      const own =
        fields === undefined
          ? valuesOf(whole.record)
          : fields.map((path) => below({ ...whole, record: toFields(whole.record) }, path))
      return [...leading.map((column) => whole[column]), ...own]
    },
  }
}
