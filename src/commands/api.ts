/** `svcctl api`: sends any request of the API, with the credential, paging and output of every other command. */

import { makeWellFormed } from '../base/bytes.js'
import { isJson } from '../base/json/scan.js'
import { maskAddresses } from '../base/secrets/mask.js'
import { isSecretHeader, masked } from '../base/secrets/names.js'
import { findNearest } from '../base/suggest.js'
import { type Endpoint, empty, getMethod, getPath, many } from '../catalogue/endpoint.js'
import { loadAllEndpoints } from '../catalogue/index.js'
import { boolean, list, string } from '../catalogue/params.js'
import { Unknown } from '../catalogue/shapes/common.js'
import type { Context, WorkspaceService } from '../engine/command/context.js'
import type { Globals } from '../engine/command/globals.js'
import { getAnswerFacts } from '../engine/command/outcomes.js'
import type { Suggestion } from '../engine/command/types.js'
import { createTextRow, type PlanAnswer, type Rows } from '../engine/rows.js'
import { type Failure, usage } from '../errors.js'
import type { WholeAnswer, WireRequest } from '../http/types.js'
import { createRequestTemplate, methods, moveMethodToArguments } from './api-line.js'
import {
  callForEachObject,
  callForEachParent,
  fillApiPath,
  hasPlaceholder,
} from './api-requests.js'
import { type Arguments, define } from './define.js'

// The endpoints of the documents for paths that were typed by hand.

/** True if each word of a route is the wanted one or near it: a placeholder accepts any word. */
const isNear = (parts: readonly string[], wanted: readonly string[]): boolean =>
  parts.every(
    (part, i) => /^[:*]/.test(part) || part === wanted[i] || findNearest(wanted[i] ?? '', [part]),
  )

/** Finds the catalogue's route that a mistyped path was meant to be: same shape, similar words; none for a right one. */
const findSimilarRoute = async (method: string, path: string): Promise<string | undefined> => {
  const wanted = (path.split('?')[0] ?? '').split('/')
  const routes = new Map<string, string>()
  for (const e of await loadAllEndpoints()) {
    const parts = getPath(e).split('/')
    if (parts.length !== wanted.length || getMethod(e) !== method) continue
    if (!isNear(parts, wanted)) continue
    const filled = parts.map((part, i) => (part.startsWith(':') ? (wanted[i] ?? '') : part))
    routes.set(filled.join('/'), e.route)
  }
  const wantedPath = wanted.join('/')
  if (routes.has(wantedPath)) return undefined
  return routes.get(findNearest(wantedPath, routes.keys()) ?? '')
}

/** Finds the documented endpoint that a request without placeholders reads. */
const findDocumentedRead = async ({ method, path }: WireRequest): Promise<Endpoint | undefined> => {
  if (method !== 'GET') return undefined
  const [plain] = path.split('?')
  return (await loadAllEndpoints()).find(
    (endpoint) => getMethod(endpoint) === method && getPath(endpoint) === plain,
  )
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
  method: string | undefined,
  current: string,
): Promise<readonly Suggestion[]> => {
  const typed = current.split('/').slice(0, -1)
  const found = new Map<string, string>()
  for (const endpoint of await loadAllEndpoints()) {
    if (getMethod(endpoint) !== method?.toUpperCase()) continue
    const path = completePath(getPath(endpoint), typed)
    if (path?.startsWith('/') === true && !found.has(path)) found.set(path, endpoint.summary)
  }
  return [...found].map(([value, text]) => ({ value, text }))
}

const flags = {
  header: {
    ...list('string', 'additional header, "Name: value"', { placeholder: 'header', whole: true }),
    short: 'H',
  },
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
  method: { ...string('method of the request', { placeholder: 'method' }), short: 'X' },
  'raw-field': {
    ...list('string', 'parameter as text: key=value (with -F, true, 5 and null are typed)', {
      placeholder: 'key=value',
      whole: true,
    }),
    short: 'f',
  },
  include: { ...boolean('print the status and the headers of the response first'), short: 'i' },
  silent: boolean('do not print the response'),
  paginate: boolean('follow pages; print one JSON array, or one record per line'),
} as const
type ApiGiven = Arguments<typeof flags>

