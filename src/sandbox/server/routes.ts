/** Collects the routes of the instance from the catalogue and from other declarations, and finds the route of a request. */
import { type Endpoint, type Endpoints, getMethod, getPath } from '../../catalogue/endpoint.js'
import type { AreaName } from '../../catalogue/index.js'
import { served as alerts } from '../areas/alerts.js'
import { served as approvals } from '../areas/approvals.js'
import { served as artifacts } from '../areas/artifacts.js'
import { served as ci } from '../areas/ci.js'
import { served as commits } from '../areas/commits.js'
import { served as dependencies } from '../areas/dependencies.js'
import { served as deployKeys } from '../areas/deploy-keys.js'
import { served as errorTracking } from '../areas/error-tracking.js'
import { served as events } from '../areas/events.js'
import { served as geo } from '../areas/geo.js'
import { served as integrations } from '../areas/integrations.js'
import { served as issues } from '../areas/issues.js'
import { served as jobs } from '../areas/jobs.js'
import { served as members } from '../areas/members.js'
import { served as mr } from '../areas/mr.js'
import { served as pagesDomains } from '../areas/pages-domains.js'
import { served as projects } from '../areas/projects.js'
import { served as resourceGroups } from '../areas/resource-groups.js'
import { served as runners } from '../areas/runners.js'
import { served as settings } from '../areas/settings.js'
import { served as storageMove } from '../areas/storage-move.js'
import { served as vulnerabilities } from '../areas/vulnerabilities.js'
import { apiRoot } from '../call.js'
import { type AcceptedParams, checkInput } from '../check.js'
import type { ExtraRoute } from '../extra-routes.js'
import type { AnyHandler, AnyHandlers, AreaExtras } from '../handlers.js'
import type { AuthNeed } from './auth.js'
import { type DeclaredResource, declareRoutes, type ReaderFinder } from './declared.js'
import { extraRoutes } from './extras.js'

// The addresses of alert endpoints: `/<project path>/alerts/notify/<name>/<identifier>.json`.

/** The pattern of these addresses. No property of an alert has the name of one of its groups. */
const alertAddress =
  /^\/(?<endpoint_project>.+)\/alerts\/notify\/[^/]+\/(?<endpoint_identifier>[^/]+)\.json$/

interface HandlerRow extends AreaExtras {
  readonly endpoints: Endpoints
  readonly handlers: AnyHandlers
}

/** The handlers of all areas, by the area's name in the catalogue. */
export const registry: Readonly<Record<AreaName, HandlerRow>> = {
  commits,
  runners,
  jobs,
  artifacts,
  'resource-groups': resourceGroups,
  ci,
  issues,
  mr,
  approvals,
  members,
  events: { ...events, scopes: { list: ['read_user'], listOfUser: ['read_user'] } },
  projects,
  integrations,
  alerts: { ...alerts, urls: { send: alertAddress } },
  settings,
  'deploy-keys': deployKeys,
  'pages-domains': pagesDomains,
  vulnerabilities,
  dependencies,
  geo,
  'error-tracking': errorTracking,
  'storage-move': storageMove,
}

export interface ServedRoute {
  readonly method: string
  /** The whole path with placeholders, or a pattern that matches it. */
  readonly url: string | RegExp
  readonly endpoint?: Endpoint
  readonly area?: AreaName
  /** The parameters of the route. If absent, the handler reads the request itself. */
  readonly accepts?: AcceptedParams
  readonly entrance: AuthNeed
  readonly status: number
  readonly handle: AnyHandler
}

const successes: Readonly<Record<string, number>> = { POST: 201 }

/** Returns the path of an endpoint; undefined if neither the endpoint nor its area has one. */
const getUrl = (key: string, endpoint: Endpoint, extras: AreaExtras): string | RegExp | undefined =>
  extras.urls?.[key] ??
  (getPath(endpoint).startsWith('/') ? apiRoot + getPath(endpoint) : undefined)

const getRoutes = (area: AreaName, key: string, endpoint: Endpoint): ServedRoute[] => {
  const row = registry[area]
  const url = getUrl(key, endpoint, row)
  if (url === undefined) return []
  const handle = row.handlers[key]
  if (handle === undefined) throw new Error(`no handler for ${area} ${key}`)
  const method = getMethod(endpoint)
  const entrance = {
    credential: url instanceof RegExp ? 'parameter' : (endpoint.credential ?? 'user'),
    scopes: row.scopes?.[key] ?? [],
  } as const
  const status = endpoint.status ?? successes[method] ?? 200
  return [{ method, url, endpoint, area, accepts: endpoint, entrance, status, handle }]
}

/** Returns the method and path of a route, without the names of placeholders. */
const getForm = ({ method, url }: Pick<ServedRoute, 'method' | 'url'>): string =>
  `${method} ${String(url).replace(/:\w+/g, ':')}`

