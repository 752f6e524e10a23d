/**
 * Finds the endpoint that reads the object of a call, derived from their paths, and fills updates from the record that
 * it reads.
 */
import { AsyncCache } from '../../base/async.js'
import {
  type Fields,
  getFields,
  isObject,
  type JsonValues,
  toJsonFields,
} from '../../base/objects.js'
import { type Endpoint, getMethod, getPath, toPathPattern } from '../../catalogue/endpoint.js'
import { listAreas } from '../../catalogue/index.js'
import { getKindByName } from '../../catalogue/kinds.js'
import { Failure, recoverFrom, usage } from '../../errors.js'
import type { Ask } from '../../http/types.js'
import type { InstanceService } from './context.js'
import type { ActionOptions, Given, Plan } from './types.js'

// Compares the attributes that a call sends with the record that the instance returns.

/**
 * Returns the value that a record shows for a parameter. IDs are also found under the name of their objects
 * (`user_ids`: `users`).
 */
export const getShownValue = (
  record: Fields,
  name: string,
  { echo, absent }: Pick<Endpoint, 'absent' | 'echo'>,
): unknown => {
  const within = echo === undefined ? undefined : record[echo]
  const plain = name.replace(/_ids$/, '')
  const near = plain === name ? [name] : [name, `${plain}s`, `${plain}es`]
  const shown = near
    .flatMap((one) => [record[one], isObject(within) ? within[one] : undefined])
    .find((value) => value !== undefined)
  return shown === undefined ? absent?.[name] : shown
}

/** Converts a recorded value to the form in which it is sent: objects become their IDs if the sent value has IDs. */
export const toSentForm = (now: unknown, sent: unknown): unknown => {
  if (Array.isArray(now) && Array.isArray(sent))
    return now.map((one: unknown) => (isObject(one) && 'id' in one ? one.id : one))
  return isObject(now) && !isObject(sent) && 'id' in now ? now.id : (now ?? null)
}

/**
 * Returns the attributes that a call sends: those of the line, those that the endpoint adds, and the lists that it
 * empties unless they are set.
 */
export const getSentAttributes = ({
  endpoint,
  values,
  extra = {},
}: Pick<Ask, 'endpoint' | 'values' | 'extra'>): Fields => {
  const { empties = [], leaves = {}, path } = endpoint
  const all = new Map<string, unknown>([
    ...empties.map((name) => [name, []] as const),
    ...Object.entries(leaves),
    ...Object.entries(extra),
    ...Object.entries(values),
  ])
  return Object.fromEntries(
    [...all].filter(([name, value]) => value !== undefined && !Object.hasOwn(path, name)),
  )
}

/** Returns the names of the placeholders of a path, in order. */
const getPlaceholderNames = (path: string): readonly string[] =>
  [...path.matchAll(/[:*](\w+)/g)].flatMap(([, name]) => (name === undefined ? [] : [name]))

/** Returns the path of an endpoint up to its object; the whole path if it has no argument. */
const getObjectPath = (endpoint: Endpoint): string => {
  const path = getPath(endpoint)
  const [name] = endpoint.args ?? []
  if (name === undefined || endpoint.path[name] === undefined) return path
  const mark = `:${name}`
  return path.slice(0, path.indexOf(mark) + mark.length)
}

/** Returns the last two segments of a path with a neutral placeholder: `runners/:`. */
const getPathEnd = (path: string): string => toPathPattern(path).split('/').slice(-2).join('/')

/**
 * Ranks how closely a reading endpoint matches another one: 0 is the closest. Returns undefined if it reads another
 * object.
 */
const rankReader = (read: Endpoint, endpoint: Endpoint): number | undefined => {
  if (getMethod(read) !== 'GET' || read.returns.kind !== 'one') return undefined
  const [path, own, object] = [getPath(read), getPath(endpoint), getObjectPath(endpoint)]
  if (toPathPattern(path) === toPathPattern(own)) return 0
  const ofOne = endpoint.path[endpoint.args?.[0] ?? ''] !== undefined
  if (!ofOne) return undefined
  // The answer of a write best shows what it changes.
  const answered = read.returns.shape === endpoint.returns.shape
  if (answered && toPathPattern(path).startsWith(`${toPathPattern(object)}/`)) return 1
  if (toPathPattern(path) === toPathPattern(object)) return 2
  return getPlaceholderNames(path).length === 1 && getPathEnd(path) === getPathEnd(object)
    ? 3
    : undefined
}

/** Loads the endpoints of an area, and of the areas that list the kind of its object. */
const loadNearbyEndpoints = async (
  area: string,
  endpoint: Endpoint,
): Promise<readonly Endpoint[]> => {
  const kind = getKindByName(endpoint.path[endpoint.args?.[0] ?? '']?.completes)
  const rows = listAreas().filter(
    ({ name }) => name === area || kind?.areas.includes(name) === true,
  )
  const all = await Promise.all(rows.map((row) => row.load()))
  const known = all.flatMap((endpoints) => Object.values<Endpoint>(endpoints))
  if (endpoint.from === undefined) return known
  const { implied } = await import('../../catalogue/undocumented.js')
  return [...known, ...implied]
}

