/**
 * RFC 8259's grammar over bytes as they arrive, without building anything: what is passed on
 * unparsed is checked here, and nothing is parsed that this has not measured before.
 */

import {
  aColon,
  aKeyBegins,
  aNumberBegins,
  aTextBegins,
  aValue,
  backslash,
  closeBrace,
  closeBracket,
  closes,
  colon,
  comma,
  createByteTable,
  describeWanted,
  firstAction,
  inArray,
  inObject,
  isBlank,
  keyOrEnd,
  letterE,
  letterU,
  minus,
  nine,
  nothingMore,
  openBrace,
  opens,
  plainEnd,
  plus,
  point,
  quote,
  refuses,
  steps,
  valueOrEnd,
  zero,
} from './grammar.js'
import { bounds, MalformedJson, tooDeep, tooLarge, tooMany, wrong } from './malformed.js'

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
const nothing = 0
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
class Token {
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
      if (chunk[i++] !== word[phase++]) throw wrong(`expected ${describeWanted(aValue)}`, i - 1)
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
        if (mayEnd[phase] !== true) throw wrong('expected a digit', i)
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
    throw wrong('a control character inside a string', at)
  }
  if ((phase === 5 ? afterBackslash : hex)[byte] === 0)
    throw wrong('an unknown escape sequence', at)
  if (phase === 5) return byte === letterU ? 4 : 0
  return phase - 1
}

const deepest: number = bounds.depth

/** The lower five bits of a letter: which it is, whatever its case. */
const letter = 31

/** A place in the table for the last three bytes of a key. */
export const hashTail = (third: number, second: number, last: number): number =>
  ((third & letter) << 10) | ((second & letter) << 5) | (last & letter)

/** What the names looked out for have in common with a key: their last three letters, as `hashTail`. */
export interface Marks {
  readonly tails: Uint8Array
  /** Whether a key that ends so is one of them; asked of few. */
  isName(chunk: Uint8Array, from: number, end: number): boolean
}

const none: Marks = { tails: new Uint8Array(1 << 15), isName: () => false }

/** Whether a key is one of the names looked out for. Before a short one stands its quote. */
const isMarked = (marks: Marks, chunk: Uint8Array, from: number, end: number): boolean => {
  const third = chunk[end - 3] as number
  const second = chunk[end - 2] as number
  const tail = hashTail(third, second, chunk[end - 1] as number)
  return marks.tails[tail] !== 0 && marks.isName(chunk, from, end)
}

/** Reads one value, in as many chunks as it comes in. */
export class Scanner {
  /** Whether a key since `begin` may be one of the names looked out for, or hides behind escapes. */
  marked = false
  /** Whether there is white space between tokens since `begin`. */
  spaced = false
  /** Whether the value has come to its end; a number ends only with what follows it. */
  done = false
  readonly #open = new Uint8Array(bounds.depth)
  readonly #marks: Marks
  readonly #most: number
  readonly #token = new Token()
  #want: number = aValue
  /** What is wanted behind a value, where it stands. */
  #after: number = nothingMore
  #depth = 0
  #values = 0

  /** @param most how many values there may be */
  constructor(marks: Marks = none, most: number = bounds.values) {
    this.#marks = marks
    this.#most = most
  }

  /** Begins another value. */
  begin(): void {
    this.marked = false
    this.spaced = false
    this.done = false
    this.#want = aValue
    this.#after = nothingMore
    this.#token.within = nothing
    this.#depth = 0
    this.#values = 0
  }

  /**
   * Reads on; gives the index to go on from, behind the value where it is done.
   * @throws Malformed
   */
  scan(chunk: Uint8Array, start: number): number {
    let i = start
    if (this.#token.within !== nothing) {
      i = this.#token.goOn(chunk, start)
      if (this.#token.within !== nothing) return chunk.length
      if (this.#want === nothingMore) return this.#end(i)
    }
    return this.#tokens(chunk, i)
  }

  /** Ends the text: true when the value is whole, though it be a number at the very end. */
  finish(): boolean {
    if (this.#token.mayEnd && this.#want === nothingMore) this.done = true
    return this.done
  }

  #end(i: number): number {
    this.done = true
    return i
  }

  /** The hot loop: where it stands and what is wanted are in registers. */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: a loop that calls for each byte is slower
  #tokens(chunk: Uint8Array, start: number): number {
    const { length } = chunk
    const token = this.#token
    const marks = this.#marks
    const view = token.viewOf(chunk)
    let i = start
    let want = this.#want
    while (i < length) {
      const step = steps[(want << 8) | (chunk[i++] as number)] as number
      if (step < firstAction) {
        if (step === want) this.spaced = true
        want = step
        continue
      }
      if (step === aTextBegins || step === aKeyBegins) {
        const from = i
        i = plainEnd(chunk, view, i)
        const plain = i < length && chunk[i] === quote
        if (step === aKeyBegins) {
          want = aColon
          // A name may hide behind an escape, or be cut in two.
          if (!plain || isMarked(marks, chunk, from, i)) this.marked = true
        } else {
          this.#count()
          want = this.#after
        }
        i = plain ? i + 1 : token.unplain(chunk, i)
        if (want === aColon && i < length && chunk[i] === colon) {
          want = aValue
          i++
        }
      } else if (step === closes) want = this.#close()
      else if (step === opens) {
        want = this.#enter(chunk[i - 1] as number)
        continue
      } else {
        if (step === refuses) throw refused(want, i - 1)
        this.#count()
        want = this.#after
        i = step === aNumberBegins ? token.number(chunk, i - 1) : token.word(chunk, view, i - 1)
      }
      if (token.within !== nothing) break
      if (want === nothingMore) return this.#end(i)
    }
    this.#want = want
    return i
  }

  #count(): void {
    if (++this.#values > this.#most) throw tooMany(this.#most)
  }

  #enter(byte: number): number {
    this.#count()
    if (this.#depth === deepest) throw tooDeep()
    this.#open[this.#depth++] = byte
    this.#after = byte === openBrace ? inObject : inArray
    return byte === openBrace ? keyOrEnd : valueOrEnd
  }

  #close(): number {
    if (--this.#depth === 0) this.#after = nothingMore
    else this.#after = this.#open[this.#depth - 1] === openBrace ? inObject : inArray
    return this.#after
  }
}

const refused = (want: number, at: number): MalformedJson =>
  wrong(`expected ${describeWanted(want)}`, at)

/**
 * Checks a whole JSON text.
 * @throws Malformed
 */
export const checkJson = (bytes: Uint8Array): void => {
  if (bytes.length > bounds.bytes) throw tooLarge()
  const scanner = new Scanner()
  try {
    let i = scanner.scan(bytes, 0)
    if (!scanner.finish()) throw new MalformedJson(`ends early, after ${bytes.length} bytes`)
    for (; i < bytes.length; i++)
      if (!isBlank(bytes[i] ?? 0)) throw new MalformedJson('continues after its end')
  } catch (error) {
    throw error instanceof MalformedJson ? error.placed(0) : error
  }
}
