/** Tokens of JSON that have an inside: texts, numbers and words, in as many chunks as they come in. */
import { wrong } from './malformed.js'
import { digits, mayEnd, numberGoesOn, signed, zeroed } from './number.js'
import { plainEnd } from './plain.js'
import {
  backslash,
  closeBrace,
  closeBracket,
  comma,
  letterE,
  letterU,
  minus,
  nine,
  quote,
  tableOf,
  zero,
} from './signs.js'
import { aValue, wantedOf } from './steps.js'

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

const afterBackslash = tableOf(Buffer.from('"\\/bfnrtu'))
const hex = tableOf(Buffer.from('0123456789abcdefABCDEF'))

/** The bytes of each bare word, by its first. */
const words: readonly (Uint8Array | undefined)[] = ['true', 'false', 'null'].reduce<
  (Uint8Array | undefined)[]
>((table, text) => {
  table[text.charCodeAt(0)] = new TextEncoder().encode(text)
  return table
}, Array(256).fill(undefined))

/** The token that is being read; each method gives the index behind it, or the chunk's length. */
export class Token {
  /** What a chunk ended in the middle of. */
  within: number = nothing
  /** How far it has come: a number's phase, a word's index, a string's escape. */
  #phase = 0
  #word: Uint8Array = hex
  #chunk: Uint8Array | undefined
  #view = new DataView(hex.buffer)

  /** Whether it is a number that may end here. */
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
      if (chunk[i++] !== word[phase++]) throw wrong(`${wantedOf(aValue)} was expected`, i - 1)
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
        if (mayEnd[phase] !== true) throw wrong('a digit was expected', i)
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
        i = plainEnd(chunk, view, i)
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
    throw wrong('a control character within a text', at)
  }
  if ((phase === 5 ? afterBackslash : hex)[byte] === 0) throw wrong('an unknown escape', at)
  if (phase === 5) return byte === letterU ? 4 : 0
  return phase - 1
}
