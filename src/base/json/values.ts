/** Values of JSON on standard input: each parsed as it came, or refused by the line that it stands on. */
import { Failure, usage } from '../../errors.js'
import { parseExact } from './json.js'

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
