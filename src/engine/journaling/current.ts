/** How an object is now that a run changed: read before it is put back. */
import { type Fields, isObject } from '../../base/objects.js'
import { type Endpoint, getMethod, getPath, pathPattern } from '../../catalogue/endpoint.js'
import { kindNamed } from '../../catalogue/kinds.js'
import { Failure } from '../../errors.js'
import { asSent, findReading, shownIn } from '../command/derive/reading.js'
import type { InstanceService } from '../command/services.js'
import type { Plan } from '../command/types.js'
import type { Attributes } from '../journal/lines.js'
import type { Inverse } from './inverse.js'

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
