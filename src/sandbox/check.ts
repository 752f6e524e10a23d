/** Parses the parameters of requests, and checks them against the catalogue with the API's own error messages. */

import { type Fields, isObject, tryParseJson } from '../base/objects.js'
import { coerce, wireSource } from '../catalogue/coerce.js'
import type { CheckedOf, Endpoint } from '../catalogue/endpoint.js'
import {
  boolean,
  integer,
  isNumeric,
  isSwitch,
  isText,
  list,
  type Param,
  type Params,
  string,
  takesJson,
} from '../catalogue/params.js'
import { badRequest, invalid, missing } from './reply.js'

// Parameters whose names have brackets, in queries and forms: `a[]=1`, `not[labels]=x`, `actions[][action]=create`.

export type NestedParams = { [name: string]: unknown }

/** The limits for one query or body. The instance refuses a larger one before it parses all of it. */
const bounds = { pairs: 65_536, depth: 32, name: 4096 } as const

/** Checks the number of pairs before they are parsed, so that the refusal of too many is cheap. @throws Refusal 400 */
const checkPairs = (text: string): void => {
  let pairs = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1))
    if (++pairs > bounds.pairs) throw invalid('too many parameters')
}

const shape = /^([^[\]]+)((?:\[[^[\]]*\])*)$/
/** True for an object of parameters with brackets in their names, to which more keys may be added. */
export const isNested = (value: unknown): value is NestedParams => isObject(value)
const createBare = (): NestedParams => Object.create(null) as NestedParams

/** True if a repeated `list[][key]` begins a new element, because the last element has that key already. */
const hasKey = (element: NestedParams, keys: readonly string[]): boolean => {
  let at: unknown = element
  for (const key of keys) {
    if (key === '') return false
    if (!isNested(at) || !(key in at)) return false
    at = at[key]
  }
  return true
}

const getOrAddElement = (list: unknown[], keys: readonly string[]): NestedParams => {
  const last = list.at(-1)
  if (isNested(last) && !hasKey(last, keys)) return last
  const fresh = createBare()
  list.push(fresh)
  return fresh
}

const setNested = (
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
    setNested(held, next, more, value, name)
    return
  }
  if (!Array.isArray(held)) throw invalid(`${name} is invalid`)
  const [first, ...deeper] = more
  if (first === undefined) held.push(value)
  else setNested(getOrAddElement(held, more), first, deeper, value, name)
}

/** Splits a name into its parts: `not[labels][]` becomes `not`, `labels` and the empty key of a list. */
const splitName = (name: string): readonly [string, readonly string[]] => {
  if (name.length > bounds.name) throw invalid('the name of a parameter is too long')
  const [, root = name, brackets = ''] = shape.exec(name) ?? []
  const keys = [...brackets.matchAll(/\[([^[\]]*)\]/g)].map(([, key]) => key ?? '')
  if (keys.length > bounds.depth) throw invalid(`${root} is nested too deeply`)
  return [root, keys]
}

/**
 * Builds lists and hashes from the pairs of a request. Of a repeated plain name, the last value counts.
 * @throws Refusal 400 if a name is both a list and a hash, or if a limit is exceeded
 */
export const collectParams = (pairs: Iterable<readonly [string, unknown]>): NestedParams => {
  const result = createBare()
  let count = 0
  for (const [name, value] of pairs) {
    if (++count > bounds.pairs) throw invalid('too many parameters')
    const [root, keys] = splitName(name)
    setNested(result, root, keys, value, root)
  }
  return result
}

