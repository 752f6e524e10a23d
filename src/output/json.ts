/**
 * JSON and NDJSON: the API's own objects, numbers and strings as they came. A list is one array, written record by
 * record and closed only when it is whole, or a record a line. `--fields a,b.c` gives flat objects whose keys are spelt
 * as asked: `{"a": …, "b.c": …}`; a field that a record lacks is left out. Text of JSON is laid out anew here, too.
 */
import { viewBytes } from '../base/bytes.js'
import { PackedRecords, type Records } from '../base/json/records.js'
import { joinPieces, readTokens } from '../base/json/text.js'
import { decodeText, parseRecord, serializeJson } from '../base/json/values.js'
import { createShaper } from '../catalogue/pick.js'
import { escapeLine } from './escape.js'
import type { FormatView, OpenPrinter, Sink } from './types.js'

interface RewriteOptions {
  /** Lay it out over lines of two spaces a level, the whole standing this many levels deep. */
  readonly indent?: number
  /** Applied to each string's text. */
  readonly show?: (text: string) => string
}

/** The depth from which lines are not indented further, so that hostile nesting stays small. */
const deepestIndent = 40

/** Line breaks and indents before and after tokens. */
class Layout {
  private opened = false
  private depth: number
  constructor(depth: number) {
    this.depth = depth
  }

  private line(): string {
    return `\n${'  '.repeat(Math.min(this.depth, deepestIndent))}`
  }

  place(token: string): string {
    const first = this.opened
    this.opened = token === '{' || token === '['
    if (token === '}' || token === ']') {
      this.depth--
      return first ? token : this.line() + token
    }
    const before = first ? this.line() : ''
    if (this.opened) this.depth++
    if (token === ',') return `,${this.line()}`
    return before + (token === ':' ? ': ' : token)
  }
}

function* rewriteTokens(
  text: string,
  { indent, show = (t) => t }: RewriteOptions,
): Generator<string> {
  const layout = indent === undefined ? undefined : new Layout(indent)
  for (const token of readTokens(text)) {
    const shown = token.startsWith('"') ? show(token) : token
    yield layout === undefined ? shown : layout.place(shown)
  }
}

/** Replaces the white space of JSON text: by none, or by an indented layout. */
export const rewrite = (text: string, options: RewriteOptions = {}): Uint8Array =>
  joinPieces(rewriteTokens(text, options))

// The formats.

const encoder = new TextEncoder()
const encodeText = (text: string): Uint8Array => encoder.encode(text)

const [tab, newline, carriage, space, quote, backslash, comma, colon] = Buffer.from('\t\n\r "\\,:')

const isSpace = (byte: number | undefined): boolean =>
  byte === space || byte === newline || byte === carriage || byte === tab

/** True if a record has line breaks or tabs. They never stand raw inside a JSON string, so finding one is proof. */
const hasBreaks = (bytes: Uint8Array): boolean => {
  const all = viewBytes(bytes)
  return [newline, carriage, tab].some((byte) => byte !== undefined && all.includes(byte))
}

/** True if the first tokens have spaces between them. */
const hasSpaces = (bytes: Uint8Array): boolean => {
  let inside = false
  for (let i = 0, seen = 0; i < bytes.length && seen < 2; i++) {
    const byte = bytes[i]
    if (inside && byte === backslash) i++
    else if (byte === quote) inside = !inside
    else if (!inside && isSpace(byte)) return true
    else if (!inside && (byte === colon || byte === comma)) {
      if (isSpace(bytes[i + 1])) return true
      seen++
    }
  }
  return false
}

/**
 * True if a record has white space between its tokens. Spaces occur inside strings too, so only the first tokens are
 * checked for them: a program that writes JSON puts spaces everywhere or nowhere.
 */
export const hasWhitespace = (bytes: Uint8Array): boolean => hasBreaks(bytes) || hasSpaces(bytes)

/** Records as lines of compact JSON. */
type ToLines = (batch: Records) => Records

/** Passes records on as they came; those with white space between their tokens are rewritten. */
const passRecords: ToLines = (batch) =>
  batch instanceof PackedRecords
    ? batch
    : batch.map((bytes) => (hasWhitespace(bytes) ? rewrite(decodeText(bytes)) : bytes))

