/** JSON records as bytes: passed on as they came wherever nothing needs their fields. */
import { viewed } from '../../base/utf8.js'
import { decodeText, parse, shaper, stringify } from '../record.js'
import { shown } from '../shown.js'
import type { FormatView, Sink } from '../types.js'
import { rewrite } from './text.js'

// The memory that records lie in.

/**
 * The memory that a batch lies in, in few pieces: records are cut from the chunks that came, and
 * searching a chunk once is cheaper than searching each record. May hold more than the records.
 */
export const chunksOf = (batch: readonly Uint8Array[]): Uint8Array[] => {
  const chunks: Uint8Array[] = []
  for (const record of batch) {
    const last = chunks.at(-1)
    if (last === undefined || last.buffer !== record.buffer) chunks.push(record)
    else {
      const start = Math.min(last.byteOffset, record.byteOffset)
      const end = Math.max(last.byteOffset + last.length, record.byteOffset + record.length)
      chunks[chunks.length - 1] = Buffer.from(record.buffer, start, end - start)
    }
  }
  return chunks
}

const encoder = new TextEncoder()
const bytesOf = (text: string): Uint8Array => encoder.encode(text)

const [tab, newline, carriage, space, quote, backslash, comma, colon] = Buffer.from('\t\n\r "\\,:')

const isSpace = (byte: number | undefined): boolean =>
  byte === space || byte === newline || byte === carriage || byte === tab

/** Line breaks and tabs never stand raw inside a JSON string, so finding one is proof. */
const broken = (bytes: Uint8Array): boolean => {
  const all = viewed(bytes)
  return [newline, carriage, tab].some((byte) => byte !== undefined && all.includes(byte))
}

/** Whether the first tokens have spaces between them. */
const loose = (bytes: Uint8Array): boolean => {
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
 * Whether a record has white space between its tokens. Spaces stand inside of strings too, so only
 * the first tokens are looked at for them: whoever writes JSON spaces all of it or none.
 */
export const spaced = (bytes: Uint8Array): boolean => broken(bytes) || loose(bytes)

/** Records as lines of compact JSON. */
export type ToLines = (batch: readonly Uint8Array[]) => readonly Uint8Array[]

/** Records as they came; those with white space between their tokens are written anew. */
const passing: ToLines = (batch) =>
  batch.some(loose) || chunksOf(batch).some(broken)
    ? batch.map((bytes) => (spaced(bytes) ? rewrite(decodeText(bytes)) : bytes))
    : batch

/** Records on a terminal: whatever could move the cursor escaped. */
const escaping =
  ({ style }: FormatView): ToLines =>
  (batch) =>
    batch.map((bytes) => rewrite(decodeText(bytes), { show: (text) => shown(text, style) }))

/** The fields asked for, of each record. */
const shaping = (view: FormatView): ToLines => {
  const shape = shaper(view)
  const show = (text: string): string => (view.terminal ? shown(text, view.style) : text)
  return (batch) => batch.map((bytes) => bytesOf(show(stringify(shape(parse(bytes))))))
}

/**
 * How a view's records are written as JSON on one line each: the bytes themselves where nothing
 * needs their fields, a rewriting of their text, or the fields asked for.
 */
export const liner = (view: FormatView): ToLines => {
  if (view.fields !== undefined) return shaping(view)
  return view.terminal ? escaping(view) : passing
}

/** The bytes of a value that was already parsed. */
export const encode = (value: unknown): Uint8Array => bytesOf(stringify(value))

/** Records as one piece of memory: `before` each of them, `after` each of them. */
export const joined = (records: readonly Uint8Array[], before: string, after: string): Buffer => {
  const [head, tail] = [bytesOf(before), bytesOf(after)]
  const around = head.length + tail.length
  const length = records.reduce((sum, record) => sum + record.length + around, 0)
  const all = Buffer.allocUnsafe(length)
  let at = 0
  const add = (bytes: Uint8Array): void => {
    all.set(bytes, at)
    at += bytes.length
  }
  for (const record of records) {
    if (head.length > 0) add(head)
    add(record)
    if (tail.length > 0) add(tail)
  }
  return all
}

/** A record of so many bytes is worth a write of its own rather than a copy. */
const large = 1 << 20

/** Records on a line each. */
export const writeLines = async (sink: Sink, records: readonly Uint8Array[]): Promise<void> => {
  if (records.length === 0) return
  if (!records.some((record) => record.length > large)) return sink.write(joined(records, '', '\n'))
  for (const record of records) {
    await sink.write(record)
    await sink.write('\n')
  }
}
