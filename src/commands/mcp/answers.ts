/**
 * Builds the responses of the MCP server: at most 32 KB, with all data of the instance under `data`. The same JSON
 * is in `structuredContent` and, for clients that show only that, in a text.
 */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { ExactNumber } from '../../base/json/json.js'
import { parseBytes } from '../../base/json/records.js'
import { isObject } from '../../base/objects.js'
import { escapeControlLines } from '../../base/screen-text.js'
import { redactSecrets } from '../../base/secrets/scrub.js'
import type { Failure } from '../../errors.js'

// A record that is larger than an answer may be, without what makes it so.

/** Names of what was cut: so many, and so long, that they have room. */
const maxNames = 20
const longestName = 60

const countBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')

/** Returns a text up to a limit that breaks no character. */
const shorten = (text: string, limit: number): string =>
  `${text.slice(0, limit).replace(/[\ud800-\udbff]$/, '')}…`

/** A value cut to a limit; itself where it is within that, or of another type. */
type Cutter = (value: unknown) => unknown

const createTextCutter =
  (limit: number): Cutter =>
  (value) =>
    typeof value === 'string' && value.length > limit + 1 ? shorten(value, limit) : value

const listCutter =
  (limit: number): Cutter =>
  (value) =>
    Array.isArray(value) && value.length > limit ? value.slice(0, limit) : value

/** The cutters to try, one after the other, until the record fits. */
const cutters = [...[8192, 2048, 512, 128].map(createTextCutter), ...[50, 10, 1].map(listCutter)]

/** Returns the value with each text, list and object in it cut. @param names gets the paths of those that were */
const cutDeep = (value: unknown, cutter: Cutter, names: Set<string>, path = ''): unknown => {
  const own = cutter(value)
  if (own !== value) names.add(path)
  const inside = (inner: unknown, name: string | number): unknown =>
    cutDeep(inner, cutter, names, path === '' ? String(name) : `${path}.${name}`)
  if (Array.isArray(own)) return own.map(inside)
  if (!isObject(own)) return own
  return Object.fromEntries(Object.entries(own).map(([name, inner]) => [name, inside(inner, name)]))
}

/** Returns the value without its largest fields, as far as the rest fits. */
const cutFields = (value: unknown, most: number, names: Set<string>): unknown => {
  if (!isObject(value)) return null
  const sizes = Object.entries(value).map(
    ([name, inner]) => [name, countBytes(name) + countBytes(inner) + 2] as const,
  )
  const kept = new Set<string>()
  let left = most - 2
  for (const [name, size] of sizes.toSorted(([, a], [, b]) => a - b)) {
    left -= size
    if (left < 0) names.add(name)
    else kept.add(name)
  }
  return Object.fromEntries(Object.entries(value).filter(([name]) => kept.has(name)))
}

const limitNames = (names: ReadonlySet<string>): readonly string[] => {
  const all = [...names].map((name) =>
    name.length > longestName ? shorten(name, longestName) : name || '(all of it)',
  )
  const more = all.length - maxNames
  return more <= 0 ? all : [...all.slice(0, maxNames), `and ${more} more`]
}

/** Shortens a record to a number of bytes, and names the fields that were cut. */
export const cutRecord = (
  record: unknown,
  most: number,
): { readonly record: unknown; readonly cut: readonly string[] } => {
  const names = new Set<string>()
  let value = record
  for (const cutter of cutters) {
    if (countBytes(value) <= most) break
    value = cutDeep(value, cutter, names)
  }
  if (countBytes(value) > most) value = cutFields(value, most, names)
  return { record: value, cut: limitNames(names) }
}

// Records → an answer of at most 32 KB, counted in bytes as it travels: whole records, and where it goes on.

/** The size limit of a response. */
export const maxBytes = 32 * 1024
/** For what stands around an answer on its way; and for the names of what was cut and of the fields to choose from. */
const envelopeBytes = 512
const nameBytes = 8192

/** Returns a received text without secrets that were sent, and with nothing in it that could steer a screen. */
const clean = (text: string): string => escapeControlLines(redactSecrets(text))

