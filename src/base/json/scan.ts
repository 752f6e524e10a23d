/**
 * RFC 8259's grammar over bytes as they arrive, without building anything: what is passed on
 * unparsed is checked here, and nothing is parsed that this has not measured before.
 */

import { bounds, Malformed, tooDeep, tooLarge, tooMany, wrong } from './malformed.js'
import { digits, mayEnd, numberGoesOn, signed, zeroed } from './number.js'

const deepest: number = bounds.depth

/** The lower five bits of a letter: which it is, whatever its case. */
const letter = 31

/** A place in the table for the last three bytes of a key. */
export const tailOf = (third: number, second: number, last: number): number =>
  ((third & letter) << 10) | ((second & letter) << 5) | (last & letter)

/** What the names looked out for have in common with a key: their last three letters, as `tailOf`. */
export interface Marks {
  readonly tails: Uint8Array
}

const none: Marks = { tails: new Uint8Array(1 << 15) }

// Each by itself: so they stand in the built program as numbers, in whose loops they are compared.
const space = 0x20
const newline = 0x0a
const carriage = 0x0d
const tab = 0x09
const quote = 0x22
const comma = 0x2c
const minus = 0x2d
const zero = 0x30
const nine = 0x39
const colon = 0x3a
const opening = 0x5b
const backslash = 0x5c
const closing = 0x5d
const letterE = 0x65
const letterU = 0x75
const openBrace = 0x7b
const closeBrace = 0x7d
// Four bytes at once, the first one highest.
const wordTrue = 0x74727565
const wordNull = 0x6e756c6c
const wordFals = 0x66616c73

// What comes next.
const aValue = 0
const valueOrEnd = 1
const keyOrEnd = 2
const aKey = 3
const aColon = 4
const commaOrEnd = 5
const wanted = [
  'a value',
  'a value or "]"',
  'a name or "}"',
  'a name',
  'a colon',
  'a comma or the closing bracket',
] as const

// What a chunk may end in the middle of.
const nothing = 0
const aString = 1
const aNumber = 2
const aWord = 3

const tableOf = (bytes: string | readonly number[]): Uint8Array => {
  const table = new Uint8Array(256)
  for (const byte of Buffer.from(bytes as string)) table[byte] = 1
  return table
}
/** The bytes that a string cannot simply run over. */
const special = tableOf([...Array(space).keys(), quote, backslash])
const afterBackslash = tableOf('"\\/bfnrtu')
const hex = tableOf('0123456789abcdefABCDEF')

/** The bytes of each bare word, by its first. */
const words: readonly (Uint8Array | undefined)[] = ['true', 'false', 'null'].reduce<
  (Uint8Array | undefined)[]
>((table, text) => {
  table[text.charCodeAt(0)] = new TextEncoder().encode(text)
  return table
}, Array(256).fill(undefined))

const isBlank = (byte: number): boolean =>
  byte === space || byte === newline || byte === carriage || byte === tab

// Of four bytes at once: what is 0x20 or less once quotes and spaces are swapped, and backslashes.
const swap = 0x02020202
const tooLow = 0x21212121
const backslashes = 0x5c5c5c5c
const ones = 0x01010101
const highBits = 0x80808080

/**
 * Where a text stops being plain: at a quote, a backslash, a control character, or the end. Of four
 * bytes at once, a subtraction sets the high bit of those that are too low; it may set that of bytes
 * above the first such by its borrow, never below: so the lowest bit is right.
 */
const plainEnd = (chunk: Uint8Array, view: DataView, start: number): number => {
  const { length } = chunk
  let i = start
  for (const last = length - 4; i <= last; i += 4) {
    const four = view.getInt32(i, true)
    const low = four ^ swap
    const slash = four ^ backslashes
    const hit = (((low - tooLow) & ~low) | ((slash - ones) & ~slash)) & highBits
    if (hit !== 0) return i + ((31 - Math.clz32(hit & -hit)) >> 3)
  }
  while (i < length && special[chunk[i] as number] === 0) i++
  return i
}