const withRouteHint = async (error: Failure, request: WireRequest): Promise<Failure> => {
  // If only a record is missing, the route exists.
  if (error.status !== 404 || error.details.lacks === 'record') return error
  const route = await findSimilarRoute(request.method, request.path)
  return route === undefined ? error : error.with({ hint: `The documented endpoint is ${route}.` })
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

/** @throws Failure `usage` for what only a single response has */
const checkSingle = ({ flags: { include, silent } }: ApiGiven, isSingle: boolean): void => {
  if (isSingle || !(include === true || silent === true)) return
  throw usage(`${include === true ? '--include' : '--silent'} works for a single request`)
}

/** @throws Failure `usage` for the pages of a request that reads no list */
const checkMethod = ({ method }: WireRequest, { flags }: ApiGiven): void => {
  if (flags.paginate !== true || method === 'GET') return
  throw usage(
    `--paginate reads lists, and ${method} does not`,
    method === 'POST' ? 'With -X GET, the fields are sent in the address.' : undefined,
  )
}

/** @throws Failure `usage` for paging flags without pages */
const checkPaging = ({ limit, page, perPage }: Globals, { several }: ApiGiven): void => {
  // Over several projects or groups, --limit counts their responses.
  const flags = { limit: several === true ? undefined : limit, page, 'per-page': perPage }
  const given = Object.entries(flags).find(([, value]) => value !== undefined)
  if (given !== undefined)
    throw usage(`--${given[0]} works only with lists`, 'Add --paginate to read a list.')
}

async function* callApi(context: Context, asked: ApiGiven): Rows {
  const { place } = context
  const piped = asked.args.at(-1) === '-' && asked.args.length > 1
  const given = piped ? { ...asked, args: asked.args.slice(0, -1) } : asked
  const template = await createRequestTemplate(place, given)
  const { paginate } = given.flags
  checkMethod(template, given)
  const each = isForEach(given, piped, template)
  if (each && asked.several === true)
    throw usage(
      '- cannot be combined with several projects or groups',
      'Run the command once for each.',
    )
  checkSingle(given, paginate !== true && asked.several !== true && !each)
  if (paginate === true) return yield* followPages(context, given, template)
  checkPaging(place.globals, given)
  if (asked.several === true) return yield* callForEachParent(context, given, template)
  const request = await fillApiPath(place, given, template)
  yield* each ? callForEachObject(context, request) : sendOnce(context, request, given.flags)
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
const followPages = (context: Context, asked: ApiGiven, template: WireRequest): Rows => {
  const { place } = context
  return context.list(asked, {
    createPlans: async (given) => {
      const request = await withKeyset(await fillApiPath(place, given, template))
      const called = await findJobEndpoint(place, request)
      const endpoint = createCallEndpoint(request, many(Unknown()))
      return [{ endpoint, values: {}, request, called }]
    },
  })
}

/** The status and the headers of a response as text; what may be a secret is masked. */
const formatHead = ({ status, headers }: Pick<WholeAnswer, 'status' | 'headers'>): string => {
  const lines = Object.entries(headers).flatMap(([name, values = []]) =>
    [values]
      .flat()
      .map((value) => `${name}: ${isSecretHeader(name) ? masked : maskAddresses(value)}`),
  )
  return `${[`HTTP ${status}`, ...lines].join('\n')}\n\n`
}

/** True if the line asks for the data of the answer, and not for its text. */
const asksForData = ({ output, jq, fields }: WorkspaceService['globals']): boolean =>
  output !== undefined || jq !== undefined || fields !== undefined

/** Returns the answer to a single request. Its head and a body that is no JSON are added to `texts`, which are printed as they came. */
const toSingleAnswer = (
  whole: WholeAnswer,
  { include, silent }: ApiGiven['flags'],
  texts: (string | Uint8Array)[],
): PlanAnswer => {
  const { status, bytes } = whole
  const facts = getAnswerFacts(whole)
  if (include === true) texts.push(formatHead(whole))
  if (silent === true) return { ...facts, reported: true }
  if (status === 304) return { ...facts, unchanged: true }
  if (bytes.length > 0 && isJson(bytes)) return { ...facts, bytes: makeWellFormed(bytes) }
  if (bytes.length > 0) texts.push(bytes)
  return { ...facts, reported: true }
}

/** Sends one request; its answer is printed as it came. */
async function* sendOnce(context: Context, sent: WireRequest, flags: ApiGiven['flags']): Rows {
  const { ui, place } = context
  const request = asksForData(place.globals) ? sent : { ...sent, how: { anyType: true } }
  const { method, path } = request
  const deletes = method === 'DELETE'
  const called = await findJobEndpoint(place, request)
  const endpoint = createCallEndpoint(request, empty)
  const label = maskAddresses(path)
  const texts: (string | Uint8Array)[] = []
  const rows = context.write([{ endpoint, values: {}, label, request, called }], {
    view: { changed: !/^(GET|HEAD)$/.test(method) },
    ...(deletes ? { loses: { details: [label] } } : {}),
    finish: async (_, came) => {
      if ('failure' in came) throw await withRouteHint(came.failure, request)
      if (!('whole' in came)) return {}
      const { status, bytes } = came.whole
      const answer = toSingleAnswer(came.whole, flags, texts)
      if (answer.reported === true && bytes.length === 0 && flags.silent !== true)
        ui.note(`${maskAddresses(`${method} ${path}`)}: ${deletes ? 'deleted, ' : ''}${status}`)
      return answer
    },
  })
  for await (const row of rows) {
    yield* texts.splice(0).map(createTextRow)
    yield row
  }
  yield* texts.map(createTextRow)
}

export const api = define({
  description: [
    'The path is relative to /api/v4. A path that starts with /api/ can name another root (/api/graphql). svcctl replaces {project} and {group} with the values of -P and -G, or with the default project or group. DELETE asks for confirmation.',
    'To send a request for each of several projects or groups, use -P a,b, -P - (standard input) or --all-projects. With -G, {project} stands for each project of the group. Writes are recorded in a journal.',
    'With - as the last argument, svcctl reads objects from standard input and replaces {} in the path or in a query value with each one.',
  ],
  open: true,
  usualFormat: 'json',
  arrange: moveMethodToArguments,
  args: [
    {
      name: 'method',
      required: false,
      variadic: false,
      help: `${methods.join(', ')} [GET]`,
      values: async ({ current }) => [
        ...methods.map((value) => ({ value })),
        // A path alone is read.
        ...(await suggestPaths('GET', current)),
      ],
    },
    {
      name: 'path',
      required: false,
      variadic: false,
      help: 'path, with or without a leading slash',
      values: ({ before: [method], current }) => suggestPaths(method, current),
    },
    {
      name: 'objects',
      required: false,
      variadic: false,
      help: '- to read objects from standard input, each of which replaces {}',
    },
  ],
  flags,
  rows: callApi,
})
