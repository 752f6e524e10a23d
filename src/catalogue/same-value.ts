/**
 * Compares values of attributes regardless of their form in files, flags and responses. It normalizes both by the declaration of their
 * parameter.
 */

import { toCanonicalNumber } from '../base/json/decimal.js'
import { isNumber } from '../base/json/json.js'
import { isJsonList, isObject, type JsonValue, mapValues } from '../base/objects.js'
import { readPublicKey } from '../base/public-key.js'
import { trimTrailingSlashes } from '../base/text.js'
import type { ListParam, Param, Params, StringParam } from './params.js'

/** The type of an attribute, which determines whether its values are equal. `param` is undefined for an undocumented attribute. */
export interface ValueType {
  readonly param: Param | undefined
}

/** Compares texts by their code units, so that the order does not depend on the locale. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Returns JSON text that is the same for equal values, with sorted keys and without blanks. */
export const toCanonical = (value: JsonValue): string => {
  if (Array.isArray(value)) return `[${value.map(toCanonical).join(',')}]`
  if (isNumber(value)) return toCanonicalNumber(value)
  if (!isObject(value)) return JSON.stringify(value)
  const fields = Object.entries(value as Readonly<Record<string, JsonValue>>)
    .sort(([a], [b]) => compareTexts(a, b))
    .map(([name, field]) => `${JSON.stringify(name)}:${toCanonical(field)}`)
  return `{${fields.join(',')}}`
}

/** Returns the members without duplicates, sorted by their JSON text. */
const toSet = (members: readonly JsonValue[]): readonly JsonValue[] => {
  const texts = new Map(members.map((member) => [toCanonical(member), member]))
  return [...texts].sort(([a], [b]) => compareTexts(a, b)).map(([, member]) => member)
}

const normalizeLines = (text: string): string => text.replace(/\r\n?/g, '\n')

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  '1': true,
  false: false,
  '0': false,
}

/** Returns the same value for `true`, `"true"`, `1` and `"1"`. */
const normalizeBoolean = (value: JsonValue): JsonValue => {
  if (typeof value === 'object') return value
  const word = String(value).toLowerCase()
  return Object.hasOwn(truths, word) ? (truths[word] ?? value) : value
}

/** Returns a number for an integer, also if it is a text or a name. */
const normalizeInteger = (
  value: JsonValue,
  names: Readonly<Record<string, number>> = {},
): JsonValue => {
  if (typeof value !== 'string') return value
  const text = value.trim()
  if (/^[+-]?\d{1,15}$/.test(text)) return Number(text)
  const name = text.toLowerCase().replaceAll('_', '-')
  return Object.hasOwn(names, name) ? (names[name] ?? value) : value
}

/** Formats a time as an ISO 8601 string, or as its first `signs` characters. A text that is not a time stays unchanged. */
const formatMoment = (text: string, signs?: number): string => {
  const time = Date.parse(text)
  return Number.isNaN(time) ? text : new Date(time).toISOString().slice(0, signs)
}

/** Returns the date of a time in UTC. */
const toDay = (text: string): string =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : formatMoment(text, 10)

const block = /-----BEGIN (?:X509 |TRUSTED )?([A-Z0-9 ]+)-----([\s\S]*?)-----END [A-Z0-9 ]+-----/g

/** Decodes PEM blocks in their order, regardless of line breaks. A text without blocks is only trimmed. */
const decodePem = (text: string): JsonValue => {
  const blocks = [...text.matchAll(block)].map(
    ([, label, body = '']) => `${label} ${Buffer.from(body, 'base64').toString('base64')}`,
  )
  return blocks.length === 0 ? normalizeLines(text).trim() : blocks
}

const toKeyIdentity = (text: string): string =>
  readPublicKey(text)?.identity ?? normalizeLines(text).trim()

const formats: Readonly<Record<NonNullable<StringParam['format']>, (text: string) => JsonValue>> = {
  date: toDay,
  datetime: (text) => formatMoment(text),
  duration: (text) => text.trim(),
  // Browsers and instances write URLs in this form: the host in lower case, and no default port.
  url: (text) => trimTrailingSlashes(URL.canParse(text) ? new URL(text).href : text.trim()),
  pem: decodePem,
  'public-key': toKeyIdentity,
  text: normalizeLines,
  csv: normalizeLines,
  spaced: normalizeLines,
  email: (text) => text.trim(),
  domain: (text) => text.trim().toLowerCase(),
  slug: normalizeLines,
  username: normalizeLines,
  span: (text) => text.trim(),
}

/** Returns a member as text. For a list or an object, that is its JSON. */
const toText = (value: JsonValue): string =>
  typeof value === 'object' ? toCanonical(value) : String(value)

