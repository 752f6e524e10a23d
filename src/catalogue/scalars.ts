/** One text of a file as the value of a parameter. What `coerce.ts` does for every other source; it goes when files are read so too. */
import { didYouMean } from '../base/suggest.js'
import { usage } from '../errors.js'
import type { EnumParam, IntegerParam, ListParam, Param } from './params.js'

type TakeNote = (text: string) => void

const words = (param: Param): readonly string[] => param.words ?? []
/** The word that stands in for a value, however it is written. */
export const asWord = (param: Param, text: string): string | undefined =>
  words(param).find((w) => w.toLowerCase() === text.toLowerCase())

/** The number that a name stands for, where the parameter has names. */
const namedNumber = ({ names }: IntegerParam | ListParam, text: string): number | undefined => {
  const name = text.toLowerCase().replaceAll('_', '-').replaceAll(' ', '-')
  return names !== undefined && Object.hasOwn(names, name) ? names[name] : undefined
}

/** Sentences of a hint; undefined where there are none. */
const hintOf = (...sentences: readonly (string | undefined)[]): string | undefined =>
  sentences.filter((sentence) => sentence !== undefined).join(' ') || undefined

/**
 * A whole number, or one by name.
 * @param beyond how a value is sent that is not known here, as a sentence
 * @throws Failure `usage` for another, and outside the range
 */
export const parseInteger = (
  param: IntegerParam | ListParam,
  text: string,
  label: string,
  beyond?: string,
): number => {
  const named = namedNumber(param, text)
  if (named !== undefined) return named
  if (!/^-?\d+$/.test(text)) {
    const names =
      param.names === undefined ? '' : ` or one of ${Object.keys(param.names).join(', ')}`
    throw usage(
      `${label} must be an integer${names}${wordsText(param)}, not "${text}"`,
      param.names === undefined
        ? undefined
        : hintOf(didYouMean(text, Object.keys(param.names)), beyond),
    )
  }
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw usage(`${label}: ${text} is too large`)
  return value
}

/**
 * A number that the parameter has a name for, where it has names, and in its range.
 * @param beyond how a value is sent that is not known here, as a sentence
 * @throws Failure `usage`
 */
export const checkNumber = (
  param: IntegerParam | ListParam,
  value: number,
  label: string,
  beyond?: string,
): number => {
  const numbers = param.names === undefined ? undefined : Object.values(param.names)
  if (numbers !== undefined && !numbers.includes(value)) {
    const known = Object.entries(param.names ?? {}).map(([name, n]) => `${n} (${name})`)
    throw usage(`${label} must be one of ${known.join(', ')}, not ${value}`, beyond)
  }
  return checkRange(param, value, label)
}

/** @throws Failure `usage` for a number outside the range of its parameter */
export const checkRange = (
  param: IntegerParam | ListParam,
  value: number,
  label: string,
): number => {
  const { min, max } = param.type === 'integer' ? param : { min: undefined, max: undefined }
  if ((min === undefined || value >= min) && (max === undefined || value <= max)) return value
  const range =
    max === undefined
      ? `at least ${min}`
      : min === undefined
        ? `at most ${max}`
        : `${min} to ${max}`
  throw usage(`${label} must have a number of ${range}, not ${value}`)
}

const wordsText = (param: Param): string =>
  words(param).length === 0 ? '' : ` or ${words(param).join(' or ')}`

/**
 * One of the values, with dashes or underscores.
 * @param beyond how a value is sent that is not known here, as a sentence
 * @throws Failure `usage` with the nearest
 */
export const parseEnum = (
  param: EnumParam | ListParam,
  text: string,
  label: string,
  { note, beyond }: { readonly note: TakeNote; readonly beyond?: string | undefined },
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
    `${label} must be one of ${[...values, ...words(param)].join(', ')}, not "${text}"`,
    hintOf(didYouMean(text, values), beyond),
  )
}
