/** What `svcctl api` sends: its path, and a request for each of several objects. */
import { JsonCutter } from '../../base/json/cutter.js'
import { formatNumber, isNumber } from '../../base/json/json.js'
import { isObject } from '../../base/objects.js'
import { maskAddresses } from '../../base/secrets/addresses.js'
import { hasDots, isDots } from '../../base/segments.js'
import { type Endpoint, getMethod, getPath, one } from '../../catalogue/endpoint.js'
import { areas } from '../../catalogue/index.js'
import { string } from '../../catalogue/params.js'
import { Unknown } from '../../catalogue/shapes/common.js'
import type { WorkspaceService } from '../../engine/command/services.js'
import type { Given, Operation, PlanSource } from '../../engine/command/types.js'
import { getShardNumber, parseShard } from '../../engine/journaling/shards.js'
import { usage } from '../../errors.js'
import type { WireRequest } from '../../http/types.js'
import type { People } from '../../output/types.js'

/** Percent-encoded, whatever it is. */
const encoded = (text: string): string =>
  [...Buffer.from(text)].map((b) => `%${b.toString(16).toUpperCase().padStart(2, '0')}`).join('')

const kinds = ['project', 'group'] as const
type Kind = (typeof kinds)[number]

/** How the project or group of a call may be given. */
const ways: Readonly<Record<Kind, string>> = {
  project:
    'Pass --project (-P), --group (-G) or --all-projects, set SVC_PROJECT, or run the command inside a clone of the project.',
  group: 'Pass --group (-G) or --all-groups, or set SVC_GROUP.',
}

/**
 * The request with what was named in the places of `{project}` and `{group}`, else what is at hand.
 * @throws Failure `usage` where there is neither
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
      throw usage(`the path contains {${kind}}, but no ${kind} is given`, ways[kind])
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
    `Write it as ${stray === '#' ? '%23' : encoded(stray)}.`,
  )
}

/** Where a path below the API goes, or one of another root of the instance. */
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
 * The path that was typed, as it may be sent.
 * @throws Failure `usage` naming what cannot stand in one
 */
export const normalizePath = (target: string): string => checkedPath(target.replace(/^(?!\/)/, '/'))

// What standard input names for `svcctl api <method> <path with {}> -`, as it comes.

/** The columns that name an object, the most certain first. */
const naming = ['object', 'id'] as const

const strange = (what: string): Error =>
  usage(`standard input: ${what}`, '"api" reads one object per line, or records with an ID.')

/** What a value of JSON names. */
const nameIn = (value: unknown): string => {
  const named = isObject(value) ? (value.object ?? value.id) : value
  if (isNumber(named)) return formatNumber(named)
  if (typeof named === 'string') return named
  throw strange(`${JSON.stringify(value)?.slice(0, 40) ?? ''} does not name an object`)
}

/** Takes text, and gives what it names. */
type Form = (text: string, last: boolean) => readonly string[]

const json = (): Form => {
  const cutter = new JsonCutter()
  return (text, last) =>
    [...cutter.push(text), ...(last ? cutter.end() : [])].map(({ value }) => nameIn(value))
}

/** How a line of a table names its object; undefined where the first line is an object itself. */
const cellOf = (heading: string): ((line: string) => string) | undefined => {
  const cells = heading.split('\t')
  const column = naming.map((name) => cells.indexOf(name)).find((at) => at >= 0)
  if (column !== undefined) return (row) => row.split('\t')[column] ?? ''
  if (cells.length > 1) throw strange('the table has no "id" column')
  return undefined
}

/** The objects of a table whose heading names them; else one a line. */
const lines = (): Form => {
  let rest = ''
  let nameOf: ((line: string) => string) | undefined
  return (text, last) => {
    const cut = (rest + text).split('\n')
    rest = last ? '' : (cut.pop() ?? '')
    const found = cut.map((line) => line.trim()).filter((line) => line !== '')
    const [heading] = found
    if (nameOf !== undefined || heading === undefined)
      return found.map((line) => nameOf?.(line) ?? line)
    const named = cellOf(heading)
    nameOf = named ?? ((line) => line)
    return named === undefined ? found : found.slice(1).map(named)
  }
}

/**
 * The objects that standard input names, in its order; those that came together are understood whole
 * before any of them is given.
 * @throws Failure `usage` for what names none
 */
