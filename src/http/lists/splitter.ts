/**
 * Cuts a JSON array into its elements as its bytes arrive. The elements are checked by their grammar and never parsed, which is three times
 * cheaper than parse and stringify.
 */

import { isUtf8 } from 'node:buffer'
import { ByteBuffer, makeWellFormed, viewBytes } from '../../base/bytes.js'
import { addToGroup } from '../../base/collections.js'
import { bounds, createTooLarge, MalformedJson } from '../../base/json/json.js'
import { type FieldMatch, PackedRecords, type Records } from '../../base/json/records.js'
import { hashTail, type Marks, Scanner } from '../../base/json/scan.js'
import { closeBracket, comma, isBlankByte, openBrace, openBracket } from '../../base/json/tokens.js'

// The search for keys with given names, while a list is cut into records. It is cheap enough for every key.

const hashTailAt = (bytes: Uint8Array, end: number): number =>
  hashTail(bytes[end - 3] ?? 0, bytes[end - 2] ?? 0, bytes[end - 1] ?? 0)

/** A mask of all bits of a letter except the one that distinguishes upper and lower case. */
const withoutCase = ~0x20

const matchesEnding = (
  chunk: Uint8Array,
  from: number,
  end: number,
  ending: Uint8Array,
): boolean => {
  const start = end - ending.length
  if (start < from) return false
  for (let i = 0; i < ending.length; i++)
    if ((((chunk[start + i] ?? 0) ^ (ending[i] ?? 0)) & withoutCase) !== 0) return false
  return true
}

/** Finds keys by their names. It tests the last three letters of a key first, which few other keys share. */
export class KeyMatcher implements Marks {
  readonly tails = new Uint8Array(1 << 15)
  readonly match: FieldMatch | undefined
  /** The endings by the hash of their last three letters; endings of one or two letters are under 0. */
  readonly #endings = new Map<number, Uint8Array[]>()

  constructor(match?: FieldMatch) {
    this.match = match
    for (const ending of match?.endings ?? []) {
      const bytes = Buffer.from(ending)
      this.#mark([...bytes.subarray(-3)])
      const tail = bytes.length < 3 ? 0 : hashTailAt(bytes, bytes.length)
      addToGroup(this.#endings, tail, bytes)
    }
  }

  /** Marks an ending in the table. Any letter may precede an ending of fewer than three letters. */
  #mark([third, second, last]: readonly number[]): void {
    if (third !== undefined && second !== undefined && last !== undefined)
      this.tails[hashTail(third, second, last)] = 1
    else if (third !== undefined)
      for (let any = 0; any < 256; any++)
        this.#mark(second === undefined ? [any, third] : [any, third, second])
  }

  /** True if a key with the ending of a name is that name: `reason` ends like `json`. */
  isName(chunk: Uint8Array, from: number, end: number): boolean {
    const ends = (ending: Uint8Array): boolean => matchesEnding(chunk, from, end, ending)
    const found =
      this.#endings.get(hashTailAt(chunk, end))?.some(ends) || this.#endings.get(0)?.some(ends)
    if (found !== true) return false
    return this.match?.isName?.(viewBytes(chunk).toString('utf8', from, end)) ?? true
  }
}

/** The error for a body that is not a list. */
export class NoListError extends MalformedJson {}

/** The position of the reader between two bytes. */
type State =
  /** Before the opening bracket. */
  | 'start'
  /** Before an element or, if the list is still empty, its end. */
  | 'first'
  /** Before an element, after a comma. */
  | 'element'
  /** Within an element. */
  | 'within'
  /** Before a comma or the end. */
  | 'after'
  /** After the end, where only white space is allowed. */
  | 'end'

/** Collects the records that end within a chunk. */
class ChunkRecords {
  readonly #chunk: Uint8Array
  readonly #starts: number[] = []
  readonly #ends: number[] = []
  readonly #matched: number[] = []
  #begunRecord: Uint8Array | undefined
  /** The position after the last record. */
  #end = 0
  /** True if each record begins one byte after the end of the one before, and none contains white space. */
  #packed = true
  /** True if a number may be one that JavaScript prints differently. */
  #unusual = false

  constructor(chunk: Uint8Array) {
    this.#chunk = chunk
  }

  get length(): number {
    return this.#starts.length + (this.#begunRecord === undefined ? 0 : 1)
  }

  /** Adds the record that began in an earlier chunk and ends in this one. */
  addBegun(record: Uint8Array, end: number, scanner: Scanner): void {
    this.#begunRecord = record
    this.#recordFlags(end, scanner)
  }

