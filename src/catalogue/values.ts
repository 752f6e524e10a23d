/**
 * Converts plain values for `coerce.ts`: numbers, booleans and texts. It checks the formats of texts, such as dates, durations and
 * certificates.
 */

import { toAsciiDomain } from '../base/base-url.js'
import { dayLength, isDay, isDuration, isMoment, parseSpan, toSentTime } from '../base/dates.js'
import { parseWordDuration } from '../base/durations.js'
import { getOwn } from '../base/objects.js'
import { readPublicKey } from '../base/public-key.js'
import { findNearest } from '../base/suggest.js'
import {
  type BooleanParam,
  booleanWords,
  type EnumParam,
  getParamFormat,
  type IntegerParam,
  type ListParam,
  type Param,
  type ScopeParam,
  type StringParam,
} from './params.js'

/** The origin of a value. `Source` in `coerce.ts` explains each. */
export type SourceKind = 'text' | 'data' | 'file' | 'wire'

/** The kind of a source, and the time that texts such as `30d` count from, where people may write them. */
export type SourceTraits =
  | { readonly kind: 'text' | 'data'; readonly now: Date }
  | { readonly kind: 'file' | 'wire'; readonly now?: undefined }

type Format = NonNullable<StringParam['format']>

interface FormatRule {
  /** The description of a valid text, to follow "must be". */
  readonly expected: string
  /** Returns the text to send; undefined if the given text does not have the format. `now` is that of the source. */
  readonly toSent: (text: string, now: Date | undefined) => string | undefined
}

const acceptIf =
  (fits: (text: string) => boolean): FormatRule['toSent'] =>
  (text) =>
    fits(text) ? text : undefined

const certificate =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[\w+/=\s]+-----END [A-Z0-9 ]+-----/g

/** Returns the certificates of a PEM text, without the text around them; undefined if the text contains a private key. */
const extractCertificates = (text: string): string | undefined =>
  text.includes('PRIVATE KEY-----') ? undefined : text.match(certificate)?.join('\n')

const written = {
  date: { expected: 'a day as YYYY-MM-DD', toSent: acceptIf(isDay) },
  datetime: { expected: 'a time as YYYY-MM-DDTHH:MM:SSZ', toSent: acceptIf(isMoment) },
} as const satisfies Partial<Record<Format, FormatRule>>

/** The rule for a period of time in words, which the API limits to at least one day. */
export const span = {
  expected: 'a duration of at least 1 day, such as 15 days',
  fits: (text: string): boolean => (parseWordDuration(text) ?? 0) * 1000 >= dayLength,
} as const

const duration = { expected: 'a duration such as 1h30m or 3w1h', toSent: acceptIf(isDuration) }

/** Creates the format of a time that people may also type as an offset from the current time. */
const createTypedFormat = (format: keyof typeof written): FormatRule => ({
  expected: `${written[format].expected}, 30d (ago), +30d (ahead), today or yesterday`,
  toSent: (text, now) => now && toSentTime(text, format, now.getTime()),
})

const typed = {
  date: createTypedFormat('date'),
  datetime: createTypedFormat('datetime'),
  duration,
  // An empty text stands for no period.
  span: { expected: span.expected, toSent: acceptIf((text) => text === '' || span.fits(text)) },
  domain: { expected: 'a domain name such as docs.example.com', toSent: toAsciiDomain },
  username: { expected: 'a username', toSent: (text: string) => text.replace(/^@(?=.)/, '') },
}

const rules: Readonly<Record<SourceKind, Partial<Record<Format, FormatRule>>>> = {
  text: typed,
  data: typed,
  file: {
    ...written,
    duration,
    pem: { expected: 'PEM certificates without a private key', toSent: extractCertificates },
    'public-key': {
      expected: 'a public key in one line',
      toSent: acceptIf((text) => readPublicKey(text) !== undefined),
    },
  },
  wire: written,
}

/** Returns the format that a text of a parameter must have; undefined if every text is valid. */
export const getFormatRule = (kind: SourceKind, param: Param): FormatRule | undefined =>
  rules[kind][getParamFormat(param) ?? 'text']

/** The separators of formats with several items: the pattern to split a text, and the text to join the items. */
const separators: Partial<Record<Format, readonly [RegExp, string]>> = {
  csv: [/,/, ','],
  spaced: [/[\s,]+/, ' '],
}

/** True if the parameter is a string that contains several items. */
export const isJoined = (param: Param): boolean =>
  separators[getParamFormat(param) ?? 'text'] !== undefined

/** Splits a string that contains several items. */
export const splitItems = (param: Param, text: string): readonly string[] =>
  text.split(separators[getParamFormat(param) ?? 'text']?.[0] ?? /\n/).filter((item) => item !== '')

