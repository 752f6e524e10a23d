/** Builds the requests of `svcctl api`: the path, and one request for each of several objects or projects. */
import { JsonCutter } from '../base/json/cutter.js'
import { formatNumber, isNumber } from '../base/json/json.js'
import { isObject } from '../base/objects.js'
import { maskAddresses } from '../base/secrets/addresses.js'
import { hasDots, isDots } from '../base/segments.js'
import { type Endpoint, getMethod, getPath, one } from '../catalogue/endpoint.js'
import { areas } from '../catalogue/index.js'
import { string } from '../catalogue/params.js'
import { Unknown } from '../catalogue/shapes/common.js'
import type { WorkspaceService } from '../engine/command/services.js'
import type { Given, Operation, PlanSource } from '../engine/command/types.js'
import { getShardNumber, parseShard } from '../engine/journaling/shards.js'
import { usage } from '../errors.js'
import type { WireRequest } from '../http/types.js'
import type { People } from '../output/types.js'

/** Percent-encoded, whatever it is. */
const percentEncode = (text: string): string =>
  [...Buffer.from(text)].map((b) => `%${b.toString(16).toUpperCase().padStart(2, '0')}`).join('')

const kinds = ['project', 'group'] as const
type Kind = (typeof kinds)[number]

/** How the project or group of a call may be given. */
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
    if (text === '' || isDots(text)) throw usage(`"${text}" cannot replace {${kind}}`)
    path = path.replaceAll(`{${kind}}`, encodeURIComponent(text).replaceAll('.', '%2E'))
  }
  return { ...request, path }
}