/** Returns a received value with each text in it cleaned, and numbers as they were written. */
const toSafeValue = (value: unknown): unknown => {
  if (typeof value === 'string') return clean(value)
  if (value instanceof ExactNumber) return value.text
  if (Array.isArray(value)) return value.map(toSafeValue)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [clean(name), toSafeValue(inner)]),
  )
}

/** The records of an answer that there is room for. */
interface FittingRecords {
  readonly records: readonly unknown[]
  /** Of the one record that does not fit whole: the names of the fields that were cut, and of its own to choose from. */
  readonly names?: { readonly cut_fields: readonly string[]; readonly fields: readonly string[] }
}

/** Lists the names of a record's fields that there is room for, each of them whole. */
const listFieldNames = (record: unknown): readonly string[] => {
  const names: string[] = []
  let left = nameBytes / 2
  for (const name of isObject(record) ? Object.keys(record) : []) {
    const size = countBytes(name) + 1
    if (size > left) continue
    left -= size
    names.push(name)
  }
  return names
}

/**
 * Returns as many records as there is room for, at least one.
 * @param records the bytes of a JSON value each
 * @param taken by the rest of the answer, in bytes
 */
const packRecords = (records: readonly Uint8Array[], taken: number): FittingRecords => {
  const most = maxBytes - envelopeBytes - taken
  const fitting: unknown[] = []
  let size = 0
  for (const bytes of records) {
    const record = toSafeValue(parseBytes(bytes))
    const own = countBytes(record) + 1
    if (size + own > most) {
      if (fitting.length > 0) break
      const { record: rest, cut } = cutRecord(record, most - nameBytes)
      return { records: [rest], names: { cut_fields: cut, fields: listFieldNames(record) } }
    }
    size += own
    fitting.push(record)
  }
  return { records: fitting }
}

/** The number of notes in an answer, and the length of each in characters. */
const maxNotes = 5
const longestNote = 300

/** Limits the notes of a response in number and length. */
export const limitNotes = (notes: readonly string[]): readonly string[] => {
  const more = notes.length - maxNotes
  return [
    ...notes
      .slice(0, maxNotes)
      .map((note) => escapeControlLines(redactSecrets(note).slice(0, longestNote))),
    ...(more > 0 ? [`and ${more} more`] : []),
  ]
}

/** Longer words of a failure say nothing more. */
const longestMessage = 2000

/** Creates the result of a tool call. */
export const toToolResult = (value: object): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: { ...value },
})

const limitText = (text: string): string => clean(text).slice(0, longestMessage)

/** Creates the result of a call that failed. The message may contain words of the instance, so it is data. */
export const toErrorResult = ({ category, message, details }: Failure): CallToolResult => {
  const { status, hint, unknownOutcome, requestId } = details
  const error = {
    category,
    status,
    ...(unknownOutcome === true ? { outcome: 'unknown' } : {}),
  }
  const data = {
    message: limitText(message),
    hint: hint && limitText(hint),
    request_id: requestId && limitText(requestId),
  }
  return { ...toToolResult({ error, data }), isError: true }
}

/** An answer of records. */
interface RecordsAnswer {
  /** The fields beside `data`, at their largest. */
  readonly beside: object
  /** The name of the records. */
  readonly name: 'records' | 'changes'
  readonly records: readonly Uint8Array[]
  readonly notes: readonly string[]
  /** Returns the fields beside the records, once it is known how many records there was room for. */
  readonly finally?: (count: number) => object
}

/** Creates a result with as many records as fit. */
export const toRecordsResult = (of: RecordsAnswer): CallToolResult => {
  const { beside, name, records, finally: known = () => beside } = of
  const notes = limitNotes(of.notes)
  const whole = ({ records: shown, names }: FittingRecords, more: object) => ({
    ...more,
    ...(names === undefined ? {} : { cut: true }),
    data: {
      [name]: shown,
      ...names,
      ...(notes.length === 0 ? {} : { notes }),
    },
  })
  const fitting = packRecords(records, countBytes(whole({ records: [] }, beside)))
  return toToolResult(whole(fitting, known(fitting.records.length)))
}
