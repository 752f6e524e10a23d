/** Small checks that the table of keywords is made of: each gives what is wrong at a path. */

import type { Finding } from '../problem.js'
import { isHash, KeywordReference } from '../reading/tree.js'
import { isDressed, regexOf } from '../regex.js'
import { isDuration } from './duration.js'

/**
 * What is wrong with a value; nothing when it is fine. `path` is `jobs:build:script`. Instances say
 * `<path> config …` of a keyword with an entry of its own, `<path of its owner> <keyword> …` of a
 * plain attribute: `what` is that word.
 */
export type KeywordCheck = (value: unknown, path: string, what?: string) => readonly Finding[]

/** What a hash takes, by its keys. */
export type Keywords = Readonly<Record<string, KeywordCheck>>

const fine: readonly Finding[] = []

export const must =
  (test: (value: unknown) => boolean, text: string): KeywordCheck =>
  (value, path, what = 'config') =>
    test(value) ? fine : [{ text: `${path} ${what} ${text}` }]

/** All of them hold. */
export const all =
  (...checks: readonly KeywordCheck[]): KeywordCheck =>
  (value, path, what) =>
    checks.flatMap((check) => check(value, path, what))

/** Says of its owner what is wrong with it, as instances do of plain attributes. */
export const attribute =
  (check: KeywordCheck): KeywordCheck =>
  (value, path) => {
    const at = path.lastIndexOf(':')
    return check(value, path.slice(0, at), path.slice(at + 1).replaceAll('_', ' '))
  }

const isString = (value: unknown): value is string => typeof value === 'string'
const isScalar = (value: unknown): boolean =>
  isString(value) || typeof value === 'number' || typeof value === 'boolean'
/** What a reference names that was not fetched, may be anything. */
const isOpen = (value: unknown): boolean => value instanceof KeywordReference
const isStrings = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => isString(item) || isOpen(item))

const nestedStrings = (value: unknown, levels: number): boolean =>
  Array.isArray(value) &&
  levels > 0 &&
  value.every((item) => isString(item) || isOpen(item) || nestedStrings(item, levels - 1))

export const aString = must(isString, 'should be a string')
export const aBoolean = must((v) => typeof v === 'boolean', 'should be a boolean value')
export const strings = must(isStrings, 'should be an array of strings')
export const stringOrStrings = must(
  (v) => isString(v) || isStrings(v),
  'should be an array of strings or a string',
)
export const script = must(
  (v) => isString(v) || nestedStrings(v, 10),
  'should be a string or a nested array of strings up to 10 levels deep',
)
export const filled = must(
  (v) => v !== '' && !(Array.isArray(v) && v.length === 0) && !(isString(v) && v.trim() === ''),
  "can't be blank",
)
export const anything: KeywordCheck = () => fine

const isInteger = (value: unknown): value is number => Number.isInteger(value)
export const integer = (min: number, max: number): KeywordCheck =>
  all(
    must((v) => typeof v === 'number', 'is not a number'),
    must((v) => typeof v !== 'number' || isInteger(v), 'must be an integer'),
    must((v) => !isInteger(v) || v >= min, `must be greater than or equal to ${min}`),
    must((v) => !isInteger(v) || v <= max, `must be less than or equal to ${max}`),
  )
export const integers = must(
  (v) => isInteger(v) || (Array.isArray(v) && v.every(isInteger)),
  'should be an array of integers or an integer',
)

export const aDuration = must(
  (v) => typeof v === 'number' || (isString(v) && isDuration(v)),
  'should be a duration',
)
export const durationOrNever: KeywordCheck = (value, path, what) =>
  value === 'never' ? fine : aDuration(value, path, what)
/** Of environments: instances know the value of a variable only when the job runs. */
export const openDuration: KeywordCheck = (value, path, what) =>
  isString(value) && value.includes('$') ? fine : durationOrNever(value, path, what)

export const aRegex = must(
  (v) => isString(v) && regexOf(v) !== undefined,
  'must be a regular expression with re2 syntax',
)
/** Names of branches and the like; one that is written as a regular expression has to be one. */
export const stringsOrRegexes = must(
  (v) =>
    Array.isArray(v) &&
    v.every(
      (item) =>
        isOpen(item) || (isString(item) && (!isDressed(item) || regexOf(item) !== undefined)),
    ),
  'should be an array of strings or regular expressions using re2 syntax',
)

/** One of these words. */
export const oneOf = (...words: readonly string[]): KeywordCheck =>
  must((v) => isString(v) && words.includes(v), `should be one of: ${words.join(', ')}`)

/** One of these words, said otherwise. */
export const among = (words: readonly string[], text: string): KeywordCheck =>
  must((v) => isString(v) && words.includes(v), text)

export const scalar = must(isScalar, 'must be a scalar')

/** Strings, numbers and booleans by name; a hash says more of one. */
export const variables =
  (also: KeywordCheck): KeywordCheck =>
  (value, path) => {
    if (!isHash(value)) return [{ text: `${path} config should be a hash of key value pairs` }]
    return Object.entries(value).flatMap(([name, v]) => {
      if (isScalar(v) || v === null || isOpen(v)) return []
      return isHash(v)
        ? also(v, `${path}:${name}`)
        : [{ text: `${path}:${name} variable definition must be either a string or a hash` }]
    })
  }

/** A hash with some of these keywords. */
export const hash =
  (keywords: Keywords, required: readonly string[] = []): KeywordCheck =>
  (value, path) => {
    if (!isHash(value)) return [{ text: `${path} config should be a hash` }]
    const unknown = Object.keys(value).filter((key) => !Object.hasOwn(keywords, key))
    const missing = required.filter((key) => (value[key] ?? null) === null)
    return [
      ...(unknown.length > 0
        ? [{ text: `${path} config contains unknown keys: ${unknown.join(', ')}` }]
        : []),
      ...missing.map(
        (key): Finding => ({
          text: `${path} ${key.replaceAll('_', ' ')} can't be blank`,
          curable: true,
        }),
      ),
      ...Object.entries(value).flatMap(([key, v]) => {
        const check = Object.hasOwn(keywords, key) ? keywords[key] : undefined
        return check === undefined || v === null || isOpen(v) ? [] : check(v, `${path}:${key}`)
      }),
    ]
  }

export const aHash = must(isHash, 'should be a hash')

/** Items of a list, each of a kind, which is called `name` in paths. */
export const items =
  (check: KeywordCheck, what: string, name: string): KeywordCheck =>
  (value, path) => {
    if (!Array.isArray(value)) return [{ text: `${path} config should be an array of ${what}` }]
    const flat: readonly unknown[] = value.flat(10)
    return flat.flatMap((item) => (isOpen(item) ? [] : check(item, `${path}:${name}`)))
  }

/** By the kind of value: text, hash, list, number, boolean; anything else is refused. */
export const either =
  (
    kinds: {
      readonly string?: KeywordCheck
      readonly hash?: KeywordCheck
      readonly list?: KeywordCheck
      readonly number?: KeywordCheck
      readonly boolean?: KeywordCheck
    },
    text: string,
  ): KeywordCheck =>
  (value, path, what) => {
    const kind = Array.isArray(value) ? 'list' : isHash(value) ? 'hash' : typeof value
    const check =
      kind === 'string' ||
      kind === 'hash' ||
      kind === 'list' ||
      kind === 'number' ||
      kind === 'boolean'
        ? kinds[kind]
        : undefined
    return check === undefined
      ? [{ text: `${path}${what === undefined ? '' : ` ${what}`} ${text}` }]
      : check(value, path, what)
  }
