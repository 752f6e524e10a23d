/** The routes of the instance: those of the catalogue, and a few that it does not know. */
import { type Endpoint, getMethod, getPath } from '../../catalogue/endpoint.js'
import { type AreaName, areas } from '../../catalogue/index.js'
import { apiRoot } from '../call.js'
import type { Accepts } from '../check.js'
import type { AnyHandler, AnyHandlers, AreaExtras } from '../handlers.js'
import type { Entrance } from './auth.js'
import { extraRoutes } from './extras.js'
import { type Found, Router } from './router.js'

// The addresses of alert endpoints: `/<project path>/alerts/notify/<name>/<identifier>.json`.

/** The names of the groups are no properties of an alert. */
const alertAddress =
  /^\/(?<endpoint_project>.+)\/alerts\/notify\/[^/]+\/(?<endpoint_identifier>[^/]+)\.json$/

interface HandlerRow extends AreaExtras {
  readonly load: () => Promise<AnyHandlers>
}

/** By the area's name in the catalogue. */
export const registry: Readonly<Record<AreaName, HandlerRow>> = {
  commits: { load: async () => (await import('../areas/commits.js')).handlers },
  runners: { load: async () => (await import('../areas/runners.js')).handlers },
  jobs: { load: async () => (await import('../areas/jobs.js')).handlers },
  artifacts: { load: async () => (await import('../areas/artifacts.js')).handlers },
  'resource-groups': { load: async () => (await import('../areas/resource-groups.js')).handlers },
  ci: { load: async () => (await import('../areas/ci.js')).handlers },
  issues: { load: async () => (await import('../areas/issues.js')).handlers },
  mr: { load: async () => (await import('../areas/mr.js')).handlers },
  approvals: { load: async () => (await import('../areas/approvals.js')).handlers },
  members: { load: async () => (await import('../areas/members.js')).handlers },
  events: {
    load: async () => (await import('../areas/events.js')).handlers,
    scopes: { list: ['read_user'], listOfUser: ['read_user'] },
  },
  projects: { load: async () => (await import('../areas/projects.js')).handlers },
  integrations: { load: async () => (await import('../areas/integrations.js')).handlers },
  alerts: {
    load: async () => (await import('../areas/alerts.js')).handlers,
    urls: { send: alertAddress },
  },
  settings: { load: async () => (await import('../areas/settings.js')).handlers },
  'deploy-keys': { load: async () => (await import('../areas/deploy-keys.js')).handlers },
  'pages-domains': { load: async () => (await import('../areas/pages-domains.js')).handlers },
  vulnerabilities: { load: async () => (await import('../areas/vulnerabilities.js')).handlers },
  dependencies: { load: async () => (await import('../areas/dependencies.js')).handlers },
  geo: { load: async () => (await import('../areas/geo.js')).handlers },
  'error-tracking': { load: async () => (await import('../areas/error-tracking.js')).handlers },
  'storage-move': { load: async () => (await import('../areas/storage-move.js')).handlers },
}

export interface ServedRoute {
  readonly method: string
  /** The whole path with placeholders, or a pattern over it. */
  readonly url: string | RegExp
  readonly endpoint?: Endpoint
  /** The area of the endpoint. */
  readonly area?: AreaName
  readonly accepts?: Accepts
  readonly entrance: Entrance
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
export const collectRoutes = async (): Promise<ServedRoute[]> => {
  const loaded = await Promise.all(
    areas.map(async ({ name, load }) => [name, await load()] as const),
  )
  const routes = loaded.flatMap(([area, endpoints]) =>
    Object.entries(endpoints).flatMap(([key, endpoint]) => getRoutes(area, key, endpoint)),
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
  find(method: string, path: string): Found<ServedRoute> | readonly string[]
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