const checkedPath = (path: string): string => {
  const [plain = ''] = path.split(/[?#]/)
  if (hasDots(plain)) throw usage('"." and ".." cannot be used in a path')
  const stray = /[^\x21-\x7e]|#/.exec(path)?.[0]
  if (stray === undefined) return path
  throw usage(
    `${stray === ' ' ? 'a blank' : JSON.stringify(stray)} cannot be used in a path`,
    `Write it as ${stray === '#' ? '%23' : percentEncode(stray)}.`,
  )
}

/** Resolves a path: below `/api/v4`, or below another root of the instance such as `/api/graphql`. */
export const resolveAddress = async (
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
export const normalizePath = (target: string): string => checkedPath(target.replace(/^(?!\/)/, '/'))

// What standard input names for `svcctl api <method> <path with {}> -`, as it comes.

/** The columns that name an object, the most certain first. */
const identityColumns = ['object', 'id'] as const

const invalidInput = (what: string): Error =>
  usage(`standard input: ${what}`, '"api" reads one object per line, or records with an ID.')

/** What a value of JSON names. */
const getObjectName = (value: unknown): string => {
  const named = isObject(value) ? (value.object ?? value.id) : value
  if (isNumber(named)) return formatNumber(named)
  if (typeof named === 'string') return named
  throw invalidInput(`${JSON.stringify(value)?.slice(0, 40) ?? ''} does not name an object`)
}

/** Takes text, and gives what it names. */
type ObjectReader = (text: string, last: boolean) => readonly string[]

const createJsonReader = (): ObjectReader => {
  const cutter = new JsonCutter()
  return (text, last) =>
    [...cutter.push(text), ...(last ? cutter.end() : [])].map(({ value }) => getObjectName(value))
}

/** How a line of a table names its object; undefined where the first line is an object itself. */
const findObjectColumn = (heading: string): ((line: string) => string) | undefined => {
  const cells = heading.split('\t')
  const column = identityColumns.map((name) => cells.indexOf(name)).find((at) => at >= 0)
  if (column !== undefined) return (row) => row.split('\t')[column] ?? ''
  if (cells.length > 1) throw invalidInput('the table has no "id" column')
  return undefined
}

/** The objects of a table whose heading names them; else one a line. */
const createLineReader = (): ObjectReader => {
  let rest = ''
  let nameOf: ((line: string) => string) | undefined
  return (text, last) => {
    const cut = (rest + text).split('\n')
    rest = last ? '' : (cut.pop() ?? '')
    const found = cut.map((line) => line.trim()).filter((line) => line !== '')
    const [heading] = found
    if (nameOf !== undefined || heading === undefined)
      return found.map((line) => nameOf?.(line) ?? line)
    const named = findObjectColumn(heading)
    nameOf = named ?? ((line) => line)
    return named === undefined ? found : found.slice(1).map(named)
  }
}

/**
 * Reads the objects that standard input names, in order. Each chunk is parsed completely before its objects are
 * yielded.
 * @throws Failure `usage` for input that names no objects
 */
export async function* objectsIn(
  chunks: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<readonly string[]> {
  let form: ObjectReader | undefined
  let begun = ''
  let any = false
  for await (const chunk of chunks) {
    const text = form === undefined ? (begun + chunk).replace(/^\ufeff/, '').trimStart() : chunk
    begun = text
    if (text === '') continue
    form ??= /^[[{]/.test(text) ? createJsonReader() : createLineReader()
    const found = form(text, false)
    if (found.length > 0) yield found
    any ||= found.length > 0
  }
  const found = form?.('', true) ?? []
  if (!any && found.length === 0) throw invalidInput('it names no objects')
  if (found.length > 0) yield found
}

/** Where an object goes. */
const placeholder = '{}'
/** The same in a query that was made of values. */
const encodedPlaceholder = '%7B%7D'

/** Whether a request contains `{}`, where each object is inserted. */
export const hasPlaceholder = ({ path }: Pick<WireRequest, 'path'>): boolean =>
  path.includes(placeholder) || path.includes(encodedPlaceholder)

/**
 * Inserts an object into a request, percent-encoded, in the path and in the query.
 * @throws Failure `usage` for an object that a path cannot contain
 */
export const requestFor = (request: WireRequest, object: string): WireRequest => {
  if (isDots(object) || object === '') throw usage(`"${object}" cannot be used in a path`)
  const text = encodeURIComponent(object)
  return {
    ...request,
    path: request.path.replaceAll(placeholder, text).replaceAll(encodedPlaceholder, text),
  }
}

/** Paths are alike where their fixed words are. */
const getPathShape = (path: string): string =>
  path
    .replace(/[?#].*$/, '')
    .split('/')
    .map((part) => (/^[:*]|%|\{\w*\}|^\d+$/.test(part) ? ':' : part))
    .join('/')

/** The documented endpoint of a template, whose columns its answers have. */
const findDocumented = async ({ method, path }: WireRequest): Promise<Endpoint | undefined> => {
  for (const row of areas)
    for (const endpoint of Object.values<Endpoint>(await row.load()))
      if (getMethod(endpoint) === method && getPathShape(getPath(endpoint)) === getPathShape(path))
        return endpoint
  return undefined
}

const object = string('object')
/** One that stands where a secret goes, which no journal names. */
const secretObject = string('object', { secret: true })

const countPlaceholders = (path: string): number => path.split(/\{\}|%7B%7D/).length - 1

/** Whether a request has the place for its object in a secret parameter of its address. */
const isSecretPlaceholder = ({ path }: WireRequest): boolean =>
  countPlaceholders(maskAddresses(path)) < countPlaceholders(path)

/** Whether the documents have the fields of an answer, so that its columns are known. */
const isRecord = (known: Endpoint | undefined): known is Endpoint =>
  known !== undefined && ['one', 'empty'].includes(known.returns.kind)

/** The column of an answer whose fields nobody knows. */
const answerColumn = 'answer'

/** Answers in one column each, as JSON, beside the object that they are about. */
const toObjectRows = (records: readonly unknown[]): readonly unknown[] =>
  records.filter(isObject).map(({ object, ...answer }) => ({
    object,
    [answerColumn]: JSON.stringify('value' in answer ? answer.value : answer),
  }))

/** The same of answers that stand below the project or group of each. */
const toAnswerRows = (records: readonly unknown[]): readonly unknown[] =>
  records.map((record) => ({ [answerColumn]: JSON.stringify(record) }))

/** How answers are shown that nobody knows the fields of. */
const createEmit = (
  { columns }: Endpoint,
  rows: NonNullable<People['rows']>,
): Pick<Operation, 'emit'> =>
  columns?.includes(answerColumn) === true ? { emit: { people: { rows, sheets: true } } } : {}

/** What a call of this method destroys. */
const describeLoss = ({ method }: WireRequest): Pick<Operation, 'loses' | 'done'> =>
  method === 'DELETE'
    ? {
        loses: {
          what: 'The object is deleted.',
          each: ({ request }) => maskAddresses(request?.path ?? ''),
        },
        done: 'deleted',
      }
    : {}

/** What stands in the path of a template: an object, or the project or group of each request. */
type PathParameters = Pick<Endpoint, 'path' | 'args'>

const createObjectParameter = (request: WireRequest): PathParameters => ({
  path: { object: isSecretPlaceholder(request) ? secretObject : object },
  args: ['object'],
})

/** The template as an endpoint: what its answers look like, whether they are of a write. */
const createEndpoint = async (request: WireRequest, places: PathParameters): Promise<Endpoint> => {
  const known = await findDocumented(request)
  const { credential, safe } = known ?? {}
  const { returns, columns } = isRecord(known)
    ? known
    : { returns: one(Unknown()), columns: [answerColumn] }
  const { method, path } = request
  const named = path.replace(/[?#].*$/, '').replaceAll(placeholder, ':object')
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

/** Whether an object is in the part that `--shard` names. */
const createShardFilter = async ({
  env,
  globals: { shard },
}: WorkspaceService): Promise<(object: string) => boolean> => {
  if (shard === undefined) return () => true
  const { part, of } = parseShard(shard, env)
  return (object) => getShardNumber('', { object }, of) === part
}

/** The objects as they come; what cannot stand in the path is refused before those that came with it. */
async function* readObjects(
  place: WorkspaceService,
  template: WireRequest,
): AsyncGenerator<{ readonly object: string }> {
  const isIn = await createShardFilter(place)
  for await (const some of objectsIn(place.stdin.chunks())) {
    for (const object of some) requestFor(template, object)
    for (const object of some) if (isIn(object)) yield { object }
  }
}

/**
 * Creates the operation that sends one request for each object of standard input.
 * @param template the request, with `{}` in place of the object
 */
export const callForEachObject = async (
  place: WorkspaceService,
  template: WireRequest,
): Promise<Operation> => {
  const endpoint = await createEndpoint(template, createObjectParameter(template))
  const source: PlanSource = {
    objects: readObjects(place, template),
    planOf: async ({ object }) => ({
      key: '',
      endpoint,
      values: { object },
      label: object,
      request: requestFor(template, object),
    }),
  }
  return { plans: source, ...createEmit(endpoint, toObjectRows), ...describeLoss(template) }
}

/**
 * Creates the operation that sends one request for each project or group.
 * @param template the request, with `{project}` or `{group}`
 */
export const callForEachParent = async (
  place: WorkspaceService,
  template: WireRequest,
): Promise<Operation> => {
  const { path } = template
  const kinds = (['project', 'group'] as const).filter((kind) => path.includes(`{${kind}}`))
  const places = Object.fromEntries(kinds.map((kind) => [kind, { type: kind, help: kind }]))
  const endpoint = await createEndpoint(template, { path: places })
  return {
    plansFor: async (given) => {
      const values = Object.fromEntries(kinds.map((kind) => [kind, given.flags[kind]]))
      return [{ key: '', endpoint, values, request: await fillApiPath(place, given, template) }]
    },
    ...createEmit(endpoint, toAnswerRows),
    ...describeLoss(template),
  }
}
