/**
 * Formats records as rows and values as cells: chooses the columns, and shows words, symbols and ages instead of codes
 * and timestamps.
 */
import { dayLength, formatMinute, isMoment } from '../base/dates.js'
import { ExactNumber } from '../base/json/json.js'
import { isScalar, serializeJson } from '../base/json/values.js'
import { type Fields, isObject } from '../base/objects.js'
import type { Tone } from '../base/text.js'
import { createTargetPicker, getLeadingColumns } from '../catalogue/pick.js'
import { getLevelName } from '../catalogue/shapes/common.js'
import { escapeLine, type SafeText } from './escape.js'
import type { FormatView, Printer, Sink, View } from './types.js'

/** The style of a cell's text. It is applied after the width is known. */
interface CellStyle {
  readonly tone?: Tone
  readonly url?: string
}

/** The text of a cell before it is escaped. */
interface CellText extends CellStyle {
  readonly text: string
}

/** One line of escaped text, with its style. */
export interface Cell extends CellStyle {
  readonly text: SafeText
}

/** The text of a cell without a value. */
export const emptyText = '–'

const emptyCell: CellText = { text: emptyText, tone: 'quiet' }

const statusPattern = /(^|[._])(status|state|health|severity|outcome|verdict)$/
const secondsPattern = /(^|[._])(duration|seconds|timeout)$|_duration$|_seconds$/
const expiryPattern = /(^|[._])(expir(es|ed|y|ation)(_at|_on|_date)?|due_date|not_after)$/
/** True if a field contains a status. */
export const isStatus = (name: string): boolean => statusPattern.test(name)
/** True if a field contains the time at which something ends. */
export const isExpiry = (name: string): boolean => expiryPattern.test(name)
/** True if a field contains a number of seconds. */
export const isSecondsColumn = (name: string): boolean => secondsPattern.test(name)
/** Matches columns of old and new values, as in previews. */
const valuePattern = /^(old|new|now)$/
const soonPeriod = 30 * dayLength

/** The keys that name an object, the best first: its path, name or title. */
const nameKeys = ['path_with_namespace', 'full_path', 'full', 'name', 'username', 'title', 'path']

/** Returns the web page of a record; undefined if it has none. */
const getPageUrl = (record: unknown): string | undefined =>
  isObject(record) && typeof record.web_url === 'string' ? record.web_url : undefined

/** Returns the name of an object; undefined if it has none. */
export const getLabel = (value: Fields): string | undefined => {
  const key = nameKeys.find((k) => Object.hasOwn(value, k) && typeof value[k] === 'string')
  return key === undefined ? undefined : String(value[key])
}

/** Returns the object that a column names: `author` for `author.username`. */
export const getColumnOwner = (column: string): string => {
  const cut = column.lastIndexOf('.')
  return cut > 0 && nameKeys.includes(column.slice(cut + 1)) ? column.slice(0, cut) : column
}

const getExpiryTone = (name: string, text: string, now: Date): Tone | undefined => {
  if (!expiryPattern.test(name)) return undefined
  const left = Date.parse(text) - now.getTime()
  if (Number.isNaN(left) || left > soonPeriod) return undefined
  return left <= 0 ? 'bad' : 'warn'
}

const expiryWords = { bad: '✗ ', warn: '! ' } as const

/** Formats an age. The date is added to an expiry and to a new value: `in 1 mo (2026-12-27)`. */
const formatAge = (name: string, value: string, age: string): string => {
  const [date] = /^\d{4}-\d\d-\d\d/.exec(value) ?? []
  const isMeant = expiryPattern.test(name) || valuePattern.test(name)
  return date === undefined || !isMeant ? age : `${age} (${date})`
}

const formatString = (name: string, value: string, view: View, whole: boolean): CellText => {
  const { style, now } = view
  // A snapshot is known by its time, and is not an age.
  if (name === 'snapshot' && isMoment(value)) return { text: formatMinute(new Date(value)) }
  const status = statusPattern.test(name) ? style.status(value) : undefined
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
  if (!secondsPattern.test(name)) return { text: String(value) }
  const span = view.style.span(Number(value))
  return { text: whole ? `${value} (${span})` : span }
}

/** Returns the name with the username, because several people can have the same name: `Ana Adler (ana)`. */
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
  if (value === null || value === undefined || value === '') return emptyCell
  if (typeof value === 'boolean') return { text: value ? 'yes' : 'no' }
  if (typeof value === 'number' || value instanceof ExactNumber)
    return formatNumber(name, value, view, whole)
  if (typeof value === 'string') return formatString(name, value, view, whole)
  if (Array.isArray(value) && value.length === 0) return emptyCell
  const items = Array.isArray(value) ? value : [value]
  return { text: items.map((item) => formatItem(item, whole)).join(', ') }
}