/** Splits a text that contains several members into a list. */
const splitJoined = (value: JsonValue, format: 'csv' | 'spaced'): JsonValue => {
  const members = isJsonList(value)
    ? value.map(toText)
    : toText(value ?? '').split(format === 'csv' ? /,/ : /[\s,]+/)
  return toSet(members.map((member) => member.trim()).filter((member) => member !== ''))
}

const normalizeString = (param: StringParam, value: JsonValue): JsonValue => {
  const { format } = param
  if (format === 'csv' || format === 'spaced') return splitJoined(value, format)
  // Instances do not distinguish an empty text or date from null.
  if (value === null || value === '') return null
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') return value
  const formed = format === undefined ? normalizeLines(value) : formats[format](value)
  return formed === '' ? null : formed
}

/** Normalizes a list as a set. A single value is a list of one, and no value is an empty list unless null has another meaning. */
const normalizeList = (param: ListParam, value: JsonValue): JsonValue => {
  if (value === null && param.nullable === true) return null
  if (value === null || value === '') return []
  const all = isJsonList(value) ? value : [value]
  // A parameter that also accepts a single text may have several members in it.
  const isWhole = param.single === true && param.of === 'string'
  const members = isWhole
    ? all.flatMap((one) => String(one).split(/[\s,;]+/)).filter((one) => one !== '')
    : all
  return toSet(
    members.map((member) => {
      if (param.of === 'integer' || param.names !== undefined)
        return normalizeInteger(member, param.names)
      return typeof member === 'string' ? normalizeLines(member) : member
    }),
  )
}

/** Returns a map with changed values. A value that is not a map stays unchanged. */
const mapFields = (
  value: JsonValue,
  change: (field: JsonValue, name: string) => JsonValue,
): JsonValue =>
  isObject(value)
    ? mapValues(value as Readonly<Record<string, JsonValue>>, (field, name) => change(field, name))
    : value

const normalizeKeys = (keys: Params, value: JsonValue): JsonValue =>
  mapFields(value, (field, name) => normalizeByParam(keys[name], field))

/** Converts the values of a hash without known keys to texts, since requests send them as texts. */
const toTexts = (value: JsonValue): JsonValue =>
  mapFields(value, (field) => (field === null || typeof field === 'object' ? field : String(field)))

const normalizeByParam = (param: Param | undefined, value: JsonValue): JsonValue => {
  switch (param?.type) {
    case undefined:
      return normalizeUnknown(value)
    case 'boolean':
      return normalizeBoolean(value)
    case 'integer':
      return normalizeInteger(value, param.names)
    case 'string':
      return normalizeString(param, value)
    case 'list':
      return normalizeList(param, value)
    case 'hash':
      return param.keys === undefined ? toTexts(value) : normalizeKeys(param.keys, value)
    case 'json': {
      const { items } = param
      return isJsonList(value) && items ? value.map((item) => normalizeKeys(items, item)) : value
    }
    default:
      return value
  }
}

/** Normalizes the value of an undocumented attribute by the type of the value itself. */
const normalizeUnknown = (value: JsonValue): JsonValue => {
  if (value === null || value === '') return null
  if (typeof value === 'string') return normalizeLines(value)
  return isJsonList(value) ? toSet(value.map(normalizeUnknown)) : mapFields(value, normalizeUnknown)
}

/**
 * Returns the form that all spellings of a value have in common. Lists and joined lists are sets, but lists inside a `json` parameter keep
 * their order. Dates are days in UTC, booleans may come from `"1"`, and access levels are numbers. URLs have no slash at their end, and
 * texts have `\n`. Certificates are compared by their bytes and public keys without their comment.
 */
export const normalizeValue = ({ param }: ValueType, value: JsonValue): JsonValue =>
  normalizeByParam(param, value)

/** True if two values have the same meaning. An absent value counts as null. */
export const isSameValue = (
  attribute: ValueType,
  a: JsonValue | undefined,
  b: JsonValue | undefined,
): boolean => {
  const typed = attribute.param === undefined ? guessType(a, b) : attribute
  return (
    toCanonical(normalizeValue(typed, a ?? null)) === toCanonical(normalizeValue(typed, b ?? null))
  )
}

/** Guesses the type of an undocumented attribute from two of its values. */
const guessType = (a: JsonValue | undefined, b: JsonValue | undefined): ValueType => {
  const types = [typeof a, typeof b]
  if (types.includes('boolean')) return { param: { type: 'boolean', help: '' } }
  if (types.includes('number')) return { param: { type: 'integer', help: '' } }
  return { param: undefined }
}
