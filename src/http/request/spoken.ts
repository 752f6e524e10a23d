/** An ask in the words of its instance: names of parameters and literal segments of the path, never values. */
import { type JsonValue, type JsonValues, jsonFields } from '../../base/json/value.js'
import { isObject } from '../../base/objects.js'
import { type Endpoint, methodOf, pathOf } from '../../catalogue/endpoint.js'
import type { Param, Params } from '../../catalogue/params.js'
import type { Words } from '../../catalogue/words.js'
import { usage } from '../../errors.js'
import type { Ask } from '../types.js'

/** The parameters below a parameter; undefined where any key goes. */
const inner = (param: Param | undefined): Params | undefined => {
  if (param?.type === 'hash') return param.keys
  return param?.type === 'json' ? param.items : undefined
}

const paramIn = (param: Param, words: Words): Param => {
  if (param.type === 'hash' && param.keys !== undefined)
    return { ...param, keys: paramsIn(param.keys, words) }
  if (param.type === 'json' && param.items !== undefined)
    return { ...param, items: paramsIn(param.items, words) }
  return param
}

const paramsIn = (params: Params, words: Words): Params =>
  Object.fromEntries(
    Object.entries(params).map(([name, param]) => [words.name(name), paramIn(param, words)]),
  )

/** Values of which none is missing. */
const defined = (values: JsonValues): Record<string, JsonValue> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

/** The keys of a value, where its parameter names them. */
const valueIn = (
  value: JsonValue | undefined,
  param: Param | undefined,
  words: Words,
): JsonValue | undefined => {
  const keys = inner(param)
  if (keys === undefined) return value
  if (Array.isArray(value))
    return value.map((item: JsonValue) => valueIn(item, param, words) ?? null)
  return isObject(value) ? defined(valuesIn(jsonFields(value), keys, words)) : value
}

/** Whatever keys a parameter takes are its user's, and not the API's. */
const isOpen = (param: Param | undefined): boolean =>
  param?.type === 'hash' && param.keys === undefined

/** A name with brackets, each level; behind a parameter of any keys they are left. */
const bracketed = (name: string, params: Params, words: Words): string => {
  const at = name.indexOf('[')
  if (at < 0) return words.name(name)
  const root = name.slice(0, at)
  const param = Object.hasOwn(params, root) ? params[root] : undefined
  return isOpen(param) ? words.name(root) + name.slice(at) : words.name(name)
}

const valuesIn = (values: JsonValues, params: Params, words: Words): JsonValues =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      bracketed(name, params, words),
      valueIn(value, Object.hasOwn(params, name) ? params[name] : undefined, words),
    ]),
  )

/** A family of integrations in the place of a slug: the instance's own, where it is one. */
const slugIn = (value: JsonValue | undefined, words: Words): JsonValue | undefined => {
  const own = typeof value === 'string' ? words.slugs(value) : []
  const [first, ...more] = own
  if (first === undefined || more.length === 0) return first ?? value
  throw usage(`${String(value)} has several slugs on this instance: ${own.join(', ')}`, 'Name one.')
}

/** What fills the path: only the slug of an integration is a word of the instance's. */
const placesIn = ({ endpoint: { path }, values }: Ask, words: Words): JsonValues =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([name]) => Object.hasOwn(path, name))
      .map(([name, value]) => [
        name,
        path[name]?.completes === 'integration' ? slugIn(value, words) : value,
      ]),
  )

const known = new WeakMap<Words, WeakMap<Endpoint, Endpoint>>()

const endpointIn = (endpoint: Endpoint, words: Words): Endpoint => {
  const made = known.get(words) ?? new WeakMap<Endpoint, Endpoint>()
  known.set(words, made)
  const before = made.get(endpoint)
  if (before !== undefined) return before
  const spoken: Endpoint = {
    ...endpoint,
    route: `${methodOf(endpoint)} ${words.path(pathOf(endpoint))}`,
    params: paramsIn(endpoint.params, words),
  }
  made.set(endpoint, spoken)
  return spoken
}

/**
 * The same ask in the words of its instance.
 * @throws Failure `usage` for a family that has several slugs there
 */
export const spoken = (ask: Ask, words: Words): Ask => {
  const { endpoint, values, extra, files } = ask
  const { params } = endpoint
  const others = Object.entries(values).filter(([name]) => !Object.hasOwn(endpoint.path, name))
  return {
    endpoint: endpointIn(endpoint, words),
    values: {
      ...valuesIn(Object.fromEntries(others), params, words),
      ...placesIn(ask, words),
    },
    extra: extra && valuesIn(extra, params, words),
    ...(files === undefined
      ? {}
      : {
          files: Object.fromEntries(
            Object.entries(files).map(([name, file]) => [words.name(name), file]),
          ),
        }),
  }
}
