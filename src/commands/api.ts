/** `svcctl api`: sends any request of the API, with the credential, paging and output of every other command. */

import { hasDots } from '../base/base-url.js'
import type { JsonValues } from '../base/objects.js'
import { maskAddresses } from '../base/secrets/mask.js'
import { isVariablePath } from '../base/secrets/names.js'
import { findNearest } from '../base/suggest.js'
import { type Endpoint, empty, getMethod, getPath, many } from '../catalogue/endpoint.js'
import { areas } from '../catalogue/index.js'
import { boolean, list } from '../catalogue/params.js'
import { Unknown } from '../catalogue/shapes/common.js'
import { getAnswerFacts } from '../engine/command/running.js'
import type { Services, WorkspaceService } from '../engine/command/services.js'
import type { Given, Suggestion } from '../engine/command/types.js'
import type { Rows } from '../engine/rows.js'
import { Failure, usage } from '../errors.js'
import type { WireRequest } from '../http/types.js'
import {
  callForEachObject,
  callForEachParent,
  fillApiPath,
  hasPlaceholder,
} from './api-requests.js'
import { type Arguments, define } from './define.js'

// The request that `svcctl api` is asked for.

/** A line, with the flags that make its request. */
type Body = Pick<Given, 'args' | 'extra' | 'input'> & {
  readonly flags: { readonly header?: readonly string[] }
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Returns the error for a third argument. It could hold a secret and is not repeated. */
const createArgumentFailure = (text: string): Failure =>
  text.includes('=')
    ? usage(
        'api takes parameters by --param, not as arguments',
        'Write --param key=value for each, or --input <file> for a whole body.',
      )
    : usage(
        'the argument after the path can only be -',
        'Use - to read objects from standard input.',
      )

/** Parses method and path; a path alone is read. A word is a method only where a path follows. */
const parseTarget = ([first, second, third]: readonly string[]): {
  method: string
  target: string
} => {
  if (third !== undefined) throw createArgumentFailure(third)
  if (first === undefined)
    throw usage('api requires a path', 'For example: svcctl api GET /runners')
  if (second === undefined) return { method: 'GET', target: first }
  const method = first.toUpperCase()
  if (!methods.includes(method))
    throw usage(`the method must be one of ${methods.join(', ')}, not "${first}"`)
  return { method, target: second }
}

/** Names that the program itself sets. */
const reservedHeaders = /^(authorization|private-token|job-token|cookie|sudo|host|content-length)$/i

const parseHeaders = (lines: readonly string[]): Record<string, string> => {
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const at = line.indexOf(':')
    const name = line.slice(0, at).trim()
    if (at < 1 || !/^[A-Za-z0-9-]+$/.test(name))
      throw usage(`--header must have the form "Name: value", not "${line}"`)
    if (reservedHeaders.test(name))
      throw usage(
        `--header cannot set ${name}`,
        'Set the credential with a profile or SVC_TOKEN, and the user with --sudo.',
      )
    headers[name.toLowerCase()] = line.slice(at + 1).trim()
  }
  return headers
}

const parseValue = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(parseValue)
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

const formatQuery = (values: JsonValues): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values))
    for (const item of Array.isArray(value) ? value : [value])
      query.append(Array.isArray(value) && !name.endsWith('[]') ? `${name}[]` : name, String(item))
  return query.toString()
}

const formatBody = ({ input, extra }: Body): string | undefined => {
  const attributes = {
    ...input,
    ...Object.fromEntries(Object.entries(extra).map(([k, v]) => [k, parseValue(v)])),
  }
  return Object.keys(attributes).length > 0 ? JSON.stringify(attributes) : undefined
}

/** Encodes every byte of a text by a percent sign. */
const encodePercent = (text: string): string =>
  [...Buffer.from(text)].map((b) => `%${b.toString(16).toUpperCase().padStart(2, '0')}`).join('')

