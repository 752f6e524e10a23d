/** One text of the command line → one value of the API: each by its parameter's type. */
import { isDuration } from '../../base/duration.js'
import type { JsonValue } from '../../base/json/value.js'
import { sentTime } from '../../base/relative.js'
import type {
  EnumParam,
  IntegerParam,
  ListParam,
  Param,
  StringParam,
} from '../../catalogue/params.js'
import { Failure, usage } from '../../errors.js'
import { didYouMean } from '../../terminal/text/suggest.js'

/** Notes about deprecated values, collected while parsing. */
export type Note = (text: string) => void

const words = (param: Param): readonly string[] => param.words ?? []
/** The word that stands in for a value, however it is written. */
export const asWord = (param: Param, text: string): string | undefined =>
  words(param).find((w) => w.toLowerCase() === text.toLowerCase())

const relative = '30d (so long ago), +30d, today or yesterday'
const written = { date: 'a day as YYYY-MM-DD', datetime: 'a time as YYYY-MM-DDTHH:MM:SSZ' } as const

/** A day or a moment, as the API takes it, of one that people say. @throws Failure `usage` */
const parseTime = (kind: keyof typeof written, text: string, label: string): string => {
  const time = sentTime(text, kind, Date.now())
  if (time === undefined) throw usage(`${label} takes ${written[kind]}, ${relative}, not "${text}"`)
  return time
}

/** @throws Failure `usage` for what is not of the format */
export const parseString = (param: StringParam, text: string, label: string): string => {
  switch (param.format) {
    case 'date':
    case 'datetime':
      return text === '' && param.clears === true ? text : parseTime(param.format, text, label)
    case 'duration':
      if (!isDuration(text))
        throw usage(
          `${label} takes a duration such as 1h30m or 3w1h, not "${text}"`,
          'Units are mo, w, d, h, m and s; a negative duration follows --.',
        )
      return text
    default:
      return text
  }
}

/** A whole number, or one by name. @throws Failure `usage` for another, and outside the range */
export const parseInteger = (
  param: IntegerParam | ListParam,
  text: string,
  label: string,
): number => {
  const named = param.names?.[text.toLowerCase().replaceAll('_', '-').replaceAll(' ', '-')]
  if (named !== undefined) return named
  if (!/^-?\d+$/.test(text)) {
    const names =
      param.names === undefined ? '' : ` or one of ${Object.keys(param.names).join(', ')}`
    throw usage(`${label} takes a whole number${names}${wordsText(param)}, not "${text}"`)
  }
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw usage(`${label}: ${text} is too large`)
  const numbers = param.names === undefined ? undefined : Object.values(param.names)
  if (numbers !== undefined && !numbers.includes(value)) {
    const known = Object.entries(param.names ?? {}).map(([name, n]) => `${n} (${name})`)
    throw usage(`${label} takes one of ${known.join(', ')}, not ${text}`)
  }
  if (param.type === 'integer') checkRange(param, value, label)
  return value
}

const checkRange = ({ min, max }: IntegerParam, value: number, label: string): void => {
  if ((min === undefined || value >= min) && (max === undefined || value <= max)) return
  const range =
    max === undefined
      ? `at least ${min}`
      : min === undefined
        ? `at most ${max}`
        : `${min} to ${max}`
  throw usage(`${label} takes a number of ${range}, not ${value}`)
}

const wordsText = (param: Param): string =>
  words(param).length === 0 ? '' : ` or ${words(param).join(' or ')}`

/** One of the values, with dashes or underscores. @throws Failure `usage` with the nearest */
export const parseEnum = (
  param: EnumParam | ListParam,
  text: string,
  label: string,
  note: Note,
): string => {
  const values = param.values ?? []
  if (values.includes(text)) return text
  const old = param.type === 'enum' ? param.deprecatedValues?.[text] : undefined
  if (old !== undefined) {
    note(`${label} ${text} is deprecated: use ${old}`)
    return text
  }
  const dashed = values.find((v) => v === text.replaceAll('-', '_'))
  if (dashed !== undefined) return dashed
  throw usage(
    `${label} takes one of ${[...values, ...words(param)].join(', ')}, not "${text}"`,
    [didYouMean(text, values), 'A newer instance may know more values: --param sends any.']
      .filter((sentence) => sentence !== undefined)
      .join(' '),
  )
}

/** @throws Failure `usage` for what is no JSON */
export const parseJson = (text: string, label: string): JsonValue => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Failure(
      'usage',
      `${label} takes JSON: ${cause instanceof Error ? cause.message : ''}`,
    )
  }
}

/** IDs made of digits are numbers in JSON; paths and names stay text. */
export const idOrText = (text: string): string | number =>
  /^\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text
