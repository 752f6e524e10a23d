/** Implements the requests of `svcctl api`: fills the path, and sends one request for each object, project or group. */

import { hasDots } from '../base/base-url.js'
import { isObject } from '../base/objects.js'
import { maskAddresses } from '../base/secrets/mask.js'
import { type Endpoint, getMethod, getPath, one } from '../catalogue/endpoint.js'
import { loadAllEndpoints } from '../catalogue/index.js'
import { string } from '../catalogue/params.js'
import { Unknown } from '../catalogue/shapes/common.js'
import type { People } from '../catalogue/views.js'
import type { Context, WorkspaceService } from '../engine/command/context.js'
import type { Given, Plan, PlanSource, WriteOptions } from '../engine/command/types.js'
import { getShardNumber, parseShard } from '../engine/journaling/shards.js'
import { type Objects, plainObjects } from '../engine/plan/objects.js'
import { readPipedStream } from '../engine/plan/stdin/reader.js'
import type { PlacedObject } from '../engine/plan/stdin/rows.js'
import type { Rows } from '../engine/rows.js'
import { placeFailure, usage } from '../errors.js'
import type { WireRequest } from '../http/types.js'

const kinds = ['project', 'group'] as const
type Kind = (typeof kinds)[number]

/** The hints on how to give the project or group of a call. */
const scopeHints: Readonly<Record<Kind, string>> = {
  project:
    'Pass --project (-P), --group (-G) or --all-projects, set SVC_PROJECT, or run the command inside a clone of the project.',
  group: 'Pass --group (-G) or --all-groups, or set SVC_GROUP.',
}

/**
 * Replaces `{project}` and `{group}` in the path by the given or the default project and group.
 * @throws Failure `usage` if there is neither
 */
export const fillApiPath = async (
  place: WorkspaceService,
  { flags }: Pick<Given, 'flags'>,
  request: WireRequest,
): Promise<WireRequest> => {
  let { path } = request
  for (const kind of kinds) {
    if (!path.includes(`{${kind}}`)) continue
    const value = flags[kind] ?? (await place.findScope(kind))
    if (value === undefined)
      throw usage(`the path contains {${kind}}, but no ${kind} is given`, scopeHints[kind])
    const text = String(value)
    if (text === '' || hasDots(text)) throw usage(`"${text}" cannot replace {${kind}}`)
    path = path.replaceAll(`{${kind}}`, encodeURIComponent(text).replaceAll('.', '%2E'))
  }
  return { ...request, path }
}

// The objects that standard input names for `svcctl api <method> <path with {}> -`.

/** Accepts any object. Records are identified by their field `object` (in an answer about several objects) or `id`. */
const anyObjects: Objects = { ...plainObjects, names: ['object', 'id'] }
/** Ignores all other columns of a table, whatever they are named, and the project or group of a record. */
const anyColumns = {
  tap: { sheet: true, take: () => {}, takeBare: () => {} },
  checkParent: () => {},
} as const

/**
 * Reads the objects that standard input names, in order. Each chunk is parsed completely before its objects are
 * yielded.
 * @throws Failure `usage` for input that names no objects
 */
