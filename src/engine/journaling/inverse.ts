/** What takes a run back: the endpoint for it, what it is given, from the catalogue, and what the object is now. */
import { isDeepStrictEqual } from 'node:util'
import { type Fields, isObject, type JsonValues, jsonFields } from '../../base/objects.js'
import {
  type Endpoint,
  type Endpoints,
  getMethod,
  getPath,
  pathPattern,
} from '../../catalogue/endpoint.js'
import { areas } from '../../catalogue/index.js'
import { kindNamed } from '../../catalogue/kinds.js'
import { emptyClears, formatOf, isNumeric, type Param } from '../../catalogue/params.js'
import { Failure, usage } from '../../errors.js'
import { getScope } from '../command/derive.js'
import { asSent, findReading, shownIn } from '../command/object-reader.js'
import type { InstanceService } from '../command/services.js'
import type { Plan } from '../command/types.js'
import type { Attributes, Header } from '../journal/lines.js'
import type { UndoableItem } from '../journal/work.js'

// Who waits for whom in a tree: what is done to a group goes after what is done inside of it.

/** A parent of a tree, in which there are groups and projects: which it is, and its path. */
export interface TreePlace {
  readonly kind: 'group' | 'project'
  readonly path: string
}

/** The place that a parent's name has in a tree; undefined for what is none. */
export const parseTreePlace = (parent: string | undefined): TreePlace | undefined => {
  const [, kind, path] = /^(group|project):(.+)$/s.exec(parent ?? '') ?? []
  if (path === undefined || (kind !== 'group' && kind !== 'project')) return undefined
  return { kind, path }
}

const depth = (parent: string | undefined): number =>
  parseTreePlace(parent)?.path.split('/').length ?? 0

/** What is inside comes before what is around it. */
export const innerFirst = (
  { parent: a }: { readonly parent?: string },
  { parent: b }: { readonly parent?: string },
): number => depth(b) - depth(a)

/**
 * An instance may end what is inside along with what is around it, and takes no lower level inside than around.
 * Those that are inside have to take their turn first.
 */
export class TurnQueue {
  readonly #ended = new Map<string, Promise<unknown>>()

  /** Does `work` when all that was begun inside of a place has ended, however it did. */
  take<T>(place: TreePlace | undefined, work: () => Promise<T>): Promise<T> {
    if (place === undefined) return work()
    const path = place.path.toLowerCase()
    const inside = [...this.#ended].filter(([other]) => other.startsWith(`${path}/`))
    const before = place.kind === 'group' ? inside.map(([, ended]) => ended) : []
    const turn = Promise.all(before).then(work)
    this.#ended.set(
      place.kind === 'group' ? `${path}/` : path,
      turn.catch(() => {}),
    )
    return turn
  }
}

/** How the objects of a run are put back. */
export interface Inverse {
  readonly area: string
  /** What a list of presence is made of, where the object comes and goes. */
  readonly endpoints: Endpoints
  /** The endpoint that puts an object back; undefined where none leads to what it was. */
  readonly endpointFor: (was: UndoableItem) => Endpoint | undefined
  /** Whether objects come and go, rather than change. */
  readonly presence: boolean
  /** What the run sent its objects to. */
  readonly original: Endpoint
}

/** The form of an endpoint by which an object below a parent was done: of a tree one for groups, one for projects. */
const formBelow = (
  parent: string | undefined,
  original: Endpoint,
  endpoints: Endpoints,
): Endpoint | undefined => {
  const kind = parseTreePlace(parent)?.kind
  const fits = (one: Endpoint): boolean => kind === undefined || getScope(one)?.kind === kind
  if (fits(original)) return original
  return Object.values<Endpoint>(endpoints).find(
    (one) =>
      one.command === original.command && one.when?.flag === original.when?.flag && fits(one),
  )
}

/** The path of what a verb is said of. */
const subjectOf = (endpoint: Endpoint): string => getPath(endpoint).replace(/\/[^/]+$/, '')

