/**
 * Text of the command line → values of the API, checked before anything is sent. What a parameter
 * accepts is in its catalogue entry; how each type is written, the help of its flag says.
 */

import { isDay, isMoment } from '../../base/dates.js'
import { isDuration } from '../../base/duration.js'
import type {
  EnumParam,
  HashParam,
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
const asWord = (param: Param, text: string): string | undefined =>
  words(param).find((w) => w.toLowerCase() === text.toLowerCase())

const parseString = (param: StringParam, text: string, label: string): string => {
  switch (param.format) {
    case 'date':
      if (!isDay(text) && !(text === '' && param.clears === true))
        throw usage(`${label} takes a day as YYYY-MM-DD, not "${text}"`)
      return text
    case 'datetime':
      if (!isMoment(text))
        throw usage(`${label} takes a time as YYYY-MM-DDTHH:MM:SSZ, not "${text}"`)
      return text
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

const parseInteger = (param: IntegerParam | ListParam, text: string, label: string): number => {
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

const parseEnum = (
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

const items = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => text.split(',').map((item) => item.trim())).filter((item) => item !== '')

const parseList = (
  param: ListParam,
  texts: readonly string[],
  label: string,
  note: Note,
): unknown => {
  const [only] = texts
  const word = texts.length === 1 && only !== undefined ? asWord(param, only.trim()) : undefined
  if (word !== undefined) return word
  const parts = items(texts)
  for (const part of parts) {
    const successor = param.deprecatedValues?.[part]
    if (successor !== undefined) note(`${label} ${part} is deprecated: use ${successor}`)
  }
  if (param.max !== undefined && parts.length > param.max)
    throw usage(`${label} takes at most ${param.max} values, not ${parts.length}`)
  return parts.map((part) =>
    param.of === 'integer'
      ? parseInteger(param, part, label)
      : param.of === 'enum'
        ? parseEnum(param, part, label, note)
        : part,
  )
}

/** Splits `key=value` at the first `=`. */
export const keyValue = (text: string, label: string): [string, string] => {
  const at = text.indexOf('=')
  if (at < 1) throw usage(`${label} takes key=value, not "${text}"`)
  return [text.slice(0, at), text.slice(at + 1)]
}

const parseHash = (
  param: HashParam,
  texts: readonly string[],
  label: string,
  note: Note,
): Record<string, unknown> => {
  const grouped = new Map<string, string[]>()
  for (const text of texts) {
    const [given, value] = keyValue(text, label)
    const key = param.keys === undefined ? given : given.replaceAll('-', '_')
    grouped.set(key, [...(grouped.get(key) ?? []), value])
  }
  const hash: Record<string, unknown> = {}
  for (const [key, values] of grouped) hash[key] = parseHashValue(param, key, values, label, note)
  return hash
}

const parseHashValue = (
  param: HashParam,
  key: string,
  values: readonly string[],
  label: string,
  note: Note,
): unknown => {
  if (param.keys === undefined) return values.at(-1)
  const inner = param.keys[key]
  if (inner === undefined)
    throw usage(
      `${label} takes the keys ${Object.keys(param.keys).join(', ')}, not "${key}"`,
      didYouMean(key, Object.keys(param.keys)),
    )
  const [first] = values
  if (inner.type === 'list' || values.length === 1 || first === undefined)
    return parseValue(inner, values, `${label} ${key}`, note)
  return values.map((value) => parseValue(inner, [value], `${label} ${key}`, note))
}

const parseJson = (text: string, label: string): unknown => {
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
const idOrText = (text: string): string | number =>
  /^\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text

/**
 * The one project or group that texts name.
 * @throws Failure `usage` for several, and for `-`: a path holds no comma
 */
export const oneScope = (kind: string, texts: readonly string[], label: string): string => {
  const [first = '', ...others] = texts
  const strange = texts.find((text) => text.trim() === '-' || text.includes(','))
  if (strange === undefined && others.every((text) => text === first)) return first
  throw usage(
    `${label} takes one ${kind}, not "${strange ?? texts.join(',')}"`,
    `Run the command once for each ${kind}.`,
  )
}

/**
 * The value of one parameter from the texts given for it, in order.
 * @throws Failure `usage` naming the flag, what it takes and what was given
 */
export const parseValue = (
  param: Param,
  texts: readonly string[],
  label: string,
  note: Note = () => {},
): unknown => {
  if (param.type === 'list') return parseList(param, texts, label, note)
  if (param.type === 'hash') return parseHash(param, texts, label, note)
  const text = texts.at(-1) ?? ''
  const word = asWord(param, text)
  if (word !== undefined) return word
  if (text === '' && param.nullable === true && param.type !== 'string') return null
  switch (param.type) {
    case 'integer':
      return parseInteger(param, text, label)
    case 'enum':
      return parseEnum(param, text, label, note)
    case 'json':
      return parseJson(text, label)
    case 'project':
    case 'group':
      return idOrText(oneScope(param.type, texts, label))
    case 'boolean':
      return text !== 'false'
    default:
      return joinedValue(param, texts) ?? parseString(param, text, label)
  }
}

/** A string that holds several items: joined; a single ID of a user stays a number. */
export const joinedValue = (
  param: Param,
  texts: readonly string[],
): string | number | undefined => {
  if (param.type !== 'string') return undefined
  if (param.format === 'spaced')
    return texts
      .join(' ')
      .split(/[\s,]+/)
      .filter(Boolean)
      .join(' ')
  if (param.format !== 'csv') return undefined
  const all = items(texts).join(',')
  return param.completes === 'user' ? idOrText(all) : all
}

/** `--param`: JSON where it parses as JSON (bodies), text in a query. */
export const parseParam = (text: string, json: boolean): unknown => {
  if (!json) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
