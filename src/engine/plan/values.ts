/**
 * Texts of the command line as values of the API, checked before anything is sent. What a parameter accepts is in its
 * catalogue entry, how it is read in `catalogue/coerce.ts`; here are the sentences about what it does not accept.
 */
import type { JsonValue } from '../../base/json/value.js'
import { textSize } from '../../base/secrets/held.js'
import { quoteWord } from '../../base/shell-words.js'
import {
  type Coerced,
  coerceTexts,
  describeError,
  type ValueError,
} from '../../catalogue/coerce.js'
import { formatOf, namesOf, type Param, valuesOf } from '../../catalogue/params.js'
import { type Failure, usage } from '../../errors.js'

/** Notes about deprecated values, collected while parsing. */
export type TakeNote = (text: string) => void

/** How texts are read. */
export interface ValueSyntax {
  readonly note?: TakeNote | undefined
  /** The API's name of the parameter, where --param sends what is not known here. */
  readonly parameter?: string | undefined
}

/** How a value is sent that only a newer instance knows. */
const beyond = (parameter: string, { param }: ValueError, text: string): string => {
  const value = namesOf(param).length === 0 || /^-?\d+$/.test(text) ? text : '<number>'
  return `Newer instances may support more values. Send one with --param ${quoteWord(`${parameter}=${value}`)}.`
}

const hintFor = (error: ValueError, text: string, parameter?: string): string | undefined => {
  const { param, problem, path } = error
  if (problem === 'several values') return `Run the command once for each ${param.type}.`
  if (problem === 'wrong format' && formatOf(param) === 'duration')
    return 'Units are mo, w, d, h, m and s. Put a negative duration after "--".'
  const isChoice = valuesOf(param).length + namesOf(param).length > 0
  const isUnknown = problem === 'unknown value' || problem === 'wrong type'
  const isOwn = !path.some((key) => typeof key === 'string')
  const more = parameter !== undefined && isChoice && isUnknown && isOwn
  const sentences = [
    ...(error.nearest === undefined ? [] : [`Did you mean ${error.nearest}?`]),
    ...(more ? [beyond(parameter, error, text)] : []),
  ]
  return sentences.join(' ') || undefined
}

/** What was given, as a message shows it: JSON may come from a file, and hold a secret. */
const shownOf = ({ given, param, problem, expected, path }: ValueError): string => {
  if (problem === 'unknown key') return `"${path.at(-1)}"`
  if (given === null) return 'null'
  if (typeof given === 'object') return Array.isArray(given) ? 'a list' : 'an object'
  const text = String(given)
  if (param.secret === true || expected === 'JSON') return textSize(text)
  return problem !== 'wrong format' && /^-?\d+$/.test(text) ? text : `"${text}"`
}

const refusal = (error: ValueError, label: string, parameter?: string): Failure => {
  const keys = error.path.filter((key) => typeof key === 'string')
  const names = [label, ...(error.problem === 'unknown key' ? keys.slice(0, -1) : keys)]
  const hint = hintFor(error, String(error.given), parameter)
  return usage(describeError(names.join(' '), error, shownOf(error)), hint)
}

/**
 * The value that was read of a parameter.
 * @throws Failure `usage` naming the parameter, what it takes and what was given
 */
export const checkedValue = (
  { value, errors: [error], deprecated }: Coerced,
  label: string,
  { note = () => {}, parameter }: ValueSyntax = {},
): JsonValue => {
  for (const { value: old, successor } of deprecated)
    note(`${label} ${old} is deprecated: use ${successor}`)
  if (value !== undefined) return value
  throw error === undefined ? usage(`${label} has no value`) : refusal(error, label, parameter)
}

/**
 * The value of one parameter from the texts given for it, in order.
 * @throws Failure `usage` naming the flag, what it takes and what was given
 */
export const parseValue = (
  param: Param,
  texts: readonly string[],
  label: string,
  how: ValueSyntax = {},
): JsonValue => checkedValue(coerceTexts(param, texts), label, how)

/** Splits `key=value` at the first `=`. */
export const keyValue = (text: string, label: string): [string, string] => {
  const at = text.indexOf('=')
  if (at < 1) throw usage(`${label} must have the form key=value, not "${text}"`)
  return [text.slice(0, at), text.slice(at + 1)]
}

/** `--param` of a body: JSON where it parses as JSON, else text. */
export const parseParam = (text: string): JsonValue => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
