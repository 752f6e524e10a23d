/** Which fields of an answer hold credentials: the shapes say it (`x-secret`), and secret parameters. */
import type { Endpoint } from '../catalogue/endpoint.js'

/** Credentials that instances put into answers whatever their shape. */
const always = [
  'runners_token',
  'token',
  'password',
  'api_key',
  'secret_key',
  'webhook',
  'errsvc_dsn',
  'private_token',
  'access_token',
  'refresh_token',
]

const walk = (schema: unknown, names: Set<string>, seen: Set<unknown>): void => {
  if (schema === null || typeof schema !== 'object' || seen.has(schema)) return
  seen.add(schema)
  for (const [name, value] of Object.entries(schema)) {
    if (value !== null && typeof value === 'object') {
      if ('x-secret' in value && value['x-secret'] === true) names.add(name)
      walk(value, names, seen)
    }
  }
}

/** Field names that are masked in an endpoint's answer. */
export const secretsOf = (endpoint?: Pick<Endpoint, 'returns' | 'params'>): ReadonlySet<string> => {
  const names = new Set(always)
  if (endpoint === undefined) return names
  walk(endpoint.returns.shape, names, new Set())
  for (const [name, param] of Object.entries(endpoint.params))
    if (param.secret === true) names.add(name)
  return names
}
