/** What an object was before a run changed it, what it is after, and what it is now: the attributes that the run changes, no others. */
import { holdsRounded } from '../../base/json/json.js'
import { type Fields, isObject } from '../../base/objects.js'
import { masked } from '../../base/secrets/names.js'
import { type Endpoint, getMethod, getPath, pathPattern } from '../../catalogue/endpoint.js'
import { kindNamed } from '../../catalogue/kinds.js'
import { Failure, isMissing } from '../../errors.js'
import type { Ask } from '../../http/types.js'
import { asSent, findReading, shownIn } from '../command/reading.js'
import type { InstanceService, PlanAnswer } from '../command/services.js'
import type { Plan } from '../command/types.js'
import { agrees } from '../instance/caller.js'
import type { Attributes, Header } from '../journal/lines.js'
import type { Item } from '../work/report.js'
import { type Inverse, valuesFor } from './inverse.js'

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

// What a run changes, and what was there before.

/** Lists that a plan empties by leaving them out. */
const emptiedBy = ({ empties = [] }: Endpoint): Fields =>
  Object.fromEntries(empties.map((name) => [name, []]))

/** The attributes that a plan sets, as they are sent. */
export const wantedBy = ({ endpoint, values, extra }: Plan): Fields =>
  Object.fromEntries(
    Object.entries({ ...emptiedBy(endpoint), ...endpoint.leaves, ...extra, ...values }).filter(
      ([name, value]) =>
        value !== undefined && !(name in endpoint.path) && endpoint.args?.includes(name) !== true,
    ),
  )

/** What a plan changes of its object, as undo puts it back. */
export const changedBy = (plan: Plan): Fields =>
  plan.endpoint.changes === true ? wantedBy(plan) : (plan.endpoint.leaves ?? {})

/** Whether a journal can hold a value: what no answer shows, or JSON would round, is as little known as a masked one. */
const isKeepable = (value: unknown): boolean => value !== undefined && !holdsRounded(value)

/** The attributes that a plan wants, as a record shows them. */
const shownAs = (record: Fields, wanted: Fields, endpoint: Endpoint): Attributes =>
  Object.fromEntries(
    Object.entries(wanted).map(([name, sent]) => {
      const now = shownIn(record, name, endpoint)
      return [name, isKeepable(now) ? asSent(now, sent) : masked]
    }),
  )

/** The fields of a record that say which object it is. */
export const identityIn = (record: unknown, { endpoint }: Plan): Attributes => {
  if (!isObject(record)) return {}
  const name = endpoint.args?.[0] ?? ''
  const kind = kindNamed((endpoint.path[name] ?? endpoint.params[name])?.completes)
  const names = ['id', ...(kind?.names.filter((field) => !field.includes('url')) ?? [])]
  return Object.fromEntries(
    names.flatMap((field) => {
      const value = record[field]
      return typeof value === 'object' || value === undefined ? [] : [[field, value] as const]
    }),
  )
}

/** The parameters of what puts an object back, as far as its record shows them. */
const givenIn = (record: Fields, { endpoint }: Plan): Fields =>
  Object.fromEntries(
    Object.keys(endpoint.params).flatMap((name) => {
      const shown = name.endsWith('_ids')
        ? asSent(shownIn(record, name, endpoint), [])
        : record[name]
      const value = endpoint.args?.includes(name) === true ? undefined : shown
      return value === undefined ? [] : [[name, isKeepable(value) ? value : masked] as const]
    }),
  )

/** Whether a plan makes an object that nobody named. */
export const creates = ({ endpoint }: Plan): boolean =>
  getMethod(endpoint) === 'POST' &&
  endpoint.inverse !== undefined &&
  endpoint.path[endpoint.args?.[0] ?? ''] === undefined

/** Whether attributes are as they are wanted. */
export const hasAttributes = (wanted: Fields, now: Attributes): boolean =>
  now !== null &&
  Object.keys(wanted).length > 0 &&
  Object.entries(wanted).every(([name, sent]) => now[name] !== masked && agrees(sent, now[name]))

/** The data that a read is answered with, asked once: what takes long is no reason to wait with a write. */
export type CachedRead = (ask: Ask) => Promise<unknown>

/** What of a run says how an object is brought back. */
type Back = readonly [inverse: Inverse, header: Header, item: Item, plan: Plan]

