/** Provides the types of plain values for the table of CI keywords: texts, numbers, durations and scripts. */
import { compileRegex, isDressed } from '../expression.js'
import {
  advised,
  all,
  entry,
  isHash,
  KeywordReference,
  type LeafType,
  must,
  type Type,
} from './types.js'

const isString = (value: unknown): value is string => typeof value === 'string'
const isInteger = (value: unknown): value is number => Number.isInteger(value)

/** True for a reference that was not expanded, since its file was not fetched. It may stand for any value. */
export const isKeywordReference = (value: unknown): boolean => value instanceof KeywordReference

/** True if a text contains a variable, whose value is only known when a pipeline is created. */
export const hasVariable = (value: unknown): boolean => isString(value) && value.includes('$')

const isListOf = (is: (item: unknown) => boolean, value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => isKeywordReference(item) || is(item))

const isNested = (value: unknown, levels: number): boolean =>
  isString(value) ||
  isKeywordReference(value) ||
  (Array.isArray(value) && levels > 0 && value.every((item) => isNested(item, levels - 1)))

export const anything = must(() => true, '')
export const text = must(isString, 'should be a string')
export const booleanType = must((v) => typeof v === 'boolean', 'should be a boolean value')
export const scalar = must(
  (v) => isString(v) || typeof v === 'number' || typeof v === 'boolean',
  'must be a scalar',
)
export const textList = must((v) => isListOf(isString, v), 'should be an array of strings')
export const textOrTexts = must(
  (v) => isString(v) || isListOf(isString, v),
  'should be an array of strings or a string',
)
/** A list of texts, which may contain further lists. */
export const nestedTexts = must(
  (v) => Array.isArray(v) && isNested(v, 10),
  'should be an array of strings',
)
export const script = entry(
  must(
    (v) => isNested(v, 10),
    'should be a string or a nested array of strings up to 10 levels deep',
  ),
)
export const anyHash = must(isHash, 'should be a hash')
export const integers = must(
  (v) => isInteger(v) || isListOf(isInteger, v),
  'should be an array of integers or an integer',
)

export const isFilled = (value: unknown): boolean =>
  isString(value) ? value.trim() !== '' : !Array.isArray(value) || value.length > 0
export const notBlank = must(isFilled, "can't be blank")
export const filledText = all(text, notBlank)

export const integerType = (min: number, max: number): Type =>
  all(
    must((v) => typeof v === 'number', 'is not a number'),
    must(isInteger, 'must be an integer'),
    must((v) => Number(v) >= min, `must be greater than or equal to ${min}`),
    must((v) => Number(v) <= max, `must be less than or equal to ${max}`),
  )

const getLength = (value: unknown): number =>
  isString(value) || Array.isArray(value) ? value.length : 0

export const atMost = (count: number, says: string): LeafType =>
  must((v) => getLength(v) <= count, says)
export const short = atMost(255, 'is too long (maximum is 255 characters)')

/** A list with an item. Only the schema for editors requires one; instances accept empty lists. */
export const notEmpty = advised(must(isFilled, 'should not be empty'))

/** A list without duplicates, which only the schema for editors requires. */
export const unique = advised(
  must((v) => !Array.isArray(v) || new Set(v).size === v.length, 'should not hold anything twice'),
)

export const isTimeSpan = (value: unknown): value is string =>
  isString(value) && parseSeconds(value) !== undefined

/** Creates the type of a duration of at most this number of seconds. */
export const duration = (most = Number.POSITIVE_INFINITY): Type =>
  all(
    must(isTimeSpan, 'should be a duration'),
    must((v) => isTimeSpan(v) && (parseSeconds(v) ?? 0) <= most, 'should not exceed the limit'),
  )
const isNever = (value: unknown): boolean => isString(value) && /^never$/i.test(value)
export const durationOrNever = must((v) => isNever(v) || isTimeSpan(v), 'should be a duration')
/** A duration that may contain a variable, whose value is only known when the job runs. */
export const openDuration = must(
  (v) => isNever(v) || isTimeSpan(v) || hasVariable(v),
  'should be a duration',
)

export const regex = must(
  (v) => isString(v) && compileRegex(v) !== undefined,
  'must be a regular expression with re2 syntax',
)
/** The names of branches and tags. A text in the form of a regular expression has to be a valid one. */
export const refs = must(
  (v) =>
    isListOf((item) => isString(item) && (!isDressed(item) || compileRegex(item) !== undefined), v),
  'should be an array of strings or regular expressions using re2 syntax',
)

/** Creates the type of a text for which the predicate is true. A text with a variable is accepted without a check. */
export const formed = (holds: (text: string) => boolean, says: string): Type =>
  all(
    text,
    must((v) => isString(v) && (hasVariable(v) || holds(v)), says),
  )

// Durations, as instances read them: `1h 30m`, `2 weeks and 3 days`, `one week`, `1:30`.

const hour = 3600
const day = 24 * hour

/** Maps the words for each unit to its seconds. */
const units = new Map(
  (
    [
      ['s sec secs second seconds', 1],
      ['m min mins minute minutes', 60],
      ['h hr hrs hour hours', hour],
      ['d day days', day],
      ['w wk wks week weeks', 7 * day],
      ['mo mos month months mth mths', 30 * day],
      ['y yr yrs year years', 365.25 * day],
    ] as const
  ).flatMap(([words, seconds]) => words.split(' ').map((word) => [word, seconds] as const)),
)
const numbers = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
const part = new RegExp(
  `\\s*(\\d+(?:\\.\\d+)?|(?:${numbers.join('|')})\\b)\\s*([a-z]*)\\s*(?:,|and\\b)?\\s*`,
  'iy',
)
const longest = 200

/** The longest timeout of a job that instances accept, a month, in seconds. */
export const month = 30.436875 * day
export const week = 7 * day

const getCount = (number: string): number =>
  /\d/.test(number) ? Number(number) : numbers.indexOf(number.toLowerCase())

/** Parses a duration into seconds; undefined if the text is not a duration. */
export const parseSeconds = (text: string): number | undefined => {
  const given = text.trim()
  if (given === '' || given.length > longest) return undefined
  if (/^\d+(?::\d+){1,3}$/.test(given))
    return given.split(':').reduce((sum, one) => sum * 60 + Number(one), 0)
  let seconds = 0
  part.lastIndex = 0
  while (part.lastIndex < given.length) {
    const match = part.exec(given)
    const unit = (match?.[2] ?? '').toLowerCase()
    const factor = unit === '' ? 1 : units.get(unit)
    if (match === null || factor === undefined) return undefined
    seconds += getCount(match[1] ?? '') * factor
  }
  return seconds
}
