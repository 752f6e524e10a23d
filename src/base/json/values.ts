/** JSON values one after the other: an array, a line each (NDJSON), or laid out over several (jq). */
import { Failure, usage } from '../../errors.js'
import { parseExact } from './json.js'

/** One value with the line that it begins on. */
export interface PlacedValue {
  readonly line: number
  readonly value: unknown
}

/** Where a string that begins at `start` ends, past its closing quote. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

/** Where an object or array that begins at `start` ends; the end of the text where it does not. */
const endOfValue = (text: string, start: number): number => {
  let depth = 0
  for (let at = start; at < text.length; ) {
    const char = text[at]
    if (char === '"') {
      at = endOfString(text, at)
      continue
    }
    if (char === '{' || char === '[') depth++
    if (char === '}' || char === ']') depth--
    at++
    if (depth === 0) return at
  }
  return text.length
}

/** What begins as a value and is none. */
export const notJson = (line: number, cause?: unknown): Failure =>
  new Failure('usage', `standard input, line ${line}: this is not JSON`, {
    hint: 'What begins with { or [ is read as JSON or NDJSON to its end.',
    cause,
  })

/** What stands between values, and is none. */
export const strayJson = (line: number): Failure =>
  usage(
    `standard input, line ${line}: this is no JSON object, and what stands before it is`,
    'Give objects in one form: JSON, a table, or one a line.',
  )

/** @throws Failure `usage` naming the line */
export const parsedAt = (text: string, line: number): unknown => {
  try {
    return parseExact(text)
  } catch (cause) {
    throw notJson(line, cause)
  }
}

/**
 * The objects and arrays of a text, in order.
 * @throws Failure `usage` naming the line of anything else
 */
export function* jsonValues(text: string): Generator<PlacedValue> {
  let line = 1
  for (let at = 0; at < text.length; ) {
    const char = text[at]
    if (char === '\n') line++
    if (char === '{' || char === '[') {
      const end = endOfValue(text, at)
      const piece = text.slice(at, end)
      yield { line, value: parsedAt(piece, line) }
      line += piece.split('\n').length - 1
      at = end
    } else if (char?.trim() === '') at++
    else throw strayJson(line)
  }
}
