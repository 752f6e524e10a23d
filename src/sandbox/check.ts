/**
 * Parses and checks the parameters of requests, for the server and for areas. Names with brackets are put together,
 * then
 * everything is checked against the parameters of the catalogue, with the service's own error messages.
 */

import { isObject } from '../base/objects.js'
import { coerce, wireSource } from '../catalogue/coerce.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import {
  boolean,
  integer,
  isSwitch,
  list,
  type Param,
  string,
  takesJson,
} from '../catalogue/params.js'
import { invalid, missing } from './reply.js'

// Names with brackets, in queries and forms: `a[]=1`, `not[labels]=x`, `actions[][action]=create`.

export type NestedParams = { [name: string]: unknown }

/** The limits of one query or body; more is refused before it is gathered. */
const bounds = { pairs: 65_536, depth: 32, name: 4096 } as const

/** Refuses too many pairs. They are counted before they are parsed, so that refusing costs next to nothing. */
const checkPairs = (text: string): void => {
  let pairs = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1))
    if (++pairs > bounds.pairs) throw invalid('too many parameters')
}

const shape = /^([^[\]]+)((?:\[[^[\]]*\])*)$/
/** True for an object that is still being put together. */
export const isNested = (value: unknown): value is NestedParams => isObject(value)
const createBare = (): NestedParams => Object.create(null) as NestedParams

/** True if a repeated `list[][key]` begins a new element, because the last one has that key already. */
const hasKey = (element: NestedParams, keys: readonly string[]): boolean => {
  let at: unknown = element
  for (const key of keys) {
    if (key === '') return false
    if (!isNested(at) || !(key in at)) return false
    at = at[key]
  }
  return true
}

const getElement = (list: unknown[], keys: readonly string[]): NestedParams => {
  const last = list.at(-1)
  if (isNested(last) && !hasKey(last, keys)) return last
  const fresh = createBare()
  list.push(fresh)
  return fresh
}

const put = (
  into: NestedParams,
  key: string,
  rest: readonly string[],
  value: unknown,
  name: string,
) => {
  const [next, ...more] = rest
  if (next === undefined) {
    if (typeof into[key] === 'object') throw invalid(`${name} is invalid`)
    into[key] = value
    return
  }
  into[key] ??= next === '' ? [] : createBare()
  const held = into[key]
  if (next !== '') {
    if (!isNested(held)) throw invalid(`${name} is invalid`)
    put(held, next, more, value, name)
    return
  }
  if (!Array.isArray(held)) throw invalid(`${name} is invalid`)
  const [first, ...deeper] = more
  if (first === undefined) held.push(value)
  else put(getElement(held, more), first, deeper, value, name)
}

/** `not[labels][]` → `not`, `labels` and the empty key of a list. */
const getKeys = (name: string): readonly [string, readonly string[]] => {
  if (name.length > bounds.name) throw invalid('the name of a parameter is too long')
  const [, root = name, brackets = ''] = shape.exec(name) ?? []
  const keys = [...brackets.matchAll(/\[([^[\]]*)\]/g)].map(([, key]) => key ?? '')
  if (keys.length > bounds.depth) throw invalid(`${root} is nested too deeply`)
  return [root, keys]
}

/**
 * Gathers the pairs of a request into lists and hashes; of plain repetitions the last counts.
 * Refuses with 400 a name that is both, and everything beyond the limits.
 */
export const gatherParams = (pairs: Iterable<readonly [string, unknown]>): NestedParams => {
  const result = createBare()
  let count = 0
  for (const [name, value] of pairs) {
    if (++count > bounds.pairs) throw invalid('too many parameters')
    const [root, keys] = getKeys(name)
    put(result, root, keys, value, root)
  }
  return result
}

