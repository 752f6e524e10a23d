/** Names with brackets, in queries and forms: `a[]=1`, `not[labels]=x`, `actions[][action]=create`. */
import { invalid } from '../reply.js'

export type Nested = { [name: string]: unknown }

const shape = /^([^[\]]+)((?:\[[^[\]]*\])*)$/
const isObject = (value: unknown): value is Nested =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const bare = (): Nested => Object.create(null) as Nested

/** Whether a repeated `list[][key]` begins a new element: the last one has that key already. */
const taken = (element: Nested, keys: readonly string[]): boolean => {
  let at: unknown = element
  for (const key of keys) {
    if (key === '') return false
    if (!isObject(at) || !(key in at)) return false
    at = at[key]
  }
  return true
}

const element = (list: unknown[], keys: readonly string[]): Nested => {
  const last = list.at(-1)
  if (isObject(last) && !taken(last, keys)) return last
  const fresh = bare()
  list.push(fresh)
  return fresh
}

const put = (into: Nested, key: string, rest: readonly string[], value: unknown, name: string) => {
  const [next, ...more] = rest
  if (next === undefined) {
    into[key] = value
    return
  }
  into[key] ??= next === '' ? [] : bare()
  const held = into[key]
  if (next !== '') {
    if (!isObject(held)) throw invalid(`${name} is invalid`)
    put(held, next, more, value, name)
    return
  }
  if (!Array.isArray(held)) throw invalid(`${name} is invalid`)
  const [first, ...deeper] = more
  if (first === undefined) held.push(value)
  else put(element(held, more), first, deeper, value, name)
}

/** Pairs as they were sent, gathered into lists and hashes; of plain repetitions the last counts. */
export const nest = (pairs: Iterable<readonly [string, unknown]>): Nested => {
  const result = bare()
  for (const [name, value] of pairs) {
    const match = shape.exec(name)
    const root = match?.[1]
    if (root === undefined) {
      result[name] = value
      continue
    }
    const keys = [...(match?.[2] ?? '').matchAll(/\[([^[\]]*)\]/g)].map(([, key]) => key ?? '')
    put(result, root, keys, value, root)
  }
  return result
}

/** A query string or form body. */
export const decodeForm = (text: string): Nested => nest(new URLSearchParams(text))
