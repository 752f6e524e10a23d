/**
 * When two values of an attribute are the same: each is brought into one form by what the catalogue says
 * of its parameter, whoever wrote it: a file, a flag or an instance.
 */

import { canonicalNumber } from '../base/json/decimal.js'
import { isNumber } from '../base/json/json.js'
import { isJsonList, isObject, type JsonValue } from '../base/objects.js'
import { readPublicKey } from '../base/public-key.js'
import { trimTrailingSlashes } from '../base/text.js'
import type { ListParam, Param, Params, StringParam } from './params.js'

/** What of an attribute its values depend on; without a parameter nothing is known of it. */
export interface ValueType {
  readonly param: Param | undefined
}

/** Texts by their code units: the same order everywhere. */
export const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** JSON text that is the same for the same value: keys in order, no blanks. */
export const canonical = (value: JsonValue): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (isNumber(value)) return canonicalNumber(value)
  if (!isObject(value)) return JSON.stringify(value)
  const fields = Object.entries(value as Readonly<Record<string, JsonValue>>)
    .sort(([a], [b]) => byText(a, b))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`)
  return `{${fields.join(',')}}`
}

/** Members without those that are there twice, in an order of their own. */
const asSet = (members: readonly JsonValue[]): readonly JsonValue[] => {
  const texts = new Map(members.map((member) => [canonical(member), member]))
  return [...texts].sort(([a], [b]) => byText(a, b)).map(([, member]) => member)
}

const lines = (text: string): string => text.replace(/\r\n?/g, '\n')

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  '1': true,
  false: false,
  '0': false,
}

/** `true`, `"true"`, `1` and `"1"` are one. */
const truth = (value: JsonValue): JsonValue => {
  if (typeof value === 'object') return value
  const word = String(value).toLowerCase()
  return Object.hasOwn(truths, word) ? (truths[word] ?? value) : value
}

/** A whole number, also one written as text or by its name. */
const whole = (value: JsonValue, names: Readonly<Record<string, number>> = {}): JsonValue => {
  if (typeof value !== 'string') return value
  const text = value.trim()
  if (/^[+-]?\d{1,15}$/.test(text)) return Number(text)
  const name = text.toLowerCase().replaceAll('_', '-')
  return Object.hasOwn(names, name) ? (names[name] ?? value) : value
}

/** A moment as it is written everywhere, or the first signs of it. */
const momentOf = (text: string, signs?: number): string => {
  const time = Date.parse(text)
  return Number.isNaN(time) ? text : new Date(time).toISOString().slice(0, signs)
}

/** The day of a moment, by UTC. */
const dayOf = (text: string): string =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : momentOf(text, 10)

const block = /-----BEGIN (?:X509 |TRUSTED )?([A-Z0-9 ]+)-----([\s\S]*?)-----END [A-Z0-9 ]+-----/g

/** What PEM blocks hold, in their order, however they are wrapped; a text without any as it is. */
const derOf = (text: string): JsonValue => {
  const blocks = [...text.matchAll(block)].map(
    ([, label, body = '']) => `${label} ${Buffer.from(body, 'base64').toString('base64')}`,
  )
  return blocks.length === 0 ? lines(text).trim() : blocks
}

const keyOf = (text: string): string => readPublicKey(text)?.identity ?? lines(text).trim()

const formats: Readonly<Record<NonNullable<StringParam['format']>, (text: string) => JsonValue>> = {
  date: dayOf,
  datetime: (text) => momentOf(text),
  duration: (text) => text.trim(),
  // As browsers and instances write it: the host in lower case, without the port that it has anyway.
  url: (text) => trimTrailingSlashes(URL.canParse(text) ? new URL(text).href : text.trim()),
  pem: derOf,
  'public-key': keyOf,
  text: lines,
  csv: lines,
  spaced: lines,
  email: (text) => text.trim(),
  domain: (text) => text.trim().toLowerCase(),
  slug: lines,
  span: (text) => text.trim(),
}

/** A member as text; what is none is its JSON. */
const wordOf = (value: JsonValue): string =>
  typeof value === 'object' ? canonical(value) : String(value)

/** What is one text by the documents and holds several. */
const joined = (value: JsonValue, format: 'csv' | 'spaced'): JsonValue => {
  const members = isJsonList(value)
    ? value.map(wordOf)
    : wordOf(value ?? '').split(format === 'csv' ? /,/ : /[\s,]+/)
  return asSet(members.map((member) => member.trim()).filter((member) => member !== ''))
}

const textual = (param: StringParam, value: JsonValue): JsonValue => {
  const { format } = param
  if (format === 'csv' || format === 'spaced') return joined(value, format)
  // Nothing is no text, and no day: nobody tells the two apart.
  if (value === null || value === '') return null
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') return value
  const formed = format === undefined ? lines(value) : formats[format](value)
  return formed === '' ? null : formed
}

/** A list is a set; one value alone is a list of it, and none is an empty one unless null means something. */
const listed = (param: ListParam, value: JsonValue): JsonValue => {
  if (value === null && param.nullable === true) return null
  if (value === null || value === '') return []
  const all = isJsonList(value) ? value : [value]
  // What may be one text as well holds its members in it.
  const isWhole = param.single === true && param.of === 'string'
  const members = isWhole
    ? all.flatMap((one) => String(one).split(/[\s,;]+/)).filter((one) => one !== '')
    : all
  return asSet(
    members.map((member) => {
      if (param.of === 'integer' || param.names !== undefined) return whole(member, param.names)
      return typeof member === 'string' ? lines(member) : member
    }),
  )
}

/** A map with other values; what is none stays as it is. */
const mapFields = (
  value: JsonValue,
  change: (field: JsonValue, name: string) => JsonValue,
): JsonValue =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value as Readonly<Record<string, JsonValue>>).map(([name, field]) => [
          name,
          change(field, name),
        ]),
      )
    : value

const keyed = (keys: Params, value: JsonValue): JsonValue =>
  mapFields(value, (field, name) => byParam(keys[name], field))

/** The values of a hash without known keys travel as text. */
const asTexts = (value: JsonValue): JsonValue =>
  mapFields(value, (field) => (field === null || typeof field === 'object' ? field : String(field)))

const byParam = (param: Param | undefined, value: JsonValue): JsonValue => {
  switch (param?.type) {
    case undefined:
      return unknown(value)
    case 'boolean':
      return truth(value)
    case 'integer':
      return whole(value, param.names)
    case 'string':
      return textual(param, value)
    case 'list':
      return listed(param, value)
    case 'hash':
      return param.keys === undefined ? asTexts(value) : keyed(param.keys, value)
    case 'json': {
      const { items } = param
      return isJsonList(value) && items ? value.map((item) => keyed(items, item)) : value
    }
    default:
      return value
  }
}

/** Of what no document speaks the value itself says what it is. */
const unknown = (value: JsonValue): JsonValue => {
  if (value === null || value === '') return null
  if (typeof value === 'string') return lines(value)
  return isJsonList(value) ? asSet(value.map(unknown)) : mapFields(value, unknown)
}

/**
 * A value in the one form that all its spellings share: lists as sets, dates by day (UTC), booleans also
 * from `"1"`, levels as numbers, addresses without a slash at their end, text with `\n`, joined lists as
 * sets, certificates by their bytes, keys without their comment. Lists within a `json` parameter keep
 * their order, as do the blocks of a certificate.
 */
export const normalised = ({ param }: ValueType, value: JsonValue): JsonValue =>
  byParam(param, value)

/** Whether two values mean the same; what is not there is null. */
export const sameValue = (
  attribute: ValueType,
  a: JsonValue | undefined,
  b: JsonValue | undefined,
): boolean => {
  const typed = attribute.param === undefined ? guessed(a, b) : attribute
  return canonical(normalised(typed, a ?? null)) === canonical(normalised(typed, b ?? null))
}

/** Where no document says what it is: the other value may. */
const guessed = (a: JsonValue | undefined, b: JsonValue | undefined): ValueType => {
  const types = [typeof a, typeof b]
  if (types.includes('boolean')) return { param: { type: 'boolean', help: '' } }
  if (types.includes('number')) return { param: { type: 'integer', help: '' } }
  return { param: undefined }
}