/** The endpoint that reads the object of a call, and the values that it needs. */
export interface ObjectReader {
  readonly endpoint: Endpoint
  /** Returns the values for its path, taken from the values of the call. */
  readonly fillPath: (ask: Pick<Ask, 'values'>) => JsonValues
}

const createObjectReader = async (
  area: string,
  endpoint: Endpoint,
): Promise<ObjectReader | undefined> => {
  const found = (await loadNearbyEndpoints(area, endpoint))
    .map((read) => ({ read, near: rankReader(read, endpoint) }))
    .filter(({ near }) => near !== undefined)
    .toSorted((a, b) => (a.near ?? 0) - (b.near ?? 0))[0]
  if (found === undefined) return undefined
  const { read, near } = found
  const all = getPlaceholderNames(getPath(endpoint))
  const names =
    near === 3 ? all.slice(getPlaceholderNames(getObjectPath(endpoint)).length - 1) : all
  // Matched by position, since placeholders have different names in different paths.
  const places = getPlaceholderNames(getPath(read)).map((name, i) => [name, names[i] ?? name])
  const fillPath: ObjectReader['fillPath'] = ({ values }) =>
    Object.fromEntries(places.map(([name = '', from = '']) => [name, values[from]]))
  return { endpoint: read, fillPath }
}

/** One reader for each endpoint: a run over many objects looks it up for each. */
const readerCaches = new WeakMap<Endpoint, AsyncCache<string, ObjectReader | undefined>>()

/** Finds the endpoint that reads the object of another endpoint. Returns undefined if the API has none. */
export const findObjectReader = (
  area: string,
  endpoint: Endpoint,
): Promise<ObjectReader | undefined> => {
  const known = readerCaches.get(endpoint) ?? new AsyncCache()
  readerCaches.set(endpoint, known)
  return known.of(area, () => createObjectReader(area, endpoint))
}

// Updates whose endpoint requires attributes that do not change (`PUT /geo_nodes/:id`): their values are copied from
// the record.

interface FillOptions {
  readonly area: string
  /** Attributes that the API requires. */
  readonly required: readonly string[]
  /** Resolves each plan before its record is read. */
  readonly prepare?: (plan: Plan) => Plan | Promise<Plan>
  /**
   * Changes the filled plan. If it is set, every record is read, and an object whose record cannot be read is not
   * changed.
   */
  readonly complete?: (plan: Plan, record: Fields) => Plan
}

const isSet = (given: Given, name: string): boolean =>
  given.flags[name.replaceAll('_', '-')] !== undefined ||
  given.input?.[name] !== undefined ||
  given.extra[name] !== undefined

/**
 * Checks that an update has an attribute.
 * @throws Failure `usage` if it has none
 */
const checkChanges = (
  { endpoint, values, extra }: Plan,
  open: readonly string[],
  area: string,
): void => {
  const own = Object.keys(values).filter(
    (n) => !Object.hasOwn(endpoint.path, n) && !open.includes(n),
  )
  if (own.length > 0 || Object.keys(extra ?? {}).length > 0) return
  const command = `${area} ${endpoint.command}`
  throw usage(
    `${command}: nothing to change`,
    `Pass at least one attribute. "svcctl ${command} --help" lists them.`,
  )
}

const readRecord = async (
  instance: InstanceService,
  area: string,
  { endpoint, values }: Plan,
): Promise<Fields> => {
  const reading = await findObjectReader(area, endpoint)
  if (reading === undefined) throw new Failure('internal', `nothing reads ${endpoint.route}`)
  const { data } = await instance.call(reading.endpoint, reading.fillPath({ values }))
  return getFields(data)
}

/**
 * Creates the planning options for an update that reads each record and fills the required attributes that were not
 * set.
 */
export const createFillOptions = (
  instance: InstanceService,
  given: Given,
  { area, required, prepare = (plan) => plan, complete: after }: FillOptions,
): Pick<ActionOptions, 'preset' | 'complete' | 'reads'> => {
  const missing = required.filter((name) => !isSet(given, name))
  const complete = async (asked: Plan): Promise<Plan> => {
    // The row of an object may contain some of them.
    const open = missing.filter((name) => asked.row?.[name] === undefined)
    checkChanges(asked, open, area)
    const plan = await prepare(asked)
    if (open.length === 0 && after === undefined) return plan
    const read = readRecord(instance, area, plan)
    const record = after === undefined ? await read : await read.catch(recoverFrom)
    if (record instanceof Failure) return { ...plan, refused: record }
    const kept = Object.fromEntries(open.map((name) => [name, toJsonFields(record)[name]]))
    const filled = { ...plan, record, values: { ...plan.values, ...kept } }
    return after === undefined ? filled : after(filled, record)
  }
  // Placeholders keep the required attributes from being asked for.
  const preset = Object.fromEntries(missing.map((name) => [name, '' as const]))
  return { preset, complete, reads: true }
}
