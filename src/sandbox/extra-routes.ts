/** Builds the routes of resources that the documented API has only in part, such as labels and users, but that deployed instances serve. */
import { mapValues } from '../base/objects.js'
import type { CredentialNeed } from '../catalogue/endpoint.js'
import { group, type Param, type Params, project, string } from '../catalogue/params.js'
import { apiRoot } from './call.js'
import type { AcceptedParams } from './check.js'
import type { AnyHandler } from './handlers.js'
import { requireSome } from './resource.js'

/** A route that the documented API does not have. */
export interface ExtraRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The whole path, below the instance's address. */
  readonly path: string
  readonly credential?: CredentialNeed
  readonly scopes?: readonly string[]
  readonly status?: number
  /** The parameters of the route, as in the catalogue. If absent, the handler reads the request itself. */
  readonly accepts?: AcceptedParams
  readonly handle: AnyHandler
}

type Changes = Partial<Pick<ExtraRoute, 'method' | 'path' | 'status' | 'credential'>>
/** The parameters and the handler of an operation, and the differences of its route from those of most resources. */
type Verb = readonly [params: Params, handle: AnyHandler, changes?: Changes]

/** The handlers that `resource()` returns, with their parameters. */
interface DeclaredVerbs {
  readonly filters?: Params
  readonly attributes?: Params
  readonly changes?: Params
  readonly defaults?: unknown
  readonly list: AnyHandler
  readonly get: AnyHandler
  readonly create: AnyHandler
  readonly update: AnyHandler
  readonly delete: AnyHandler
}

/** Returns the same parameters, all of them optional. */
const makeOptional = (params: Params): Params =>
  mapValues(params, ({ required: _, ...param }) => param as Param)

/** Returns the operations of a resource: those that it declares, and otherwise those of its records. */
const getOperations = ({ of, ...own }: ExtraResource): Omit<ExtraResource, 'of'> => {
  if (of === undefined) return own
  const { filters = {}, attributes } = of
  const changes = of.changes ?? attributes
  const verbs: Partial<ExtraResource> = {
    list: [filters, of.list],
    get: [{}, of.get],
    create: attributes && of.defaults !== undefined ? [attributes, of.create] : undefined,
    update: changes && [makeOptional(changes), of.update],
    delete: of.delete,
  }
  return { ...verbs, ...own }
}

interface ExtraResource {
  /** The path below the root of the API, such as `/projects/:id/labels`. */
  readonly path: string
  /** The placeholder for a single object. */
  readonly one: Params
  /** The roles that may write, as the catalogue describes them. */
  readonly access?: string
  readonly scopes?: readonly string[]
  /** The result of `resource()`. An operation that is declared here replaces the one of this result. */
  readonly of?: DeclaredVerbs
  readonly list?: Verb
  readonly get?: Verb
  readonly create?: Verb
  readonly update?: Verb
  readonly delete?: AnyHandler
  /** The further actions on a single object, by the last segment of their paths. */
  readonly actions?: Readonly<Record<string, readonly [handle: AnyHandler, changes?: Changes]>>
}

/** Returns the placeholders of a path, as parameters. */
const getPathParams = (path: string): Params =>
  Object.fromEntries(
    [...path.matchAll(/:(\w+)/g)].map(([, name = '']): [string, Param] => {
      if (name !== 'id') return [name, string('')]
      return [name, path.startsWith('/groups/') ? group() : project()]
    }),
  )

/** Creates the routes of a resource: those for its list, for a single object, and for changes. */
export const createRoutes = (spec: ExtraResource): readonly ExtraRoute[] => {
  const { scopes, access, actions = {} } = spec
  const { list, get, create, update, delete: remove } = getOperations(spec)
  const all = { at: `${apiRoot}${spec.path}`, path: getPathParams(spec.path) }
  const single = {
    at: `${all.at}/:${Object.keys(spec.one).join()}`,
    path: { ...all.path, ...spec.one },
  }
  const route = (
    method: ExtraRoute['method'],
    { at, path }: typeof all,
    [params, handle, changes]: Verb,
  ): ExtraRoute => {
    const accepts = method === 'GET' ? { path, params } : { path, params, access }
    return { method, path: at, scopes, accepts, handle, ...changes }
  }
  const routes: ExtraRoute[] = []
  if (list !== undefined) routes.push(route('GET', all, list))
  if (get !== undefined) routes.push(route('GET', single, get))
  if (create !== undefined) routes.push({ status: 201, ...route('POST', all, create) })
  if (update !== undefined) {
    const [params, handle, changes] = update
    const handleSome: AnyHandler = (call, input) => {
      requireSome(params, input)
      return handle(call, input)
    }
    const changing = route('PUT', single, [params, handleSome, changes])
    routes.push({ ...changing, accepts: { ...single, params, access, changes: true } })
  }
  if (remove !== undefined) routes.push(route('DELETE', single, [{}, remove]))
  for (const [name, [handle, changes]] of Object.entries(actions)) {
    const at = { ...single, at: `${single.at}/${name}` }
    routes.push({ status: 201, ...route('POST', at, [{}, handle, changes]) })
  }
  return routes
}