/** Collects all routes: first those of the catalogue, then the extra ones, then those of declared resources that are new. */
export const collectRoutes = (resources: readonly DeclaredResource[] = []): ServedRoute[] => {
  const routes = (Object.keys(registry) as AreaName[]).flatMap((area) =>
    Object.entries(registry[area].endpoints).flatMap(([key, endpoint]) =>
      getRoutes(area, key, endpoint),
    ),
  )
  const toServed = (route: ExtraRoute): ServedRoute => ({
    method: route.method,
    url: route.path,
    entrance: { credential: route.credential ?? 'user', scopes: route.scopes ?? [] },
    status: route.status ?? 200,
    accepts: route.accepts,
    handle: route.handle,
  })
  const known = [...routes, ...extraRoutes.map(toServed)]
  const forms = new Set(known.map(getForm))
  const findReader: ReaderFinder = (path) => {
    const form = getForm({ method: 'GET', url: `${apiRoot}${path}` })
    const route = known.find((one) => getForm(one) === form)
    if (route === undefined) return undefined
    const [own, others] = [path, String(route.url)].map((url) => [...url.matchAll(/:(\w+)/g)])
    // The placeholders of the declared path may have other names than those of the existing one.
    return (call, input: Readonly<Record<string, unknown>>) => {
      const named = others?.map(([, name = ''], i) => [name, input[own?.[i]?.[1] ?? name]])
      const path = Object.fromEntries(named ?? [])
      const { accepts = { path: {}, params: {} } } = route
      return route.handle(call, checkInput({ ...accepts, params: {} }, path, {}) as never)
    }
  }
  const declared = resources.flatMap((one) => declareRoutes(one, findReader)).map(toServed)
  return [...known, ...declared.filter((route) => !forms.has(getForm(route)))]
}

/** Finds the route of a request: first among those with a path, then among those with a pattern. */
export interface Finder {
  find(method: string, path: string): RouteMatch<ServedRoute> | readonly string[]
}

const matchPattern = (routes: readonly ServedRoute[], method: string, path: string) => {
  for (const value of routes) {
    const match = value.url instanceof RegExp ? value.url.exec(decodeURIComponent(path)) : null
    if (match !== null && value.method === method) return { value, path: { ...match.groups } }
  }
  return undefined
}

export const createFinder = (routes: readonly ServedRoute[]): Finder => {
  const router = new Router<ServedRoute>()
  for (const route of routes)
    if (typeof route.url === 'string') router.add(route.method, route.url, route)
  const patterns = routes.filter(({ url }) => url instanceof RegExp)
  return {
    find: (method, path) => {
      const found = router.find(method, path)
      return 'value' in found ? found : (matchPattern(patterns, method, path) ?? found)
    },
  }
}

// The router, which compares segment by segment and prefers literal segments to placeholders.

/** The segments of a path, such as `runners` and `:id`. The last one may be `*artifact_path`. */
type Segments = readonly string[]

interface Leaf<T> {
  /** The whole path as it was added. */
  readonly path: string
  readonly names: readonly string[]
  readonly value: T
}

class Node<T> {
  readonly literal = new Map<string, Node<T>>()
  placeholder: Node<T> | undefined
  /** The routes that end at this node, by method. */
  readonly here = new Map<string, Leaf<T>>()
  /** The routes whose last segment matches the rest of a path, by method. */
  readonly rest = new Map<string, Leaf<T>>()
}

export interface RouteMatch<T> {
  readonly value: T
  /** The decoded values of the placeholders, by name. */
  readonly path: Readonly<Record<string, string>>
}

const split = (path: string): Segments => path.split('/').slice(1)

const isName = (segment: string): boolean => segment.startsWith(':') || segment.startsWith('*')

export class Router<T> {
  readonly #root = new Node<T>()

  /** Adds a route. @throws Error with both paths if two routes of a method differ only in the names of placeholders */
  add(method: string, path: string, value: T): void {
    const segments = split(path)
    const names = segments.filter(isName).map((segment) => segment.slice(1))
    const wild = segments.at(-1)?.startsWith('*') === true
    let node = this.#root
    for (const segment of wild ? segments.slice(0, -1) : segments) {
      if (segment.startsWith(':')) {
        node.placeholder ??= new Node()
        node = node.placeholder
        continue
      }
      let next = node.literal.get(segment)
      if (next === undefined) {
        next = new Node()
        node.literal.set(segment, next)
      }
      node = next
    }
    const leaves = wild ? node.rest : node.here
    const other = leaves.get(method)
    if (other !== undefined)
      throw new Error(
        `${method} ${path} is ambiguous: ${method} ${other.path} takes the same paths`,
      )
    leaves.set(method, { path, names, value })
  }

  /** Generates all nodes at which a path may end, the best match first, each with the values of its placeholders. */
  *#ends(
    node: Node<T>,
    segments: Segments,
    values: readonly string[],
  ): Generator<readonly [Map<string, Leaf<T>>, readonly string[]]> {
    const [segment, ...others] = segments
    if (segment === undefined) {
      yield [node.here, values]
      return
    }
    const literal = node.literal.get(decodeURIComponent(segment))
    if (literal !== undefined) yield* this.#ends(literal, others, values)
    if (node.placeholder !== undefined && segment !== '')
      yield* this.#ends(node.placeholder, others, [...values, segment])
    if (node.rest.size > 0 && segments.some((s) => s !== ''))
      yield [node.rest, [...values, segments.join('/')]]
  }

  /**
   * Finds the route of a request, or the methods that its path has (none for an unknown path). `path` is the raw path without the query,
   * in which any letter may be percent-encoded.
   * @throws URIError if the percent-encoding is invalid
   */
  find(method: string, path: string): RouteMatch<T> | readonly string[] {
    const methods = new Set<string>()
    for (const [leaves, values] of this.#ends(this.#root, split(path), [])) {
      const leaf = leaves.get(method)
      if (leaf === undefined) {
        for (const other of leaves.keys()) methods.add(other)
        continue
      }
      const pairs = leaf.names.map((name, index) => {
        const value = decodeURIComponent(values[index] ?? '')
        return [name, value] as const
      })
      return { value: leaf.value, path: Object.fromEntries(pairs) }
    }
    return [...methods]
  }
}