const checkPath = (path: string): string => {
  const [plain = ''] = path.split(/[?#]/)
  if (hasDots(plain)) throw usage('"." and ".." cannot be used in a path')
  const stray = /[^\x21-\x7e]|#/.exec(path)?.[0]
  if (stray === undefined) return path
  throw usage(
    `${stray === ' ' ? 'a blank' : JSON.stringify(stray)} cannot be used in a path`,
    `Write it as ${stray === '#' ? '%23' : encodePercent(stray)}.`,
  )
}

/** Resolves a path: below `/api/v4`, or below another root of the instance such as `/api/graphql`. */
const resolveAddress = async (
  place: WorkspaceService,
  path: string,
  query: string,
): Promise<Pick<WireRequest, 'path' | 'absolute'>> => {
  const root = path.startsWith('/api/') && !path.startsWith('/api/v4/')
  const below = path.startsWith('/api/v4/') ? path.slice('/api/v4'.length) : path
  const whole = query === '' ? below : `${below}${below.includes('?') ? '&' : '?'}${query}`
  return root
    ? { path: `${(await place.session()).baseUrl}${whole}`, absolute: true }
    : { path: whole }
}

/**
 * Adds the leading slash to a typed path and checks it.
 * @throws Failure `usage` for characters and segments that a path cannot contain
 */
const normalizePath = (target: string): string => checkPath(target.replace(/^(?!\/)/, '/'))

/** Creates the request of a line, its places for project and group still open. @throws Failure `usage` naming what cannot be sent */
const createRequestTemplate = async (
  place: WorkspaceService,
  given: Body,
): Promise<WireRequest> => {
  const { method, target } = parseTarget(given.args)
  if (/^[a-z]+:\/\//i.test(target))
    throw usage(
      'api requires a path on the instance, not a URL',
      'Choose the instance with --base-url.',
    )
  const path = normalizePath(target)
  const reads = method === 'GET' || method === 'HEAD' || method === 'DELETE'
  const headers = parseHeaders(given.flags.header ?? [])
  const body = reads ? undefined : formatBody(given)
  return {
    method,
    ...(await resolveAddress(
      place,
      path,
      reads ? formatQuery({ ...given.input, ...given.extra }) : '',
    )),
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    body,
    ...(isVariablePath(path) ? { secrets: new Set(['value']) } : {}),
  }
}

// What the documents have for paths that were typed by hand.

/** True if each word of a route is the wanted one or near it: a placeholder accepts any word. */
const isNear = (parts: readonly string[], wanted: readonly string[]): boolean =>
  parts.every(
    (part, i) => /^[:*]/.test(part) || part === wanted[i] || findNearest(wanted[i] ?? '', [part]),
  )

/** Finds the catalogue's route that a mistyped path was meant to be: same shape, similar words; none for a right one. */
const findSimilarRoute = async (method: string, path: string): Promise<string | undefined> => {
  const wanted = (path.split('?')[0] ?? '').split('/')
  const routes = new Map<string, string>()
  for (const row of areas)
    for (const e of Object.values(await row.load())) {
      const parts = getPath(e).split('/')
      if (parts.length !== wanted.length || getMethod(e) !== method) continue
      if (!isNear(parts, wanted)) continue
      const filled = parts.map((part, i) => (part.startsWith(':') ? (wanted[i] ?? '') : part))
      routes.set(filled.join('/'), e.route)
    }
  const asked = wanted.join('/')
  if (routes.has(asked)) return undefined
  return routes.get(findNearest(asked, routes.keys()) ?? '')
}

/** Finds the documented endpoint that a request without placeholders reads. */
const findDocumentedRead = async ({ method, path }: WireRequest): Promise<Endpoint | undefined> => {
  if (method !== 'GET') return undefined
  const [plain] = path.split('?')
  for (const row of areas)
    for (const endpoint of Object.values(await row.load()))
      if (getMethod(endpoint) === method && getPath(endpoint) === plain) return endpoint
  return undefined
}

/** Completes a documented path with the typed words in its places, up to the first place still to be filled. */
const completePath = (path: string, typed: readonly string[]): string | undefined => {
  const parts = path.split('/')
  const fits = typed.every((word, i) => parts[i]?.startsWith(':') === true || parts[i] === word)
  if (!fits) return undefined
  return [...typed, ...parts.slice(typed.length)].join('/').replace(/[:*].*/s, '')
}

/** Suggests the catalogue's paths for a method, with what they do. */
const suggestPaths = async (
  [method]: readonly string[],
  current: string,
): Promise<readonly Suggestion[]> => {
  const typed = current.split('/').slice(0, -1)
  const found = new Map<string, string>()
  for (const row of areas)
    for (const endpoint of Object.values(await row.load())) {
      if (getMethod(endpoint) !== method?.toUpperCase()) continue
      const path = completePath(getPath(endpoint), typed)
      if (path?.startsWith('/') === true && !found.has(path)) found.set(path, endpoint.summary)
    }
  return [...found].map(([value, text]) => ({ value, text }))
}

const flags = {
  header: list('string', 'additional header, "Name: value"'),
  project: {
    type: 'project',
    help: 'project for {project}; with several projects, one request each',
    short: 'P',
  },
  group: {
    type: 'group',
    help: 'group for {group}; {project} stands for each of its projects',
    short: 'G',
  },
  paginate: boolean('follow pages; print one JSON array, or one record per line'),
} as const
type ApiGiven = Arguments<typeof flags>

const withRouteHint = async (error: Failure, request: WireRequest): Promise<Failure> => {
  // Where a record is missing there is the route.
  if (error.status !== 404 || error.details.lacks === 'record') return error
  const route = await findSimilarRoute(request.method, request.path)
  if (route === undefined) return error
  return new Failure(error.category, error.message, {
    ...error.details,
    hint: `The documented endpoint is ${route}.`,
  })
}

/** Finds the documented endpoint for a job token: only a few endpoints take one. */
const findJobEndpoint = async (
  { env }: WorkspaceService,
  request: WireRequest,
): Promise<Endpoint | undefined> =>
  env.SVC_JOB_TOKEN || env.CI_JOB_TOKEN ? findDocumentedRead(request) : undefined

/** Returns the request with the documented list's way to continue. */
const withKeyset = async (request: WireRequest): Promise<WireRequest> =>
  (await findDocumentedRead(request))?.keyset === true ? { ...request, keyset: true } : request

/** True if each object of standard input has a request of its own. */
const isForEach = (given: ApiGiven, piped: boolean, request: WireRequest): boolean => {
  if (piped && given.flags.paginate === true)
    throw usage('--paginate works for a single request, not for many objects')
  if (piped === hasPlaceholder(request)) return piped
  throw piped
    ? usage('- requires {} in the path, where svcctl inserts each object')
    : usage(
        'the path contains {}, but no objects are given',
        'Add - to read objects from standard input.',
      )
}

async function* callApi(services: Services, asked: ApiGiven): Rows {
  const { place } = services
  const piped = asked.args.at(-1) === '-' && asked.args.length > 1
  const given = piped ? { ...asked, args: asked.args.slice(0, -1) } : asked
  const template = await createRequestTemplate(place, given)
  const { paginate } = given.flags
  const each = isForEach(given, piped, template)
  if (each && asked.several === true)
    throw usage(
      '- cannot be combined with several projects or groups',
      'Run the command once for each.',
    )
  if (paginate === true) return yield* followPages(services, given, template)
  if (asked.several === true) return yield* callForEachParent(services, given, template)
  const request = await fillApiPath(place, given, template)
  yield* each ? callForEachObject(services, request) : sendOnce(services, request)
}

/** Creates the endpoint of a request of its own: nothing is known of its answer. */
const createCallEndpoint = (
  { method, path }: WireRequest,
  returns: Endpoint['returns'],
): Endpoint => ({
  // The method was checked where the path was read.
  route: `${method} ${path.replace(/[?#].*/s, '')}` as Endpoint['route'],
  returns,
  summary: '',
  command: '',
  path: {},
  params: {},
  unchanged: 'nothing changed: already in this state',
  ...(method === 'DELETE' ? { destructive: 'The object is deleted.' } : {}),
})

/** Follows the pages of a list, of each project or group. */
const followPages = (services: Services, asked: ApiGiven, template: WireRequest): Rows => {
  const { place } = services
  return services.list(asked, {
    plansFor: async (given) => {
      const request = await withKeyset(await fillApiPath(place, given, template))
      const called = await findJobEndpoint(place, request)
      const endpoint = createCallEndpoint(request, many(Unknown()))
      return [{ key: '', endpoint, values: {}, request, called }]
    },
  })
}

/** Sends one request; its answer is printed as it came. */
async function* sendOnce(services: Services, request: WireRequest): Rows {
  const { ui, place } = services
  const { method, path } = request
  const deletes = method === 'DELETE'
  const called = await findJobEndpoint(place, request)
  const endpoint = createCallEndpoint(request, empty)
  const label = maskAddresses(path)
  yield* services.write([{ key: '', endpoint, values: {}, label, request, called }], {
    view: { changed: !/^(GET|HEAD)$/.test(method) },
    ...(deletes ? { loses: { details: [label] } } : {}),
    finish: async (_, came) => {
      if ('failure' in came) throw await withRouteHint(came.failure, request)
      if (!('whole' in came)) return {}
      const { status, bytes } = came.whole
      const facts = getAnswerFacts(came.whole)
      if (status === 304) return { ...facts, unchanged: true }
      if (bytes.length > 0) return { ...facts, bytes }
      ui.note(`${maskAddresses(`${method} ${path}`)}: ${deletes ? 'deleted, ' : ''}${status}`)
      return { ...facts, reported: true }
    },
  })
}

export const api = define({
  summary: 'Send any API request with the profile’s credential',
  description: [
    'The path is relative to /api/v4. A path that starts with /api/ can name another root (/api/graphql). svcctl replaces {project} and {group} with the values of -P and -G, or with the default project or group. DELETE asks for confirmation.',
    'To send a request for each of several projects or groups, use -P a,b, -P - (standard input) or --all-projects. With -G, {project} stands for each project of the group. Writes are recorded in a journal.',
    'With - as the last argument, svcctl reads objects from standard input and replaces {} in the path or in a query value with each one.',
  ],
  open: true,
  args: [
    {
      name: 'method',
      required: false,
      variadic: false,
      help: `${methods.join(', ')} [GET]`,
      values: async (_before, current) => [
        ...methods.map((value) => ({ value })),
        // A path alone is read.
        ...(await suggestPaths(['GET'], current)),
      ],
    },
    {
      name: 'path',
      required: false,
      variadic: false,
      help: 'path, with or without a leading slash',
      values: suggestPaths,
    },
    {
      name: 'objects',
      required: false,
      variadic: false,
      help: '- to read objects from standard input, each of which replaces {}',
    },
  ],
  flags,
  examples: [
    'api GET /runners/all',
    'api projects -o json',
    'api get "projects/{project}/jobs" --paginate -o ndjson',
    'api "projects/{project}/members" -G platform --paginate',
    'runners list --instance --status offline | svcctl api "runners/{}" -',
  ],
  rows: callApi,
})