/** The verbs of the same objects that set the same fields. */
const siblingsOf = (original: Endpoint, endpoints: Endpoints): readonly Endpoint[] => {
  const fields = Object.keys(original.leaves ?? {}).join()
  return Object.values<Endpoint>(endpoints).filter(
    (one) =>
      one.leaves !== undefined &&
      Object.keys(one.leaves).join() === fields &&
      subjectOf(one) === subjectOf(original),
  )
}

const leadsTo = ({ leaves = {} }: Endpoint, before: Attributes): boolean =>
  before !== null &&
  Object.entries(leaves).every(([name, value]) => isDeepStrictEqual(before[name], value))

/**
 * What takes a run back.
 * @throws Failure `usage` for a verb that the documents have no inverse of
 */
export const findInverse = async ({ command, endpoint: route }: Header): Promise<Inverse> => {
  const [area = ''] = command.split(' ')
  const endpoints: Endpoints = (await areas.find(({ name }) => name === area)?.load()) ?? {}
  const original = Object.values<Endpoint>(endpoints).find((one) => one.route === route)
  if (original === undefined) throw irreversible(command, 'the effect of this endpoint is unknown')
  const known = { area, endpoints, original }
  const formFor = ({ parent }: UndoableItem): Endpoint | undefined =>
    formBelow(parent, original, endpoints)
  if (original.changes === true)
    return {
      ...known,
      presence: false,
      // What was not there before is set up by a change, too.
      endpointFor: (was) =>
        was.before === null ? endpoints[original.inverse ?? ''] : formFor(was),
    }
  if (endpoints[original.inverse ?? ''] !== undefined)
    return {
      ...known,
      presence: true,
      endpointFor: (was) => endpoints[formFor(was)?.inverse ?? ''],
    }
  const siblings = original.leaves === undefined ? [] : siblingsOf(original, endpoints)
  if (siblings.length > 1)
    return {
      ...known,
      presence: false,
      endpointFor: ({ before }) => siblings.find((one) => leadsTo(one, before)),
    }
  throw irreversible(command, original.irreversible)
}

const irreversible = (command: string, why = 'the API has no endpoint that reverts it') =>
  usage(`${command} cannot be undone: ${why}`)

/** The identity of an object that a run made or removed, from what is known of it. */
const identityOf = (known: Attributes, kind: string | undefined): unknown => {
  const names = [...(kindNamed(kind)?.names ?? []), 'id']
  return names.map((name) => known?.[name]).find((value) => value !== undefined)
}

const typed = (value: unknown, param: Param): unknown =>
  isNumeric(param) && /^\d+$/.test(String(value)) ? Number(value) : value

/** A value of a record as a parameter takes it; undefined for what is not to be sent. */
const asParameter = (value: unknown, param: Param, changes: boolean): unknown => {
  if (value === null && !changes) return undefined
  if (formatOf(param) !== 'date') return value
  if (value === null) return emptyClears(param) ? '' : value
  return String(value).slice(0, '2030-01-31'.length)
}

/** What of an object as it was is sent to bring it back: all of a change, else what the endpoint takes. */
const restoredBy = (endpoint: Endpoint, before: Attributes): Fields => {
  const changes = endpoint.changes === true
  return Object.fromEntries(
    Object.entries(before ?? {}).flatMap(([name, value]) => {
      const param = endpoint.params[name]
      if (param === undefined) return changes ? [[name, value] as const] : []
      const sent = asParameter(value, param, changes)
      return sent === undefined ? [] : [[name, sent] as const]
    }),
  )
}

/** What an endpoint that puts an object back is given. */
export const valuesFor = (endpoint: Endpoint, was: UndoableItem, header: Header): JsonValues => {
  const holder = getScope(endpoint)?.placeholder
  const [name = ''] = endpoint.args ?? []
  const param = endpoint.path[name] ?? endpoint.params[name]
  const comesAndGoes = was.before === null || was.after === null
  const named = comesAndGoes ? identityOf(was.before ?? was.after, param?.completes) : undefined
  const above = parseTreePlace(was.parent)?.path ?? was.parent
  const parent = holder === undefined ? undefined : (above ?? header.input[holder])
  if (holder !== undefined && parent === undefined)
    throw new Failure('usage', `${was.object}: the journal does not record its project or group`)
  return jsonFields({
    ...restoredBy(endpoint, was.before),
    ...(holder === undefined ? {} : { [holder]: parent }),
    ...(param === undefined ? {} : { [name]: typed(named ?? was.object, param) }),
  })
}

