/** Reads the shapes of responses: their fields, and those that contain credentials. */
import { type Fields, isObject } from '../base/objects.js'
import type { Endpoint } from './endpoint.js'

/** Returns the schemas of an object's fields by name; undefined if the shape does not list them. */
export const getProperties = (schema: unknown): Fields | undefined =>
  isObject(schema) && isObject(schema.properties) ? schema.properties : undefined

/** The fields by which people recognize a record, the best first. */
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

/** True for the schema of a plain value, rather than of a list, an object or an unknown value. */
const isPlain = (schema: unknown): boolean => {
  if (!isObject(schema)) return false
  if (Array.isArray(schema.anyOf)) return schema.anyOf.every(isPlain)
  return typeof schema.type === 'string' && !['array', 'object'].includes(schema.type)
}

/** Returns the names of the fields of an endpoint's records that have a plain value, except URLs. */
export const getPlainFields = ({ returns }: Pick<Endpoint, 'returns'>): readonly string[] =>
  Object.entries(getProperties(returns.shape) ?? {}).flatMap(([name, schema]) =>
    isPlain(schema) && !/_url$|^_links$/.test(name) ? [name] : [],
  )

// Fields that contain credentials, according to shapes (`x-secret`) and secret parameters.

/** True if a schema is that of a credential, or permits one as an alternative. */
const isSecret = (schema: unknown): boolean =>
  isObject(schema) &&
  (schema['x-secret'] === true || (Array.isArray(schema.anyOf) && schema.anyOf.some(isSecret)))

const collectSecrets = (schema: unknown, names: Set<string>, seen: Set<unknown>): void => {
  if (typeof schema !== 'object' || schema === null || seen.has(schema)) return
  seen.add(schema)
  for (const [name, value] of Object.entries(getProperties(schema) ?? {}))
    if (isSecret(value)) names.add(name)
  for (const inner of Object.values(schema)) collectSecrets(inner, names, seen)
}

const collectSecretNames = ({
  returns,
  params,
}: Pick<Endpoint, 'returns' | 'params'>): ReadonlySet<string> => {
  const names = new Set<string>()
  collectSecrets(returns.shape, names, new Set())
  for (const [name, param] of Object.entries(params)) if (param.secret === true) names.add(name)
  return names
}

const none: ReadonlySet<string> = new Set()
const known = new WeakMap<object, ReadonlySet<string>>()

/** Returns the names of the fields in an endpoint's response that are always masked. */
export const getSecretFields = (
  endpoint?: Pick<Endpoint, 'returns' | 'params'>,
): ReadonlySet<string> => {
  if (endpoint === undefined) return none
  const names = known.get(endpoint) ?? collectSecretNames(endpoint)
  known.set(endpoint, names)
  return names
}
