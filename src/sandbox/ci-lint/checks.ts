/** Small checks that the table of keywords is made of: each gives what is wrong at a path. */
import { isHash } from './tree.js'

/** What is wrong with a value; nothing when it is fine. `path` is `jobs:build:script`. */
export type Check = (value: unknown, path: string) => readonly string[]

const fine: readonly string[] = []

const must =
  (test: (value: unknown) => boolean, text: string): Check =>
  (value, path) =>
    test(value) ? fine : [`${path} config ${text}`]

const isString = (value: unknown): value is string => typeof value === 'string'
const isScalar = (value: unknown): boolean =>
  isString(value) || typeof value === 'number' || typeof value === 'boolean'
const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(isString)

const nestedStrings = (value: unknown, depth = 10): boolean =>
  Array.isArray(value) &&
  depth >= 0 &&
  value.every((item) => isString(item) || nestedStrings(item, depth - 1))

export const aString = must(isString, 'should be a string')
export const aBoolean = must((v) => typeof v === 'boolean', 'should be a boolean value')
export const strings = must(isStrings, 'should be an array of strings')
export const stringOrStrings = must(
  (v) => isString(v) || isStrings(v),
  'should be an array of strings or a string',
)
export const script = must(
  (v) => isString(v) || nestedStrings(v),
  'should be a string or a nested array of strings up to 10 levels deep',
)
export const anything: Check = () => fine

export const integer = (min: number, max: number): Check =>
  must(
    (v) => typeof v === 'number' && Number.isInteger(v) && v >= min && v <= max,
    `should be an integer between ${min} and ${max}`,
  )

const unit =
  '(?:mos?|months?|mth|w|wks?|weeks?|d|days?|h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?|y|yrs?|years?)'
const duration = new RegExp(`^(?:\\d+(?:\\.\\d+)?\\s*${unit}?(?:\\s*(?:,|and)?\\s*|$))+$`, 'i')
export const aDuration = must(
  (v) => typeof v === 'number' || (isString(v) && duration.test(v.trim())),
  'should be a duration',
)
export const durationOrNever: Check = (value, path) =>
  value === 'never' ? fine : aDuration(value, path)

export const aRegex = must((v) => {
  if (!isString(v) || !/^\/.+\/[a-z]*$/.test(v)) return false
  try {
    new RegExp(v.slice(1, v.lastIndexOf('/')))
    return true
  } catch {
    return false
  }
}, 'must be a regular expression')

/** One of these words; the message has the keyword last, as instances write it. */
export const oneOf =
  (...words: readonly string[]): Check =>
  (value, path) => {
    if (isString(value) && words.includes(value)) return fine
    const at = path.lastIndexOf(':')
    return [`${path.slice(0, at)} ${path.slice(at + 1)} should be one of: ${words.join(', ')}`]
  }

/** Strings, numbers and booleans by name. */
export const variables = (also: Check = scalar): Check => {
  return (value, path) => {
    if (!isHash(value)) return [`${path} config should be a hash of key value pairs`]
    return Object.entries(value).flatMap(([name, v]) =>
      isScalar(v) ? [] : also(v, `${path}:${name}`),
    )
  }
}
export const scalar = must(isScalar, 'should be a string, a number or a boolean')

/** A hash with some of these keywords. */
export const hash =
  (keywords: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value, path) => {
    if (!isHash(value)) return [`${path} config should be a hash`]
    const unknown = Object.keys(value).filter((key) => !Object.hasOwn(keywords, key))
    const missing = required.filter((key) => !Object.hasOwn(value, key))
    return [
      ...(unknown.length > 0
        ? [`${path} config contains unknown keys: ${unknown.join(', ')}`]
        : []),
      ...(missing.length > 0
        ? [`${path} config missing required keys: ${missing.join(', ')}`]
        : []),
      ...Object.entries(value).flatMap(([key, v]) => {
        const check = Object.hasOwn(keywords, key) ? keywords[key] : undefined
        return check === undefined || v === null ? [] : check(v, `${path}:${key}`)
      }),
    ]
  }

export const aHash = must(isHash, 'should be a hash')

/** Items of a list, each of a kind. */
export const items =
  (check: Check, what = 'hashes or strings'): Check =>
  (value, path) =>
    Array.isArray(value)
      ? value.flat(10).flatMap((item) => check(item, path))
      : [`${path} config should be an array of ${what}`]

/** By the kind of value: text, hash, list, number, boolean; anything else is refused. */
export const either =
  (
    kinds: {
      readonly string?: Check
      readonly hash?: Check
      readonly list?: Check
      readonly number?: Check
      readonly boolean?: Check
    },
    text: string,
  ): Check =>
  (value, path) => {
    const kind = Array.isArray(value) ? 'list' : isHash(value) ? 'hash' : typeof value
    const check =
      kind === 'string' ||
      kind === 'hash' ||
      kind === 'list' ||
      kind === 'number' ||
      kind === 'boolean'
        ? kinds[kind]
        : undefined
    return check === undefined ? [`${path} config should be ${text}`] : check(value, path)
  }
