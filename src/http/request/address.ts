/** Writes names and values into the addresses of requests, and splits and formats addresses (`http/README.md`). */

import { hasDots } from '../../base/base-url.js'
import { isObject, mapValues } from '../../base/objects.js'
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

/** Encodes a query value: `,`, `:` and `/` stay readable, and `+` becomes %2B. */
const encodeQueryValue = (text: string): string =>
  encodePercent(text).replaceAll('%2C', ',').replaceAll('%3A', ':').replaceAll('%2F', '/')

const encodeQueryName = (text: string): string =>
  encodePercent(text).replaceAll('%5B', '[').replaceAll('%5D', ']')

/** Encodes a query: `iids[]=1&iids[]=2`. Brackets in names are literal, and values are percent-encoded. */
export const encodeQuery = (pairs: readonly Pair[]): string =>
  pairs.map(([name, value]) => `${encodeQueryName(name)}=${encodeQueryValue(value)}`).join('&')

const checkNoDots = (name: string, text: string): void => {
  if (text.trim() === '') throw usage(`${name} must not be empty`)
  if (hasDots(text)) throw usage(`${name}: "." and ".." cannot be used in a path`)
}

/** Refuses an ID above 2^53, which was rounded when it was parsed, and could mean another object. */
const checkNotRounded = (name: string, value: unknown): void => {
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw usage(`${name}: ${String(value)} is too large to be sent exactly`)
}

/**
 * Encodes a path segment. The dots of a project or group path are encoded, too, since some proxies treat a dot as a format suffix.
 * @throws Failure `usage` for an empty value, for a part that is `.` or `..`, and for a number that may have been rounded
 */
export const encodeSegment = (name: string, param: Param | undefined, value: unknown): string => {
  const text = String(value)
  checkNoDots(name, text)
  checkNotRounded(name, value)
  return isScope(param) ? encodePercent(text).replaceAll('.', '%2E') : encodePercent(text)
}

/** Returns the reason why a full path cannot be in a segment; undefined if it can. */
export const findSegmentProblem = (path: string): string | undefined => {
  try {
    encodeSegment('path', undefined, path)
    return undefined
  } catch (error) {
    return recoverFrom(error).message.replace(/^path:? /, '')
  }
}

/** Encodes a path inside an archive: segment by segment, with the slashes kept. A path has no `/` or `./` at its beginning there. */
export const encodeWildcard = (name: string, value: unknown): string => {
  const text = String(value).replace(/^(?:\.?\/)+/, '')
  checkNoDots(name, text)
  return text.split('/').map(encodePercent).join('/')
}

const toScalarText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')

const addBrackets = (name: string): string => (name.endsWith('[]') ? name : `${name}[]`)

const toListPairs = (name: string, param: ListParam, items: readonly unknown[]): Pair[] => {
  const [only] = items
  const word = items.length === 1 && param.words?.includes(String(only)) === true
  if (word || param.join === 'comma') return [[name, items.map(toScalarText).join(',')]]
  const written = param.join === 'repeat' ? name : addBrackets(name)
  if (items.length === 0) return [[written, '']]
  return items.map((item) => [written, toScalarText(item)])
}

/** Returns the pairs of a value that the catalogue does not describe: lists get brackets, and objects are nested. */
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
 * Returns the pairs of one parameter in a query or a form. Lists get brackets or are joined by commas, maps are nested, and null and the
 * empty list become an empty value.
 */
export const toPairs = (name: string, param: Param | undefined, value: unknown): Pair[] => {
  if (value === undefined) return []
  if (value === null) return [[name, '']]
  if (isListParam(param)) return toListPairs(name, param, Array.isArray(value) ? value : [value])
  if (takesJson(param)) return [[name, JSON.stringify(value)]]
  if (isText(param) && Array.isArray(value)) return [[name, value.join(',')]]
  if (takesPairs(param) && isObject(value))
    return Object.entries(value).flatMap(([key, v]) =>
      toPairs(`${name}[${key}]`, param.keys?.[key], v),
    )
  return toLoosePairs(name, value)
}

/** Converts the value of one parameter for a JSON body. */
export const toJson = (param: Param | undefined, value: unknown): unknown => {
  if (isListParam(param) && param.single === true && Array.isArray(value) && value.length === 1)
    return value[0]
  if (isText(param) && Array.isArray(value)) return value.join(',')
  if (takesPairs(param) && param.keys !== undefined && isObject(value)) {
    const { keys } = param
    return mapValues(value, (v, k) => toJson(keys[k], v))
  }
  return value
}

// The addresses of the instance and its API root, and their form in messages.

const root = '/api/v4'

/** The origin and the path of a request. The path is kept exactly as it was encoded. */
export interface RequestTarget {
  readonly origin: string
  readonly path: string
}

/** Returns the API root of an instance (`http/README.md`). */
export const getApiRoot = (baseUrl: string): RequestTarget => {
  const url = new URL(baseUrl)
  return { origin: url.origin, path: `${trimTrailingSlashes(url.pathname)}${root}` }
}

/** Splits an absolute address. The path is kept as it was written. */
export const parseAddress = (address: string): RequestTarget => {
  const url = new URL(address)
  return { origin: url.origin, path: `${url.pathname}${url.search}` }
}

export const formatAddress = (target: RequestTarget): string => `${target.origin}${target.path}`

/** Formats a request without credentials: `GET https://host/api/v4/runners`. */
export const formatRequestLabel = (method: string, target: RequestTarget): string =>
  `${method} ${maskAddressSecrets(formatAddress(target))}`
