/** Checks what was sent against the parameters of the catalogue, for the server and for areas, in the service's own words. */
import { coerce, wireSource } from '../catalogue/coerce.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import { isSwitch, type Param, type Params, takesJson } from '../catalogue/params.js'
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

// Which page of a list.

/** A page of a list. */
export interface Position {
  readonly page: number
  readonly perPage: number
}

const whole = (name: string, value: unknown, fallback: number): number => {
  if (value === undefined || value === '') return fallback
  const text = typeof value === 'object' ? '' : String(value)
  if (!/^-?\d+$/.test(text)) throw invalid(`${name} is invalid`)
  const number = Number(text)
  if (number < 1 || !Number.isSafeInteger(number))
    throw invalid(`${name} does not have a valid value`)
  return number
}

/** `page` (default 1) and `per_page` (default 20, at most 100) of a request. */
export const parsePosition = (sent: Readonly<Record<string, unknown>>): Position => ({
  page: whole('page', sent.page, 1),
  perPage: Math.min(whole('per_page', sent.per_page, 20), 100),
})

// What a route beside the documents takes: nothing that it does not name.

export type AcceptedParams = Pick<Endpoint, 'path' | 'params' | 'exclusive'>

/** What every request may carry beside its own parameters. */
export const everywhere: readonly string[] = [
  'page',
  'per_page',
  'sudo',
  'private_token',
  'access_token',
  'job_token',
]

/**
 * The input of such a route. A parameter that it does not know is refused with 400: an answer that
 * silently left a filter out would be taken for the filtered one.
 */
export const acceptedInput = (
  accepts: AcceptedParams,
  path: Readonly<Record<string, string>>,
  sent: Readonly<Record<string, unknown>>,
): Record<string, unknown> => {
  const known: Params = accepts.params
  const unknown = Object.keys(sent).find(
    (name) => !Object.hasOwn(known, name) && !everywhere.includes(name),
  )
  if (unknown !== undefined) throw invalid(`${unknown} is not supported by this list`)
  return checkInput(accepts, path, sent)
}
