/**
 * Limits how deeply the values of JSON texts are nested, so that recursive code does not run out of stack, and how
 * large their numbers are, so that they are sent as they were written.
 */
import { usage } from '../../errors.js'
import type { JsonValue } from '../objects.js'
import { bounds, createTooDeep } from './json.js'

/** True if a value is nested more deeply than `bounds` allow, so that recursive code could run out of stack. */
export const isTooDeep = (value: unknown, left: number = bounds.depth): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (left === 0 || Object.values(value).some((inner) => isTooDeep(inner, left - 1)))

/** True if a value contains a number that would be sent with other digits, or as null because it is infinite. */
export const hasInexactNumber = (value: unknown): boolean =>
  typeof value === 'number'
    ? !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))
    : typeof value === 'object' && value !== null && Object.values(value).some(hasInexactNumber)

/**
 * Checks that a value is sent as it was written.
 * @param label the name of the value in messages
 * @throws Failure `usage` for a number that JavaScript cannot represent
 */
export const checkNumbers = (value: unknown, label: string): void => {
  if (hasInexactNumber(value))
    throw usage(
      `${label} has a number that cannot be sent exactly`,
      'Put the number in double quotes to send it as text.',
    )
}

/**
 * Parses a text as JSON if it is valid JSON; otherwise the text is the value.
 * @param label the name of the text in messages
 * @throws Failure `usage` for JSON that is nested too deeply, and for numbers that cannot be sent exactly
 */
export const parseJsonOrText = (text: string, label: string): JsonValue => {
  let value: JsonValue
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  if (isTooDeep(value)) throw usage(`${label} ${createTooDeep().message}`)
  checkNumbers(value, label)
  return value
}
