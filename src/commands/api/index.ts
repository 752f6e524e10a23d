/** `svcctl api <METHOD> <path>`: any call, with the profile's credentials, paging and output. */
import type { JsonValues } from '../../base/json/value.js'
import { maskAddresses } from '../../base/secrets/addresses.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { boolean, list } from '../../catalogue/params.js'
import { Failure, usage } from '../../errors.js'
import type { WireRequest } from '../../http/types.js'
import { define, type GivenBy } from '../define.js'
import type { PlaceService, Services } from '../services.js'
import { documented, meant, pathsFor } from './documented.js'
import { every, hasPlace } from './every.js'
import { addressOf, pathIn } from './path.js'

const flags = {
  header: list('string', 'a further header, "Name: value"'),
  paginate: boolean('follow the pages; one JSON array, or a record a line'),
} as const
type Mine = GivenBy<typeof flags>

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

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

const requestOf = async (place: PlaceService, given: Mine): Promise<WireRequest> => {
  const { method, target } = targetOf(given.args)
  if (/^[a-z]+:\/\//i.test(target))
    throw usage(
      'api takes a path of the instance, not an address',
      'Choose the instance with --base-url.',
    )
  const path = await pathIn(place, target)
  const reads = method === 'GET' || method === 'HEAD' || method === 'DELETE'
  const headers = headersOf(given.flags.header ?? [])
  const body = reads ? undefined : bodyOf(given)
  return {
    method,
    ...(await addressOf(place, path, reads ? queryOf({ ...given.input, ...given.extra }) : '')),
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body }),
  }
}

const suggested = async (error: unknown, request: WireRequest): Promise<unknown> => {
  if (!(error instanceof Failure) || error.category !== 'not_found') return error
  const route = await meant(request.method, request.path)
  if (route === undefined) return error
  return new Failure(error.category, error.message, {
    ...error.details,
    hint: `The documents have ${route}.`,
  })
}

/** The documented endpoint, where a job token is at hand: the few that take one are reached by it. */
const jobEndpoint = async (
  { env }: PlaceService,
  request: WireRequest,
): Promise<Endpoint | undefined> =>
  env.SVC_JOB_TOKEN || env.CI_JOB_TOKEN ? documented(request) : undefined

/** A list goes on as the documented one does. */
const paginated = async (request: WireRequest): Promise<WireRequest> =>
  (await documented(request))?.keyset === true ? { ...request, keyset: true } : request

/** Whether each object of standard input has a request of its own. */
const isForEach = (given: Mine, piped: boolean, request: WireRequest): boolean => {
  if (piped && given.flags.paginate === true)
    throw usage('--paginate follows the pages of one request, not of those for many objects')
  if (piped === hasPlace(request)) return piped
  throw piped
    ? usage('- needs {} in the path: it says where an object goes')
    : usage('{} stands in the path, and no objects are given', 'Give - to read them.')
}

const run = async (services: Services, asked: Mine): Promise<void> => {
  const piped = asked.args.at(-1) === '-' && asked.args.length > 1
  const given = piped ? { ...asked, args: asked.args.slice(0, -1) } : asked
  const request = await requestOf(services.place, given)
  if (isForEach(given, piped, request)) await every(services, request)
  else await call(services, given, request)
}

const call = async (
  { answer, instance, person, place }: Services,
  given: Mine,
  request: WireRequest,
): Promise<void> => {
  const deletes = request.method === 'DELETE'
  const endpoint = await jobEndpoint(place, request)
  try {
    const list = given.flags.paginate === true
    const whole = await instance.raw(list ? await paginated(request) : request, {
      list,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(deletes
        ? { loses: { what: 'What is there is lost.', details: [maskAddresses(request.path)] } }
        : {}),
    })
    if (whole === undefined) return
    if (whole.status === 304) return person.note('nothing changed: it was already so')
    const { bytes } = whole
    const changed = !/^(GET|HEAD)$/.test(request.method)
    if (bytes.length > 0) return await answer.printAnswer({ bytes }, { changed })
    person.note(
      `${maskAddresses(`${request.method} ${request.path}`)}: ${deletes ? 'deleted, ' : ''}${whole.status}`,
    )
  } catch (error) {
    throw await suggested(error, request)
  }
}

export const api = define({
  summary: 'Make any call with the credentials of the profile',
  description: [
    'The path is below /api/v4; one that starts with /api/ may name another root of the instance (/api/graphql). {project} and {group} stand for those at hand. DELETE is confirmed.',
    'With - as the last word {} in the path, or in a value of the query, stands for each object that standard input names.',
  ],
  open: true,
  args: [
    {
      name: 'method',
      required: false,
      variadic: false,
      help: `${methods.join(', ')}; GET where only a path is given`,
      values: async (_before, current) => [
        ...methods.map((value) => ({ value })),
        // A path alone is read.
        ...(await pathsFor(['GET'], current)),
      ],
    },
    {
      name: 'path',
      required: false,
      variadic: false,
      help: 'path, with or without the leading slash',
      values: pathsFor,
    },
    {
      name: 'objects',
      required: false,
      variadic: false,
      help: '-: those of standard input, each in the place of {}',
    },
  ],
  flags,
  examples: [
    'api GET /runners/all',
    'api projects -o json',
    'api get "projects/{project}/jobs" --paginate -o ndjson',
    'runners list --instance --status offline | svcctl api "runners/{}" -',
  ],
  run,
})
