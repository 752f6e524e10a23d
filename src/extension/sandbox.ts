/** What the embedded instance answers of an extension: stored lists, actions that set fields, and logs. */
import type { JsonValues } from '../base/objects.js'
import { toPathPattern } from '../catalogue/endpoint.js'
import { getProperties } from '../catalogue/fields.js'
import type { CompiledEndpoint } from './links.js'

/** A field of stored records, as far as a request is held to it. */
interface ServedField {
  readonly type?: string
  readonly anyOf?: readonly ServedField[]
  readonly default?: unknown
}

/** Records that the embedded instance serves below a path. */
export interface ServedPath {
  /** The path of the list. */
  readonly path: string
  /** The placeholder of a single one, and the field that it is compared with. */
  readonly one: string
  readonly by: string
  /** It stores a list of such records. */
  readonly stored?: true
  /** What an answer shows; learnt from what is created where it is absent. */
  readonly shape?: { readonly properties: Readonly<Record<string, ServedField>> }
  /** What can be done with a single one, by the rest of its path, and the fields that this sets. */
  readonly sets?: Readonly<Record<string, JsonValues>>
  /** The methods of those, where they are not POST. */
  readonly methods?: Readonly<Record<string, 'PUT' | 'PATCH' | 'DELETE'>>
  /** The logs of a single one, by the rest of its path. */
  readonly logs?: readonly string[]
}

/** The path of the list that an operation is about, and what follows a single one. */
const splitPath = ({ operation, endpoint }: CompiledEndpoint) => {
  const [, list = operation.path, one = 'id', rest = ''] =
    /^(.*?)\/:(\w+)((?:\/[^:/]+)*)$/.exec(operation.path) ?? []
  const isOfList = endpoint.args?.length === 0 || !operation.path.includes(`/:${one}`)
  return isOfList
    ? { list: operation.path, one: undefined, rest: '' }
    : { list, one, rest: rest.slice(1) }
}

/** The fields of the records of a list: of what is shown, else of what is sent. */
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

/** Gathers what the embedded instance answers, one row a list. */
export const collectServed = (all: readonly CompiledEndpoint[]): readonly ServedPath[] => {
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
      by: /(?:^|_)iid$/.test(one) ? 'iid' : /(?:^|_)id$/.test(one) ? 'id' : one,
      ...(stored.length > 0 && { stored: true }),
      ...(shape !== undefined && { shape }),
      ...(sets.length > 0 && { sets: Object.fromEntries(sets) }),
      ...(methods.length > 0 && { methods: Object.fromEntries(methods) }),
      ...(logs.length > 0 && { logs }),
    }
  })
}