  add(start: number, end: number, scanner: Scanner): void {
    if (start !== this.#end + 1 && this.length > 0) this.#packed = false
    this.#starts.push(start)
    this.#ends.push(end)
    this.#recordFlags(end, scanner)
  }

  /** Returns the records. Those that are not valid UTF-8 are repaired. */
  records({ match }: KeyMatcher): Records {
    const [chunk, starts, ends, begun] = [this.#chunk, this.#starts, this.#ends, this.#begunRecord]
    const [matched, unusual] = [this.#matched, this.#unusual]
    const all = new PackedRecords({ begun, chunk, starts, ends, matched, match, unusual })
    // The bytes between records are ASCII, so the records can be checked together with them.
    if (!all.pieces().every((bytes) => isUtf8(bytes))) return all.map(makeWellFormed)
    const within = (starts[0] ?? 0) > 0 && this.#end < chunk.length
    return within && this.#packed ? all : all.slice()
  }

  #recordFlags(end: number, { marked, spaced, unusual }: Scanner): void {
    this.#end = end
    if (unusual) this.#unusual = true
    if (marked) this.#matched.push(this.length - 1)
    if (spaced) this.#packed = false
  }
}

export class Splitter {
  #state: State = 'start'
  readonly #matcher: KeyMatcher
  readonly #scanner: Scanner
  /** The bytes of an element that began in an earlier chunk. */
  #begun: ByteBuffer | undefined
  /** The number of bytes since the last whole element. */
  #idle = 0
  #broken: MalformedJson | undefined
  /** The number of bytes in the chunks before this one. */
  #before = 0
  /** True if the body is one object, which stands for a list of one record. */
  #isObject = false
  readonly #takesObject: boolean
  readonly #onlyObjects: boolean
  /** True if the present element is no object but must be one. It is read to its end, so that its other faults are found first. */
  #isRefused = false

  /**
   * @param matcher created once for all pages of a list, since its table is large
   * @param takesObject true if an object in place of a list counts as its only element
   * @param onlyObjects true if each element must be an object
   */
  constructor(matcher = new KeyMatcher(), takesObject = false, onlyObjects = false) {
    this.#matcher = matcher
    this.#takesObject = takesObject
    this.#onlyObjects = onlyObjects
    this.#scanner = new Scanner(matcher)
  }

  get alone(): boolean {
    return this.#isObject
  }

  /**
   * Returns the elements that end within this chunk. Most are views of the chunk, whose memory belongs to them from now on. Elements before
   * a broken one are returned, and the next call throws.
   * @throws MalformedJson
   */
  push(chunk: Uint8Array): Records {
    const cut = new ChunkRecords(chunk)
    this.#throwIfBroken()
    try {
      this.#cutChunk(chunk, cut)
    } catch (error) {
      if (!(error instanceof MalformedJson)) throw error
      this.#broken = error.placed(this.#before)
      if (cut.length === 0) throw this.#broken
    }
    this.#before += chunk.length
    return cut.records(this.#matcher)
  }

  /** @throws MalformedJson if the list did not end */
  end(): void {
    this.#throwIfBroken()
    if (this.#state === 'start') throw new NoListError('is empty: nothing came')
    if (this.#state !== 'end') throw new MalformedJson('is cut short')
  }

  #throwIfBroken(): void {
    if (this.#broken !== undefined) throw this.#broken
  }

  #cutChunk(chunk: Uint8Array, cut: ChunkRecords): void {
    const scanner = this.#scanner
    let [i, from] = [0, 0]
    while (i < chunk.length) {
      if (this.#state !== 'within') {
        from = i = this.#skipBetween(chunk, i)
        continue
      }
      i = scanner.scan(chunk, i)
      if (!scanner.done) break
      if (this.#isRefused) throw new MalformedJson('has a record that is no object')
      this.#state = this.#isObject ? 'end' : 'after'
      if (this.#begun === undefined) cut.add(from, i, scanner)
      else cut.addBegun(this.#completeRecord(this.#begun, chunk.subarray(0, i)), i, scanner)
    }
    if (this.#state === 'within') {
      this.#begun ??= new ByteBuffer()
      if (!this.#begun.add(chunk.subarray(from))) throw createTooLarge('holds a record that')
    }
    this.#idle = cut.length > 0 ? 0 : this.#idle + chunk.length
    if (this.#idle > bounds.bytes) throw createTooLarge()
  }

  /**
   * Completes a record that began in an earlier chunk. It is scanned again if a key matched, so that a key that was cut in two is complete.
   */
  #completeRecord(begun: ByteBuffer, last: Uint8Array): Uint8Array {
    if (!begun.add(last)) throw createTooLarge('holds a record that')
    this.#begun = undefined
    const whole = begun.bytes()
    const scanner = this.#scanner
    if (scanner.marked) {
      scanner.begin()
      scanner.scan(whole, 0)
    }
    return whole
  }

  /** Skips blanks and the signs between elements. Returns the index to continue from. */
  #skipBetween(chunk: Uint8Array, start: number): number {
    let i = start
    while (isBlankByte(chunk[i] ?? 0)) i++
    const byte = chunk[i]
    if (byte === undefined) return i
    if (this.#state === 'start') return this.#openList(byte, i)
    if (this.#state === 'after' || (this.#state === 'first' && byte === closeBracket)) {
      if (byte === comma) this.#state = 'element'
      else if (byte === closeBracket) this.#state = 'end'
      else throw new MalformedJson('is not valid JSON: missing comma', i)
    } else if (this.#state === 'end') {
      throw new MalformedJson('continues after its end')
    } else {
      if (byte === comma || byte === closeBracket)
        throw new MalformedJson('is not valid JSON: missing record', i)
      this.#isRefused = this.#onlyObjects && byte !== openBrace
      return this.#begin(i)
    }
    return i + 1
  }

  /** Reads the bracket that opens a list, or an object in its place. */
  #openList(byte: number, i: number): number {
    this.#isObject = byte === openBrace && this.#takesObject
    if (this.#isObject) return this.#begin(i)
    if (byte !== openBracket) throw new NoListError('is no JSON list')
    this.#state = 'first'
    return i + 1
  }

  #begin(i: number): number {
    this.#state = 'within'
    this.#scanner.begin()
    return i
  }
}
