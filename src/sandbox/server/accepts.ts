/** What a route beside the documents takes: nothing that it does not name. */
import type { Endpoint } from '../../catalogue/endpoint.js'
import type { Params } from '../../catalogue/params.js'
import { string } from '../../catalogue/params.js'
import { checkInput } from '../check.js'
import { invalid } from '../reply.js'

export type Accepts = Pick<Endpoint, 'path' | 'params' | 'exclusive'>

/** What every request may carry beside its own parameters. */
export const everywhere: readonly string[] = [
  'page',
  'per_page',
  'sudo',
  'private_token',
  'access_token',
  'job_token',
]

/** The parameter of lists that are searched by name. */
export const searchParameter = { search: string('only those whose name holds this text') } as const

/** Whether a text holds another, in any case; everything holds none. */
export const includesText = (text: string, part = ''): boolean =>
  text.toLowerCase().includes(part.toLowerCase())

/**
 * The input of such a route. A parameter that it does not know is refused with 400: an answer that
 * silently left a filter out would be taken for the filtered one.
 */
export const acceptedInput = (
  accepts: Accepts,
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
