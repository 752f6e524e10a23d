/** Limits how deeply the values of JSON texts are nested, so that recursive code does not run out of stack. */
import { usage } from '../../errors.js'
import type { JsonValue } from '../objects.js'
import { bounds, createTooDeep } from './json.js'

/** True if a value is nested more deeply than `bounds` allow, so that recursive code could run out of stack. */
export const isTooDeep = (value: unknown, left: number = bounds.depth): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (left === 0 || Object.values(value).some((inner) => isTooDeep(inner, left - 1)))

/**
 * Parses a text as JSON if it is valid JSON; otherwise the text is the value.
 * @param label the name of the text in messages
 * @throws Failure `usage` for JSON that is nested too deeply
 */
export const parseJsonOrText = (text: string, label: string): JsonValue => {
  let value: JsonValue
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  if (isTooDeep(value)) throw usage(`${label} ${createTooDeep().message}`)
  return value
}