const isWithinDepth = (value: unknown, left: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (left > 0 && Object.values(value).every((inner) => isWithinDepth(inner, left - 1)))

const jsonDepth = 100

/** Decodes a JSON body; returns undefined for an empty one. @throws Refusal 400 if the text is not JSON, or is nested too deeply */
export const decodeJson = (text: string): unknown => {
  if (text === '') return undefined
  const value = tryParseJson(text)
  if (value === undefined) throw invalid('message body does not match declared format')
  if (!isWithinDepth(value, jsonDepth)) throw invalid('message body is nested too deeply')
  return value
}

/** Decodes a query string or a form body. */
export const decodeForm = (text: string): NestedParams => {
  checkPairs(text)
  return collectParams(new URLSearchParams(text))
}

const dropEmptyValues = (value: unknown): unknown => {
  if (value === '' || value === null || value === undefined) return undefined
  if (Array.isArray(value)) {
    const items = value.map(dropEmptyValues).filter((item) => item !== undefined)
    return items.length === 0 ? undefined : items
  }
  if (!isNested(value)) return value
  const inner = dropEmpty(value)
  return Object.keys(inner).length === 0 ? undefined : inner
}

/** Returns the parameters of a reading request without the empty ones. An empty value is no filter, at any depth. */
export const dropEmpty = (sent: NestedParams): NestedParams => {
  const kept = createBare()
  for (const [name, value] of Object.entries(sent)) {
    const filled = dropEmptyValues(value)
    if (filled !== undefined) kept[name] = filled
  }
  return kept
}

// Checks of the input against the declared parameters.

/** The errors that responses quote. All others become "is invalid". */
const unlisted: readonly string[] = ['unknown value', 'out of range', 'too many values']

/** Converts a value to the type of its parameter. @throws Refusal 400 with the name of the parameter */
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

/** True if a value counts as absent: a null that the parameter does not accept, or an empty boolean. */
const isAbsent = (param: Param, value: unknown): boolean =>
  value === undefined ||
  (value === null && param.nullable !== true && !takesJson(param)) ||
  (value === '' && isSwitch(param))

/** True for the absence of a value: nothing, an empty text, or an empty list. */
export const isBlank = (value: unknown): boolean => {
  const length: unknown = typeof value === 'string' || Array.isArray(value) ? value.length : 1
  return value === undefined || value === null || length === 0
}

export type NoParams = Readonly<Record<never, never>>
/** The input that these parameters have after the check. */
export type ParamInput<Ps> = CheckedOf<{ path: NoParams; params: Ps }>

/** Sets the sent values of parameters. `label` names a parameter in a refusal. @throws Refusal 400 with the API's own message */
const setValues = (
  input: Record<string, unknown>,
  params: Params,
  sent: Fields,
  label = (name: string): string => name,
): void => {
  for (const [name, param] of Object.entries(params)) {
    const value = sent[name]
    if (!isAbsent(param, value)) input[name] = convert(label(name), param, value)
    else if (param.required === true) throw missing(label(name))
  }
}

/** Returns the checked items of a list of objects, by the parameters of their keys. @throws Refusal 400 that names the item and its key */
export const checkItems = <Ps extends Params>(
  name: string,
  items: Ps,
  sent: unknown,
): readonly ParamInput<Ps>[] => {
  if (!Array.isArray(sent)) throw invalid(`${name} is invalid`)
  return sent.map((item: unknown, i) => {
    if (!isObject(item)) throw invalid(`${name} is invalid`)
    const input = {}
    setValues(input, items, item, (key) => `${name}[${i}][${key}]`)
    return input as ParamInput<Ps>
  })
}

/**
 * Returns the checked input of an endpoint: first the placeholders of the path, then the parameters. A missing parameter gets its
 * documented default. An endpoint that changes an existing object sets no defaults, since they are for new objects.
 * @throws Refusal 400 with the API's own message
 */
export const checkInput = (
  endpoint: Pick<Endpoint, 'path' | 'params' | 'exclusive' | 'changes'>,
  path: Fields,
  sent: Fields,
): Record<string, unknown> => {
  const input: Record<string, unknown> = {}
  const setDefault = (name: string, param: Param): void => {
    if (param.default === undefined) return
    const isEmpty = Array.isArray(input[name]) && input[name].length === 0
    if (input[name] === undefined || isEmpty) input[name] = convert(name, param, param.default)
  }
  setValues(input, endpoint.params, sent)
  setValues(input, endpoint.path, path)
  for (const names of endpoint.exclusive ?? [])
    if (names.filter((name) => input[name] !== undefined).length > 1)
      throw invalid(`${names.join(', ')} are mutually exclusive`)
  if (endpoint.changes !== true)
    for (const [name, param] of Object.entries(endpoint.params)) setDefault(name, param)
  return input
}

const findLimitFault = (param: Param, value: unknown): string | undefined => {
  if (isNumeric(param) && Number(value) < (param.least ?? Number.NEGATIVE_INFINITY))
    return `must be greater than or equal to ${param.least}`
  if (!isText(param)) return undefined
  if (param.filled === true && String(value).trim() === '') return "can't be blank"
  return String(value).length > (param.max ?? Number.POSITIVE_INFINITY)
    ? `is too long (maximum is ${param.max} characters)`
    : undefined
}

/** Checks the attributes of a record against the limits that the catalogue declares for its parameters. @throws Refusal 400 */
export const checkLimits = (params: Params, given: Fields): void => {
  for (const [name, param] of Object.entries(params)) {
    const value = given[name] ?? undefined
    const fault = value === undefined ? undefined : findLimitFault(param, value)
    if (fault !== undefined) throw badRequest({ [name]: [fault] })
  }
}

/** The JSON Schema of a field. */
export interface FieldSchema {
  readonly type?: string
  readonly anyOf?: readonly FieldSchema[]
  readonly default?: unknown
}

/** Returns the JSON type of a field, apart from null; undefined if the field accepts any value. */
export const getFieldType = ({ type, anyOf }: FieldSchema): string | undefined =>
  type ?? anyOf?.map(getFieldType).find((inner) => inner !== undefined && inner !== 'null')

/** The parameter for a field of a JSON type. */
export const paramsByType: Readonly<Record<string, Param>> = {
  boolean: boolean(''),
  integer: integer(''),
  string: string(''),
  array: list('string', ''),
}

// Paging parameters.

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

/** Parses `page` (default 1) and `per_page` (default 20, at most 100) of a request. */
export const parsePosition = (sent: Readonly<Record<string, unknown>>): Position => ({
  page: parseWhole('page', sent.page, 1),
  perPage: Math.min(parseWhole('per_page', sent.per_page, 20), 100),
})

/** The parameters that a route accepts, and the roles that may call it. */
export type AcceptedParams = Pick<Endpoint, 'path' | 'params' | 'exclusive' | 'changes' | 'access'>

/** The parameters that every route accepts in addition to its own. */
export const everywhere: readonly string[] = [
  'page',
  'per_page',
  'sudo',
  'private_token',
  'access_token',
  'job_token',
]
