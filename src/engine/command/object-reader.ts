/** Finds the endpoint that reads the object of a call: it is derived from their paths. Updates are filled from what it reads. */
import { AsyncCache } from '../../base/async.js'
import { type Fields, isObject, type JsonValues, toJsonFields } from '../../base/objects.js'
import { type Endpoint, getMethod, getPath, toPathPattern } from '../../catalogue/endpoint.js'
import { listAreas } from '../../catalogue/index.js'
import { getKindByName } from '../../catalogue/kinds.js'
import { Failure, recoverFrom, usage } from '../../errors.js'
import type { Ask } from '../../http/types.js'
import type { InstanceService } from './context.js'
import type { ActionOptions, Given, Plan } from './types.js'

// Where a record shows what a parameter sets, and how.

/** Returns the value that a record shows for a parameter. IDs are found under the name of their objects, too (`user_ids`: `users`). */
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

/** Objects that stand for their identities, as such. */
export const toSentForm = (now: unknown, sent: unknown): unknown => {
  if (Array.isArray(now) && Array.isArray(sent))
    return now.map((one: unknown) => (isObject(one) && 'id' in one ? one.id : one))
  return isObject(now) && !isObject(sent) && 'id' in now ? now.id : (now ?? null)
}

/**
 * Returns the attributes that a call sets, as they are sent: those of the line, those that the endpoint sets by itself,
 * and the lists that it empties where they are not given.
 */
export const getSentAttributes = ({
  endpoint,
  values,
  extra,
}: Pick<Ask, 'endpoint' | 'values' | 'extra'>): Fields => {
  const { empties = [], leaves, path } = endpoint
  const emptied = Object.fromEntries(empties.map((name) => [name, []]))
  const all = Object.entries({ ...emptied, ...leaves, ...extra, ...values })
  return Object.fromEntries(
    all.filter(([name, value]) => value !== undefined && !Object.hasOwn(path, name)),
  )
}

/** Returns the placeholders of a path, in their order. */
const getPlaceholderNames = (path: string): readonly string[] =>
  [...path.matchAll(/[:*](\w+)/g)].flatMap(([, name]) => (name === undefined ? [] : [name]))

/** Returns the path of an endpoint up to its object; all of it if it is about no object of many. */
const getObjectPath = (endpoint: Endpoint): string => {
  const path = getPath(endpoint)
  const [name] = endpoint.args ?? []
  if (name === undefined || endpoint.path[name] === undefined) return path
  const mark = `:${name}`
  return path.slice(0, path.indexOf(mark) + mark.length)
}

/** Returns the path of an object among its like: `runners/:`. */
const getPathNoun = (path: string): string => toPathPattern(path).split('/').slice(-2).join('/')

/** Values by place: placeholders of one path have other names in another. */
const fillPlaceholders = (
  read: Endpoint,
  names: readonly string[],
  { values }: Pick<Ask, 'values'>,
) =>
  Object.fromEntries(
    getPlaceholderNames(getPath(read)).map((name, i) => [name, values[names[i] ?? name]] as const),
  )

/** Ranks how near a read is to an endpoint: 0 is the nearest. Returns undefined if it reads something else. */
const rankReading = (read: Endpoint, endpoint: Endpoint): number | undefined => {
  if (getMethod(read) !== 'GET' || read.returns.kind !== 'one') return undefined
  const [path, own, object] = [getPath(read), getPath(endpoint), getObjectPath(endpoint)]
  if (toPathPattern(path) === toPathPattern(own)) return 0
  const ofOne = endpoint.path[endpoint.args?.[0] ?? ''] !== undefined
  if (!ofOne) return undefined
  // What a verb is answered with tells best what it changes.
  const answered = read.returns.shape === endpoint.returns.shape
  if (answered && toPathPattern(path).startsWith(`${toPathPattern(object)}/`)) return 1
  if (toPathPattern(path) === toPathPattern(object)) return 2
  return getPlaceholderNames(path).length === 1 && getPathNoun(path) === getPathNoun(object)
    ? 3
    : undefined
}

