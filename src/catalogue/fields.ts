/** The fields of a shape, a JSON Schema, as the API's records have them; and which of them are declared to hold credentials. */
import { type Fields, isObject } from '../base/objects.js'
import type { Endpoint } from './endpoint.js'

/** The schemas of an object's fields by name; undefined where the shape does not list them. */
export const getProperties = (schema: unknown): Fields | undefined =>
  isObject(schema) && isObject(schema.properties) ? schema.properties : undefined

/** The fields by which people know a record, the best first. */
export const titleFields: readonly string[] = [
  'title',
  'name',
  'path_with_namespace',
  'username',
  'description',
  'message',
  'domain',
  'ref',
]

/** Returns true for a schema of one value: no list and no object, and nothing that is followed elsewhere. */
const isPlain = (schema: unknown): boolean => {
  if (!isObject(schema)) return false
  if (Array.isArray(schema.anyOf)) return schema.anyOf.every(isPlain)
  return typeof schema.type === 'string' && !['array', 'object'].includes(schema.type)
}

/** The fields of an endpoint's records that hold one value each, addresses left out. */
export const getPlainFields = ({ returns }: Pick<Endpoint, 'returns'>): readonly string[] =>
  Object.entries(getProperties(returns.shape) ?? {}).flatMap(([name, schema]) =>
    isPlain(schema) && !/_url$|^_links$/.test(name) ? [name] : [],
  )

// Fields that hold credentials: by shapes (`x-secret`) and secret parameters.

/** True if a field's schema is a credential's, or allows one (`nullable`). */
const isSecret = (schema: unknown): boolean =>
  isObject(schema) &&
  (schema['x-secret'] === true || (Array.isArray(schema.anyOf) && schema.anyOf.some(isSecret)))

const walk = (schema: unknown, names: Set<string>, seen: Set<unknown>): void => {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return
  seen.add(schema)
  for (const [name, value] of Object.entries(getProperties(schema) ?? {}))
    if (isSecret(value)) names.add(name)
  for (const inner of Object.values(schema)) walk(inner, names, seen)
}

const collectSecretNames = ({
  returns,
  params,
}: Pick<Endpoint, 'returns' | 'params'>): ReadonlySet<string> => {
  const names = new Set<string>()
  walk(returns.shape, names, new Set())
  for (const [name, param] of Object.entries(params)) if (param.secret === true) names.add(name)
  return names
}

const none: ReadonlySet<string> = new Set()
const known = new WeakMap<object, ReadonlySet<string>>()

/** Returns the names of fields that are masked in an endpoint's answer, whatever they hold. */
export const getSecretFields = (
  endpoint?: Pick<Endpoint, 'returns' | 'params'>,
): ReadonlySet<string> => {
  if (endpoint === undefined) return none
  const names = known.get(endpoint) ?? collectSecretNames(endpoint)
  known.set(endpoint, names)
  return names
}
