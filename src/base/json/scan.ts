/**
 * Checks bytes against the grammar of JSON (RFC 8259) as they arrive, without building values. Every text is checked here before it is
 * passed on or parsed.
 */

import {
  bounds,
  createMalformed,
  createTooDeep,
  createTooLarge,
  createTooManyValues,
  MalformedJson,
} from './json.js'
import {
  blanks,
  closeBrace,
  closeBracket,
  colon,
  comma,
  findPlainEnd,
  isBlankByte,
  minus,
  nine,
  nothing,
  openBrace,
  openBracket,
  quote,
  Token,
  zero,
} from './tokens.js'

// The states, named after the token that is expected next.
const aValue = 0
const valueOrEnd = 1
const keyOrEnd = 2
const aKey = 3
const aColon = 4
const inObject = 5
const inArray = 6
const nothingMore = 7
const wanted = [
  'a value',
  'a value or "]"',
  'a name or "}"',
  'a name',
  'a colon',
  'a comma or the closing bracket',
  'a comma or the closing bracket',
  'a comma or the closing bracket',
] as const

/** Describes the expected token in words. */
const describeWanted = (state: number): string => wanted[state] ?? wanted[aValue]

// The actions for a byte. A number below `firstAction` is the next state.
const firstAction = 8
const aKeyBegins = 8
const closes = 9
const refuses = 10
const opens = 11
const aTextBegins = 12
const aNumberBegins = 13
const aWordBegins = 14

type Row = readonly (readonly [bytes: Iterable<number>, step: number])[]

const numbers = [minus, ...Array.from({ length: nine - zero + 1 }, (_, i) => zero + i)]
const values: Row = [
  [[quote], aTextBegins],
  [[openBrace, openBracket], opens],
  [numbers, aNumberBegins],
  [Buffer.from('tfn'), aWordBegins],
]
/** The actions in each state. White space changes nothing, and every other byte is refused. */
const actionRows: readonly Row[] = [
  values,
  [...values, [[closeBracket], closes]],
  [
    [[quote], aKeyBegins],
    [[closeBrace], closes],
  ],
  [[[quote], aKeyBegins]],
  [[[colon], aValue]],
  [
    [[comma], aKey],
    [[closeBrace], closes],
  ],
  [
    [[comma], aValue],
    [[closeBracket], closes],
  ],
  [],
]

/** The action for a state (high byte) and a byte of the text (low byte). */
const steps: Uint8Array = new Uint8Array(actionRows.length << 8).fill(refuses)
for (const [want, row] of actionRows.entries())
  for (const [bytes, step] of [[blanks, want] as const, ...row])
    for (const byte of bytes) steps[(want << 8) | byte] = step

const maxDepth: number = bounds.depth

/** A mask of the lower five bits of a letter, which are the same in upper and lower case. */
const letterMask = 31

/** Returns the index in the table for the last three bytes of a key. */
export const hashTail = (third: number, second: number, last: number): number =>
  ((third & letterMask) << 10) | ((second & letterMask) << 5) | (last & letterMask)

/** The names to look for, as a table of the last three letters of each (`hashTail`). */
export interface Marks {
  readonly tails: Uint8Array
  /** Returns true if a key with such an ending is one of the names; it is called for few keys. */
  isName(chunk: Uint8Array, from: number, end: number): boolean
}

const noMarks: Marks = { tails: new Uint8Array(1 << 15), isName: () => false }

/** True if a key is one of the names to look for. The byte before a short key is its quote. */
const isMarked = (marks: Marks, chunk: Uint8Array, from: number, end: number): boolean => {
  const third = chunk[end - 3] as number
  const second = chunk[end - 2] as number
  const tail = hashTail(third, second, chunk[end - 1] as number)
  return marks.tails[tail] !== 0 && marks.isName(chunk, from, end)
}

/** Reads one value, which may be split across any number of chunks. */
export class Scanner {
  /** True if a key since `begin` may be one of the names to look for, or is hidden behind escapes. */
  marked = false
  /** True if there is white space between tokens since `begin`. */
  spaced = false
  /** True if a number since `begin` may be one that JavaScript prints differently. */
  get unusual(): boolean {
    return this.#token.unusual
  }
  /** True if the value has ended; a number ends only with the byte after it. */
  done = false
  /** The brackets that are open. An array of bytes would lie outside of the heap, which costs more than a short text. */
  readonly #open: number[] = []
  readonly #marks: Marks
  readonly #most: number
  readonly #token = new Token()
  #want: number = aValue
  /** The token that is expected after a value, at the current depth. */
  #after: number = nothingMore
  #depth = 0
  #values = 0