/** Joins several items into a string; returns undefined for other parameters. A single user ID stays a number. */
export const joinItems = (param: Param, texts: readonly string[]): string | number | undefined => {
  const [separator, glue] = separators[getParamFormat(param) ?? 'text'] ?? []
  if (separator === undefined) return undefined
  const items = texts.flatMap((text) => text.split(separator)).map((item) => item.trim())
  const all = items.filter((item) => item !== '').join(glue)
  return glue === ',' && param.completes === 'user' ? toIdOrText(all) : all
}

/** Returns an ID as a number, and a path or name as text. */
export const toIdOrText = (text: string): string | number =>
  /^\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text

// Plain values.

/** A plain value from a source. */
export interface Scalar {
  readonly value: string | number | boolean | null
  /** The text of the value as it was written, such as `1.0` or `0x10`. */
  readonly text: string
}

type Problem =
  | 'wrong type'
  | 'wrong format'
  | 'wrong form'
  | 'unknown value'
  | 'unknown key'
  | 'out of range'
  | 'too large'
  | 'too many values'
  | 'several values'
  | 'null'

/** The reason why a value is invalid for its parameter. */
export interface ValueProblem {
  readonly problem: Problem
  /** The description of valid values, to follow "must be": `an integer`, `one of asc, desc`. */
  readonly expected: string
  /** The known value or key that was probably meant. */
  readonly nearest?: string | undefined
}

/** A value to send to the API, with its replacement if it is deprecated; or the reason why it is invalid. */
export type ScalarValue =
  | { readonly value: string | number | boolean; readonly successor?: string }
  | ValueProblem

const createProblem = (problem: Problem, expected: string, near?: string): ValueProblem => ({
  problem,
  expected,
  nearest: near,
})

/** Returns the word that replaces a value (`None`, `Any`), regardless of its case. */
export const matchWord = ({ words = [] }: Param, text: string): string | undefined =>
  words.find((word) => word.toLowerCase() === text.toLowerCase())

// Numbers.

/** Returns the value as an integer of any size; undefined if it is not an integer. */
const readWholeNumber = ({ value }: Scalar, kind: SourceKind): number | undefined => {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined
  const pattern = kind === 'wire' ? /^\s*[+-]?\d+\s*$/ : /^-?\d+$/
  return typeof value === 'string' && pattern.test(value) ? Number(value) : undefined
}

const describeRange = (min?: number, max?: number): string => {
  if (max === undefined) return `at least ${min}`
  return min === undefined ? `at most ${max}` : `${min} to ${max}`
}

const checkInteger = ({ min, max }: IntegerParam, value: number): ScalarValue => {
  if (!Number.isSafeInteger(value)) return createProblem('too large', 'a smaller integer')
  const isInside = value >= (min ?? value) && value <= (max ?? value)
  return isInside ? { value } : createProblem('out of range', describeRange(min, max))
}

const readInteger = (
  param: IntegerParam,
  given: Scalar | undefined,
  kind: SourceKind,
): ScalarValue => {
  const isTime = param.unit === 'seconds' && kind === 'text'
  const time = isTime ? parseSpan(given?.text ?? '') : undefined
  const value = time === undefined ? given && readWholeNumber(given, kind) : time / 1000
  if (value !== undefined && Number.isInteger(value)) return checkInteger(param, value)
  const expected = isTime ? 'a whole number of seconds, or a time such as 90s or 2m' : 'an integer'
  return createProblem('wrong type', [expected, ...(param.words ?? [])].join(' or '))
}

/** Reads an access level, which has a number and a name. Files may have numbers without a name, since an export may contain them. */
const readLevel = (
  param: IntegerParam,
  names: Readonly<Record<string, number>>,
  given: Scalar | undefined,
  kind: SourceKind,
): ScalarValue => {
  const text = typeof given?.value === 'string' ? given.text : ''
  const named = getOwn(names, text.toLowerCase().replaceAll('_', '-').replaceAll(' ', '-'))
  if (named !== undefined) return { value: named }
  const read = readInteger(param, given, kind)
  const known = Object.keys(names)
  if ('problem' in read) {
    if (read.problem !== 'wrong type') return read
    const words = [`one of ${known.join(', ')}`, ...(param.words ?? [])]
    return createProblem(
      'wrong type',
      ['an integer', ...words].join(' or '),
      findNearest(text, known),
    )
  }
  const isFree = kind === 'file' && typeof given?.value === 'number'
  if (isFree || Object.values(names).some((level) => level === read.value)) return read
  const levels = Object.entries(names).map(([name, level]) => `${level} (${name})`)
  return createProblem('unknown value', `one of ${levels.join(', ')}`)
}

// Booleans.

const truths: Readonly<Record<string, boolean>> = {
  ...booleanWords,
  ...{ t: true, yes: true, on: true },
  ...{ f: false, no: false, off: false },
}

