/** Refuses a create in a dry run if the object exists already, according to the list of its kind. */
import { type Fields, isObject } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { type Managed, managedKinds } from '../../catalogue/managed.js'
import { getParamFormat, type Param } from '../../catalogue/params.js'
import { Failure } from '../../errors.js'
import type { Ask } from '../../http/types.js'
import type { Plan } from '../command/types.js'

/** Returns the values that identify an object of a kind: a key without its comment, or each of several IDs. */
const getIdentities = (param: Param, value: unknown): readonly string[] => {
  const text = String(value)
  if (getParamFormat(param) === 'public-key') return [text.trim().split(/\s+/, 2).join(' ')]
  return getParamFormat(param) === 'csv' ? text.split(',') : [text]
}

/**
 * Returns the parameters of a create whose values must be unique among the objects of the kind, with the fields that
 * show them.
 */
const getUniqueParameters = ({ identity, also, at = {} }: Managed, { params }: Endpoint) =>
  Object.entries({
    ...(identity === undefined ? {} : { [identity]: identity }),
    ...(also === undefined ? {} : { [also]: also }),
    ...at,
  }).flatMap(([name, field]) => {
    const param = Object.hasOwn(params, name) ? params[name] : undefined
    return param === undefined ? [] : [{ name, field, param }]
  })

const describeExisting = ({ label, identity = 'id' }: Managed, record: Fields): string => {
  const id = record.id === undefined ? '' : ` (ID ${String(record.id)})`
  return `"${String(record[label ?? identity])}" already exists${id}`
}

/**
 * Checks that the object of a create does not exist yet.
 * @param read returns all records of a list
 * @throws Failure `conflict` if it exists, and the failures of reading the list
 */
export const checkNoDuplicate = async (
  { endpoint, values }: Pick<Plan, 'endpoint' | 'values'>,
  read: (list: Ask) => Promise<readonly unknown[]>,
): Promise<void> => {
  const kind = managedKinds.find(({ create }) => create?.route === endpoint.route)
  if (kind === undefined || kind.holds !== 'set') return
  const list = kind.read
  const own = Object.fromEntries(Object.keys(list.path).map((name) => [name, values[name]]))
  const records = await read({ endpoint: list, values: own })
  const unique = getUniqueParameters(kind, endpoint).filter(
    ({ name }) => values[name] !== undefined,
  )
  const found = records.filter(isObject).find((record) =>
    unique.some(({ name, field, param }) => {
      const wanted = getIdentities(param, values[name])
      return getIdentities(param, record[field]).some((one) => wanted.includes(one))
    }),
  )
  if (found === undefined) return
  throw new Failure('conflict', describeExisting(kind, found), {
    hint: 'The instance would reject a second one.',
  })
}
