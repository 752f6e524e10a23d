/** The routes of the instance: those of the catalogue, and a few that it does not know; and which of them a request means. */
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
import type { AcceptedParams } from '../check.js'
import type { ExtraRoute } from '../extra-routes.js'
import type { AnyHandler, AnyHandlers, AreaExtras } from '../handlers.js'
import type { AuthNeed } from './auth.js'
import { type DeclaredResource, declareRoutes } from './declared.js'
import { extraRoutes } from './extras.js'

// The addresses of alert endpoints: `/<project path>/alerts/notify/<name>/<identifier>.json`.

/** The names of the groups are no properties of an alert. */
const alertAddress =
  /^\/(?<endpoint_project>.+)\/alerts\/notify\/[^/]+\/(?<endpoint_identifier>[^/]+)\.json$/

interface HandlerRow extends AreaExtras {
  readonly endpoints: Endpoints
  readonly handlers: AnyHandlers
}

/** By the area's name in the catalogue. */
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
  /** The whole path with placeholders, or a pattern over it. */
  readonly url: string | RegExp
  readonly endpoint?: Endpoint
  /** The area of the endpoint. */
  readonly area?: AreaName
  /** Without it the handler looks at what was sent. */
  readonly accepts?: AcceptedParams
  readonly entrance: AuthNeed
  readonly status: number
  readonly handle: AnyHandler
}

const successes: Readonly<Record<string, number>> = { POST: 201 }

/** Returns the path of an endpoint; undefined if neither its path nor the area determines it. */
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

/** Returns the form of a route, in which the names of placeholders do not matter. */
const getForm = ({ method, url }: ServedRoute): string =>
  `${method} ${String(url).replace(/:\w+/g, ':')}`

/** Collects all routes: those of the catalogue, those beside it, and those of declared resources that are neither. */
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
  const declared = resources.flatMap(declareRoutes).map(toServed)
  return [...known, ...declared.filter((route) => !forms.has(getForm(route)))]
}

/** Finds the route of a request: routes with a path come first, then those with a pattern. */
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

// The route of a request, found segment by segment, literal ones before placeholders.

/** A path by segments: `runners`, `:id`, and at the end perhaps `*artifact_path`. */
type Segments = readonly string[]

interface Leaf<T> {
  /** The whole path, as it was added. */
  readonly path: string
  readonly names: readonly string[]
  readonly value: T
}

class Node<T> {
  readonly literal = new Map<string, Node<T>>()
  placeholder: Node<T> | undefined
  /** Method → what stands here. */
  readonly here = new Map<string, Leaf<T>>()
  /** Method → what takes all that follows. */
  readonly rest = new Map<string, Leaf<T>>()
}

export interface RouteMatch<T> {
  readonly value: T
  /** Placeholder → value, decoded. */
  readonly path: Readonly<Record<string, string>>
}

const split = (path: string): Segments => path.split('/').slice(1)

const isName = (segment: string): boolean => segment.startsWith(':') || segment.startsWith('*')

export class Router<T> {
  readonly #root = new Node<T>()

  /** Adds a route. @throws Error that names both where two routes of a method differ in the names of placeholders only */
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

  /** All places where a path may end, best first, each with the values of its placeholders. */
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
   * The route of a request, or the methods that its path knows (none for an unknown path).
   * `path` is as it was sent, without the query; a plain letter may be percent-encoded anywhere. Throws URIError on a
   * broken percent-encoding.
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
