/** The routes of the instance: those of the catalogue, and a few that it does not know. */
import { type Endpoint, getMethod, getPath } from '../../catalogue/endpoint.js'
import { type AreaName, areas } from '../../catalogue/index.js'
import { apiRoot } from '../call.js'
import type { AnyHandler, AreaExtras } from '../handlers.js'
import { registry } from '../registry.js'
import type { Accepts } from './accepts.js'
import type { Entrance } from './auth.js'
import { extraRoutes } from './extras.js'
import { type Found, Router } from './router.js'

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
const urlOf = (key: string, endpoint: Endpoint, extras: AreaExtras): string | RegExp | undefined =>
  extras.urls?.[key] ??
  (getPath(endpoint).startsWith('/') ? apiRoot + getPath(endpoint) : undefined)

const routesOf = (area: AreaName, key: string, endpoint: Endpoint): ServedRoute[] => {
  const row = registry[area]
  const url = urlOf(key, endpoint, row)
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
    Object.entries(endpoints).flatMap(([key, endpoint]) => routesOf(area, key, endpoint)),
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
