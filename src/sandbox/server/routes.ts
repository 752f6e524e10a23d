/** Collects the routes of the instance from the catalogue and from other declarations, and creates the finder of a request's route. */
import {
  type Endpoint,
  type Endpoints,
  getMethod,
  getPath,
  getStatus,
} from '../../catalogue/endpoint.js'
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
import { type RouteMatch, Router } from './router.js'

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

/** A route of the instance with its handler. */
export interface ServedRoute {
  readonly method: string
  /** The whole path with placeholders, or a pattern that matches it. */
  readonly url: string | RegExp
  readonly endpoint?: Endpoint
  readonly area?: AreaName
  /** The parameters of the route. If absent, the handler reads the request itself. */
  readonly accepts?: AcceptedParams
  readonly auth: AuthNeed
  readonly status: number
  readonly handle: AnyHandler
}

/** Returns the path of an endpoint; undefined if neither the endpoint nor its area has one. */
const getUrl = (key: string, endpoint: Endpoint, extras: AreaExtras): string | RegExp | undefined =>
  extras.urls?.[key] ??
  (getPath(endpoint).startsWith('/') ? apiRoot + getPath(endpoint) : undefined)

/** Creates the route of an endpoint; empty if the endpoint has no path that the instance serves. */
const createEndpointRoutes = (area: AreaName, key: string, endpoint: Endpoint): ServedRoute[] => {
  const row = registry[area]
  const url = getUrl(key, endpoint, row)
  if (url === undefined) return []
  const handle = row.handlers[key]
  if (handle === undefined) throw new Error(`no handler for ${area} ${key}`)
  const method = getMethod(endpoint)
  const auth = {
    credential: url instanceof RegExp ? 'parameter' : (endpoint.credential ?? 'user'),
    scopes: row.scopes?.[key] ?? [],
  } as const
  const status = getStatus(endpoint)
  return [{ method, url, endpoint, area, accepts: endpoint, auth, status, handle }]
}

/** Returns the method and path of a route, without the names of placeholders. */
const getSignature = ({ method, url }: Pick<ServedRoute, 'method' | 'url'>): string =>
  `${method} ${String(url).replace(/:\w+/g, ':')}`

/** Lists the names of the placeholders of a path. */
const listPlaceholders = (url: string): readonly string[] =>
  [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name)

const toServed = (route: ExtraRoute): ServedRoute => ({
  method: route.method,
  url: route.path,
  auth: { credential: route.credential ?? 'user', scopes: route.scopes ?? [] },
  status: route.status ?? 200,
  accepts: route.accepts,
  handle: route.handle,
})

/** Creates the routes of the catalogue, followed by the extra ones. */
const createKnownRoutes = (): readonly ServedRoute[] => {
  const routes = (Object.keys(registry) as AreaName[]).flatMap((area) =>
    Object.entries(registry[area].endpoints).flatMap(([key, endpoint]) =>
      createEndpointRoutes(area, key, endpoint),
    ),
  )
  return [...routes, ...extraRoutes.map(toServed)]
}

let knownRoutes: readonly ServedRoute[] | undefined

/** Collects all routes: those of the catalogue and the extra ones, which all instances share, then those of declared resources that are new. */
export const collectRoutes = (
  resources: readonly DeclaredResource[] = [],
): readonly ServedRoute[] => {
  knownRoutes ??= createKnownRoutes()
  const known = knownRoutes
  if (resources.length === 0) return known
  const signatures = new Set(known.map(getSignature))
  const findReader: ReaderFinder = (path) => {
    const signature = getSignature({ method: 'GET', url: `${apiRoot}${path}` })
    const route = known.find((one) => getSignature(one) === signature)
    if (route === undefined) return undefined
    const { accepts = { path: {}, params: {} }, handle, url } = route
    const declaredNames = listPlaceholders(path)
    const names = listPlaceholders(String(url))
    // The placeholders of the declared path may have other names than those of the existing one.
    return (call, input: Readonly<Record<string, unknown>>) => {
      const values = Object.fromEntries(
        names.map((name, i) => [name, input[declaredNames[i] ?? name]]),
      )
      return handle(call, checkInput({ ...accepts, params: {} }, values, {}) as never)
    }
  }
  const declared = resources.flatMap((one) => declareRoutes(one, findReader)).map(toServed)
  return [...known, ...declared.filter((route) => !signatures.has(getSignature(route)))]
}

/** Finds routes, first among those with a path, then among those with a pattern. */
export interface RouteFinder {
  /** Finds the route of a request; else returns the methods that its path has. */
  find(method: string, path: string): RouteMatch<ServedRoute> | readonly string[]
}

const matchPattern = (routes: readonly ServedRoute[], method: string, path: string) => {
  for (const value of routes) {
    const match = value.url instanceof RegExp ? value.url.exec(decodeURIComponent(path)) : null
    if (match !== null && value.method === method) return { value, path: { ...match.groups } }
  }
  return undefined
}

export const createRouteFinder = (routes: readonly ServedRoute[]): RouteFinder => {
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
