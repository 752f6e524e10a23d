/**
 * Text of the command line → values of the API, checked before anything is sent. What a parameter
 * accepts is in its catalogue entry; how each type is written, the help of its flag says.
 */

import { sentTime } from '../../base/dates.js'
import { isDuration } from '../../base/duration.js'
import { addToGroup } from '../../base/group-by.js'
import type { JsonValue } from '../../base/json/value.js'
import { textSize } from '../../base/secrets/held.js'
import { quoteWord } from '../../base/shell-words.js'
import { didYouMean } from '../../base/suggest.js'
import {
  type EnumParam,
  formatOf,
  type HashParam,
  type IntegerParam,
  type ListParam,
  type Param,
  type StringParam,
} from '../../catalogue/params.js'
import {
  asWord,
  checkNumber,
  idOrText,
  parseEnum,
  parseInteger,
  type TakeNote,
} from '../../catalogue/scalars.js'
import { usage } from '../../errors.js'

// One text of the command line → one value of the API, where people may say it in words that are theirs.

const relative = '30d (ago), +30d (ahead), today or yesterday'
const written = { date: 'a day as YYYY-MM-DD', datetime: 'a time as YYYY-MM-DDTHH:MM:SSZ' } as const

/** A day or a moment, as the API takes it, of one that people say. @throws Failure `usage` */
const parseTime = (kind: keyof typeof written, text: string, label: string): string => {
  const time = sentTime(text, kind, Date.now())
  if (time === undefined) throw usage(`${label} takes ${written[kind]}, ${relative}, not "${text}"`)
  return time
}

/** @throws Failure `usage` for what is not of the format */
const parseString = (param: StringParam, text: string, label: string): string => {
  switch (param.format) {
    case 'date':
    case 'datetime':
      return text === '' && param.clears === true ? text : parseTime(param.format, text, label)
    case 'duration':
      if (!isDuration(text))
        throw usage(
          `${label} must be a duration such as 1h30m or 3w1h, not "${text}"`,
          'Units are mo, w, d, h, m and s. Put a negative duration after "--".',
        )
      return text
    default:
      return text
  }
}

/** @throws Failure `usage` for what is no JSON, with nothing of it: it may come from a file or a variable */
const parseJson = (text: string, label: string): JsonValue => {
  try {
    return JSON.parse(text)
  } catch {
    throw usage(`${label} must be JSON, not ${textSize(text)}`)
  }
}

/** How texts are read. */
export interface ValueSyntax {
  readonly note?: TakeNote | undefined
  /** The API's name of the parameter, where --param sends what is not known here. */
  readonly parameter?: string | undefined
}

/** How a value is sent that only a newer instance knows. */
const beyond = ({ parameter }: ValueSyntax, text: string): string | undefined =>
  parameter === undefined
    ? undefined
    : `Newer instances may support more values. Send one with --param ${quoteWord(`${parameter}=${text}`)}.`

const numberOf = (
  param: IntegerParam | ListParam,
  text: string,
  label: string,
  how: ValueSyntax,
): number => {
  const more = beyond(how, /^-?\d+$/.test(text) ? text : '<number>')
  return checkNumber(param, parseInteger(param, text, label, more), label, more)
}

const wordOf = (
  param: EnumParam | ListParam,
  text: string,
  label: string,
  how: ValueSyntax,
): string => {
  const { note = () => {} } = how
  return parseEnum(param, text, label, { note, beyond: beyond(how, text) })
}

const items = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => text.split(',').map((item) => item.trim())).filter((item) => item !== '')

const parseList = (
  param: ListParam,
  texts: readonly string[],
  label: string,
  how: ValueSyntax,
): JsonValue => {
  const [only] = texts
  const word = texts.length === 1 && only !== undefined ? asWord(param, only.trim()) : undefined
  if (word !== undefined) return word
  const parts = items(texts)
  for (const part of parts) {
    const successor = param.deprecatedValues?.[part]
    if (successor !== undefined) how.note?.(`${label} ${part} is deprecated: use ${successor}`)
  }
  if (param.max !== undefined && parts.length > param.max)
    throw usage(`${label} takes at most ${param.max} values, not ${parts.length}`)
  return parts.map((part) =>
    param.of === 'integer'
      ? numberOf(param, part, label, how)
      : param.of === 'enum'
        ? wordOf(param, part, label, how)
        : part,
  )
}

/** Splits `key=value` at the first `=`. */
export const keyValue = (text: string, label: string): [string, string] => {
  const at = text.indexOf('=')
  if (at < 1) throw usage(`${label} must have the form key=value, not "${text}"`)
  return [text.slice(0, at), text.slice(at + 1)]
}

const parseHash = (
  param: HashParam,
  texts: readonly string[],
  label: string,
  { note }: ValueSyntax,
): JsonValue => {
  const grouped = new Map<string, string[]>()
  for (const text of texts) {
    const [given, value] = keyValue(text, label)
    const key = param.keys === undefined ? given : given.replaceAll('-', '_')
    addToGroup(grouped, key, value)
  }
  const hash: Record<string, JsonValue> = {}
  for (const [key, values] of grouped)
    hash[key] = parseHashValue(param, key, values, label, { note })
  return hash
}

const parseHashValue = (
  param: HashParam,
  key: string,
  values: readonly string[],
  label: string,
  how: ValueSyntax,
): JsonValue => {
  if (param.keys === undefined) return values.at(-1) ?? ''
  const inner = param.keys[key]
  if (inner === undefined)
    throw usage(
      `${label} accepts the keys ${Object.keys(param.keys).join(', ')}, not "${key}"`,
      didYouMean(key, Object.keys(param.keys)),
    )
  const [first] = values
  if (inner.type === 'list' || values.length === 1 || first === undefined)
    return parseValue(inner, values, `${label} ${key}`, how)
  return values.map((value) => parseValue(inner, [value], `${label} ${key}`, how))
}

/**
 * The one project or group that texts name.
 * @throws Failure `usage` for several, and for `-`: a path holds no comma
 */
export const oneScope = (kind: string, texts: readonly string[], label: string): string => {
  const [first = '', ...others] = texts
  const strange = texts.find((text) => text.trim() === '-' || text.includes(','))
  if (strange === undefined && others.every((text) => text === first)) return first
  throw usage(
    `${label} takes a single ${kind}, not "${strange ?? texts.join(',')}"`,
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
  how: ValueSyntax = {},
): JsonValue => {
  if (param.type === 'list') return parseList(param, texts, label, how)
  if (param.type === 'hash') return parseHash(param, texts, label, how)
  const text = texts.at(-1) ?? ''
  const word = asWord(param, text)
  if (word !== undefined) return word
  if (text === '' && param.nullable === true && param.type !== 'string') return null
  switch (param.type) {
    case 'integer':
      return numberOf(param, text, label, how)
    case 'enum':
      return wordOf(param, text, label, how)
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
  if (formatOf(param) === 'spaced')
    return texts
      .join(' ')
      .split(/[\s,]+/)
      .filter(Boolean)
      .join(' ')
  if (formatOf(param) !== 'csv') return undefined
  const all = items(texts).join(',')
  return param.completes === 'user' ? idOrText(all) : all
}

/** `--param`: JSON where it parses as JSON (bodies), text in a query. */
export const parseParam = (text: string, json: boolean): JsonValue => {
  if (!json) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