// An object as it is now: read before it is put back.

/** What of a record a run changed, as it would be sent; what it does not show is left out. */
const shownOf = (record: unknown, endpoint: Endpoint, sent: Attributes): Fields => {
  if (!isObject(record)) return {}
  return Object.fromEntries(
    Object.entries(sent ?? {}).flatMap(([name, value]) => {
      const now = shownIn(record, name, endpoint)
      return now === undefined ? [] : [[name, asSent(now, value)] as const]
    }),
  )
}

/** The list that has an object as long as it is there. */
const listFor = ({ endpoints }: Inverse, endpoint: Endpoint): Endpoint | undefined => {
  const path = pathPattern(getPath(endpoint)).replace(/\/:$/, '')
  return Object.values<Endpoint>(endpoints).find(
    (one) =>
      getMethod(one) === 'GET' && one.returns.kind === 'many' && pathPattern(getPath(one)) === path,
  )
}

const recordsOf = (
  instance: InstanceService,
  list: Endpoint,
  values: Plan['values'],
): Promise<readonly unknown[]> => {
  const own = Object.fromEntries(Object.keys(list.path).map((one) => [one, values[one]]))
  return instance.collect({ key: '', endpoint: list, values: own }, { whole: true })
}

/** The one that has the names which are to be given to one that is made; null where there is none. */
const alike = (
  records: readonly unknown[],
  { args: [name = ''] = [], params, path }: Endpoint,
  values: Plan['values'],
): Attributes => {
  const names = kindNamed((path[name] ?? params[name])?.completes)?.names ?? []
  const given = names.filter((one) => values[one] !== undefined)
  const found = records.find(
    (record) =>
      isObject(record) &&
      given.length > 0 &&
      given.every((one) => String(record[one]) === String(values[one])),
  )
  return isObject(found) ? found : null
}

/** The object in its list; null where it is not there. */
const listed = async (
  instance: InstanceService,
  list: Endpoint,
  { endpoint, values }: Plan,
  original: Endpoint,
): Promise<Attributes> => {
  const [name = ''] = endpoint.args ?? []
  if (values[name] === undefined)
    return alike(await recordsOf(instance, list, values), original, values)
  const known = kindNamed((endpoint.path[name] ?? endpoint.params[name])?.completes)?.names ?? []
  const wanted = String(values[name])
  // Digits are an id, where there are ids, though somebody may be called so.
  const isId = /^\d+$/.test(wanted) && known.includes('id')
  const names = isId ? ['id'] : [...known, 'id']
  const records = await recordsOf(instance, list, values)
  const found = records.find(
    (record) => isObject(record) && names.some((field) => String(record[field]) === wanted),
  )
  return isObject(found) ? found : null
}

/**
 * An object as it is now; null where it is not there.
 * @param plan what would put it back
 * @param sent the attributes that the run changed
 */
export const readCurrent = async (
  instance: InstanceService,
  inverse: Inverse,
  plan: Plan,
  sent: Attributes = null,
): Promise<Attributes> => {
  const { endpoint } = plan
  const list = inverse.presence ? listFor(inverse, endpoint) : undefined
  if (list !== undefined) return listed(instance, list, plan, inverse.original)
  const reading = await findReading(inverse.area, endpoint)
  if (reading === undefined) throw new Failure('failed', 'the API has no endpoint to read it')
  const ask = { key: '', endpoint: reading.endpoint, values: reading.values(plan) }
  const { data } = await instance.send(ask)
  if (inverse.presence) return isObject(data) ? data : {}
  return shownOf(data, endpoint, sent)
}
