/** The routes of the instance: those of the catalogue, and a few that it does not know. */
import { alerts } from '../../catalogue/areas/alerts.js'
import { approvals } from '../../catalogue/areas/approvals.js'
import { artifacts } from '../../catalogue/areas/artifacts.js'
import { ci } from '../../catalogue/areas/ci.js'
import { commits } from '../../catalogue/areas/commits.js'
import { dependencies } from '../../catalogue/areas/dependencies.js'
import { deployKeys } from '../../catalogue/areas/deploy-keys.js'
import { errorTracking } from '../../catalogue/areas/error-tracking.js'
import { events } from '../../catalogue/areas/events.js'
import { geo } from '../../catalogue/areas/geo.js'
import { integrations } from '../../catalogue/areas/integrations.js'
import { issues } from '../../catalogue/areas/issues.js'
import { jobs } from '../../catalogue/areas/jobs.js'
import { members } from '../../catalogue/areas/members.js'
import { mr } from '../../catalogue/areas/mr.js'
import { pagesDomains } from '../../catalogue/areas/pages-domains.js'
import { projects } from '../../catalogue/areas/projects.js'
import { resourceGroups } from '../../catalogue/areas/resource-groups.js'
import { runners } from '../../catalogue/areas/runners.js'
import { settings } from '../../catalogue/areas/settings.js'
import { storageMove } from '../../catalogue/areas/storage-move.js'
import { vulnerabilities } from '../../catalogue/areas/vulnerabilities.js'
import { type Endpoint, type Endpoints, getMethod, getPath } from '../../catalogue/endpoint.js'
import type { AreaName } from '../../catalogue/index.js'
import { apiRoot } from '../call.js'
import type { AcceptedParams } from '../check.js'
import type { AnyHandler, AnyHandlers, AreaExtras } from '../handlers.js'
import type { AuthNeed } from './auth.js'
import { extraRoutes } from './extras.js'
import { type RouteMatch, Router } from './router.js'

// The addresses of alert endpoints: `/<project path>/alerts/notify/<name>/<identifier>.json`.

/** The names of the groups are no properties of an alert. */
const alertAddress =
  /^\/(?<endpoint_project>.+)\/alerts\/notify\/[^/]+\/(?<endpoint_identifier>[^/]+)\.json$/

interface HandlerRow extends AreaExtras {
  readonly endpoints: Endpoints
  readonly load: () => Promise<AnyHandlers>
}

/** By the area's name in the catalogue. */
export const registry: Readonly<Record<AreaName, HandlerRow>> = {
  commits: { endpoints: commits, load: async () => (await import('../areas/commits.js')).handlers },
  runners: { endpoints: runners, load: async () => (await import('../areas/runners.js')).handlers },
  jobs: { endpoints: jobs, load: async () => (await import('../areas/jobs.js')).handlers },
  artifacts: {
    endpoints: artifacts,
    load: async () => (await import('../areas/artifacts.js')).handlers,
  },
  'resource-groups': {
    endpoints: resourceGroups,
    load: async () => (await import('../areas/resource-groups.js')).handlers,
  },
  ci: { endpoints: ci, load: async () => (await import('../areas/ci.js')).handlers },
  issues: { endpoints: issues, load: async () => (await import('../areas/issues.js')).handlers },
  mr: { endpoints: mr, load: async () => (await import('../areas/mr.js')).handlers },
  approvals: {
    endpoints: approvals,
    load: async () => (await import('../areas/approvals.js')).handlers,
  },
  members: { endpoints: members, load: async () => (await import('../areas/members.js')).handlers },
  events: {
    endpoints: events,
    load: async () => (await import('../areas/events.js')).handlers,
    scopes: { list: ['read_user'], listOfUser: ['read_user'] },
  },
  projects: {
    endpoints: projects,
    load: async () => (await import('../areas/projects.js')).handlers,
  },
  integrations: {
    endpoints: integrations,
    load: async () => (await import('../areas/integrations.js')).handlers,
  },
  alerts: {
    endpoints: alerts,
    load: async () => (await import('../areas/alerts.js')).handlers,
    urls: { send: alertAddress },
  },
  settings: {
    endpoints: settings,
    load: async () => (await import('../areas/settings.js')).handlers,
  },
  'deploy-keys': {
    endpoints: deployKeys,
    load: async () => (await import('../areas/deploy-keys.js')).handlers,
  },
  'pages-domains': {
    endpoints: pagesDomains,
    load: async () => (await import('../areas/pages-domains.js')).handlers,
  },
  vulnerabilities: {
    endpoints: vulnerabilities,
    load: async () => (await import('../areas/vulnerabilities.js')).handlers,
  },
  dependencies: {
    endpoints: dependencies,
    load: async () => (await import('../areas/dependencies.js')).handlers,
  },
  geo: { endpoints: geo, load: async () => (await import('../areas/geo.js')).handlers },
  'error-tracking': {
    endpoints: errorTracking,
    load: async () => (await import('../areas/error-tracking.js')).handlers,
  },
  'storage-move': {
    endpoints: storageMove,
    load: async () => (await import('../areas/storage-move.js')).handlers,
  },
}

export interface ServedRoute {
  readonly method: string
  /** The whole path with placeholders, or a pattern over it. */
  readonly url: string | RegExp
  readonly endpoint?: Endpoint
  /** The area of the endpoint. */
  readonly area?: AreaName
  readonly accepts?: AcceptedParams
  readonly entrance: AuthNeed
  readonly status: number
  readonly load: () => Promise<AnyHandler>
}

const successes: Readonly<Record<string, number>> = { POST: 201 }

/** Where an endpoint answers; undefined when neither its path nor the area says. */
const getUrl = (key: string, endpoint: Endpoint, extras: AreaExtras): string | RegExp | undefined =>
  extras.urls?.[key] ??
  (getPath(endpoint).startsWith('/') ? apiRoot + getPath(endpoint) : undefined)

const getRoutes = (area: AreaName, key: string, endpoint: Endpoint): ServedRoute[] => {
  const row = registry[area]
  const url = getUrl(key, endpoint, row)
  if (url === undefined) return []
  const load = async (): Promise<AnyHandler> => {
    const handler = (await row.load())[key]
    if (handler === undefined) throw new Error(`no handler for ${area} ${key}`)
    return handler
  }
  const method = getMethod(endpoint)
  const entrance = {
    credential: url instanceof RegExp ? 'parameter' : (endpoint.credential ?? 'user'),
    scopes: row.scopes?.[key] ?? [],
  } as const
  const status = endpoint.status ?? successes[method] ?? 200
  return [{ method, url, endpoint, area, entrance, status, load }]
}

/** All routes. */
export const collectRoutes = (): ServedRoute[] => {
  const routes = (Object.keys(registry) as AreaName[]).flatMap((area) =>
    Object.entries(registry[area].endpoints).flatMap(([key, endpoint]) =>
      getRoutes(area, key, endpoint),
    ),
  )
  const extra = extraRoutes.map(
    (route): ServedRoute => ({
      method: route.method,
      url: route.path,
      entrance: { credential: route.credential ?? 'user', scopes: route.scopes ?? [] },
      status: route.status ?? 200,
      accepts: route.accepts,
      load: async () => route.handle,
    }),
  )
  return [...routes, ...extra]
}

/** What finds the route of a request: those with a path first, then those with a pattern. */
export interface Finder {
  find(method: string, path: string): RouteMatch<ServedRoute> | readonly string[]
}

const byPattern = (routes: readonly ServedRoute[], method: string, path: string) => {
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
      return 'value' in found ? found : (byPattern(patterns, method, path) ?? found)
    },
  }
}