const isWithinDepth = (value: unknown, left: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (left > 0 && Object.values(value).every((inner) => isWithinDepth(inner, left - 1)))

const jsonDepth = 100

/** Decodes a JSON body; undefined for an empty one. Refuses with 400 a text that is no JSON, and a very deep one. */
export const decodeJson = (text: string): unknown => {
  if (text === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalid('message body does not match declared format')
  }
  if (!isWithinDepth(value, jsonDepth)) throw invalid('message body is nested too deeply')
  return value
}

/** A query string or form body. */
export const decodeForm = (text: string): NestedParams => {
  checkPairs(text)
  return gatherParams(new URLSearchParams(text))
}

const keepFilled = (value: unknown): unknown => {
  if (value === '' || value === null || value === undefined) return undefined
  if (Array.isArray(value)) {
    const items = value.map(keepFilled).filter((item) => item !== undefined)
    return items.length === 0 ? undefined : items
  }
  if (!isNested(value)) return value
  const inner = dropEmpty(value)
  return Object.keys(inner).length === 0 ? undefined : inner
}

/** Returns the parameters of a reading request without the empty ones: an empty value is no filter, at any depth. */
export const dropEmpty = (sent: NestedParams): NestedParams => {
  const kept = createBare()
  for (const [name, value] of Object.entries(sent)) {
    const filled = keepFilled(value)
    if (filled !== undefined) kept[name] = filled
  }
  return kept
}

// Input, held to its parameters.

/** The problems of values that are well formed and yet refused. For all others the service says only that the value is invalid. */
const unlisted: readonly string[] = ['unknown value', 'out of range', 'too many values']

/** Converts a value as its parameter takes it. Refuses with 400, naming it. */
export const convert = (name: string, param: Param, value: unknown): unknown => {
  const { value: taken, errors } = coerce(param, value, wireSource)
  const [error] = errors
  if (error === undefined) return taken
  const keys = error.path.filter((key) => typeof key === 'string')
  const place = `${name}${keys.map((key) => `[${key}]`).join('')}`
  throw invalid(
    unlisted.includes(error.problem)
      ? `${place} does not have a valid value`
      : `${place} is invalid`,
  )
}

/** True if a value means nothing: a null that the parameter does not know, or an empty boolean. */
const isSilent = (param: Param, value: unknown): boolean =>
  value === undefined ||
  (value === null && param.nullable !== true && !takesJson(param)) ||
  (value === '' && isSwitch(param))

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/**
 * Returns the input of an endpoint from the request: placeholders of the path first, then parameters. A missing
 * parameter gets
 * the default of the documents. An endpoint that changes only what it is given is an exception: there the default is
 * for new objects.
 * Refuses with 400 and the API's own words.
 */
export const checkInput = (
  endpoint: Pick<Endpoint, 'path' | 'params' | 'exclusive' | 'changes'>,
  path: Readonly<Record<string, unknown>>,
  sent: Readonly<Record<string, unknown>>,
): Record<string, unknown> => {
  const input: Record<string, unknown> = {}
  const take = (name: string, param: Param, value: unknown): void => {
    if (!isSilent(param, value)) input[name] = convert(name, param, value)
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

/** A field of a shape, as its JSON Schema says it. */
export interface FieldSchema {
  readonly type?: string
  readonly anyOf?: readonly FieldSchema[]
  readonly default?: unknown
}

/** The JSON type of a field, null left aside; undefined where it may be anything. */
export const getFieldType = ({ type, anyOf }: FieldSchema): string | undefined =>
  type ?? anyOf?.map(getFieldType).find((inner) => inner !== undefined && inner !== 'null')

/** A parameter that gives a field of a JSON type. */
export const paramsByType: Readonly<Record<string, Param>> = {
  boolean: boolean(''),
  integer: integer(''),
  string: string(''),
  array: list('string', ''),
}

// Which page of a list.

/** A page of a list. */
export interface Position {
  readonly page: number
  readonly perPage: number
}

const parseWhole = (name: string, value: unknown, fallback: number): number => {
  if (value === undefined || value === '') return fallback
  const text = typeof value === 'object' ? '' : String(value)
  if (!/^-?\d+$/.test(text)) throw invalid(`${name} is invalid`)
  const number = Number(text)
  if (number < 1 || !Number.isSafeInteger(number))
    throw invalid(`${name} does not have a valid value`)
  return number
}

/** `page` (default 1) and `per_page` (default 20, at most 100) of a request. */
export const parsePosition = (sent: Readonly<Record<string, unknown>>): Position => ({
  page: parseWhole('page', sent.page, 1),
  perPage: Math.min(parseWhole('per_page', sent.per_page, 20), 100),
})

/** The parameters that a route takes, and who may call it. */
export type AcceptedParams = Pick<Endpoint, 'path' | 'params' | 'exclusive' | 'changes' | 'access'>

/** The parameters that every request may carry besides its own. */
export const everywhere: readonly string[] = [
  'page',
  'per_page',
  'sudo',
  'private_token',
  'access_token',
  'job_token',
]
