/** The routes of the instance: those of the catalogue, aliases, and a few that it does not know. */

import { type Endpoint, methodOf, pathOf } from '../../catalogue/endpoint.js'
import { areas } from '../../catalogue/index.js'
import type { AnyHandler, AreaExtras } from '../handlers.js'
import { registry } from '../registry.js'
import type { Gate } from './auth.js'
import { extraRoutes } from './extras.js'
import { apiRoot } from './root.js'

export interface Route {
  readonly method: string
  /** In Fastify's notation, with the API root; or a pattern over the whole path. */
  readonly url: string | RegExp
  readonly endpoint?: Endpoint
  /** The name of a wildcard at the end. */
  readonly wildcard?: string
  readonly gate: Gate
  readonly status: number
  readonly load: () => Promise<AnyHandler>
}

const successes: Readonly<Record<string, number>> = { POST: 201 }

/** Where an endpoint answers; undefined when neither its path nor the area says. */
const urlOf = (
  key: string,
  endpoint: Endpoint,
  extras: AreaExtras,
): string | RegExp | undefined => {
  const path = pathOf(endpoint)
  const own = extras.urls?.[key]
  if (own !== undefined) return own
  return path.startsWith('/') ? apiRoot + path.replace(/\/\*[^/]+$/, '/*') : undefined
}

const routesOf = (area: string, key: string, endpoint: Endpoint): Route[] => {
  const row = registry[area]
  if (row === undefined) return []
  const wildcard = /\/\*([^/]+)$/.exec(pathOf(endpoint))?.[1]
  const load = async (): Promise<AnyHandler> => {
    const handler = (await row.load())[key]
    if (handler === undefined) throw new Error(`no handler for ${area} ${key}`)
    return handler
  }
  const url = urlOf(key, endpoint, row)
  if (url === undefined) return []
  const route: Route = {
    method: methodOf(endpoint),
    url,
    endpoint,
    ...(wildcard === undefined ? {} : { wildcard }),
    gate: {
      credential: url instanceof RegExp ? 'parameter' : (endpoint.credential ?? 'user'),
      scopes: row.scopes?.[key] ?? [],
    },
    status: endpoint.status ?? successes[methodOf(endpoint)] ?? 200,
    load,
  }
  return [route]
}

/** All routes. Areas whose handlers have not been written answer 404. */
export const collectRoutes = async (): Promise<Route[]> => {
  const loaded = await Promise.all(
    areas.map(async ({ name, load }) => [name, await load()] as const),
  )
  const routes = loaded.flatMap(([area, endpoints]) =>
    Object.entries(endpoints).flatMap(([key, endpoint]) => routesOf(area, key, endpoint)),
  )
  const extra = extraRoutes.map(
    (route): Route => ({
      method: route.method,
      url: route.path,
      gate: { credential: route.credential ?? 'user', scopes: route.scopes ?? [] },
      status: route.status ?? 200,
      load: async () => route.handle,
    }),
  )
  return [...routes, ...extra]
}
