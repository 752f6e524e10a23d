/** The tokens of JSON for `Scanner`: its bytes by name, and the reading of texts, numbers and words across chunks. */
import { createMalformed } from './json.js'

// Bytes of JSON by name. Each by itself: so they stand in the built program as numbers.

const space = 0x20
const newline = 0x0a
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
const backslash = 0x5c
export const closeBracket = 0x5d
const letterE = 0x65
const letterU = 0x75
export const openBrace = 0x7b
export const closeBrace = 0x7d

/** The bytes of white space. */
export const blanks = [space, newline, carriage, tab]

export const isBlankByte = (byte: number): boolean =>
  byte === space || byte === newline || byte === carriage || byte === tab

/** 1 at the place of each of these bytes. */
const createByteTable = (bytes: Iterable<number>): Uint8Array => {
  const table = new Uint8Array(256)
  for (const byte of bytes) table[byte] = 1
  return table
}

// Texts of JSON, as far as nothing in them is special.

/** The bytes that a string cannot simply run over. */
const special = createByteTable([...Array(space).keys(), quote, backslash])

// Of four bytes at once: what is 0x20 or less once quotes and spaces are swapped, and backslashes.
const swap = 0x02020202
const tooLow = 0x21212121
const backslashes = 0x5c5c5c5c
const ones = 0x01010101
const highBits = 0x80808080

/**
 * Returns the index at which a text stops being plain: at a quote, a backslash, a control character, or the end. A subtraction on four
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

// How a number of JSON goes on, byte by byte.

// How far a number has come; it may end after a zero, a digit, a decimal and a power.
const signed = 0
const zeroed = 1
const digits = 2
const pointed = 3
const decimals = 4
const raised = 5
const raisedSigned = 6
const power = 7
const mayEnd = [false, true, true, false, true, false, false, true]

/** Upper and lower case differ in this bit. */
const caseBit = 0x20
const powers = [letterE, letterE & ~caseBit]
/** By phase: what a zero, another digit, the point, a letter for powers and a sign lead to. */
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

/** The phase of a number after another byte; -1 where the byte is not of the number. */
const numberGoesOn = (phase: number, byte: number): number => table[(phase << 8) | byte] as number

// Tokens of JSON that have an inside: texts, numbers and words, in as many chunks as they come in.

// Four bytes at once, the first one highest.
const wordTrue = 0x74727565
const wordNull = 0x6e756c6c
const wordFals = 0x66616c73

// What a chunk may end in the middle of.
/** In the middle of nothing. */
export const nothing = 0
const aString = 1
const aNumber = 2
const aWord = 3

const afterBackslash = createByteTable(Buffer.from('"\\/bfnrtu'))
const hex = createByteTable(Buffer.from('0123456789abcdefABCDEF'))

/** The bytes of each bare word, by its first. */
const words: readonly (Uint8Array | undefined)[] = ['true', 'false', 'null'].reduce<
  (Uint8Array | undefined)[]
>((table, text) => {
  table[text.charCodeAt(0)] = new TextEncoder().encode(text)
  return table
}, Array(256).fill(undefined))

/** The token that is being read; each method gives the index behind it, or the chunk's length. */
export class Token {
  /** The kind of token that a chunk ended in the middle of. */
  within: number = nothing
  /** The progress within the token: a number's phase, a word's index, a string's escape. */
  #phase = 0
  #word: Uint8Array = hex
  #chunk: Uint8Array | undefined
  #view = new DataView(hex.buffer)

  /** True if the token is a number that may end here. */
  get mayEnd(): boolean {
    return this.within === aNumber && mayEnd[this.#phase] === true
  }

  viewOf(chunk: Uint8Array): DataView {
    if (chunk !== this.#chunk) {
      this.#chunk = chunk
      this.#view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length)
    }
    return this.#view
  }

  /** true, false or null. */
  word(chunk: Uint8Array, view: DataView, start: number): number {
    if (start + 5 <= chunk.length) {
      const four = view.getInt32(start)
      if (four === wordTrue || four === wordNull) return start + 4
      if (four === wordFals && chunk[start + 4] === letterE) return start + 5
    }
    this.within = aWord
    this.#word = words[chunk[start] as number] ?? hex
    this.#phase = 1
    return this.#literal(chunk, start + 1)
  }

  number(chunk: Uint8Array, start: number): number {
    const { length } = chunk
    const byte = chunk[start] as number
    let i = start + 1
    // Most numbers are integers, and whole.
    while (byte > zero && i < length) {
      const next = chunk[i] as number
      if (next === comma || next === closeBrace || next === closeBracket) return i
      if (next < zero || next > nine) break
      i++
    }
    this.within = aNumber
    this.#phase = byte === minus ? signed : byte === zero ? zeroed : digits
    return this.#number(chunk, i)
  }

  /** The rest of a text that is not plain from here on. */
  unplain(chunk: Uint8Array, start: number): number {
    this.within = aString
    this.#phase = 0
    return this.#string(chunk, start)
  }

  /** The rest of a token that the chunk before ended in. */
  goOn(chunk: Uint8Array, start: number): number {
    if (this.within === aNumber) return this.#number(chunk, start)
    return this.within === aString ? this.#string(chunk, start) : this.#literal(chunk, start)
  }

  #literal(chunk: Uint8Array, start: number): number {
    const word = this.#word
    let i = start
    let phase = this.#phase
    while (i < chunk.length && phase < word.length)
      if (chunk[i++] !== word[phase++]) throw createMalformed('expected a value', i - 1)
    if (phase === word.length) this.within = nothing
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
        if (mayEnd[phase] !== true) throw createMalformed('expected a digit', i)
        this.within = nothing
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
      this.#phase = escapeGoesOn(this.#phase, byte, i - 1)
    }
    return length
  }
}

/** The phase of a string after another byte that is not plain, or is of an escape. */
const escapeGoesOn = (phase: number, byte: number, at: number): number => {
  if (phase === 0) {
    if (byte === backslash) return 5
    throw createMalformed('a control character inside a string', at)
  }
  if ((phase === 5 ? afterBackslash : hex)[byte] === 0)
    throw createMalformed('an unknown escape sequence', at)
  if (phase === 5) return byte === letterU ? 4 : 0
  return phase - 1
}