/** Reads one value, in as many chunks as it comes in. */
export class Scanner {
  /** Whether a key since `begin` may be one of the names looked out for, or hides behind escapes. */
  marked = false
  /** Whether the value has come to its end; a number ends only with what follows it. */
  done = false
  readonly #open = new Uint8Array(bounds.depth)
  readonly #marks: Marks
  readonly #most: number
  #want: number = aValue
  #within: number = nothing
  #depth = 0
  #values = 0
  /** How far the token has come that was cut: a number's phase, a word's index, a string's escape. */
  #phase = 0
  #word: Uint8Array = special
  #chunk: Uint8Array | undefined
  #view = new DataView(special.buffer)

  /** @param most how many values there may be */
  constructor(marks = none, most: number = bounds.values) {
    this.#marks = marks
    this.#most = most
  }

  /** Begins another value. */
  begin(): void {
    this.marked = false
    this.done = false
    this.#want = aValue
    this.#within = nothing
    this.#depth = 0
    this.#values = 0
  }

  /**
   * Reads on; gives the index to go on from, behind the value where it is done.
   * @throws Malformed
   */
  scan(chunk: Uint8Array, start: number): number {
    let i = start
    if (this.#within !== nothing) {
      i = this.#resume(chunk, start)
      if (this.#within !== nothing) return chunk.length
      if (this.#depth === 0 && this.#want === commaOrEnd) return this.#end(i)
    }
    return this.#tokens(chunk, i)
  }

  /** Ends the text: true when the value is whole, though it be a number at the very end. */
  finish(): boolean {
    if (this.#within === aNumber && this.#depth === 0 && mayEnd[this.#phase] === true)
      this.done = true
    return this.done
  }

  #end(i: number): number {
    this.done = true
    return i
  }

  /** The hot loop; in one piece, since its state is in registers so. */
  #tokens(chunk: Uint8Array, start: number): number {
    const { length } = chunk
    const { tails } = this.#marks
    const open = this.#open
    const mostValues = this.#most
    const view = this.#viewOf(chunk)
    let i = start
    let depth = this.#depth
    let want = this.#want
    let values = this.#values
    while (i < length) {
      const byte = chunk[i++] as number
      if (byte === quote) {
        if (want >= aColon) throw refused(want, i - 1)
        const key = want >= keyOrEnd
        if (!key && ++values > mostValues) throw tooMany(mostValues)
        const from = i
        i = plainEnd(chunk, view, i)
        want = key ? aColon : commaOrEnd
        if (i === length || chunk[i] !== quote) {
          this.#within = aString
          this.#phase = 0
          this.#want = want
          i = this.#string(chunk, i)
          if (this.#within !== nothing) break
          if (depth === 0) return this.#end(i)
          continue
        }
        i++
        if (key) {
          // Shorter ones end in none of them.
          if (i - from > 3) {
            const [third, second] = [chunk[i - 4] as number, chunk[i - 3] as number]
            const tail = tailOf(third, second, chunk[i - 2] as number)
            if (tails[tail] !== 0) this.marked = true
          }
          if (i < length && chunk[i] === colon) {
            i++
            want = aValue
          }
        } else if (depth === 0) return this.#end(i)
        else if (i < length && chunk[i] === comma) {
          i++
          want = open[depth - 1] === openBrace ? aKey : aValue
        }
      } else if (byte <= space) {
        if (!isBlank(byte)) throw refused(want, i - 1)
      } else if (want === commaOrEnd) {
        const around = open[depth - 1] as number
        if (byte === comma) want = around === openBrace ? aKey : aValue
        else if (byte !== around + 2) throw refused(want, i - 1)
        else if (--depth === 0) return this.#end(i)
      } else if (want === aColon) {
        if (byte !== colon) throw refused(want, i - 1)
        want = aValue
      } else if (
        (want === valueOrEnd && byte === closing) ||
        (want === keyOrEnd && byte === closeBrace)
      ) {
        if (--depth === 0) return this.#end(i)
        want = commaOrEnd
      } else {
        if (want >= keyOrEnd) throw refused(want, i - 1)
        if (++values > mostValues) throw tooMany(mostValues)
        if (byte === openBrace || byte === opening) {
          if (depth === deepest) throw tooDeep()
          open[depth++] = byte
          want = byte === openBrace ? keyOrEnd : valueOrEnd
          continue
        }
        i =
          byte <= nine
            ? this.#firstDigit(chunk, i - 1, want)
            : this.#firstLetter(chunk, view, i - 1, want)
        want = commaOrEnd
        if (this.#within !== nothing) break
        if (depth === 0) return this.#end(i)
      }
    }
    this.#depth = depth
    this.#want = want
    this.#values = values
    return length
  }

  #viewOf(chunk: Uint8Array): DataView {
    if (chunk !== this.#chunk) {
      this.#chunk = chunk
      this.#view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length)
    }
    return this.#view
  }

  /** true, false or null. */
  #firstLetter(chunk: Uint8Array, view: DataView, start: number, want: number): number {
    if (start + 5 <= chunk.length) {
      const four = view.getInt32(start)
      if (four === wordTrue || four === wordNull) return start + 4
      if (four === wordFals && chunk[start + 4] === letterE) return start + 5
    }
    const word = words[chunk[start] as number]
    if (word === undefined) throw refused(want, start)
    this.#within = aWord
    this.#word = word
    this.#phase = 1
    return this.#literal(chunk, start + 1)
  }

  #firstDigit(chunk: Uint8Array, start: number, want: number): number {
    const { length } = chunk
    const byte = chunk[start] as number
    if (byte < zero && byte !== minus) throw refused(want, start)
    let i = start + 1
    // Most numbers are integers, and whole.
    while (byte > zero && i < length) {
      const next = chunk[i] as number
      if (next === comma || next === closeBrace || next === closing) return i
      if (next < zero || next > nine) break
      i++
    }
    this.#within = aNumber
    this.#phase = byte === minus ? signed : byte === zero ? zeroed : digits
    return this.#number(chunk, i)
  }

