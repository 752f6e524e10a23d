/** Builds the requests of `svcctl api`: the path, and one request for each of several objects or projects. */

import { hasDots } from '../base/base-url.js'
import { isObject } from '../base/objects.js'
import { maskAddresses } from '../base/secrets/mask.js'
import { type Endpoint, getMethod, getPath, one } from '../catalogue/endpoint.js'
import { listAreas } from '../catalogue/index.js'
import { string } from '../catalogue/params.js'
import { Unknown } from '../catalogue/shapes/common.js'
import type { People } from '../catalogue/views.js'
import type { Context, WorkspaceService } from '../engine/command/context.js'
import type { Given, Plan, PlanSource, WriteOptions } from '../engine/command/types.js'
import { getShardNumber, parseShard } from '../engine/journaling/shards.js'
import type { Objects } from '../engine/plan/objects.js'
import { readPipedStream } from '../engine/plan/stdin/reader.js'
import { type PlacedObject, plainObjects, type RowTap } from '../engine/plan/stdin/rows.js'
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
    const value = flags[kind] ?? (await place.scope(kind))
    if (value === undefined)
      throw usage(`the path contains {${kind}}, but no ${kind} is given`, scopeHints[kind])
    const text = String(value)
    if (text === '' || hasDots(text)) throw usage(`"${text}" cannot replace {${kind}}`)
    path = path.replaceAll(`{${kind}}`, encodeURIComponent(text).replaceAll('.', '%2E'))
  }
  return { ...request, path }
}

// What standard input names for `svcctl api <method> <path with {}> -`, as it comes.

/** The objects of a path, which takes any: a record is known by its ID, or by its name in an answer about several objects. */
const anyObjects: Objects = { ...plainObjects, names: ['object', 'id'] }
/** Whatever other columns there are. */
const anyColumns: RowTap = { sheet: true, take: () => {}, takeBare: () => {} }

/**
 * Reads the objects that standard input names, in order. Each chunk is parsed completely before its objects are
 * yielded.
 * @throws Failure `usage` for input that names no objects
 */
export async function* readPipedObjects(
  chunks: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<readonly PlacedObject[]> {
  let any = false
  for await (const some of readPipedStream(chunks, anyObjects, undefined, anyColumns)) {
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
export const requestFor = (request: WireRequest, object: string): WireRequest => {
  if (hasDots(object) || object === '') throw usage(`"${object}" cannot be used in a path`)
  const text = encodeURIComponent(object)
  return {
    ...request,
    path: request.path.replaceAll(placeholder, text).replaceAll(encodedPlaceholder, text),
  }
}

/** Returns the shape of a path: paths are alike where their fixed words are. */
const getPathShape = (path: string): string =>
  path
    .replace(/[?#].*/s, '')
    .split('/')
    .map((part) => (/^[:*]|%|\{\w*\}|^\d+$/.test(part) ? ':' : part))
    .join('/')

/** Finds the documented endpoint of a template, whose columns its answers have. */
const findDocumented = async ({ method, path }: WireRequest): Promise<Endpoint | undefined> => {
  for (const row of listAreas())
    for (const endpoint of Object.values<Endpoint>(await row.load()))
      if (getMethod(endpoint) === method && getPathShape(getPath(endpoint)) === getPathShape(path))
        return endpoint
  return undefined
}

const object = string('object')
/** An object in the place of a secret, which no journal names. */
const secretObject = string('object', { secret: true })

const countPlaceholders = (path: string): number => path.split(/\{\}|%7B%7D/).length - 1

/** True if a request has the place for its object in a secret parameter of its address. */
const isSecretPlaceholder = ({ path }: WireRequest): boolean =>
  countPlaceholders(maskAddresses(path)) < countPlaceholders(path)

/** True if the documents have the fields of an answer, so that its columns are known. */
const isRecord = (known: Endpoint | undefined): known is Endpoint =>
  known !== undefined && ['one', 'empty'].includes(known.returns.kind)

/** The column of an answer whose fields are not known. */
const answerColumn = 'answer'

/** Answers in one column each, as JSON, beside the object that they are about. */
const toObjectRows = (records: readonly unknown[]): readonly unknown[] =>
  records.filter(isObject).map(({ object, ...answer }) => ({
    object,
    [answerColumn]: JSON.stringify('value' in answer ? answer.value : answer),
  }))

/** Turns answers that stand below the project or group of each into one column, as JSON. */
const toAnswerRows = (records: readonly unknown[]): readonly unknown[] =>
  records.map((record) => ({ [answerColumn]: JSON.stringify(record) }))

/** Returns how answers are shown that nobody knows the fields of. */
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

/** The parameters in the path of a template: an object, or the project or group of each request. */
type PathParameters = Pick<Endpoint, 'path' | 'args'>

const createObjectParameter = (request: WireRequest): PathParameters => ({
  path: { object: isSecretPlaceholder(request) ? secretObject : object },
  args: ['object'],
})

/** Creates an endpoint from the template: what its answers look like, whether they are of a write. */
const createEndpoint = async (request: WireRequest, places: PathParameters): Promise<Endpoint> => {
  const known = await findDocumented(request)
  const { credential, safe } = known ?? {}
  const { returns, columns } = isRecord(known)
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

/** Creates the test of whether an object is in the part that `--shard` names. */
const createShardFilter = async ({
  env,
  globals: { shard },
}: WorkspaceService): Promise<(object: string) => boolean> => {
  if (shard === undefined) return () => true
  const { part, of } = parseShard(shard, env)
  return (object) => getShardNumber('', { object }, of) === part
}

/** @throws Failure `usage`, with its place, for an object that a path cannot contain */
const checkPlaced = (template: WireRequest, { text, place }: PlacedObject): void => {
  try {
    requestFor(template, text)
  } catch (error) {
    throw placeFailure(error, place)
  }
}

/** Reads the objects as they come; one that cannot stand in the path is refused before those that came with it. */
async function* readObjects(
  place: WorkspaceService,
  template: WireRequest,
): AsyncGenerator<{ readonly object: string; readonly place: string }> {
  const isIn = await createShardFilter(place)
  for await (const some of readPipedObjects(place.stdin.chunks())) {
    for (const one of some) checkPlaced(template, one)
    for (const { text, place: at } of some) if (isIn(text)) yield { object: text, place: at }
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
      key: '',
      endpoint,
      values: { object },
      label: object,
      request: requestFor(template, object),
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
    return [{ key: '', endpoint, values, request }]
  }
  yield* context.write(await context.planActions(asked, { createPlans }), {
    ...createView(endpoint, toAnswerRows),
    ...describeLoss(template),
  })
}