const readBoolean = (given: Scalar | undefined, kind: SourceKind): ScalarValue => {
  if (typeof given?.value === 'boolean') return { value: given.value }
  const known = { text: booleanWords, wire: truths, data: {}, file: {} }[kind]
  const value = getOwn<boolean>(known, (given?.text ?? '').toLowerCase())
  return value === undefined ? createProblem('wrong type', 'true or false') : { value }
}

// Texts.

/** Returns the value as text; undefined if it is not one. In JSON, only a string is a text; in YAML, any scalar is. */
const readScalarText = (given: Scalar | undefined, kind: SourceKind): string | undefined => {
  if (given === undefined || given.value === null) return undefined
  return typeof given.value === 'string' || kind !== 'data' ? given.text : undefined
}

const readEnum = (param: EnumParam, given: Scalar | undefined, kind: SourceKind): ScalarValue => {
  const { values, words = [] } = param
  const expected = `one of ${[...values, ...words].join(', ')}`
  const text = readScalarText(given, kind)
  if (text === undefined)
    return createProblem('wrong type', kind === 'data' ? 'a string' : expected)
  if (values.includes(text)) return { value: text }
  const successor = getOwn(param.deprecatedValues, text)
  if (successor !== undefined) return { value: text, successor }
  const dashed = text.replaceAll('-', '_')
  if (kind !== 'wire' && values.includes(dashed)) return { value: dashed }
  return createProblem('unknown value', expected, findNearest(text, values))
}

/** The things to write instead of an empty text in a file, for formats whose rule does not describe it. */
const emptyInstead: Readonly<Partial<Record<Format, string>>> = {
  csv: 'text or a list',
  spaced: 'text or a list',
  url: 'a URL',
  email: 'an email address',
  span: 'a duration',
}

const readText = (
  param: StringParam,
  given: Scalar | undefined,
  { kind, now }: SourceTraits,
): ScalarValue => {
  const text = readScalarText(given, kind)
  if (text === undefined) {
    const noun = kind === 'file' ? 'text' : 'a string'
    return createProblem('wrong type', isJoined(param) ? `${noun} or a list` : noun)
  }
  // In a file, only null clears a value.
  if (text === '' && param.clears === true && kind !== 'file') return { value: text }
  const { format = 'text' } = param
  if (text === '' && kind === 'file' && format !== 'text')
    return createProblem(
      'wrong format',
      getFormatRule(kind, param)?.expected ?? emptyInstead[format] ?? 'text',
    )
  const { toSent = (plain: string) => plain, expected = 'text' } = getFormatRule(kind, param) ?? {}
  const value = toSent(text, now)
  if (value === undefined) return createProblem('wrong format', expected)
  // Neither databases nor programs accept such a text.
  if (value.includes('\0')) return createProblem('wrong format', 'text without NUL characters')
  return { value }
}

const readScope = (
  { type }: ScopeParam,
  given: Scalar | undefined,
  kind: SourceKind,
): ScalarValue => {
  const isId = typeof given?.value === 'number' && Number.isSafeInteger(given.value)
  const text = isId ? given.text : readScalarText(given, kind)
  if (text === undefined || (text === '' && kind === 'wire'))
    return createProblem('wrong type', 'an ID or a path')
  // A path does not contain commas.
  if (kind !== 'wire' && (text.trim() === '-' || text.includes(',')))
    return createProblem('several values', `a single ${type}`)
  return { value: toIdOrText(text) }
}

/** Reads a name or an ID for a parameter whose numbers refer to objects. */
export const readReference = (
  given: Scalar | undefined,
  parse: (text: string) => string | number | undefined,
): ScalarValue => {
  const text = given === undefined || given.value === null ? '' : given.text
  const value = text === '' ? undefined : parse(text)
  if (value !== undefined) return { value }
  return createProblem(text === '' ? 'wrong type' : 'wrong format', 'a name or an ID')
}

/** Returns the parameter for a single item of a list. */
export const toItemParam = (param: ListParam): IntegerParam | EnumParam | StringParam => {
  const { of, format, names, values = [], deprecatedValues, words, help } = param
  if (of === 'integer') return { type: 'integer', help, names, words }
  return of === 'enum'
    ? { type: 'enum', help, values, deprecatedValues, words }
    : { type: 'string', format, help }
}

/** Converts a plain value to the type of a parameter. @param given undefined for a list or an object */
export const readScalar = (
  param: IntegerParam | BooleanParam | EnumParam | StringParam | ScopeParam,
  given: Scalar | undefined,
  source: SourceTraits,
): ScalarValue => {
  const { kind } = source
  switch (param.type) {
    case 'integer':
      return param.names === undefined || kind === 'wire'
        ? readInteger(param, given, kind)
        : readLevel(param, param.names, given, kind)
    case 'boolean':
      return readBoolean(given, kind)
    case 'enum':
      return readEnum(param, given, kind)
    case 'string':
      return readText(param, given, source)
    default:
      return readScope(param, given, kind)
  }
}
