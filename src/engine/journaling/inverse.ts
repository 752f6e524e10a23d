/** Finds what undoes a run: the endpoint for it and its values, from the catalogue, and what the object is now. */
import { isDeepStrictEqual } from 'node:util'
import { type Fields, isObject, type JsonValues, toJsonFields } from '../../base/objects.js'
import {
  type Endpoint,
  type Endpoints,
  getMethod,
  getPath,
  toPathPattern,
} from '../../catalogue/endpoint.js'
import { listAreas } from '../../catalogue/index.js'
import { getKindByName } from '../../catalogue/kinds.js'
import { formatOf, isClearedByEmpty, isNumeric, type Param } from '../../catalogue/params.js'
import { Failure, isMissing, usage } from '../../errors.js'
import type { InstanceService } from '../command/context.js'
import { getScope } from '../command/derive.js'
import { findReading, getShownValue, toSentForm } from '../command/object-reader.js'
import type { Plan } from '../command/types.js'
import type { Attributes, Header, RepeatedRun } from '../journal/lines.js'
import type { UndoableItem } from '../journal/work.js'

// Who waits for whom in a tree: what is done to a group goes after what is done inside of it.

/** A parent of a tree, in which there are groups and projects: which it is, and its path. */
export interface TreePlace {
  readonly kind: 'group' | 'project'
  readonly path: string
}

/** Parses the place that a parent's name has in a tree; undefined for a name that is none. */
export const parseTreePlace = (parent: string | undefined): TreePlace | undefined => {
  const [, kind, path] = /^(group|project):(.+)$/s.exec(parent ?? '') ?? []
  if (path === undefined || (kind !== 'group' && kind !== 'project')) return undefined
  return { kind, path }
}

const getDepth = (parent: string | undefined): number =>
  parseTreePlace(parent)?.path.split('/').length ?? 0

/** Compares parents so that what is inside comes before what is around it. */
export const compareInnerFirst = (
  { parent: a }: { readonly parent?: string },
  { parent: b }: { readonly parent?: string },
): number => getDepth(b) - getDepth(a)

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

/** The way in which the objects of a run are put back. */
export interface Inverse {
  readonly area: string
  /** The endpoints of the area: among them is the list that shows whether an object is there, if objects come and go. */
  readonly endpoints: Endpoints
  /** The endpoint that puts an object back; undefined where none leads to what it was. */
  readonly endpointFor: (was: Pick<UndoableItem, 'before' | 'parent'>) => Endpoint | undefined
  /** True if objects come and go, rather than change. */
  readonly presence: boolean
  /** The endpoint to which the run sent its objects. */
  readonly original: Endpoint
  /** The run that is done again, where it is no undo. */
  readonly repeats?: RepeatedRun
}

