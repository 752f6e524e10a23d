/** Collects the paths that the embedded instance serves for an extension: stored lists, actions that set fields, and logs. */
import type { JsonValues } from '../base/objects.js'
import { toPathPattern } from '../catalogue/endpoint.js'
import { getProperties } from '../catalogue/fields.js'
import type { CompiledEndpoint } from './links.js'
import { getField } from './objects.js'

/** A field of stored records: the type that requests are checked against, and the default. */
interface ServedField {
  readonly type?: string
  readonly anyOf?: readonly ServedField[]
  readonly default?: unknown
}

/** Records that the embedded instance serves below a path. Extensions are stored with these field names. */
export interface ServedPath {
  /** The path of the list. */
  readonly path: string
  /** The placeholder of a single record. */
  readonly one: string
  /** The field that the placeholder is compared with. */
  readonly by: string
  /** True if the embedded instance stores a list of such records. */
  readonly stored?: true
  /** The fields that an answer shows; if absent, those of the created records. */
  readonly shape?: { readonly properties: Readonly<Record<string, ServedField>> }
  /** The actions on a single record, by the rest of their path, each with the fields that it sets. */
  readonly sets?: Readonly<Record<string, JsonValues>>
  /** The methods of actions that are not POST. */
  readonly methods?: Readonly<Record<string, 'PUT' | 'PATCH' | 'DELETE'>>
  /** The logs of a single record, by the rest of their path. */
  readonly logs?: readonly string[]
}

/** Splits the path of an operation into the list, the placeholder of a single record, and the rest. */
const splitPath = ({ operation, endpoint }: CompiledEndpoint) => {
  const [, list = operation.path, one = 'id', rest = ''] =
    /^(.*?)\/:(\w+)((?:\/[^:/]+)*)$/.exec(operation.path) ?? []
  const isOfList = endpoint.args?.length === 0 || !operation.path.includes(`/:${one}`)
  return isOfList
    ? { list: operation.path, one: undefined, rest: '' }
    : { list, one, rest: rest.slice(1) }
}

/** Returns the fields of a list's records from answers, columns and sent parameters; undefined if answers and columns have none. */
const getShape = (all: readonly CompiledEndpoint[]): ServedPath['shape'] => {
  const shown = all.flatMap(({ endpoint }) =>
    Object.entries(getProperties(endpoint.returns.shape) ?? {}),
  )
  const columns = all.flatMap(({ endpoint }) => endpoint.columns ?? [])
  const sent = all.flatMap(({ endpoint }) => Object.keys(endpoint.params))
  if (shown.length === 0 && columns.length === 0) return undefined
  const loose = [...columns, ...sent].map((name) => [name.split('.')[0] ?? name, {}] as const)
  const properties = { id: {}, ...Object.fromEntries(loose), ...Object.fromEntries(shown) }
  return { properties: properties as Readonly<Record<string, ServedField>> }
}

/** Collects the paths that the embedded instance serves, one for each list. */
export const collectServedPaths = (all: readonly CompiledEndpoint[]): readonly ServedPath[] => {
  const lists = new Map<string, CompiledEndpoint[]>()
  for (const one of all.filter(({ operation }) => operation.sandbox !== undefined)) {
    const key = toPathPattern(splitPath(one).list)
    lists.set(key, [...(lists.get(key) ?? []), one])
  }
  return [...lists.values()].map((some) => {
    const parts = some.map((one) => ({ ...splitPath(one), operation: one.operation }))
    const stored = some.filter(({ operation }) => operation.sandbox === 'resource')
    const one = parts.find((part) => part.one !== undefined)?.one ?? 'id'
    const sets = parts.flatMap(({ rest, operation: { sandbox, sets: fields } }) =>
      sandbox === 'state' && fields !== undefined ? [[rest, fields] as const] : [],
    )
    const logs = parts.flatMap(({ rest, operation }) => (operation.sandbox === 'log' ? [rest] : []))
    const methods = parts.flatMap(({ rest, operation: { method, sandbox } }) =>
      sandbox === 'state' && method !== 'GET' && method !== 'POST' ? [[rest, method] as const] : [],
    )
    const shape = getShape(stored)
    return {
      path: parts[0]?.list ?? '',
      one,
      by: getField(one),
      ...(stored.length > 0 && { stored: true }),
      ...(shape !== undefined && { shape }),
      ...(sets.length > 0 && { sets: Object.fromEntries(sets) }),
      ...(methods.length > 0 && { methods: Object.fromEntries(methods) }),
      ...(logs.length > 0 && { logs }),
    }
  })
}
