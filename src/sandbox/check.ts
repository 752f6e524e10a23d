/** Checks and converts what was sent by the parameters of the catalogue. */
import { isDay, isMoment } from '../base/dates.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import type { EnumParam, HashParam, ListParam, Param } from '../catalogue/params.js'
import { invalid, missing } from './reply.js'

const bad = (name: string) => invalid(`${name} is invalid`)
const unlisted = (name: string) => invalid(`${name} does not have a valid value`)

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  t: true,
  '1': true,
  yes: true,
  on: true,
  false: false,
  f: false,
  '0': false,
  no: false,
  off: false,
}

/** No text holds a NUL: neither a database nor a program takes one. */
const asText = (name: string, value: unknown): string => {
  if (typeof value === 'string' && !value.includes('\0')) return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw bad(name)
}

const asInteger = (name: string, value: unknown): number => {
  const number =
    typeof value === 'string' && /^[+-]?\d+$/.test(value.trim()) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw bad(name)
  return number
}

const asBoolean = (name: string, value: unknown): boolean => {
  const known = truths[asText(name, value).toLowerCase()]
  if (known === undefined) throw bad(name)
  return known
}

const asScope = (name: string, value: unknown): string | number => {
  const text = asText(name, value)
  if (text === '') throw bad(name)
  return /^\d+$/.test(text) ? Number(text) : text
}

const asString = (name: string, param: Param & { type: 'string' }, value: unknown): string => {
  const text = asText(name, value)
  if (text === '' && param.clears === true) return text
  if (param.format === 'date' && !isDay(text)) throw bad(name)
  if (param.format === 'datetime' && !isMoment(text)) throw bad(name)
  return text
}

const asEnum = (
  name: string,
  param: Pick<EnumParam, 'values' | 'deprecatedValues'>,
  value: unknown,
): string => {
  const text = asText(name, value)
  if (!param.values.includes(text) && !Object.hasOwn(param.deprecatedValues ?? {}, text))
    throw unlisted(name)
  return text
}

/** One text holds several items, joined by commas, unless the documents let it be one. */
const items = (param: ListParam, value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value.filter((item) => item !== '')
  if (value === '') return []
  return typeof value === 'string' && param.single !== true
    ? value.split(',').map((item) => item.trim())
    : [value]
}

const asList = (name: string, param: ListParam, value: unknown): unknown => {
  if (typeof value === 'object' && !Array.isArray(value)) throw bad(name)
  const list = items(param, value).map((item) => {
    if (param.of === 'integer') return asInteger(name, item)
    return param.of === 'enum'
      ? asEnum(name, { values: param.values ?? [] }, item)
      : asText(name, item)
  })
  if (param.max !== undefined && list.length > param.max) throw unlisted(name)
  return list
}

const asHash = (name: string, param: HashParam, value: unknown): unknown => {
  if (value === '') return {}
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bad(name)
  const given = Object.entries(value)
  if (param.keys === undefined)
    return Object.fromEntries(given.map(([key, v]) => [key, asText(`${name}[${key}]`, v ?? '')]))
  const known = param.keys
  const checked: Record<string, unknown> = {}
  for (const [key, v] of given) {
    const sub = Object.hasOwn(known, key) ? known[key] : undefined
    if (sub !== undefined) checked[key] = convert(`${name}[${key}]`, sub, v)
  }
  return checked
}

const within = (name: string, param: Param & { type: 'integer' }, value: number): number => {
  if (value < (param.min ?? value) || value > (param.max ?? value)) throw unlisted(name)
  return value
}

const isWord = (param: Param, value: unknown): boolean =>
  typeof value === 'string' && (param.words ?? []).includes(value)
const isNull = (param: Param, value: unknown): boolean =>
  param.nullable === true && (value === null || (value === '' && param.type !== 'string'))

/** One value as its parameter takes it. Refuses with 400, naming it. */
export const convert = (name: string, param: Param, value: unknown): unknown => {
  if (isNull(param, value)) return null
  if (isWord(param, value)) return value
  switch (param.type) {
    case 'integer':
      return within(name, param, asInteger(name, value))
    case 'boolean':
      return asBoolean(name, value)
    case 'enum':
      return asEnum(name, param, value)
    case 'list':
      return asList(name, param, value)
    case 'hash':
      return asHash(name, param, value)
    case 'json':
      return value
    case 'project':
    case 'group':
      return asScope(name, value)
    case 'string':
      return asString(name, param, value)
  }
}

/** A null that a parameter does not know, and an empty boolean, say nothing. */
const silent = (param: Param, value: unknown): boolean =>
  value === undefined ||
  (value === null && param.nullable !== true && param.type !== 'json') ||
  (value === '' && param.type === 'boolean')

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/**
 * The input of an endpoint from what was sent: placeholders of the path first, then parameters. Where
 * nothing was sent the default of the documents stands, but for an endpoint that changes what it is given
 * only: there it is what a new object gets. Refuses with 400 and the API's own words.
 */
export const checkInput = (
  endpoint: Pick<Endpoint, 'path' | 'params' | 'exclusive' | 'changes'>,
  path: Readonly<Record<string, unknown>>,
  sent: Readonly<Record<string, unknown>>,
): Record<string, unknown> => {
  const input: Record<string, unknown> = {}
  const take = (name: string, param: Param, value: unknown): void => {
    if (!silent(param, value)) input[name] = convert(name, param, value)
    else if (param.required === true) throw missing(name)
  }
  const stand = (name: string, param: Param): void => {
    if (param.default === undefined) return
    if (input[name] === undefined || isEmpty(input[name]))
      input[name] = convert(name, param, param.default)
  }
  for (const [name, param] of Object.entries(endpoint.params)) take(name, param, sent[name])
  for (const [name, param] of Object.entries(endpoint.path)) take(name, param, path[name])
  for (const names of endpoint.exclusive ?? [])
    if (names.filter((name) => input[name] !== undefined).length > 1)
      throw invalid(`${names.join(', ')} are mutually exclusive`)
  if (endpoint.changes !== true)
    for (const [name, param] of Object.entries(endpoint.params)) stand(name, param)
  return input
}
