/** The request that `svcctl api` is asked for. */
import type { JsonValues } from '../../base/json/value.js'
import { usage } from '../../errors.js'
import type { WireRequest } from '../../http/types.js'
import type { PlaceService } from '../services.js'
import type { Given } from '../types.js'
import { addressOf, pathIn } from './path.js'

/** A line, with the flags that make its request. */
type Mine = Pick<Given, 'args' | 'extra' | 'input'> & {
  readonly flags: { readonly header?: readonly string[] }
}

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Method and path; a path alone is read. A word is a method only where a path follows. */
const targetOf = ([first, second]: readonly string[]): { method: string; target: string } => {
  if (first === undefined) throw usage('api needs a path', 'For instance: svcctl api GET /runners')
  if (second === undefined) return { method: 'GET', target: first }
  const method = first.toUpperCase()
  if (!methods.includes(method))
    throw usage(`api takes one of ${methods.join(', ')}, not "${first}"`)
  return { method, target: second }
}

/** Names that the program itself sets. */
const ours = /^(authorization|private-token|job-token|cookie|sudo|host|content-length)$/i

const headersOf = (lines: readonly string[]): Record<string, string> => {
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const at = line.indexOf(':')
    const name = line.slice(0, at).trim()
    if (at < 1 || !/^[A-Za-z0-9-]+$/.test(name))
      throw usage(`--header takes "Name: value", not "${line}"`)
    if (ours.test(name))
      throw usage(
        `--header cannot set ${name}`,
        'Credentials come from the profile or SVC_TOKEN, the user from --sudo.',
      )
    headers[name.toLowerCase()] = line.slice(at + 1).trim()
  }
  return headers
}

const typed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(typed)
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

const queryOf = (values: JsonValues): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    for (const item of Array.isArray(value) ? value : [value])
      query.append(Array.isArray(value) && !name.endsWith('[]') ? `${name}[]` : name, String(item))
  return query.toString()
}

const bodyOf = ({ input, extra }: Mine): string | undefined => {
  const attributes = {
    ...input,
    ...Object.fromEntries(Object.entries(extra).map(([k, v]) => [k, typed(v)])),
  }
  return Object.keys(attributes).length > 0 ? JSON.stringify(attributes) : undefined
}

/** The request of a line, its places for project and group still open. @throws Failure `usage` naming what cannot be sent */
export const requestOf = async (place: PlaceService, given: Mine): Promise<WireRequest> => {
  const { method, target } = targetOf(given.args)
  if (/^[a-z]+:\/\//i.test(target))
    throw usage(
      'api takes a path of the instance, not an address',
      'Choose the instance with --base-url.',
    )
  const path = pathIn(target)
  const reads = method === 'GET' || method === 'HEAD' || method === 'DELETE'
  const headers = headersOf(given.flags.header ?? [])
  const body = reads ? undefined : bodyOf(given)
  return {
    method,
    ...(await addressOf(place, path, reads ? queryOf({ ...given.input, ...given.extra }) : '')),
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    body,
  }
}
