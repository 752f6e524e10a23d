/** Addresses of requests: how names and values are written into them, and how they are split and shown (`http/README.md`). */

import { hasDots } from '../../base/base-url.js'
import { isObject } from '../../base/objects.js'
import { trimTrailingSlashes } from '../../base/text.js'
import {
  isListParam,
  isScope,
  isText,
  type ListParam,
  type Param,
  takesJson,
  takesPairs,
} from '../../catalogue/params.js'
import { recoverFrom, usage } from '../../errors.js'
import { maskAddressSecrets } from '../answers/secrets.js'

/** A name and its value, not yet percent-encoded. */
export type Pair = readonly [name: string, value: string]

const encodePercent = (text: string): string => {
  try {
    return encodeURIComponent(text)
  } catch {
    throw usage(`${JSON.stringify(text)} is not valid Unicode and cannot be sent`)
  }
}

/** A query value: `,`, `:` and `/` stay readable, `+` becomes %2B. */
const queryValue = (text: string): string =>
  encodePercent(text).replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%2F', '/')

const queryName = (text: string): string =>
  encodePercent(text).replaceAll('%5B', '[').replaceAll('%5D', ']')

/** `iids[]=1&iids[]=2`: brackets literal in names, values percent-encoded. */
export const queryText = (pairs: readonly Pair[]): string =>
  pairs.map(([name, value]) => `${queryName(name)}=${queryValue(value)}`).join('&')

const refuseDots = (name: string, text: string): void => {
  if (text === '') throw usage(`${name} must not be empty`)
  if (hasDots(text)) throw usage(`${name}: "." and ".." cannot be used in a path`)
}

/** Past 2^53 an id that came in a record is one with its neighbours, and would mean another object. */
const refuseRounded = (name: string, value: unknown): void => {
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw usage(`${name}: ${String(value)} is too large to be sent exactly`)
}

/**
 * One path segment. The dots of a project or group path are encoded too: some proxies read a bare
 * one as a format suffix.
 * @throws Failure `usage` when empty, when a part is `.` or `..`, or for a number that may be another
 */
export const encodeSegment = (name: string, param: Param | undefined, value: unknown): string => {
  const text = String(value)
  refuseDots(name, text)
  refuseRounded(name, value)
  return isScope(param) ? encodePercent(text).replaceAll('.', '%2E') : encodePercent(text)
}

/** Says why a full path cannot stand in a segment; undefined if it can. */
export const findSegmentProblem = (path: string): string | undefined => {
  try {
    encodeSegment('path', undefined, path)
    return undefined
  } catch (error) {
    return recoverFrom(error).message.replace(/^path:? /, '')
  }
}

/** A path inside an archive: each segment by itself, the slashes stay. */
export const encodeWildcard = (name: string, value: unknown): string => {
  const text = String(value)
  refuseDots(name, text)
  return text.split('/').map(encodePercent).join('/')
}

const toScalarText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')

const addBrackets = (name: string): string => (name.endsWith('[]') ? name : `${name}[]`)

const listPairs = (name: string, param: ListParam, items: readonly unknown[]): Pair[] => {
  const [only] = items
  const word = items.length === 1 && param.words?.includes(String(only)) === true
  if (word || param.join === 'comma') return [[name, items.map(toScalarText).join(',')]]
  const written = param.join === 'repeat' ? name : addBrackets(name)
  if (items.length === 0) return [[written, '']]
  return items.map((item) => [written, toScalarText(item)])
}

/** A value that the catalogue does not describe: lists get brackets, objects nest. */
const toLoosePairs = (name: string, value: unknown): Pair[] => {
  if (Array.isArray(value))
    return value.length === 0
      ? [[addBrackets(name), '']]
      : value.flatMap((item: unknown) => toLoosePairs(addBrackets(name), item))
  if (isObject(value))
    return Object.entries(value).flatMap(([key, v]) => toLoosePairs(`${name}[${key}]`, v))
  return [[name, toScalarText(value)]]
}

/**
 * The pairs of one parameter in a query or a form: lists with brackets or comma-joined, hashes
 * nested, null and the empty list as an empty value, nothing for undefined.
 */
export const toPairs = (name: string, param: Param | undefined, value: unknown): Pair[] => {
  if (value === undefined) return []
  if (value === null) return [[name, '']]
  if (isListParam(param)) return listPairs(name, param, Array.isArray(value) ? value : [value])
  if (takesJson(param)) return [[name, JSON.stringify(value)]]
  if (isText(param) && Array.isArray(value)) return [[name, value.join(',')]]
  if (takesPairs(param) && isObject(value))
    return Object.entries(value).flatMap(([key, v]) =>
      toPairs(`${name}[${key}]`, param.keys?.[key], v),
    )
  return toLoosePairs(name, value)
}

/** The value of one parameter in a JSON body. */
export const toJson = (param: Param | undefined, value: unknown): unknown => {
  if (isListParam(param) && param.single === true && Array.isArray(value) && value.length === 1)
    return value[0]
  if (isText(param) && Array.isArray(value)) return value.join(',')
  if (takesPairs(param) && param.keys !== undefined && isObject(value)) {
    const { keys } = param
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, toJson(keys[k], v)]))
  }
  return value
}

// Addresses: of the instance, of its API root, and as they may be shown.

const root = '/api/v4'

/** Origin and path of a request, the path exactly as it was encoded. */
export interface RequestTarget {
  readonly origin: string
  readonly path: string
}

/** The API root of an instance (`http/README.md`). */
export const getApiRoot = (baseUrl: string): RequestTarget => {
  const url = new URL(baseUrl)
  return { origin: url.origin, path: `${trimTrailingSlashes(url.pathname)}${root}` }
}

/** An absolute address, split without touching how its path is written. */
export const parseAddress = (address: string): RequestTarget => {
  const url = new URL(address)
  return { origin: url.origin, path: `${url.pathname}${url.search}` }
}

export const formatAddress = (target: RequestTarget): string => `${target.origin}${target.path}`

/** A request in words, without credentials: `GET https://host/api/v4/runners`. */
export const requestLabel = (method: string, target: RequestTarget): string =>
  `${method} ${maskAddressSecrets(formatAddress(target))}`
