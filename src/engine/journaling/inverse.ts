/**
 * Finds what undoes a run: the endpoint that reverts each object, the values for it, and the object's current state.
 */
import { isDeepStrictEqual } from 'node:util'
import { type Fields, isObject, type JsonValues, toJsonFields } from '../../base/objects.js'
import {
  type Endpoint,
  type Endpoints,
  getMethod,
  getPath,
  toPathPattern,
} from '../../catalogue/endpoint.js'
import { loadAreaEndpoints } from '../../catalogue/index.js'
import { getKindByName } from '../../catalogue/kinds.js'
import { getParamFormat, isClearedByEmpty, isNumeric, type Param } from '../../catalogue/params.js'
import { Failure, isMissing, usage } from '../../errors.js'
import type { InstanceService } from '../command/context.js'
import { getScope } from '../command/derive.js'
import { findObjectReader, getShownValue, toSentForm } from '../command/object-reader.js'
import type { Plan } from '../command/types.js'
import type { Attributes, Header, RepeatedRun } from '../journal/lines.js'
import type { OutcomeFacts } from '../journal/run-record.js'
import type { PlanAnswer } from '../rows.js'
import type { UndoableItem } from '../work/report.js'
import { parseTreePlace } from '../work/turns.js'

/** The way in which the objects of a run are restored. */
export interface Inverse {
  readonly area: string
  /**
   * The endpoints of the area. If the run created or deleted objects, they include the list that shows whether an
   * object exists.
   */
  readonly endpoints: Endpoints
  /** Returns the endpoint that restores an object; undefined if none can. */
  readonly findEndpoint: (was: Pick<UndoableItem, 'before' | 'parent'>) => Endpoint | undefined
  /** True if the run created or deleted objects, rather than changing them. */
  readonly isPresence: boolean
  /** The endpoint that the run used. */
  readonly original: Endpoint
  /** The run to do again, if this one undoes an undo. */
  readonly repeats?: RepeatedRun
}

/** Finds the variant of an endpoint for the parent of an object: a tree has one for groups and one for projects. */
const findVariant = (
  parent: string | undefined,
  original: Endpoint,
  endpoints: Endpoints,
): Endpoint | undefined => {
  const kind = parseTreePlace(parent)?.kind
  const isOfKind = (one: Endpoint): boolean => kind === undefined || getScope(one)?.kind === kind
  if (isOfKind(original)) return original
  return Object.values<Endpoint>(endpoints).find(
    (one) =>
      one.command === original.command && one.when?.flag === original.when?.flag && isOfKind(one),
  )
}

/** Returns the path of the object that an endpoint acts on. */
const getSubjectPath = (endpoint: Endpoint): string => getPath(endpoint).replace(/\/[^/]+\/?$/, '')

/** Finds the endpoints that set the same fields of the same objects. */
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

/** Returns the name of the argument that names an endpoint's object, and its declaration. */
const getObjectArgument = ({ args: [name = ''] = [], path, params }: Endpoint) => {
  const param: Param | undefined = path[name] ?? params[name]
  return { name, param, names: getKindByName(param?.completes)?.names ?? [] }
}

type RunFacts = Pick<Header, 'command' | 'endpoint' | 'redoes'>

/** Finds the endpoint of a run, and the others of its area. */
const findOriginal = async ({ command, endpoint: route }: RunFacts) => {
  const [area = '', ...words] = command.split(' ')
  const endpoints = await loadAreaEndpoints(area)
  const same = Object.values<Endpoint>(endpoints).filter((one) => one.route === route)
  // Commands of an extension may share a route and differ in what they send.
  const original = same.find((one) => one.command === words.join(' ')) ?? same[0]
  if (original === undefined && area === 'api')
    throw createIrreversibleFailure(command, 'the effect of this endpoint is unknown')
  if (original === undefined)
    throw createIrreversibleFailure(command, 'no command sends its request any more').with({
      hint: 'If it was of an extension, add its file again: svcctl extend add <file>',
    })
  return { area, endpoints, original }
}

/** Finds how to do again what an undone run did. */
const findRepetition = async (header: RunFacts, run: RepeatedRun): Promise<Inverse> => {
  const { area, endpoints, original: again } = await findOriginal(run)
  return {
    area,
    endpoints,
    isPresence: again.changes !== true && again.inverse !== undefined,
    original: (await findOriginal(header)).original,
    findEndpoint: ({ parent }) => findVariant(parent, again, endpoints),
    repeats: run,
  }
}

