/** `svcctl api <method> <path with {}> -`: one request for each object that standard input names. */

import { digitsOf, isNumber } from '../../base/json/json.js'
import { jsonValues } from '../../base/json/values.js'
import { isObject } from '../../base/objects.js'
import { isDots } from '../../base/segments.js'
import { type Endpoint, methodOf, one, pathOf } from '../../catalogue/endpoint.js'
import { areas } from '../../catalogue/index.js'
import { string } from '../../catalogue/params.js'
import { Unknown } from '../../catalogue/shapes/common.js'
import { usage } from '../../errors.js'
import type { WireRequest } from '../../http/types.js'
import type { InstanceService, PlaceService, PlanAnswer, Services } from '../services.js'
import type { Plan } from '../types.js'

/** Where an object goes. */
const mark = '{}'
/** The same in a query that was made of values. */
const encodedMark = '%7B%7D'

/** The columns that name an object, the most certain first. */
const naming = ['object', 'id'] as const

const strange = (what: string): Error =>
  usage(`standard input: ${what}`, 'api takes one object a line, or records with an id.')

/** What a value of JSON names. */
const nameIn = (value: unknown): string => {
  const named = isObject(value) ? (value.object ?? value.id) : value
  if (isNumber(named)) return digitsOf(named)
  if (typeof named === 'string') return named
  throw strange(`${JSON.stringify(value)?.slice(0, 40) ?? ''} names no object`)
}

const fromJson = (text: string): readonly string[] =>
  [...jsonValues(text)].flatMap(({ value }) =>
    Array.isArray(value) ? value.map(nameIn) : [nameIn(value)],
  )

/** The objects of a table whose heading names them; else one a line. */
const fromLines = (lines: readonly string[]): readonly string[] => {
  const [heading = '', ...rows] = lines
  const cells = heading.split('\t')
  const column = naming.map((name) => cells.indexOf(name)).find((at) => at >= 0)
  if (column !== undefined) return rows.map((row) => row.split('\t')[column] ?? '')
  if (cells.length > 1) throw strange('the table has no column id')
  return lines
}

/** The objects that standard input names, in its order. */
export const objectsIn = (text: string): readonly string[] => {
  const input = text.replace(/^\ufeff/, '').trim()
  const lines = input
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const found = /^[[{]/.test(input) ? fromJson(input) : fromLines(lines)
  if (found.length === 0) throw strange('it names nothing to work on')
  return found
}

/** Whether a request has a place for an object. */
export const hasPlace = ({ path }: Pick<WireRequest, 'path'>): boolean =>
  path.includes(mark) || path.includes(encodedMark)

/**
 * The request for an object: one segment of the path, percent-encoded, and the same in a query.
 * @throws Failure `usage` for what cannot stand in a path
 */
export const requestFor = (request: WireRequest, object: string): WireRequest => {
  if (isDots(object) || object === '') throw usage(`"${object}" cannot stand in a path`)
  const text = encodeURIComponent(object)
  return { ...request, path: request.path.replaceAll(mark, text).replaceAll(encodedMark, text) }
}

/** Paths are alike where their fixed words are. */
const shapeOf = (path: string): string =>
  path
    .replace(/[?#].*$/, '')
    .split('/')
    .map((part) => (/^[:*]|%|\{\}|^\d+$/.test(part) ? ':' : part))
    .join('/')

/** The documented endpoint of a template, whose columns its answers have. */
const documentedFor = async ({ method, path }: WireRequest): Promise<Endpoint | undefined> => {
  for (const row of areas)
    for (const endpoint of Object.values<Endpoint>(await row.load()))
      if (methodOf(endpoint) === method && shapeOf(pathOf(endpoint)) === shapeOf(path))
        return endpoint
  return undefined
}

const object = string('object')

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

/** The template as an endpoint: what its answers look like, whether they are of a write. */
const endpointOf = async (request: WireRequest): Promise<Endpoint> => {
  const known = await documentedFor(request)
  const { credential, safe } = known ?? {}
  const { returns, columns } = isRecord(known)
    ? known
    : { returns: one(Unknown()), columns: [whole] }
  const { method, path } = request
  const route = `${method} ${path.replace(/[?#].*$/, '').replaceAll(mark, ':object')}`
  return {
    // The method was checked where the path was read.
    route: route as Endpoint['route'],
    returns,
    summary: route,
    command: '',
    path: { object },
    params: {},
    args: ['object'],
    ...(columns === undefined ? {} : { columns }),
    ...(credential === undefined ? {} : { credential }),
    ...(safe === undefined ? {} : { safe }),
  }
}

const outcomeOf = async (instance: InstanceService, request: WireRequest): Promise<PlanAnswer> => {
  const answer = await instance.raw(request)
  if (answer === undefined) return {}
  const { bytes, data, status } = answer
  if (status === 304) return { unchanged: true }
  return bytes.length === 0 ? { status } : { bytes, value: data }
}

/** Those of the part that `--shard` names. */
const inPart = async (
  { env, globals: { shard } }: PlaceService,
  objects: readonly string[],
): Promise<readonly string[]> => {
  if (shard === undefined) return objects
  const { parseShard, partOf } = await import('../../fleet/shard.js')
  const { part, of } = parseShard(shard, env)
  return objects.filter((object) => partOf('', { object }, of) === part)
}

/**
 * One request for each object, with an outcome each.
 * @param template the request, with a place for the object
 */
export const every = async (
  { instance, person, place }: Services,
  template: WireRequest,
): Promise<void> => {
  const endpoint = await endpointOf(template)
  const requests = new Map<Plan, WireRequest>()
  for (const label of await inPart(place, objectsIn(await place.stdin()))) {
    const plan = { key: '', endpoint, values: { object: label }, label }
    requests.set(plan, requestFor(template, label))
  }
  if (requests.size === 0) return person.note('none of them is in this part: nothing to do')
  const paths = [...requests.values()].map(({ path }) => path)
  await instance.many([...requests.keys()], {
    ...(endpoint.columns?.includes(whole) === true
      ? { emit: { people: { rows: inOneColumn, sheets: true } } }
      : {}),
    run: (plan) => outcomeOf(instance, requests.get(plan) ?? template),
    ...(template.method === 'DELETE'
      ? { loses: { what: 'What is there is lost.', details: paths }, done: 'deleted' }
      : {}),
  })
}