export async function* objectsIn(
  chunks: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<readonly string[]> {
  let form: Form | undefined
  let begun = ''
  let any = false
  for await (const chunk of chunks) {
    const text = form === undefined ? (begun + chunk).replace(/^\ufeff/, '').trimStart() : chunk
    begun = text
    if (text === '') continue
    form ??= /^[[{]/.test(text) ? json() : lines()
    const found = form(text, false)
    if (found.length > 0) yield found
    any ||= found.length > 0
  }
  const found = form?.('', true) ?? []
  if (!any && found.length === 0) throw strange('it names no objects')
  if (found.length > 0) yield found
}

/** Where an object goes. */
const mark = '{}'
/** The same in a query that was made of values. */
const encodedMark = '%7B%7D'

/** Whether a request has a place for an object. */
export const hasPlace = ({ path }: Pick<WireRequest, 'path'>): boolean =>
  path.includes(mark) || path.includes(encodedMark)

/**
 * The request for an object: one segment of the path, percent-encoded, and the same in a query.
 * @throws Failure `usage` for what cannot stand in a path
 */
export const requestFor = (request: WireRequest, object: string): WireRequest => {
  if (isDots(object) || object === '') throw usage(`"${object}" cannot be used in a path`)
  const text = encodeURIComponent(object)
  return { ...request, path: request.path.replaceAll(mark, text).replaceAll(encodedMark, text) }
}

/** Paths are alike where their fixed words are. */
const shapeOf = (path: string): string =>
  path
    .replace(/[?#].*$/, '')
    .split('/')
    .map((part) => (/^[:*]|%|\{\w*\}|^\d+$/.test(part) ? ':' : part))
    .join('/')

/** The documented endpoint of a template, whose columns its answers have. */
const documentedFor = async ({ method, path }: WireRequest): Promise<Endpoint | undefined> => {
  for (const row of areas)
    for (const endpoint of Object.values<Endpoint>(await row.load()))
      if (getMethod(endpoint) === method && shapeOf(getPath(endpoint)) === shapeOf(path))
        return endpoint
  return undefined
}

const object = string('object')
/** One that stands where a secret goes, which no journal names. */
const secretObject = string('object', { secret: true })

const placesIn = (path: string): number => path.split(/\{\}|%7B%7D/).length - 1

/** Whether a request has the place for its object in a secret parameter of its address. */
const hidesPlace = ({ path }: WireRequest): boolean =>
  placesIn(maskAddresses(path)) < placesIn(path)

/** Whether the documents have the fields of an answer, so that its columns are known. */
const isRecord = (known: Endpoint | undefined): known is Endpoint =>
  known !== undefined && ['one', 'empty'].includes(known.returns.kind)

/** The column of an answer whose fields nobody knows. */
const whole = 'answer'

/** Answers in one column each, as JSON, beside the object that they are about. */
const inOneColumn = (records: readonly unknown[]): readonly unknown[] =>
  records.filter(isObject).map(({ object, ...answer }) => ({
    object,
    [whole]: JSON.stringify('value' in answer ? answer.value : answer),
  }))

/** The same of answers that stand below the project or group of each. */
const wholeInOneColumn = (records: readonly unknown[]): readonly unknown[] =>
  records.map((record) => ({ [whole]: JSON.stringify(record) }))

/** How answers are shown that nobody knows the fields of. */
const emitOf = (
  { columns }: Endpoint,
  rows: NonNullable<People['rows']>,
): Pick<Operation, 'emit'> =>
  columns?.includes(whole) === true ? { emit: { people: { rows, sheets: true } } } : {}

/** What a call of this method destroys. */
const lossOf = ({ method }: WireRequest): Pick<Operation, 'loses' | 'done'> =>
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
type Places = Pick<Endpoint, 'path' | 'args'>

const objectPlace = (request: WireRequest): Places => ({
  path: { object: hidesPlace(request) ? secretObject : object },
  args: ['object'],
})

/** The template as an endpoint: what its answers look like, whether they are of a write. */
const endpointOf = async (request: WireRequest, places: Places): Promise<Endpoint> => {
  const known = await documentedFor(request)
  const { credential, safe } = known ?? {}
  const { returns, columns } = isRecord(known)
    ? known
    : { returns: one(Unknown()), columns: [whole] }
  const { method, path } = request
  const named = path.replace(/[?#].*$/, '').replaceAll(mark, ':object')
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
const partOfAll = async ({
  env,
  globals: { shard },
}: WorkspaceService): Promise<(object: string) => boolean> => {
  if (shard === undefined) return () => true
  const { part, of } = parseShard(shard, env)
  return (object) => getShardNumber('', { object }, of) === part
}

/** The objects as they come; what cannot stand in the path is refused before those that came with it. */
async function* given(
  place: WorkspaceService,
  template: WireRequest,
): AsyncGenerator<{ readonly object: string }> {
  const isIn = await partOfAll(place)
  for await (const some of objectsIn(place.stdin.chunks())) {
    for (const object of some) requestFor(template, object)
    for (const object of some) if (isIn(object)) yield { object }
  }
}

/**
 * One request for each object, with an outcome each.
 * @param template the request, with a place for the object
 */
export const every = async (place: WorkspaceService, template: WireRequest): Promise<Operation> => {
  const endpoint = await endpointOf(template, objectPlace(template))
  const source: PlanSource = {
    objects: given(place, template),
    planOf: async ({ object }) => ({
      key: '',
      endpoint,
      values: { object },
      label: object,
      request: requestFor(template, object),
    }),
  }
  return { plans: source, ...emitOf(endpoint, inOneColumn), ...lossOf(template) }
}

/**
 * One request for each of several projects or groups, with an outcome each.
 * @param template the request, with a place for the project or group
 */
export const inEach = async (
  place: WorkspaceService,
  template: WireRequest,
): Promise<Operation> => {
  const { path } = template
  const kinds = (['project', 'group'] as const).filter((kind) => path.includes(`{${kind}}`))
  const places = Object.fromEntries(kinds.map((kind) => [kind, { type: kind, help: kind }]))
  const endpoint = await endpointOf(template, { path: places })
  return {
    plansFor: async (given) => {
      const values = Object.fromEntries(kinds.map((kind) => [kind, given.flags[kind]]))
      return [{ key: '', endpoint, values, request: await fillApiPath(place, given, template) }]
    },
    ...emitOf(endpoint, wholeInOneColumn),
    ...lossOf(template),
  }
}