/** Finds the form of an endpoint by which an object below a parent was done: in a tree there is one for groups, one for projects. */
const findFormBelow = (
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

/** Returns the path of the object that a verb is about. */
const getSubjectPath = (endpoint: Endpoint): string => getPath(endpoint).replace(/\/[^/]+\/?$/, '')

/** Finds the verbs of the same objects that set the same fields. */
const findSiblings = (original: Endpoint, endpoints: Endpoints): readonly Endpoint[] => {
  const fields = Object.keys(original.leaves ?? {}).join()
  return Object.values<Endpoint>(endpoints).filter(
    (one) =>
      one.leaves !== undefined &&
      Object.keys(one.leaves).join() === fields &&
      getSubjectPath(one) === getSubjectPath(original),
  )
}

const canRestore = ({ leaves = {} }: Endpoint, before: Attributes): boolean =>
  before !== null &&
  Object.entries(leaves).every(([name, value]) => isDeepStrictEqual(before[name], value))

type RunFacts = Pick<Header, 'command' | 'endpoint' | 'redoes'>

/** Finds the endpoint of a run, and the others of its area. */
const findOriginal = async ({ command, endpoint: route }: RunFacts) => {
  const [area = '', ...words] = command.split(' ')
  const endpoints: Endpoints =
    (await listAreas()
      .find(({ name }) => name === area)
      ?.load()) ?? {}
  const same = Object.values<Endpoint>(endpoints).filter((one) => one.route === route)
  // Commands of an extension may share a route, and differ in what they send.
  const original = same.find((one) => one.command === words.join(' ')) ?? same[0]
  if (original === undefined)
    throw createIrreversibleFailure(command, 'the effect of this endpoint is unknown')
  return { area, endpoints, original }
}

/** Finds how to do again what a run did that was undone. */
const findRepetition = async (header: RunFacts, run: RepeatedRun): Promise<Inverse> => {
  const { area, endpoints, original: again } = await findOriginal(run)
  return {
    area,
    endpoints,
    presence: again.changes !== true && again.inverse !== undefined,
    original: (await findOriginal(header)).original,
    endpointFor: ({ parent }) => findFormBelow(parent, again, endpoints),
    repeats: run,
  }
}

/** Returns the names of what no journal has of a run, so that it could not be sent again: secrets, and files that went along as such. */
export const getUnrecorded = async (header: Header): Promise<readonly string[]> => {
  const { input, options } = header
  const secrets = Object.entries(input).flatMap(([name, value]) =>
    isObject(value) && '$secret' in value ? [name] : [],
  )
  const { params } = (await findOriginal(header)).original
  const files = Object.keys(options?.flags ?? {})
    .map((flag) => flag.replaceAll('-', '_'))
    .filter((name) => Object.hasOwn(params, name) && !Object.hasOwn(input, name))
  return [...new Set([...secrets, ...files])]
}

/**
 * Finds what undoes a run.
 * @param redo true if the run itself undid another one: what that one did is done again
 * @throws Failure `usage` for a verb that the documents have no inverse of
 */
export const findInverse = async (header: RunFacts, redo = false): Promise<Inverse> => {
  if (redo && header.redoes !== undefined) return findRepetition(header, header.redoes)
  const { command } = header
  const { area, endpoints, original } = await findOriginal(header)
  const known = { area, endpoints, original }
  const formFor = ({ parent }: Pick<UndoableItem, 'parent'>): Endpoint | undefined =>
    findFormBelow(parent, original, endpoints)
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
  const { leaves, irreversible } = original
  const isPaired = leaves !== undefined && irreversible === undefined
  const siblings = isPaired ? findSiblings(original, endpoints) : []
  if (siblings.length > 1)
    return {
      ...known,
      presence: false,
      endpointFor: ({ before }) => siblings.find((one) => canRestore(one, before)),
    }
  throw createIrreversibleFailure(command, irreversible)
}

const createIrreversibleFailure = (
  command: string,
  why = 'the API has no endpoint that reverts it',
) => usage(`${command} cannot be undone: ${why}`)

/** Finds the identity of an object that a run made or removed, from what is known of it. */
export const findIdentity = (known: Attributes, kind: string | undefined): unknown => {
  const names = [...(getKindByName(kind)?.names ?? []), 'id']
  return names.map((name) => known?.[name]).find((value) => value !== undefined)
}

const coerceToParameter = (value: unknown, param: Param): unknown =>
  isNumeric(param) && /^\d+$/.test(String(value)) ? Number(value) : value

/** Converts a value of a record to what a parameter takes; undefined if it is not to be sent. */
const toParameterValue = (value: unknown, param: Param, changes: boolean): unknown => {
  if (value === null && !changes) return undefined
  if (formatOf(param) !== 'date') return value
  if (value === null) return isClearedByEmpty(param) ? '' : value
  return String(value).slice(0, '2030-01-31'.length)
}

/** Returns the earlier fields of an object that are sent to bring it back: all fields of a change, else those that the endpoint takes. */
const getRestoredFields = (endpoint: Endpoint, before: Attributes): Fields => {
  const changes = endpoint.changes === true
  return Object.fromEntries(
    Object.entries(before ?? {}).flatMap(([name, value]) => {
      const param = endpoint.params[name]
      if (param === undefined) return changes ? [[name, value] as const] : []
      const sent = toParameterValue(value, param, changes)
      return sent === undefined ? [] : [[name, sent] as const]
    }),
  )
}

/** Returns what a run sent to an object that it made. */
const getSentFields = ({ input }: Header, { row = {} }: UndoableItem): Fields =>
  Object.fromEntries(
    Object.entries({ ...input, ...row }).filter(
      ([, value]) => !isObject(value) || !('$row' in value || '$secret' in value),
    ),
  )

/** @throws Failure `usage` where what the run sent to an object that it made is not recorded */
const checkRecorded = ({ command, lacks }: RepeatedRun): void => {
  if (lacks.length === 0) return
  throw usage(
    `${command} cannot be redone: the journal does not record ${lacks.join(', ')}`,
    `Run svcctl ${command} again.`,
  )
}

/**
 * Builds the values for an endpoint that puts an object back.
 * @param repeats the run that is done again
 * @throws Failure `usage` if the journal does not have them
 */
export const buildInverseValues = (
  endpoint: Endpoint,
  was: UndoableItem,
  header: Header,
  repeats?: RepeatedRun,
): JsonValues => {
  const holder = getScope(endpoint)?.placeholder
  const [name = ''] = endpoint.args ?? []
  const param = endpoint.path[name] ?? endpoint.params[name]
  const comesAndGoes = was.before === null || was.after === null
  const named = comesAndGoes ? findIdentity(was.before ?? was.after, param?.completes) : undefined
  const above = parseTreePlace(was.parent)?.path ?? was.parent
  const parent = holder === undefined ? undefined : (above ?? header.input[holder])
  if (holder !== undefined && parent === undefined)
    throw new Failure('usage', `${was.object}: the journal does not record its project or group`)
  const made = repeats !== undefined && was.after === null && getMethod(endpoint) !== 'DELETE'
  if (made) checkRecorded(repeats)
  return toJsonFields({
    ...(made ? getSentFields(header, was) : {}),
    ...getRestoredFields(endpoint, was.before),
    ...(holder === undefined ? {} : { [holder]: parent }),
    ...(param === undefined ? {} : { [name]: coerceToParameter(named ?? was.object, param) }),
  })
}

// An object as it is now: read before it is put back.

/** Returns the fields of a record that a run changed, as they would be sent. Fields that the record does not show are left out. */
const getShownFields = (record: unknown, endpoint: Endpoint, sent: Attributes): Fields => {
  if (!isObject(record)) return {}
  return Object.fromEntries(
    Object.entries(sent ?? {}).flatMap(([name, value]) => {
      const now = getShownValue(record, name, endpoint)
      return now === undefined ? [] : [[name, toSentForm(now, value)] as const]
    }),
  )
}

/** Finds the list that has an object as long as it is there. */
const listFor = ({ endpoints }: Inverse, endpoint: Endpoint): Endpoint | undefined => {
  const path = toPathPattern(getPath(endpoint)).replace(/\/:$/, '')
  return Object.values<Endpoint>(endpoints).find(
    (one) =>
      getMethod(one) === 'GET' &&
      one.returns.kind === 'many' &&
      toPathPattern(getPath(one)) === path,
  )
}

const collectListRecords = (
  instance: InstanceService,
  list: Endpoint,
  values: Plan['values'],
): Promise<readonly unknown[]> => {
  const own = Object.fromEntries(Object.keys(list.path).map((one) => [one, values[one]]))
  return instance.collect({ key: '', endpoint: list, values: own }, { whole: true })
}

/** Finds the record that has the names which an object to be made is to have; null if there is none. */
const findAlike = (
  records: readonly unknown[],
  { args: [name = ''] = [], params, path }: Endpoint,
  values: Plan['values'],
): Attributes => {
  const names = getKindByName((path[name] ?? params[name])?.completes)?.names ?? []
  const given = names.filter((one) => values[one] !== undefined)
  const found = records.find(
    (record) =>
      isObject(record) &&
      given.length > 0 &&
      given.every((one) => String(record[one]) === String(values[one])),
  )
  return isObject(found) ? found : null
}

/** Finds the object in its list; null if it is not there. */
const findListed = async (
  instance: InstanceService,
  list: Endpoint,
  { endpoint, values }: Plan,
  original: Endpoint,
): Promise<Attributes> => {
  const [name = ''] = endpoint.args ?? []
  if (values[name] === undefined)
    return findAlike(await collectListRecords(instance, list, values), original, values)
  const known =
    getKindByName((endpoint.path[name] ?? endpoint.params[name])?.completes)?.names ?? []
  const wanted = String(values[name])
  // Digits are an id, where there are ids, though somebody may be called so.
  const isId = /^\d+$/.test(wanted) && known.includes('id')
  const names = isId ? ['id'] : [...known, 'id']
  const records = await collectListRecords(instance, list, values)
  const found = records.find(
    (record) => isObject(record) && names.some((field) => String(record[field]) === wanted),
  )
  return isObject(found) ? found : null
}

/**
 * Reads an object as it is now; null if it is not there.
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
  if (list !== undefined) return findListed(instance, list, plan, inverse.original)
  const reading = await findReading(inverse.area, endpoint)
  if (reading === undefined) throw new Failure('failed', 'the API has no endpoint to read it')
  const ask = { key: '', endpoint: reading.endpoint, values: reading.values(plan) }
  try {
    const { data } = await instance.send(ask)
    return inverse.presence ? (isObject(data) ? data : {}) : getShownFields(data, endpoint, sent)
  } catch (error) {
    const mayBeGone = inverse.presence || endpoint.brings === true
    if (mayBeGone && isMissing(error)) return null
    throw error
  }
}
