/** Splits a text into its JSON values as it arrives: the items of an array, or values one after another. */
import { createInputFailure, type Failure } from '../../errors.js'
import { maxBuilt, parseExact } from './json.js'

// JSON values on standard input. Each is parsed as it arrives, or refused with its line number.

/** Creates the failure for text that begins like a JSON value and is not valid. */
const createNotJsonFault = (line: number, cause?: unknown): Failure =>
  createInputFailure(
    `standard input, line ${line}: not valid JSON`,
    'Input that begins with { or [ must be JSON or NDJSON throughout.',
    cause,
  )

/** Creates the failure for text between values that is not a value. */
const createStrayFault = (line: number): Failure =>
  createInputFailure(
    `standard input, line ${line}: expected a JSON object, as on the lines before`,
    'Use one format: JSON, a table, or one object per line.',
  )

/** Creates the failure for a value that is longer than a record may be, so that endless input is not held in memory. */
export const createTooLongFault = (line: number, what: string): Failure =>
  createInputFailure(
    `standard input, line ${line}: ${what} longer than ${maxBuilt.bytes >> 20} MiB`,
    'Pass JSON, a table, or one object per line. In CSV, close each quotation mark.',
  )

/** @throws Failure `usage` naming the line */
const parseLine = (text: string, line: number): unknown => {
  try {
    return parseExact(text)
  } catch (cause) {
    throw createNotJsonFault(line, cause)
  }
}

/** A value with its position. */
export interface CutValue {
  /** The line on which it begins. */
  readonly line: number
  /** Its number in its array, beginning with 1. */
  readonly item?: number
  readonly value: unknown
}

/** The tokens that may come next between two values. */
type CutterState = 'value' | 'value or end' | 'comma or end'

const isBlank = (char: string): boolean =>
  char === ' ' || char === '\n' || char === '\r' || char === '\t'

export class JsonCutter {
  #piece = ''
  #depth = 0
  #inText = false
  #escaped = false
  #line = 1
  /** The line on which the array or the value that is being read began. */
  #began = 1
  /** The line on which the value began. */
  #start = 1
  #array: { items: number } | undefined
  #awaited: CutterState = 'value'
  #found: CutValue[] = []
  /** True if a value has begun and not ended. */
  #open = false
  #ended = false

  /** Returns the values that end in this part of the text. @throws Failure `usage` with the line of a value that is invalid or too long */
  push(text: string): readonly CutValue[] {
    let from = 0
    for (let at = 0; at < text.length; at++) {
      const char = text.charAt(at)
      if (char === '\n') this.#line += 1
      if (this.#inText) this.#readInText(char)
      else if (this.#depth > 0) this.#readInside(char)
      else if (this.#open) this.#readScalar(char, text, from, at)
      else if (this.#readBetween(char)) from = at
      if (this.#ended) {
        this.#addValue(this.#piece + text.slice(from, at + 1))
        from = at + 1
      } else if (!this.#open) from = at + 1
    }
    if (this.#open) this.#piece += text.slice(from)
    if (this.#piece.length > maxBuilt.bytes) throw createTooLongFault(this.#began, 'a JSON value')
    return this.#found.splice(0)
  }

  /** Returns the values of a complete text. @throws as `push` and `end` */
  static all(text: string): readonly CutValue[] {
    const cutter = new JsonCutter()
    return [...cutter.push(text), ...cutter.end()]
  }

  /** Ends the text. @throws Failure `usage` if the text ends within a value */
  end(): readonly CutValue[] {
    if (this.#open || this.#array !== undefined) throw createNotJsonFault(this.#began)
    return []
  }

  #readInText(char: string): void {
    if (this.#escaped) this.#escaped = false
    else if (char === '\\') this.#escaped = true
    else if (char === '"') {
      this.#inText = false
      this.#ended = this.#depth === 0
    }
  }

  #readInside(char: string): void {
    if (char === '"') this.#inText = true
    else if (char === '{' || char === '[') this.#depth += 1
    else if (char === '}' || char === ']') {
      this.#depth -= 1
      this.#ended = this.#depth === 0
    }
  }

  /** Reads a number or a word, which ends at the character after it. */
  #readScalar(char: string, text: string, from: number, at: number): void {
    if (!isBlank(char) && char !== ',' && char !== ']') return
    this.#addValue(this.#piece + text.slice(from, at))
    this.#readBetween(char)
  }

  /** Reads a character between two values. @returns true if a value begins */
  #readBetween(char: string): boolean {
    if (isBlank(char)) return false
    if (this.#array === undefined) {
      if (char === '[') {
        this.#array = { items: 0 }
        this.#began = this.#line
        this.#awaited = 'value or end'
        return false
      }
      if (char !== '{') throw createStrayFault(this.#line)
      return this.#beginValue(char)
    }
    if (char === ']' && this.#awaited !== 'value') {
      this.#array = undefined
      return false
    }
    if (char === ',' && this.#awaited === 'comma or end') {
      this.#awaited = 'value'
      return false
    }
    if (this.#awaited === 'comma or end' || char === ',' || char === ']')
      throw createNotJsonFault(this.#began)
    return this.#beginValue(char)
  }

  #beginValue(char: string): true {
    if (this.#array === undefined) this.#began = this.#line
    this.#start = this.#line
    this.#open = true
    if (char === '"') this.#inText = true
    else if (char === '{' || char === '[') this.#depth = 1
    return true
  }

  #addValue(piece: string): void {
    const line = this.#start
    const value = parseLine(piece, line)
    const array = this.#array
    if (array === undefined) this.#found.push({ line, value })
    else {
      array.items += 1
      this.#found.push({ line, item: array.items, value })
      this.#awaited = 'comma or end'
    }
    this.#piece = ''
    this.#open = false
    this.#ended = false
  }
}
