/** Links the endpoints of an extension: finds what reverts a write, and the list that its objects are selected from. */
import { isObject } from '../base/objects.js'
import { type Endpoint, getMethod, getPath, toPathPattern, writes } from '../catalogue/endpoint.js'
import { getProperties } from '../catalogue/fields.js'
import { getRouteForm } from '../catalogue/index.js'
import { implied } from '../catalogue/undocumented.js'
import { getObjectPath } from './answers.js'
import type { Operation } from './operation.js'
import type { PathIndex } from './places.js'

/** An endpoint with the operation that it was compiled from. */
export interface CompiledEndpoint {
  readonly area: string
  readonly key: string
  readonly operation: Operation
  readonly endpoint: Endpoint
  /** The kind of its argument. */
  readonly kind: string | undefined
}

type Reversal = Pick<Endpoint, 'changes' | 'inverse' | 'leaves' | 'irreversible'>

const getFields = ({ sets = {} }: Operation): string => Object.keys(sets).sort().join()

/** Returns the path pattern of the object that an endpoint is about. */
const getSubject = ({ operation, endpoint }: CompiledEndpoint): string =>
  toPathPattern(getObjectPath(operation, endpoint.args ?? []))

/** Returns the path of an action without its verb. */
const getHolder = ({ endpoint }: CompiledEndpoint): string =>
  getPath(endpoint).replace(/\/[^/]+\/?$/, '')

/** Finds the endpoint that reads the object of a write, so that a journal can record its previous values. */
const findRead = (
  { operation, endpoint }: CompiledEndpoint,
  places: PathIndex,
): Pick<Endpoint, 'returns'> | undefined => {
  const path = getObjectPath(operation, endpoint.args ?? [])
  const form = `GET ${toPathPattern(path)}`
  return places.read(path) ?? implied.find((one) => getRouteForm(one) === form)
}

/** Finds the endpoints that set the same fields of the same object, so that they can revert each other; the given one is the first. */
const findSiblings = (
  one: CompiledEndpoint,
  all: readonly CompiledEndpoint[],
): readonly CompiledEndpoint[] => [
  one,
  ...all.filter(
    (other) =>
      other !== one &&
      other.area === one.area &&
      other.operation.sets !== undefined &&
      getFields(other.operation) === getFields(one.operation) &&
      getSubject(other) === getSubject(one) &&
      getHolder(other) === getHolder(one),
  ),
]

/** Returns why no command restores the fields that a write sets; undefined if one may. A field may have more values than commands set. */
const findGap = (
  one: CompiledEndpoint,
  all: readonly CompiledEndpoint[],
  places: PathIndex,
): string | undefined => {
  const read = findRead(one, places)
  if (read === undefined) return 'no command reads its object, so its state is not recorded'
  const siblings = findSiblings(one, all)
  const fields = Object.keys(one.operation.sets ?? {})
  if (siblings.length === 1) return `no other command sets ${fields.join(', ')} of the same object`
  const shape = getProperties(read.returns.shape) ?? {}
  for (const field of fields) {
    const { enum: values, examples = values } = isObject(shape[field]) ? shape[field] : {}
    const set = siblings.map(({ operation }) => operation.sets?.[field])
    const others = (Array.isArray(examples) ? examples : []).filter((value) => !set.includes(value))
    if (others.length > 0) return `no command sets ${field} to ${others.slice(0, 3).join(' or ')}`
  }
  return undefined
}

/** Finds the endpoint that deletes the objects that an endpoint creates; undefined if there is none. */
const findRemoval = (
  { area, endpoint }: CompiledEndpoint,
  all: readonly CompiledEndpoint[],
): CompiledEndpoint | undefined => {
  const made = `${toPathPattern(getPath(endpoint))}/:`
  return all.find(
    (other) =>
      other.area === area &&
      getMethod(other.endpoint) === 'DELETE' &&
      toPathPattern(getPath(other.endpoint)) === made,
  )
}

/** Returns how a write is reverted, or why it cannot be. */
export const getReversal = (
  one: CompiledEndpoint,
  all: readonly CompiledEndpoint[],
  places: PathIndex,
): Reversal => {
  const { operation, endpoint } = one
  const { sets, undo } = operation
  if (!writes(endpoint)) return {}
  const leaves = sets === undefined ? {} : { leaves: sets }
  if (undo !== undefined) return { ...leaves, irreversible: undo }
  if (sets !== undefined) {
    const irreversible = findGap(one, all, places)
    return { ...leaves, ...(irreversible !== undefined && { irreversible }) }
  }
  const method = getMethod(endpoint)
  const isChange = method === 'PUT' || method === 'PATCH'
  if (
    isChange &&
    places.read(operation.path) !== undefined &&
    Object.keys(endpoint.params).length > 0
  )
    return { changes: true }
  const removal =
    method === 'POST' && endpoint.args?.length === 0 ? findRemoval(one, all) : undefined
  if (removal !== undefined && endpoint.returns.kind === 'one') return { inverse: removal.key }
  if (method === 'DELETE') return { irreversible: 'what is deleted cannot be read again' }
  return { irreversible: 'the extension does not say what it sets' }
}

/** Returns a path up to the owner of its objects, such as `/projects/:`. Undefined if an endpoint needs nothing but their IDs. */
const getOwnerPath = ({ endpoint }: CompiledEndpoint): string | undefined => {
  const own = Object.keys(endpoint.path).find((name) => !endpoint.args?.includes(name))
  return own === undefined ? undefined : getPath(endpoint).split(own)[0]
}

/** Returns the list that the objects of a write are selected from; empty if they cannot be selected. */
export const getSelection = (
  one: CompiledEndpoint,
  all: readonly CompiledEndpoint[],
  places: PathIndex,
): Pick<Endpoint, 'selects'> => {
  const { area, endpoint, kind } = one
  if (!writes(endpoint) || kind === undefined || endpoint.args?.length !== 1) return {}
  if (!['one', 'empty'].includes(endpoint.returns.kind)) return {}
  const owner = getOwnerPath(one)
  // A number names another object in another project, and a list with an argument is one of each parent.
  const lists = all.filter(
    (other) =>
      other.endpoint.lists === (kind as Endpoint['lists']) &&
      other.endpoint.args?.length === 0 &&
      (owner === undefined || getOwnerPath(other) === owner),
  )
  const own = lists.find((other) => other.area === area) ?? lists[0]
  const list = own === undefined ? places.list(kind, area) : own.operation.command
  return list === undefined ? {} : { selects: { list } }
}
