/** Checks and converts what was sent by the parameters of the catalogue, and says what is wrong in the service's own words. */
import { coerce, wireSource } from '../catalogue/coerce.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import { isSwitch, type Param, takesJson } from '../catalogue/params.js'
import { invalid, missing } from './reply.js'

/** What is well formed and yet not taken; of all else the service says no more than that it is invalid. */
const unlisted: readonly string[] = ['unknown value', 'out of range', 'too many values']

/** One value as its parameter takes it. Refuses with 400, naming it. */
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

/** A null that a parameter does not know, and an empty boolean, say nothing. */
const silent = (param: Param, value: unknown): boolean =>
  value === undefined ||
  (value === null && param.nullable !== true && !takesJson(param)) ||
  (value === '' && isSwitch(param))

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0

/**
 * The input of an endpoint from what was sent: placeholders of the path first, then parameters. Where
 * nothing was sent the default of the documents stands, but for an endpoint that changes what it is given
 * only: there it is what a new object gets. Refuses with 400 and the API's own words.
 */
export const checkInput = (
  endpoint: Pick<Endpoint, 'path' | 'params' | 'exclusive' | 'changes'>,
  path: Readonly<Record<string, unknown>>,
  sent: Readonly<Record<string, unknown>>,
): Record<string, unknown> => {
  const input: Record<string, unknown> = {}
  const take = (name: string, param: Param, value: unknown): void => {
    if (!silent(param, value)) input[name] = convert(name, param, value)
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
