/** Reads strings, numbers and literals of JSON for `Scanner`, even if a token is split across chunks. */
import { createMalformed } from './json.js'

// The bytes of JSON. Each is a constant of its own, so that the bundler can replace it by its number.

const space = 0x20
export const newline = 0x0a
const carriage = 0x0d
const tab = 0x09
export const quote = 0x22
export const comma = 0x2c
const plus = 0x2b
export const minus = 0x2d
const point = 0x2e
export const zero = 0x30
export const nine = 0x39
export const colon = 0x3a
export const openBracket = 0x5b
export const backslash = 0x5c
export const closeBracket = 0x5d
const letterE = 0x65
const letterU = 0x75
export const openBrace = 0x7b
export const closeBrace = 0x7d

/** The bytes of white space. */
export const blanks = [space, newline, carriage, tab]

export const isBlankByte = (byte: number): boolean =>
  byte === space || byte === newline || byte === carriage || byte === tab

/** Creates a table that has 1 at the index of each of these bytes, and 0 elsewhere. */
const createByteTable = (bytes: Iterable<number>): Uint8Array => {
  const table = new Uint8Array(256)
  for (const byte of bytes) table[byte] = 1
  return table
}

// The plain part of a string: all bytes before a quote, a backslash or a control character.

/** The bytes that end the plain part of a string. */
const special = createByteTable([...Array(space).keys(), quote, backslash])

// Masks that test four bytes at once. XOR with `swap` exchanges quotes (0x22) and spaces (0x20), so that quotes and control characters
// are below `tooLow`. XOR with `backslashes` turns backslashes into 0.
const swap = 0x02020202
const tooLow = 0x21212121
const backslashes = 0x5c5c5c5c
const ones = 0x01010101
const highBits = 0x80808080

/**
 * Returns the index at which a string stops being plain: at a quote, a backslash, a control character, or the end. A subtraction on four
 * bytes at once sets the high bit of those that are too low. Its borrow may also set that of bytes above the first such byte, never below,
 * so the lowest bit is right.
 */
