/** Names with brackets, in queries and forms: `a[]=1`, `not[labels]=x`, `actions[][action]=create`. */
import { isObject } from '../../base/objects.js'
import { invalid } from '../reply.js'

export type NestedParams = { [name: string]: unknown }

/** What one query or body may hold: more is refused before it is gathered. */
const bounds = { pairs: 65_536, depth: 32, name: 4096 } as const

/** Counted first, so that what is refused costs next to nothing. */
const checkPairs = (text: string): void => {
  let pairs = 1
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1))
    if (++pairs > bounds.pairs) throw invalid('too many parameters')
}

const shape = /^([^[\]]+)((?:\[[^[\]]*\])*)$/
/** An object that is still being put together. */
export const isNested = (value: unknown): value is NestedParams => isObject(value)
const bare = (): NestedParams => Object.create(null) as NestedParams

/** Whether a repeated `list[][key]` begins a new element: the last one has that key already. */
const taken = (element: NestedParams, keys: readonly string[]): boolean => {
  let at: unknown = element
  for (const key of keys) {
    if (key === '') return false
    if (!isNested(at) || !(key in at)) return false
    at = at[key]
  }
  return true
}

const element = (list: unknown[], keys: readonly string[]): NestedParams => {
  const last = list.at(-1)
  if (isNested(last) && !taken(last, keys)) return last
  const fresh = bare()
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
  into[key] ??= next === '' ? [] : bare()
  const held = into[key]
  if (next !== '') {
    if (!isNested(held)) throw invalid(`${name} is invalid`)
    put(held, next, more, value, name)
    return
  }
  if (!Array.isArray(held)) throw invalid(`${name} is invalid`)
  const [first, ...deeper] = more
  if (first === undefined) held.push(value)
  else put(element(held, more), first, deeper, value, name)
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
 * Pairs as they were sent, gathered into lists and hashes; of plain repetitions the last counts.
 * Refuses with 400 what is both, and what is beyond the bounds.
 */
export const nest = (pairs: Iterable<readonly [string, unknown]>): NestedParams => {
  const result = bare()
  let count = 0
  for (const [name, value] of pairs) {
    if (++count > bounds.pairs) throw invalid('too many parameters')
    const [root, keys] = getKeys(name)
    put(result, root, keys, value, root)
  }
  return result
}

const within = (value: unknown, left: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (left > 0 && Object.values(value).every((inner) => within(inner, left - 1)))

const jsonDepth = 100

/** A JSON body; undefined for an empty one. Refuses with 400 what is none, and a very deep one. */
export const decodeJson = (text: string): unknown => {
  if (text === '') return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalid('message body does not match declared format')
  }
  if (!within(value, jsonDepth)) throw invalid('message body is nested too deeply')
  return value
}

/** A query string or form body. */
export const decodeForm = (text: string): NestedParams => {
  checkPairs(text)
  return nest(new URLSearchParams(text))
}