/** Loads the endpoints of an area, and of the areas that list what it is about. */
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
  /** The values that fill its path, out of those of the call. */
  readonly values: (ask: Pick<Ask, 'values'>) => JsonValues
}

const makeReading = async (area: string, endpoint: Endpoint): Promise<ObjectReader | undefined> => {
  const found = (await loadNearbyEndpoints(area, endpoint))
    .map((read) => ({ read, near: rankReading(read, endpoint) }))
    .filter(({ near }) => near !== undefined)
    .toSorted((a, b) => (a.near ?? 0) - (b.near ?? 0))[0]
  if (found === undefined) return undefined
  const { read, near } = found
  const all = getPlaceholderNames(getPath(endpoint))
  const names =
    near === 3 ? all.slice(getPlaceholderNames(getObjectPath(endpoint)).length - 1) : all
  return { endpoint: read, values: (ask) => fillPlaceholders(read, names, ask) }
}

/** Found once for each endpoint: a run over many objects asks for every one. */
const readings = new WeakMap<Endpoint, AsyncCache<string, ObjectReader | undefined>>()

/** Finds how the object of an endpoint of an area is read. Returns undefined if the API reads no single one. */
export const findReading = (
  area: string,
  endpoint: Endpoint,
): Promise<ObjectReader | undefined> => {
  const known = readings.get(endpoint) ?? new AsyncCache()
  readings.set(endpoint, known)
  return known.of(area, () => makeReading(area, endpoint))
}

// Updates whose endpoint requires attributes that stay as they are: those come from the record (`PUT /geo_nodes/:id`).

interface FillOptions {
  readonly area: string
  /** Attributes that the API requires. */
  readonly required: readonly string[]
  /** Resolves each plan before its record is read. */
  readonly before?: (plan: Plan) => Plan | Promise<Plan>
  /** Changes the filled plan. With it every record is read, and an object whose record cannot be read is not changed. */
  readonly after?: (plan: Plan, record: Fields) => Plan
}

const isGiven = (given: Given, name: string): boolean =>
  given.flags[name.replaceAll('_', '-')] !== undefined ||
  given.input?.[name] !== undefined ||
  given.extra[name] !== undefined

/** @throws Failure `usage` where an update changes nothing */
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
  const reading = await findReading(area, endpoint)
  if (reading === undefined) throw new Failure('internal', `nothing reads ${endpoint.route}`)
  const { data } = await instance.call(reading.endpoint, reading.values({ values }))
  return isObject(data) ? data : {}
}

/** Creates the steps of an update that reads each record and fills what was not given. */
export const createFillSteps = (
  instance: InstanceService,
  given: Given,
  { area, required, before = (plan) => plan, after }: FillOptions,
): Pick<ActionOptions, 'preset' | 'complete' | 'reads'> => {
  const missing = required.filter((name) => !isGiven(given, name))
  const complete = async (asked: Plan): Promise<Plan> => {
    // Its row of input may have some.
    const open = missing.filter((name) => asked.row?.[name] === undefined)
    checkChanges(asked, open, area)
    const plan = await before(asked)
    if (open.length === 0 && after === undefined) return plan
    const read = readRecord(instance, area, plan)
    const record = after === undefined ? await read : await read.catch(recoverFrom)
    if (record instanceof Failure) return { ...plan, refused: record }
    const kept = Object.fromEntries(open.map((name) => [name, toJsonFields(record)[name]]))
    const filled = { ...plan, record, values: { ...plan.values, ...kept } }
    return after === undefined ? filled : after(filled, record)
  }
  // Stand-ins, so that nobody is asked for what is filled.
  const preset = Object.fromEntries(missing.map((name) => [name, '' as const]))
  return { preset, complete, reads: true }
}
