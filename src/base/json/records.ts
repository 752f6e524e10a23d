/** Represents the records of a list as bytes, in the memory in which they arrived, and parses single records. */

import { Failure } from '../../errors.js'
import { decodeBytes } from '../bytes.js'
import { MalformedJson, maxBuilt, parseExact } from './json.js'
import { Scanner } from './scan.js'
import { backslash, comma, newline, quote } from './tokens.js'

/** Records in order, either as an array or packed in one chunk. */
export type Records = Pick<
  readonly Uint8Array[],
  'at' | 'entries' | 'length' | 'map' | 'slice' | typeof Symbol.iterator
>

/** The names of fields to find in records that are not parsed. */
export interface FieldMatch {
  /** The endings of the names; case does not matter. */
  readonly endings: readonly string[]
  /** Returns true if a name with such an ending is one of the names; without this function each is. */
  readonly isName?: (name: string) => boolean
}

/** The positions of records in a chunk, each one byte after the one before it, and the matches in them. */
interface PackedParts {
  /** The first record, if it began in an earlier chunk. */
  readonly begun: Uint8Array | undefined
  /** The chunk with the records. There is at least one byte before the first record, and one after the last. */
  readonly chunk: Uint8Array
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  /** The indexes of the records that may contain a name of `match`. */
  readonly matched: readonly number[]
  readonly match: FieldMatch | undefined
  /** True if a number may be one that JavaScript prints differently. */
  readonly unusual: boolean
}

/**
 * Compact records in the memory that they came in; a view of a record is made only on access. The bytes between records may be overwritten,
 * so that the records can be written as they are.
 */
export class PackedRecords implements Records {
  readonly length: number
  readonly #parts: PackedParts
  #views: readonly Uint8Array[] | undefined

  constructor(parts: PackedParts) {
    this.#parts = parts
    this.length = parts.starts.length + (parts.begun === undefined ? 0 : 1)
  }

  /** Returns the indexes of the records that may contain one of these names; undefined if other names were searched for. */
  matched(match: FieldMatch | undefined): readonly number[] | undefined {
    return match !== undefined && this.#parts.match === match ? this.#parts.matched : undefined
  }

  /** True if a number may be one that JavaScript prints differently. */
  get unusual(): boolean {
    return this.#parts.unusual
  }

  /** Returns all records in as few pieces of memory as possible. */
  pieces(): readonly Uint8Array[] {
    return this.#withBegun(this.#view(this.#first, this.#last))
  }

  /** Returns the records as they are written one per line. */
  lines(): readonly Uint8Array[] {
    const { begun, chunk, ends } = this.#parts
    const from = this.#first - (begun === undefined ? 0 : 1)
    chunk[from] = begun === undefined ? (chunk[from] as number) : newline
    for (const end of ends) chunk[end] = newline
    return this.#withBegun(this.#view(from, this.#last + 1))
  }

  /** Returns the records as they are written as items of a list. @param before the byte to write before the first one */
  items(before: number): readonly Uint8Array[] {
    const { begun, chunk, ends } = this.#parts
    const from = this.#first - 1
    chunk[from] = begun === undefined ? before : comma
    for (const end of ends) chunk[end] = comma
    const items = this.#view(from, this.#last)
    return begun === undefined ? [items] : [Buffer.of(before), begun, items]
  }

  at(place: number): Uint8Array | undefined {
    return this.#listViews().at(place)
  }

  entries(): ArrayIterator<[number, Uint8Array]> {
    return this.#listViews().entries()
  }

  map<T>(make: (record: Uint8Array, place: number, all: readonly Uint8Array[]) => T): T[] {
    return this.#listViews().map(make)
  }

  slice(start?: number, end?: number): Uint8Array[] {
    return this.#listViews().slice(start, end)
  }

  [Symbol.iterator](): ArrayIterator<Uint8Array> {
    return this.#listViews()[Symbol.iterator]()
  }

  get #first(): number {
    return this.#parts.starts[0] ?? 0
  }

  get #last(): number {
    return this.#parts.ends.at(-1) ?? 0
  }

  #view(start: number, end: number): Uint8Array {
    return this.#parts.chunk.subarray(start, end)
  }

  #withBegun(rest: Uint8Array): readonly Uint8Array[] {
    const { begun } = this.#parts
    return begun === undefined ? [rest] : [begun, rest]
  }

  #listViews(): readonly Uint8Array[] {
    const { begun, starts, ends } = this.#parts
    this.#views ??= [
      ...(begun === undefined ? [] : [begun]),
      ...starts.map((start, i) => this.#view(start, ends[i] ?? start)),
    ]
    return this.#views
  }
}

// Records with their parent: `{"project":"platform/app","record":…}`.

/** Returns the text before the record; the text after it is `tail`. */
export const getHead = (column: string, name: string): Buffer =>
  Buffer.from(`{${JSON.stringify(column)}:${JSON.stringify(name)},"record":`)

export const tail = Buffer.from('}')

/** Creates a function that wraps a record with the name of its parent. */
export const createWrapper = (
  column: string,
  name: string,
): ((record: Uint8Array) => Uint8Array) => {
  const head = getHead(column, name)
  return (record) => Buffer.concat([head, record, tail])
}

const between = Buffer.from(',"record":')

/** Splits a wrapped record into name and record; undefined if there is no record, because it could not be read. */
export const splitWrapped = (
  bytes: Uint8Array,
  column: string,
): { readonly name: string; readonly record: Uint8Array } | undefined => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const begin = Buffer.byteLength(JSON.stringify(column)) + 2
  // Quotes inside a name are escaped, so that this is the first one that ends it.
  let end = begin + 1
  while (end < text.length && text[end] !== quote) end += text[end] === backslash ? 2 : 1
  const at = end + 1 + between.length
  if (!text.subarray(end + 1, at).equals(between)) return undefined
  const name = String(JSON.parse(text.subarray(begin, end + 1).toString()))
  return { name, record: text.subarray(at, text.length - tail.length) }
}

// The parser of single records, with limits.

const createUnbuilt = (what: string): Failure =>
  new Failure('unreachable', `a record ${what}, which this output format cannot handle`, {
    advice: { code: 'record-size' },
  })

/** Refuses a record with too many values. A small record cannot have too many, since each value takes at least two bytes. */
const checkValues = (bytes: Uint8Array): void => {
  if (bytes.length <= maxBuilt.values * 2) return
  try {
    new Scanner(undefined, maxBuilt.values).scan(bytes, 0)
  } catch (error) {
    if (error instanceof MalformedJson)
      throw createUnbuilt(`has more than ${maxBuilt.values} values, or is not JSON`)
    throw error
  }
}

/**
 * Parses the bytes of a record; numbers that would print differently are `Exact`.
 * @param unusual false if there are certainly no such numbers, so that none are searched
 * @throws Failure `unreachable` if the record exceeds what may be built; SyntaxError if it is not JSON
 */
export const parseBytes = (bytes: Uint8Array, unusual = true): unknown => {
  if (bytes.length > maxBuilt.bytes)
    throw createUnbuilt(`is larger than ${maxBuilt.bytes >> 20} MiB`)
  checkValues(bytes)
  const text = decodeBytes(bytes)
  return unusual ? parseExact(text) : JSON.parse(text)
}
