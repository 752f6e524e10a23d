/**
 * RFC 8259's grammar over bytes as they arrive, without building anything: what is passed on
 * unparsed is checked here, and nothing is parsed that this has not measured before.
 */

import { bounds, type Malformed, tooDeep, tooMany, wrong } from './malformed.js'
import { plainEnd } from './plain.js'
import { colon, openBrace, quote } from './signs.js'
import {
  aColon,
  aKeyBegins,
  aNumberBegins,
  aTextBegins,
  aValue,
  closes,
  firstAction,
  inArray,
  inObject,
  keyOrEnd,
  nothingMore,
  opens,
  refuses,
  steps,
  valueOrEnd,
  wantedOf,
} from './steps.js'
import { nothing, Token } from './token.js'

const deepest: number = bounds.depth

/** The lower five bits of a letter: which it is, whatever its case. */
const letter = 31

/** A place in the table for the last three bytes of a key. */
export const tailOf = (third: number, second: number, last: number): number =>
  ((third & letter) << 10) | ((second & letter) << 5) | (last & letter)

/** What the names looked out for have in common with a key: their last three letters, as `tailOf`. */
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
  const tail = tailOf(third, second, chunk[end - 1] as number)
  return marks.tails[tail] !== 0 && marks.isName(chunk, from, end)
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

const refused = (want: number, at: number): Malformed => wrong(`${wantedOf(want)} was expected`, at)