  /** @param most the maximum number of values */
  constructor(marks: Marks = noMarks, most: number = bounds.values) {
    this.#marks = marks
    this.#most = most
  }

  /** Prepares for another value. */
  begin(): void {
    this.marked = false
    this.spaced = false
    this.done = false
    this.#want = aValue
    this.#after = nothingMore
    this.#token.within = nothing
    this.#token.unusual = false
    this.#depth = 0
    this.#values = 0
  }

  /**
   * Continues reading; returns the index to continue from, which is after the value once it is done.
   * @throws MalformedJson
   */
  scan(chunk: Uint8Array, start: number): number {
    let i = start
    if (this.#token.within !== nothing) {
      i = this.#token.continue(chunk, start)
      if (this.#token.within !== nothing) return chunk.length
      if (this.#want === nothingMore) return this.#finishValue(i)
    }
    return this.#readTokens(chunk, i)
  }

  /** Ends the text. @returns true if the value is complete, which a number is only at the end */
  finish(): boolean {
    if (this.#token.mayEnd && this.#want === nothingMore) this.done = true
    return this.done
  }

  #finishValue(i: number): number {
    this.done = true
    return i
  }

  /** The hot loop, which keeps its position and the expected token in registers. */
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: a loop that calls for each byte is slower
  #readTokens(chunk: Uint8Array, start: number): number {
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
        i = findPlainEnd(chunk, view, i)
        const plain = i < length && chunk[i] === quote
        if (step === aKeyBegins) {
          want = aColon
          // An escape may disguise a name, or the chunk may end within it.
          if (!plain || isMarked(marks, chunk, from, i)) this.marked = true
        } else {
          this.#countValue()
          want = this.#after
        }
        i = plain ? i + 1 : token.unplain(chunk, i)
        if (want === aColon && i < length && chunk[i] === colon) {
          want = aValue
          i++
        }
      } else if (step === closes) want = this.#closeBracket()
      else if (step === opens) {
        want = this.#openBracket(chunk[i - 1] as number)
        continue
      } else {
        if (step === refuses) throw createUnexpected(want, i - 1)
        this.#countValue()
        want = this.#after
        i = step === aNumberBegins ? token.number(chunk, i - 1) : token.word(chunk, view, i - 1)
      }
      if (token.within !== nothing) break
      if (want === nothingMore) return this.#finishValue(i)
    }
    this.#want = want
    return i
  }

  #countValue(): void {
    if (++this.#values > this.#most) throw createTooManyValues(this.#most)
  }

  #openBracket(byte: number): number {
    this.#countValue()
    if (this.#depth === maxDepth) throw createTooDeep()
    this.#open[this.#depth++] = byte
    this.#after = byte === openBrace ? inObject : inArray
    return byte === openBrace ? keyOrEnd : valueOrEnd
  }

  #closeBracket(): number {
    if (--this.#depth === 0) this.#after = nothingMore
    else this.#after = this.#open[this.#depth - 1] === openBrace ? inObject : inArray
    return this.#after
  }
}

const createUnexpected = (want: number, at: number): MalformedJson =>
  createMalformed(`expected ${describeWanted(want)}`, at)

/**
 * Checks a whole JSON text.
 * @throws MalformedJson
 */
export const checkJson = (bytes: Uint8Array): void => {
  if (bytes.length > bounds.bytes) throw createTooLarge()
  const scanner = new Scanner()
  try {
    let i = scanner.scan(bytes, 0)
    if (!scanner.finish()) throw new MalformedJson(`ends early, after ${bytes.length} bytes`)
    for (; i < bytes.length; i++)
      if (!isBlankByte(bytes[i] ?? 0)) throw new MalformedJson('continues after its end')
  } catch (error) {
    throw error instanceof MalformedJson ? error.placed(0) : error
  }
}

/** True if bytes are one JSON text within the limits. */
export const isJson = (bytes: Uint8Array): boolean => {
  try {
    checkJson(bytes)
    return true
  } catch {
    return false
  }
}