  /** The rest of a token that a chunk may have ended in. */
  #resume(chunk: Uint8Array, start: number): number {
    if (this.#within === aNumber) return this.#number(chunk, start)
    return this.#within === aString ? this.#string(chunk, start) : this.#literal(chunk, start)
  }

  #literal(chunk: Uint8Array, start: number): number {
    const word = this.#word
    let i = start
    let phase = this.#phase
    while (i < chunk.length && phase < word.length)
      if (chunk[i++] !== word[phase++]) throw refused(aValue, i - 1)
    if (phase === word.length) this.#within = nothing
    this.#phase = phase
    return i
  }

  #number(chunk: Uint8Array, start: number): number {
    let i = start
    let phase = this.#phase
    for (; i < chunk.length; i++) {
      const byte = chunk[i] as number
      const next = numberGoesOn(phase, byte)
      if (next < 0) {
        if (mayEnd[phase] !== true) throw wrong('a digit was expected', i)
        this.#within = nothing
        return i
      }
      phase = next
    }
    this.#phase = phase
    return i
  }

  /** The rest of a string; its phase: 0, else 5 behind a backslash and 4 to 1 for the digits of `\u`. */
  #string(chunk: Uint8Array, start: number): number {
    const { length } = chunk
    const view = this.#viewOf(chunk)
    let i = start
    let phase = this.#phase
    // A name may hide behind an escape, or be cut in two.
    if (this.#want === aColon) this.marked = true
    while (i < length) {
      if (phase === 0) {
        i = plainEnd(chunk, view, i)
        if (i === length) break
      }
      const byte = chunk[i++] as number
      if (phase === 5) {
        if (afterBackslash[byte] === 0) throw wrong('an unknown escape', i - 1)
        phase = byte === letterU ? 4 : 0
      } else if (phase > 0) {
        if (hex[byte] === 0) throw wrong('an unknown escape', i - 1)
        phase--
      } else if (byte === quote) {
        this.#within = nothing
        return i
      } else if (byte === backslash) phase = 5
      else throw wrong('a control character within a text', i - 1)
    }
    this.#phase = phase
    return length
  }
}

const refused = (want: number, at: number): Malformed =>
  wrong(`${wanted[want] ?? wanted[aValue]} was expected`, at)

/**
 * Checks a whole JSON text.
 * @throws Malformed
 */
export const checkJson = (bytes: Uint8Array): void => {
  if (bytes.length > bounds.bytes) throw tooLarge()
  const scanner = new Scanner()
  try {
    let i = scanner.scan(bytes, 0)
    if (!scanner.finish()) throw new Malformed(`is cut short after ${bytes.length} bytes`)
    for (; i < bytes.length; i++)
      if (!isBlank(bytes[i] ?? 0)) throw new Malformed('goes on after its end')
  } catch (error) {
    throw error instanceof Malformed ? error.placed(0) : error
  }
}
