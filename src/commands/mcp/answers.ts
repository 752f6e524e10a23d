/**
 * Builds the answers of the MCP server: at most 32 KB, with all data of the instance under `data`. The text content repeats the JSON of
 * `structuredContent` for clients that show only text.
 */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { ExactNumber } from '../../base/json/json.js'
import { parseBytes } from '../../base/json/records.js'
import { isObject, mapValues } from '../../base/objects.js'
import { escapeControlLines } from '../../base/screen-text.js'
import { redactSecrets } from '../../base/secrets/redact.js'
import type { Failure } from '../../errors.js'

// Records that are too large for an answer, which are shortened.

/** The maximum number and length of names of shortened fields, so that the list always fits. */
const maxNames = 20
const longestName = 60

const countBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')

/** Shortens a text to a limit without splitting a character. */
const shorten = (text: string, limit: number): string =>
  `${text.slice(0, limit).replace(/[\ud800-\udbff]$/, '')}…`

/** Shortens a value to a limit. Values of another type or within the limit are returned unchanged. */
type Cutter = (value: unknown) => unknown

const createTextCutter =
  (limit: number): Cutter =>
  (value) =>
    typeof value === 'string' && value.length > limit + 1 ? shorten(value, limit) : value

const createListCutter =
  (limit: number): Cutter =>
  (value) =>
    Array.isArray(value) && value.length > limit ? value.slice(0, limit) : value

/** The cutters to apply in order until the record fits. */
const cutters = [
  ...[8192, 2048, 512, 128].map(createTextCutter),
  ...[50, 10, 1].map(createListCutter),
]

/**
 * Applies a cutter to a value and all values in it.
 * @param names receives the paths of shortened values
 */
const cutDeep = (value: unknown, cutter: Cutter, names: Set<string>, path = ''): unknown => {
  const own = cutter(value)
  if (own !== value) names.add(path)
  const cutInner = (inner: unknown, name: string | number): unknown =>
    cutDeep(inner, cutter, names, path === '' ? String(name) : `${path}.${name}`)
  if (Array.isArray(own)) return own.map(cutInner)
  if (!isObject(own)) return own
  return mapValues(own, (inner, name) => cutInner(inner, name))
}

/** Removes the largest fields of a value until the rest fits. */
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

/** Shortens a record to a number of bytes, and returns the names of the shortened fields. */
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

// Answers of at most 32 KB, with as many complete records as fit and a cursor for the rest.

/** The maximum size of an answer, in bytes. */
export const maxBytes = 32 * 1024
/** The bytes reserved for the envelope of an answer, and for the names of fields. */
const envelopeBytes = 512
const nameBytes = 8192

/** Masks secrets in a text of the instance, and escapes control characters. */
const cleanText = (text: string): string => escapeControlLines(redactSecrets(text))

/** Cleans all texts of a value, and keeps numbers exactly as the instance sent them. */
const toSafeValue = (value: unknown): unknown => {
  if (typeof value === 'string') return cleanText(value)
  if (value instanceof ExactNumber) return value.text
  if (Array.isArray(value)) return value.map(toSafeValue)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [cleanText(name), toSafeValue(inner)]),
  )
}

/** The records that fit into an answer. */
interface FittingRecords {
  readonly records: readonly unknown[]
  /** For a single shortened record, the names of the shortened fields and of all fields to select from. */
  readonly names?: { readonly cut_fields: readonly string[]; readonly fields: readonly string[] }
}

/** Lists the names of a record's fields, as many as fit. */
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
 * Returns as many records as fit, but at least one.
 * @param records the JSON of each record, in bytes
 * @param taken the size of the rest of the answer, in bytes
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

/** The maximum number of notes in an answer, and the maximum length of each in characters. */
const maxNotes = 5
const longestNote = 300

/** Limits the number and length of notes. */
export const limitNotes = (notes: readonly string[]): readonly string[] => {
  const more = notes.length - maxNotes
  return [
    ...notes
      .slice(0, maxNotes)
      .map((note) => escapeControlLines(redactSecrets(note).slice(0, longestNote))),
    ...(more > 0 ? [`and ${more} more`] : []),
  ]
}

/** The maximum length of a failure's texts, in characters. */
const longestMessage = 2000

/** Creates the result of a tool call. */
export const toToolResult = (value: object): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: { ...value },
})

const limitText = (text: string): string => cleanText(text).slice(0, longestMessage)

/** Creates the result of a failed call. The message is under `data`, because it may contain text of the instance. */
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

/** An answer with records. */
interface RecordsAnswer {
  /** The fields apart from `data`, with their largest possible values. */
  readonly beside: object
  /** The name of the field that contains the records. */
  readonly name: 'records' | 'changes'
  readonly records: readonly Uint8Array[]
  readonly notes: readonly string[]
  /** Returns the final fields, given the number of records that fit. */
  readonly completeFields?: (count: number) => object
}

/** Creates a result with as many records as fit. */
export const toRecordsResult = (of: RecordsAnswer): CallToolResult => {
  const { beside, name, records, completeFields: known = () => beside } = of
  const notes = limitNotes(of.notes)
  const createContent = ({ records: shown, names }: FittingRecords, more: object) => ({
    ...more,
    ...(names === undefined ? {} : { cut: true }),
    data: {
      [name]: shown,
      ...names,
      ...(notes.length === 0 ? {} : { notes }),
    },
  })
  const fitting = packRecords(records, countBytes(createContent({ records: [] }, beside)))
  return toToolResult(createContent(fitting, known(fitting.records.length)))
}
