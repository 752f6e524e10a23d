/**
 * Writes JSON and NDJSON. Objects, numbers and strings stay as the API sent them. A list is an array, which is closed
 * only if the list is complete, or one record a line. `--fields a,b.c` creates flat objects with these keys; a field
 * that a record lacks is left out.
 */
import { viewBytes } from '../base/bytes.js'
import { PackedRecords, type Records } from '../base/json/records.js'
import { joinPieces, readTokens } from '../base/json/text-tokens.js'
import { decodeText, serializeJson } from '../base/json/values.js'
import { createShaper } from '../catalogue/pick.js'
import { escapeLine } from './escape.js'
import type { FormatView, OpenPrinter, Sink } from './types.js'

interface RewriteOptions {
  /** Indents the text by two spaces a level, starting at this level. */
  readonly indent?: number
  /** Transforms the text of each string. */
  readonly show?: (text: string) => string
}

/** The depth from which lines are not indented further, so that hostile nesting stays small. */
const deepestIndent = 40

/** Adds line breaks and indentation to tokens. */
class TokenLayout {
  private opened = false
  private depth: number
  constructor(depth: number) {
    this.depth = depth
  }

  private line(): string {
    return `\n${'  '.repeat(Math.min(this.depth, deepestIndent))}`
  }

  layOut(token: string): string {
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
  const layout = indent === undefined ? undefined : new TokenLayout(indent)
  for (const token of readTokens(text)) {
    const shown = token.startsWith('"') ? show(token) : token
    yield layout === undefined ? shown : layout.layOut(shown)
  }
}

/** Rewrites JSON text without white space, or indented. */
export const rewriteJson = (text: string, options: RewriteOptions = {}): Uint8Array =>
  joinPieces(rewriteTokens(text, options))

// The formats.

const encoder = new TextEncoder()
const encodeText = (text: string): Uint8Array => encoder.encode(text)

const [tab, newline, carriage, space, quote, backslash, comma, colon] = Buffer.from('\t\n\r "\\,:')

const isSpace = (byte: number | undefined): boolean =>
  byte === space || byte === newline || byte === carriage || byte === tab

/**
 * True if a record contains line breaks or tabs. These never occur inside JSON strings, so one is proof of a layout.
 */
const hasBreaks = (bytes: Uint8Array): boolean => {
  const all = viewBytes(bytes)
  return [newline, carriage, tab].some((byte) => byte !== undefined && all.includes(byte))
}

/** True if there are spaces between the first tokens. */
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
 * True if a record has white space between its tokens. Spaces also occur inside strings, so only the first tokens are
 * checked: a program writes spaces everywhere or nowhere.
 */
export const hasWhitespace = (bytes: Uint8Array): boolean => hasBreaks(bytes) || hasSpaces(bytes)

/** Converts records to lines of compact JSON. */
type ToLines = (batch: Records) => Records

/** Returns records unchanged, or rewritten if they have white space between tokens. */
const passRecords: ToLines = (batch) =>
  batch instanceof PackedRecords
    ? batch
    : batch.map((bytes) => (hasWhitespace(bytes) ? rewriteJson(decodeText(bytes)) : bytes))

/** Creates the function that escapes records for a terminal. */
const createEscaper =
  ({ style }: FormatView): ToLines =>
  (batch) =>
    batch.map((bytes) =>
      rewriteJson(decodeText(bytes), { show: (text) => escapeLine(text, style) }),
    )

/** Creates the function that picks the requested fields of each record. */
const createFieldPicker = (view: FormatView): ToLines => {
  const shape = createShaper(view)
  const show = (text: string): string => (view.terminal ? escapeLine(text, view.style) : text)
  return (batch) => batch.map((bytes) => encodeText(show(serializeJson(shape(view.parse(bytes))))))
}

/**
 * Creates the function that writes a view's records as lines of JSON: the original bytes, escaped text for a terminal,
 * or the requested fields.
 */
export const createLineEncoder = (view: FormatView): ToLines => {
  if (view.fields !== undefined) return createFieldPicker(view)
  return view.terminal ? createEscaper(view) : passRecords
}

/** Encodes a parsed value. */
export const encode = (value: unknown): Uint8Array => encodeText(serializeJson(value))

/** The size, in bytes, from which a separate write of a record is cheaper than a copy. */
const largeSize = 1 << 20

/** Joins records in one buffer, unless one is large, with text before, between and after them. */
const joinRecords = (
  records: Records,
  { before = '', between, after = '' }: { before?: string; between: string; after?: string },
): readonly Uint8Array[] => {
  const gap = encodeText(between)
  const pieces = [encodeText(before)]
  for (const record of records) pieces.push(record, gap)
  pieces[pieces.length - 1] = encodeText(after)
  return pieces.some((piece) => piece.length > largeSize) ? pieces : [Buffer.concat(pieces)]
}

const write = async (sink: Sink, pieces: readonly Uint8Array[]): Promise<void> => {
  for (const piece of pieces) if (piece.length > 0) await sink.write(piece)
}

/** Writes records as lines. */
const writeLines = async (sink: Sink, records: Records): Promise<void> => {
  if (records.length === 0) return
  const packed = records instanceof PackedRecords
  await write(sink, packed ? records.lines() : joinRecords(records, { between: '\n', after: '\n' }))
}

/**
 * Writes records as items of a list.
 * @param begun true if the list has items already
 * @param gap the white space before each item
 */
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

/** Indents a compact record. */
const formatIndented = (bytes: Uint8Array, indent: number): Uint8Array =>
  rewriteJson(decodeText(bytes), { indent })

const createLineLayout = (view: FormatView): ToLines => {
  const lines = createLineEncoder(view)
  if (!view.terminal) return lines
  return (batch) => lines(batch).map((bytes) => formatIndented(bytes, view.many ? 1 : 0))
}

/** Opens the printer of JSON: one document. */
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

/** Opens the printer of NDJSON: one record a line as it arrives, in its original bytes unless fields are requested. */
export const openNdjson: OpenPrinter = (sink, view) => {
  const lines = createLineEncoder(view)
  const bytes = (batch: Records): Promise<void> => writeLines(sink, lines(batch))
  // Values that are written whole are not cut into bytes first.
  const values = (batch: readonly unknown[]): Promise<void> =>
    lines === passRecords && batch.length > 0
      ? sink.write(batch.map((value) => `${serializeJson(value)}\n`).join(''))
      : bytes(batch.map(encode))
  return { bytes, values, close: async () => {} }
}