/**
 * Creates the cell of a value, as one line.
 * @param whole true if there is room for codes next to times and levels
 */
export const createCell = (name: string, value: unknown, view: View, whole = false): Cell => {
  const formatted = formatValue(name, value, view, whole)
  return { ...formatted, text: escapeLine(formatted.text, view.style) }
}

/** Colors the text of a cell, and links it if the cell has a URL. */
export const paintCell = (cell: Cell, text: string, view: View): string => {
  const colored = cell.tone === undefined ? text : view.style.paint(text, cell.tone)
  return cell.url === undefined ? colored : view.style.link(colored, cell.url)
}

/** The column of records that are no objects. */
const valueColumn = 'value'

const toFields = (record: unknown): Fields =>
  isObject(record) ? record : { [valueColumn]: record }

/** The columns of a view, and the values and links of its records. */
export interface RowReader {
  /** Returns the documented names of the columns. If the view names none, the first record decides. */
  readonly columns: () => readonly string[]
  /** Returns the headings of the columns, in the instance's vocabulary if there is one. */
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

/**
 * Creates the rows of a view: with the requested columns, or those of the catalogue, or the fields of the first record.
 * @param choose chooses the fields of a record that become columns if none are named
 */
export const createRows = (
  view: FormatView,
  choose: (record: Fields) => readonly string[] = Object.keys,
): RowReader => {
  let columns = view.fields ?? view.columns
  const getValues = (record: unknown): readonly unknown[] => {
    const fields = toFields(record)
    columns ??= choose(fields)
    return columns.map((path) => view.pick(fields, path))
  }
  const { fields, parents, titled, naming } = view
  const leading = getLeadingColumns(view)
  // A record's own field may have the name of a target's column.
  const nameOwn = (field: string): string => (leading.includes(field) ? `record.${field}` : field)
  const createNameGetter = (translate: (field: string) => string) => (): readonly string[] => {
    const named = (columns ?? []).map((field) => translate(nameOwn(field)))
    return leading.length === 0 ? named : [...leading, ...named]
  }
  const names = {
    columns: createNameGetter(naming.neutral),
    headings: createNameGetter(titled === true ? (field) => field : naming.name),
  }
  if (parents === undefined)
    return {
      ...names,
      values: getValues,
      link: (record, column) => (column === 0 ? getPageUrl(record) : undefined),
    }
  const below = createTargetPicker(view)
  return {
    ...names,
    link: (row, column) =>
      column <= parents.length &&
      column === names.columns().findIndex((name) => !parents.includes(name))
        ? getPageUrl(toFields(row).record)
        : undefined,
    values: (row) => {
      const whole = toFields(row)
      const own =
        fields === undefined
          ? getValues(whole.record)
          : fields.map((path) => below({ ...whole, record: toFields(whole.record) }, path))
      return [...leading.map((column) => whole[column]), ...own]
    },
  }
}

/** The parts of a list that a format does not hold back. */
interface ListFormat {
  readonly header: (rows: RowReader) => string
  /** Formats lines of values, in which access levels have their names. */
  readonly lines: (lines: readonly (readonly unknown[])[]) => string
}

/** Creates a printer of a list: a header as soon as the columns are known, then a line for each record. */
export const createListPrinter = (
  sink: Sink,
  view: FormatView,
  { header, lines }: ListFormat,
): Printer => {
  const rows = createRows(view)
  let started = false
  const takeHeader = (): string => {
    if (started || rows.columns().length === 0) return ''
    started = true
    return header(rows)
  }
  const getNamedValues = (record: unknown): readonly unknown[] =>
    rows.values(record).map((value, i) => getLevelName(rows.columns()[i], value) ?? value)
  const write = async (text: string): Promise<void> => {
    if (text !== '') await sink.write(text)
  }
  const values = async (batch: readonly unknown[]): Promise<void> => {
    // Called before `takeHeader`, because the first record may define the columns.
    const text = lines(batch.map(getNamedValues))
    await write(takeHeader() + text)
  }
  return {
    bytes: (batch) => values(batch.map(view.parse)),
    values,
    close: () => write(takeHeader()),
  }
}

/** Creates a printer that writes each record by itself. */
export const createRecordPrinter = (write: (record: unknown) => Promise<void>): Printer => ({
  values: async (batch) => {
    for (const record of batch) await write(record)
  },
  close: async () => {},
})