/** What would take back what a plan does to its object. */
const backOf = (...[inverse, header, { parent, ...item }, plan]: Back): Plan => {
  // By what the plan found it to be: a username may be written in more ways than one.
  const known = plan.values[plan.endpoint.args?.[0] ?? '']
  const object = known === undefined ? item.object : String(known)
  const was = {
    n: 1,
    object,
    parent,
    before: {},
    after: null,
    masked: [],
  }
  const endpoint = inverse.endpointFor(was)
  if (endpoint === undefined) throw new Failure('failed', 'no command restores the previous state')
  return { key: '', endpoint, values: valuesFor(endpoint, was, header) }
}

/** Reads objects before they are changed. */
export class Snapshot {
  readonly #reads: CachedRead
  readonly #instance: InstanceService
  readonly #area: string

  constructor(reads: CachedRead, instance: InstanceService, area: string) {
    this.#reads = reads
    this.#instance = instance
    this.#area = area
  }

  /** What of the object a plan changes, as it is now; undefined where the API reads no single one. */
  async attributes(plan: Plan): Promise<Attributes | undefined> {
    const reading = await findReading(this.#area, plan.endpoint)
    if (reading === undefined) return undefined
    try {
      const data = await this.#reads({ endpoint: reading.endpoint, values: reading.values(plan) })
      return shownAs(isObject(data) ? data : {}, changedBy(plan), plan.endpoint)
    } catch (error) {
      if (plan.endpoint.brings === true && isMissing(error)) return null
      throw error
    }
  }

  /** The object among its like, where a run makes it come and go; null where it is not there. */
  async presence(...back: Back): Promise<Attributes> {
    const [inverse, , , plan] = back
    const taking = backOf(...back)
    const now =
      (await this.#single([plan, taking])) ?? (await readCurrent(this.#instance, inverse, taking))
    return now === null ? null : { ...identityIn(now, taking), ...givenIn(now, taking) }
  }

  /** The same by the record that a plan was answered with; undefined where that is none. */
  shown(...[value, ...back]: readonly [value: unknown, ...Back]): Attributes | undefined {
    if (!isObject(value)) return undefined
    const taking = backOf(...back)
    return { ...identityIn(value, taking), ...givenIn(value, taking) }
  }

  /** The object by a read of itself, where one of the paths to it has one; null where it is not there. */
  async #single(plans: readonly Plan[]): Promise<Fields | null | undefined> {
    for (const { endpoint, values } of plans) {
      const name = endpoint.args?.[0] ?? ''
      const reading = /^\d+$/.test(String(values[name]))
        ? await findReading(this.#area, endpoint)
        : undefined
      // A record from elsewhere says nothing of whether it is here.
      if (
        reading === undefined ||
        pathPattern(getPath(reading.endpoint)) !== pathPattern(getPath(endpoint))
      )
        continue
      try {
        const data = await this.#reads({
          endpoint: reading.endpoint,
          values: reading.values({ values }),
        })
        return isObject(data) ? data : undefined
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    }
    return undefined
  }
}

/** What of the object a plan changes, by the record that was read while it was planned. */
export const readWith = (plan: Plan): Attributes | undefined =>
  isObject(plan.record) && plan.endpoint.changes === true
    ? shownAs(plan.record, changedBy(plan), plan.endpoint)
    : undefined

/** The same attributes of the record that the object was selected by; undefined where it has not all of them. */
export const selectedAs = (record: unknown, plan: Plan): Attributes | undefined => {
  const wanted = changedBy(plan)
  if (!isObject(record) || Object.keys(wanted).length === 0) return undefined
  const now = shownAs(record, wanted, plan.endpoint)
  return Object.values(now ?? {}).includes(masked) ? undefined : now
}

/** What an update left, as its answer shows it; what that does not show, as it was sent. */
export const leftBy = (plan: Plan, { value }: PlanAnswer, before: Attributes): Attributes => {
  const wanted = changedBy(plan)
  const shown = isObject(value) ? shownAs(value, wanted, plan.endpoint) : {}
  return Object.fromEntries(
    Object.entries(before ?? {}).map(([name, was]) => {
      const now = shown?.[name] ?? masked
      if (was === masked) return [name, masked]
      return [name, now === masked ? wanted[name] : now]
    }),
  )
}