/**
 * Returns the names of attributes that the journal does not record, so that they cannot be sent again: secrets and
 * uploaded files.
 */
export const getUnrecordedNames = async (header: Header): Promise<readonly string[]> => {
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
 * @param redo true if the run itself is an undo: the original run is then done again
 * @throws Failure `usage` if the API has no inverse of the endpoint
 */
export const findInverse = async (header: RunFacts, redo = false): Promise<Inverse> => {
  if (redo && header.redoes !== undefined) return findRepetition(header, header.redoes)
  const { command } = header
  const { area, endpoints, original } = await findOriginal(header)
  const known = { area, endpoints, original }
  const findVariantFor = ({ parent }: Pick<UndoableItem, 'parent'>): Endpoint | undefined =>
    findVariant(parent, original, endpoints)
  if (original.changes === true)
    return {
      ...known,
      isPresence: false,
      // A change also restores what did not exist before.
      findEndpoint: (was) =>
        was.before === null ? endpoints[original.inverse ?? ''] : findVariantFor(was),
    }
  if (endpoints[original.inverse ?? ''] !== undefined)
    return {
      ...known,
      isPresence: true,
      findEndpoint: (was) => endpoints[findVariantFor(was)?.inverse ?? ''],
    }
  const { leaves, irreversible } = original
  const isPaired = leaves !== undefined && irreversible === undefined
  const siblings = isPaired ? findSiblings(original, endpoints) : []
  if (siblings.length > 1)
    return {
      ...known,
      isPresence: false,
      findEndpoint: ({ before }) => siblings.find((one) => canRestore(one, before)),
    }
  throw createIrreversibleFailure(command, irreversible)
}

const createIrreversibleFailure = (
  command: string,
  why = 'the API has no endpoint that reverts it',
) => usage(`${command} cannot be undone: ${why}`)

/** Returns the identity of an object that a run created or deleted, from its known attributes. */
export const findIdentity = (known: Attributes, kind: string | undefined): unknown => {
  const names = [...(getKindByName(kind)?.names ?? []), 'id']
  return names.map((name) => known?.[name]).find((value) => value !== undefined)
}

const coerceToParameter = (value: unknown, param: Param): unknown =>
  isNumeric(param) && /^\d+$/.test(String(value)) ? Number(value) : value

/** Converts a recorded value to the form that a parameter takes; undefined if it must not be sent. */
const toParameterValue = (value: unknown, param: Param, changes: boolean): unknown => {
  if (value === null && !changes) return undefined
  if (getParamFormat(param) !== 'date') return value
  if (value === null) return isClearedByEmpty(param) ? '' : value
  return String(value).slice(0, '2030-01-31'.length)
}

/** Returns the previous fields that restore an object: all fields of a change, else those that the endpoint takes. */
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

/** Returns the fields that a run sent to create an object. */
const getSentFields = ({ input }: Header, { row = {} }: UndoableItem): Fields =>
  Object.fromEntries(
    Object.entries({ ...input, ...row }).filter(
      ([, value]) => !isObject(value) || !('$row' in value || '$secret' in value),
    ),
  )

/**
 * Checks that all fields of a created object are recorded.
 * @throws Failure `usage` if one is not
 */
const checkRecorded = ({ command, lacks }: RepeatedRun): void => {
  if (lacks.length === 0) return
  throw usage(
    `${command} cannot be redone: the journal does not record ${lacks.join(', ')}`,
    `Run svcctl ${command} again.`,
  )
}

/**
 * Builds the values for the endpoint that restores an object.
 * @param repeats the run to do again
 * @throws Failure `usage` if the journal does not record them
 */
export const buildInverseValues = (
  endpoint: Endpoint,
  was: UndoableItem,
  header: Header,
  repeats?: RepeatedRun,
): JsonValues => {
  const holder = getScope(endpoint)?.placeholder
  const { name, param } = getObjectArgument(endpoint)
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

// The state of an object before and after it is restored.

/** Returns the fields of a record that identify its object. */
export const getIdentityFields = (record: unknown, { endpoint, kind: of }: Plan): Attributes => {
  if (!isObject(record)) return {}
  const kind = getKindByName(of ?? getObjectArgument(endpoint).param?.completes)
  const names = ['id', ...(kind?.names.filter((field) => !field.includes('url')) ?? [])]
  return Object.fromEntries(
    names.flatMap((field) => {
      const value = record[field]
      return typeof value === 'object' || value === undefined ? [] : [[field, value] as const]
    }),
  )
}

/** Returns the states of an object that was restored. One that is created again gets another ID, by which a redo finds it. */
export const findRestoredState = (
  plan: Plan,
  { object, before, after }: UndoableItem,
  { value }: PlanAnswer,
): OutcomeFacts => {
  const isAnew = after === null && before !== null && getMethod(plan.endpoint) === 'POST'
  if (!isAnew) return { before: after, after: before }
  const identity = getIdentityFields(value, plan)
  const isNamedById = String(before.id ?? '') === object && identity?.id !== undefined
  return {
    before: null,
    after: { ...before, ...identity },
    ...(isNamedById ? { object: String(identity.id) } : {}),
  }
}

/**
 * Returns the fields that a run changed as a record shows them now, in the form in which they are sent. Fields that the
 * record does not show are left out.
 */
const getShownFields = (record: unknown, endpoint: Endpoint, sent: Attributes): Fields => {
  if (!isObject(record)) return {}
  return Object.fromEntries(
    Object.entries(sent ?? {}).flatMap(([name, value]) => {
      const now = getShownValue(record, name, endpoint)
      return now === undefined ? [] : [[name, toSentForm(now, value)] as const]
    }),
  )
}

/** Finds the list that contains an object as long as it exists. */
const findList = ({ endpoints }: Inverse, endpoint: Endpoint): Endpoint | undefined => {
  const path = toPathPattern(getPath(endpoint)).replace(/\/:$/, '')
  return Object.values<Endpoint>(endpoints).find(
    (one) =>
      getMethod(one) === 'GET' &&
      one.returns.kind === 'many' &&
      toPathPattern(getPath(one)) === path,
  )
}

/** Finds the record with the names that an object to create would have; null if there is none. */
const findAlike = (
  records: readonly unknown[],
  endpoint: Endpoint,
  values: Plan['values'],
): Attributes => {
  const { names } = getObjectArgument(endpoint)
  const given = names.filter((one) => values[one] !== undefined)
  const found = records.find(
    (record) =>
      isObject(record) &&
      given.length > 0 &&
      given.every((one) => String(record[one]) === String(values[one])),
  )
  return isObject(found) ? found : null
}

/** Returns the previous attributes of an object whose deletion was not carried out: no other object gets its ID. */
const findRemaining = (records: readonly unknown[], { reverts }: Plan): Attributes => {
  const before = reverts?.before ?? null
  const id = before?.id
  if (id === undefined || id === null) return null
  return records.some((record) => isObject(record) && String(record.id) === String(id))
    ? before
    : null
}

/** Finds an object in its list; null if it does not exist. */
const findListed = async (
  instance: InstanceService,
  list: Endpoint,
  plan: Plan,
  original: Endpoint,
): Promise<Attributes> => {
  const { endpoint, values } = plan
  const { name, names: known } = getObjectArgument(endpoint)
  const own = Object.fromEntries(Object.keys(list.path).map((one) => [one, values[one]]))
  const records = await instance.collect({ endpoint: list, values: own }, { whole: true })
  if (values[name] === undefined)
    return findRemaining(records, plan) ?? findAlike(records, original, values)
  const wanted = String(values[name])
  // Digits are an ID if the kind has IDs, even if another object has that name.
  const isId = /^\d+$/.test(wanted) && known.includes('id')
  const names = isId ? ['id'] : [...known, 'id']
  const found = records.find(
    (record) => isObject(record) && names.some((field) => String(record[field]) === wanted),
  )
  return isObject(found) ? found : null
}

/**
 * Reads the current attributes of an object; null if it does not exist.
 * @param plan the plan that would restore it
 * @param sent the attributes that the run changed
 */
export const readCurrent = async (
  instance: InstanceService,
  inverse: Inverse,
  plan: Plan,
  sent: Attributes = null,
): Promise<Attributes> => {
  const { endpoint } = plan
  const list = inverse.isPresence ? findList(inverse, endpoint) : undefined
  if (list !== undefined) return findListed(instance, list, plan, inverse.original)
  const reading = await findObjectReader(inverse.area, endpoint)
  if (reading === undefined) throw new Failure('failed', 'the API has no endpoint to read it')
  const ask = { endpoint: reading.endpoint, values: reading.fillPath(plan) }
  try {
    const { data } = await instance.send(ask)
    return inverse.isPresence ? (isObject(data) ? data : {}) : getShownFields(data, endpoint, sent)
  } catch (error) {
    const mayBeGone = inverse.isPresence || endpoint.brings === true
    if (mayBeGone && isMissing(error)) return null
    throw error
  }
}