/** Creates the function that writes records on a terminal, with every character escaped that could move the cursor. */
const createEscaper =
  ({ style }: FormatView): ToLines =>
  (batch) =>
    batch.map((bytes) => rewrite(decodeText(bytes), { show: (text) => escapeLine(text, style) }))

/** Creates the function that writes the requested fields of each record. */
const createFieldPicker = (view: FormatView): ToLines => {
  const shape = createShaper(view)
  const show = (text: string): string => (view.terminal ? escapeLine(text, view.style) : text)
  return (batch) => batch.map((bytes) => encodeText(show(serializeJson(shape(parseRecord(bytes))))))
}

/**
 * Creates the function that writes a view's records as JSON, one per line: the bytes themselves if no field is needed,
 * a rewriting of their text, or the requested fields.
 */
export const createLineEncoder = (view: FormatView): ToLines => {
  if (view.fields !== undefined) return createFieldPicker(view)
  return view.terminal ? createEscaper(view) : passRecords
}

/** The bytes of a value that was already parsed. */
export const encode = (value: unknown): Uint8Array => encodeText(serializeJson(value))

/** The size of a record, in bytes, from which a write of its own is cheaper than a copy. */
const large = 1 << 20

/** Joins records into one piece of memory, except large ones: `between` them, `before` the first and `after` the last. */
const joinRecords = (
  records: Records,
  { before = '', between, after = '' }: { before?: string; between: string; after?: string },
): readonly Uint8Array[] => {
  const gap = encodeText(between)
  const pieces = [encodeText(before)]
  for (const record of records) pieces.push(record, gap)
  pieces[pieces.length - 1] = encodeText(after)
  return pieces.some((piece) => piece.length > large) ? pieces : [Buffer.concat(pieces)]
}

const write = async (sink: Sink, pieces: readonly Uint8Array[]): Promise<void> => {
  for (const piece of pieces) if (piece.length > 0) await sink.write(piece)
}

/** Records on a line each. */
const writeLines = async (sink: Sink, records: Records): Promise<void> => {
  if (records.length === 0) return
  const packed = records instanceof PackedRecords
  await write(sink, packed ? records.lines() : joinRecords(records, { between: '\n', after: '\n' }))
}

/** Records as items of a list that was begun or not, `gap` before each. */
const writeItems = async (
  sink: Sink,
  records: Records,
  { begun, gap }: { readonly begun: boolean; readonly gap: string },
): Promise<void> => {
  const before = begun ? ',' : '['
  const packed = records instanceof PackedRecords && gap === ''
  const pieces = packed
    ? records.items(before.charCodeAt(0))
    : joinRecords(records, { before: before + gap, between: `,${gap}` })
  await write(sink, pieces)
}

/** Lays out a compact record over several lines, at this depth. */
const formatIndented = (bytes: Uint8Array, indent: number): Uint8Array =>
  rewrite(decodeText(bytes), { indent })

const createLineLayout = (view: FormatView): ToLines => {
  const lines = createLineEncoder(view)
  if (!view.terminal) return lines
  return (batch) => lines(batch).map((bytes) => formatIndented(bytes, view.many ? 1 : 0))
}

/** JSON as one document. */
export const open: OpenPrinter = (sink, view) => {
  const print = createLineLayout(view)
  const gap = view.terminal ? '\n  ' : ''
  let started = false

  const bytes = async (batch: Records): Promise<void> => {
    if (!view.many) return writeLines(sink, print(batch))
    if (batch.length === 0) return
    const begun = started
    started = true
    await writeItems(sink, print(batch), { begun, gap })
  }
  return {
    bytes,
    values: (batch) => bytes(batch.map(encode)),
    close: async () => {
      if (!view.many) return
      const end = view.terminal && started ? '\n]\n' : ']\n'
      await sink.write(started ? end : `[${end}`)
    },
  }
}

/** NDJSON: a record a line, as it arrives, byte for byte where nothing needs its fields. */
export const openNdjson: OpenPrinter = (sink, view) => {
  const lines = createLineEncoder(view)
  const bytes = (batch: Records): Promise<void> => writeLines(sink, lines(batch))
  return { bytes, values: (batch) => bytes(batch.map(encode)), close: async () => {} }
}