export async function* readPipedObjects(
  chunks: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<readonly PlacedObject[]> {
  let any = false
  for await (const some of readPipedStream(chunks, anyObjects, anyColumns)) {
    any = true
    yield some
  }
  if (!any) throw usage('standard input contains no objects')
}

/** The text that each object replaces. */
const placeholder = '{}'
/** The placeholder as it is encoded in a query that was made of values. */
const encodedPlaceholder = '%7B%7D'

/** True if a request contains `{}`, where each object is inserted. */
export const hasPlaceholder = ({ path }: Pick<WireRequest, 'path'>): boolean =>
  path.includes(placeholder) || path.includes(encodedPlaceholder)

/**
 * Inserts an object into a request, percent-encoded, in the path and in the query.
 * @throws Failure `usage` for an object that a path cannot contain
 */
export const insertObject = (request: WireRequest, object: string): WireRequest => {
  if (hasDots(object) || object === '') throw usage(`"${object}" cannot be used in a path`)
  const text = encodeURIComponent(object)
  return {
    ...request,
    path: request.path.replaceAll(placeholder, text).replaceAll(encodedPlaceholder, text),
  }
}

/** Replaces the variable parts of a path by `:`, so that a path can be compared with a documented route. */
const toComparablePath = (path: string): string =>
  path
    .replace(/[?#].*/s, '')
    .split('/')
    .map((part) => (/^[:*]|%|\{\w*\}|^\d+$/.test(part) ? ':' : part))
    .join('/')

/** Finds the documented endpoint of a request. Its columns are used for the answers. */
const findDocumentedEndpoint = async ({
  method,
  path,
}: WireRequest): Promise<Endpoint | undefined> =>
  (await loadAllEndpoints()).find(
    (endpoint) =>
      getMethod(endpoint) === method &&
      toComparablePath(getPath(endpoint)) === toComparablePath(path),
  )

const object = string('object')
/** The object parameter of a path whose object is a secret. Journals do not name it. */
const secretObject = string('object', { secret: true })

const countPlaceholders = (path: string): number => path.split(/\{\}|%7B%7D/).length - 1

/** True if the object is inserted into a query parameter that holds a secret. */
const isSecretPlaceholder = ({ path }: WireRequest): boolean =>
  countPlaceholders(maskAddresses(path)) < countPlaceholders(path)

/** True if an answer of this endpoint is one record or empty, so that its documented columns apply. */
const hasSingleRecord = (known: Endpoint | undefined): known is Endpoint =>
  known !== undefined && ['one', 'empty'].includes(known.returns.kind)

/** The column of an answer whose fields are not known. */
const answerColumn = 'answer'

/** Converts answers to two columns: the object, and its answer as JSON. */
const toObjectRows = (records: readonly unknown[]): readonly unknown[] =>
  records.filter(isObject).map(({ object, ...answer }) => ({
    object,
    [answerColumn]: JSON.stringify('value' in answer ? answer.value : answer),
  }))

/** Converts answers about projects or groups to one column of JSON. The project or group is shown above it. */
const toAnswerRows = (records: readonly unknown[]): readonly unknown[] =>
  records.map((record) => ({ [answerColumn]: JSON.stringify(record) }))

/** Creates the view for answers whose fields are not documented. */
const createView = (
  { columns }: Endpoint,
  rows: NonNullable<People['rows']>,
): Pick<WriteOptions, 'view'> =>
  columns?.includes(answerColumn) === true ? { view: { people: { rows, sheets: true } } } : {}

/** Describes what a call of this method destroys. */
const describeLoss = ({ method }: WireRequest): Pick<WriteOptions, 'loses' | 'done'> =>
  method === 'DELETE'
    ? {
        loses: {
          what: 'The object is deleted.',
          describePlan: ({ request }) => maskAddresses(request?.path ?? ''),
        },
        done: 'deleted',
      }
    : {}

/** The path parameters of the template: an object, or a project or group. */
type PathParameters = Pick<Endpoint, 'path' | 'args'>

const createObjectParameter = (request: WireRequest): PathParameters => ({
  path: { object: isSecretPlaceholder(request) ? secretObject : object },
  args: ['object'],
})

/** Creates the endpoint of the template, with the documented answer and columns if they are known. */
const createEndpoint = async (request: WireRequest, places: PathParameters): Promise<Endpoint> => {
  const known = await findDocumentedEndpoint(request)
  const { credential, safe } = known ?? {}
  const { returns, columns } = hasSingleRecord(known)
    ? known
    : { returns: one(Unknown()), columns: [answerColumn] }
  const { method, path } = request
  const named = path.replace(/[?#].*/s, '').replaceAll(placeholder, ':object')
  const route = `${method} ${named.replace(/\{(project|group)\}/g, ':$1')}`
  return {
    // The method was checked where the path was read.
    route: route as Endpoint['route'],
    returns,
    summary: route,
    command: '',
    params: {},
    ...places,
    columns,
    credential,
    safe,
  }
}

/** Creates the function that returns true if an object is in the shard that `--shard` names. */
const createShardFilter = async ({
  env,
  globals: { shard },
}: WorkspaceService): Promise<(object: string) => boolean> => {
  if (shard === undefined) return () => true
  const { part, of } = parseShard(shard, env)
  return (object) => getShardNumber('', { object }, of) === part
}

/** Fails if a path cannot contain the object. @throws Failure `usage`, with the place of the object in the input */
const checkObject = (template: WireRequest, { text, place }: PlacedObject): void => {
  try {
    insertObject(template, text)
  } catch (error) {
    throw placeFailure(error, place)
  }
}

/**
 * Yields the objects of the shard. A chunk with an object that a path cannot contain is rejected before any of its
 * objects is yielded.
 */
async function* readObjects(
  place: WorkspaceService,
  template: WireRequest,
): AsyncGenerator<{ readonly object: string; readonly place: string }> {
  const isInShard = await createShardFilter(place)
  for await (const some of readPipedObjects(place.stdin.readChunks())) {
    for (const one of some) checkObject(template, one)
    for (const { text, place: at } of some) if (isInShard(text)) yield { object: text, place: at }
  }
}

/**
 * Sends one request for each object of standard input.
 * @param template the request, with `{}` in place of the object
 */
export async function* callForEachObject(context: Context, template: WireRequest): Rows {
  const { place } = context
  const endpoint = await createEndpoint(template, createObjectParameter(template))
  const source: PlanSource = {
    objects: readObjects(place, template),
    whole: place.globals.resume === undefined && (await place.stdin.endsSoon()),
    planOf: async ({ object }) => ({
      endpoint,
      values: { object },
      label: object,
      request: insertObject(template, object),
    }),
  }
  yield* context.write(source, {
    ...createView(endpoint, toObjectRows),
    ...describeLoss(template),
  })
}

/**
 * Sends one request for each project or group.
 * @param template the request, with `{project}` or `{group}`
 */
export async function* callForEachParent(
  context: Context,
  asked: Given,
  template: WireRequest,
): Rows {
  const { path } = template
  const kinds = (['project', 'group'] as const).filter((kind) => path.includes(`{${kind}}`))
  const places = Object.fromEntries(kinds.map((kind) => [kind, { type: kind, help: kind }]))
  const endpoint = await createEndpoint(template, { path: places })
  const createPlans = async (given: Given): Promise<readonly Plan[]> => {
    const values = Object.fromEntries(kinds.map((kind) => [kind, given.flags[kind]]))
    const request = await fillApiPath(context.place, given, template)
    return [{ endpoint, values, request }]
  }
  yield* context.write(await context.planActions(asked, { createPlans }), {
    ...createView(endpoint, toAnswerRows),
    ...describeLoss(template),
  })
}