export const findPlainEnd = (chunk: Uint8Array, view: DataView, start: number): number => {
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

// A state machine that reads numbers byte by byte.

// The phases of a number, named after what was read last. A number may end after `zeroed`, `digits`, `decimals` and `power`.
const signed = 0
const zeroed = 1
const digits = 2
const pointed = 3
const decimals = 4
const raised = 5
const raisedSigned = 6
const power = 7
const mayEnd = [false, true, true, false, true, false, false, true]

/** The bit in which the upper and lower case of a letter differ. */
const caseBit = 0x20
const powers = [letterE, letterE & ~caseBit]
/** For each phase, the phase after a zero, another digit, the point, an E and a sign; -1 if the number cannot continue so. */
const leads: readonly (readonly [number, number, number, number, number])[] = [
  [zeroed, digits, -1, -1, -1],
  [-1, -1, pointed, raised, -1],
  [digits, digits, pointed, raised, -1],
  [decimals, decimals, -1, -1, -1],
  [decimals, decimals, -1, raised, -1],
  [power, power, -1, -1, raisedSigned],
  [power, power, -1, -1, -1],
  [power, power, -1, -1, -1],
]
const table = new Int8Array(leads.length << 8).fill(-1)
for (const [phase, [onZero, onDigit, onPoint, onPower, onSign]] of leads.entries()) {
  for (let byte = zero; byte <= nine; byte++)
    table[(phase << 8) | byte] = byte === zero ? onZero : onDigit
  table[(phase << 8) | point] = onPoint
  for (const byte of powers) table[(phase << 8) | byte] = onPower
  for (const byte of [plus, minus]) table[(phase << 8) | byte] = onSign
}

/** Returns the phase of a number after another byte; -1 if the byte does not belong to the number. */
const getNextNumberPhase = (phase: number, byte: number): number =>
  table[(phase << 8) | byte] as number

// Strings, numbers and literals, each of which may be split across any number of chunks.

// The first four bytes of each literal, as a big-endian integer.
const wordTrue = 0x74727565
const wordNull = 0x6e756c6c
const wordFals = 0x66616c73

// The kinds of token that the end of a chunk may split.
/** The chunk ended between two tokens. */
export const nothing = 0
const aString = 1
const aNumber = 2
const aWord = 3

const afterBackslash = createByteTable(Buffer.from('"\\/bfnrtu'))
const hex = createByteTable(Buffer.from('0123456789abcdefABCDEF'))

/** The bytes of each literal, by its first byte. */
const words: readonly (Uint8Array | undefined)[] = ['true', 'false', 'null'].reduce<
  (Uint8Array | undefined)[]
>((table, text) => {
  table[text.charCodeAt(0)] = new TextEncoder().encode(text)
  return table
}, Array(256).fill(undefined))

/** The number of digits that every integer can have without being rounded. */
const usualDigits = 15

/** Reads one token at a time. Its methods return the index after the token, or the chunk's length if the token is not complete. */
export class Token {
  /** The kind of token that the end of the chunk split; `nothing` if it split none. */
  within: number = nothing
  /** True if a number was read that JavaScript may print differently, such as one with 16 digits, a point or an exponent. */
  unusual = false
  /** The progress within the token: the phase of a number or of an escape in a string, or the index in a literal. */
  #phase = 0
  #word: Uint8Array = hex
  #chunk: Uint8Array | undefined
  #view = new DataView(hex.buffer)

  /** True if the token is a number that may end here. */
  get mayEnd(): boolean {
    return this.within === aNumber && mayEnd[this.#phase] === true
  }

  /** Returns a view of a chunk, which is kept until another chunk comes. */
  viewOf(chunk: Uint8Array): DataView {
    if (chunk !== this.#chunk) {
      this.#chunk = chunk
      this.#view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length)
    }
    return this.#view
  }

  /** Reads `true`, `false` or `null`. */
  word(chunk: Uint8Array, view: DataView, start: number): number {
    if (start + 5 <= chunk.length) {
      const four = view.getInt32(start)
      if (four === wordTrue || four === wordNull) return start + 4
      if (four === wordFals && chunk[start + 4] === letterE) return start + 5
    }
    this.within = aWord
    this.#word = words[chunk[start] as number] ?? hex
    this.#phase = 1
    return this.#continueLiteral(chunk, start + 1)
  }

  /** Reads a number from its first byte. */
  number(chunk: Uint8Array, start: number): number {
    const { length } = chunk
    const byte = chunk[start] as number
    let i = start + 1
    // Most numbers are integers that end in the same chunk: this loop reads them without the state machine.
    while (byte >= zero && i < length) {
      const next = chunk[i] as number
      if (next === comma || next === closeBrace || next === closeBracket) {
        if (i - start > usualDigits) this.unusual = true
        return i
      }
      if (byte === zero || next < zero || next > nine) break
      i++
    }
    this.unusual = true
    this.within = aNumber
    this.#phase = byte === minus ? signed : byte === zero ? zeroed : digits
    return this.#continueNumber(chunk, i)
  }

  /** Reads the rest of a string, from the first byte that is not plain. */
  unplain(chunk: Uint8Array, start: number): number {
    this.within = aString
    this.#phase = 0
    return this.#continueString(chunk, start)
  }

  /** Reads the rest of a token that the end of the previous chunk split. */
  continue(chunk: Uint8Array, start: number): number {
    if (this.within === aNumber) return this.#continueNumber(chunk, start)
    return this.within === aString
      ? this.#continueString(chunk, start)
      : this.#continueLiteral(chunk, start)
  }

  #continueLiteral(chunk: Uint8Array, start: number): number {
    const word = this.#word
    let i = start
    let phase = this.#phase
    while (i < chunk.length && phase < word.length)
      if (chunk[i++] !== word[phase++]) throw createMalformed('expected a value', i - 1)
    if (phase === word.length) this.within = nothing
    this.#phase = phase
    return i
  }

  #continueNumber(chunk: Uint8Array, start: number): number {
    let i = start
    let phase = this.#phase
    for (; i < chunk.length; i++) {
      const byte = chunk[i] as number
      const next = getNextNumberPhase(phase, byte)
      if (next < 0) {
        if (mayEnd[phase] !== true) throw createMalformed('expected a digit', i)
        this.within = nothing
        return i
      }
      phase = next
    }
    this.#phase = phase
    return i
  }

  /** Reads the rest of a string. Its phase is 0, or in an escape: 5 after the backslash, and 4 to 1 while digits of `\u` are missing. */
  #continueString(chunk: Uint8Array, start: number): number {
    const { length } = chunk
    const view = this.viewOf(chunk)
    let i = start
    while (i < length) {
      if (this.#phase === 0) {
        i = findPlainEnd(chunk, view, i)
        if (i === length) break
      }
      const byte = chunk[i++] as number
      if (this.#phase === 0 && byte === quote) {
        this.within = nothing
        return i
      }
      this.#phase = getNextEscapePhase(this.#phase, byte, i - 1)
    }
    return length
  }
}

/** Returns the phase of a string after a byte that is not plain, or that belongs to an escape. */
const getNextEscapePhase = (phase: number, byte: number, at: number): number => {
  if (phase === 0) {
    if (byte === backslash) return 5
    throw createMalformed('a control character inside a string', at)
  }
  if ((phase === 5 ? afterBackslash : hex)[byte] === 0)
    throw createMalformed('an unknown escape sequence', at)
  if (phase === 5) return byte === letterU ? 4 : 0
  return phase - 1
}
