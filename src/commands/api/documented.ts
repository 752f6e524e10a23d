/** What the documents have for paths that were typed by hand. */

import { nearest } from '../../base/suggest.js'
import { type Endpoint, methodOf, pathOf } from '../../catalogue/endpoint.js'
import { areas } from '../../catalogue/index.js'
import type { WireRequest } from '../../http/types.js'
import type { Suggestion } from '../types.js'

/** Whether every word of a route stands there, or one that is near: a place takes whatever stands there. */
const isNear = (parts: readonly string[], wanted: readonly string[]): boolean =>
  parts.every(
    (part, i) => /^[:*]/.test(part) || part === wanted[i] || nearest(wanted[i] ?? '', [part]),
  )

/** The catalogue's route that a mistyped path was meant to be: same shape, similar words; none for a right one. */
export const meant = async (method: string, path: string): Promise<string | undefined> => {
  const wanted = (path.split('?')[0] ?? '').split('/')
  const routes = new Map<string, string>()
  for (const row of areas)
    for (const e of Object.values(await row.load())) {
      const parts = pathOf(e).split('/')
      if (parts.length !== wanted.length || methodOf(e) !== method) continue
      if (!isNear(parts, wanted)) continue
      const filled = parts.map((part, i) => (part.startsWith(':') ? (wanted[i] ?? '') : part))
      routes.set(filled.join('/'), e.route)
    }
  const asked = wanted.join('/')
  if (routes.has(asked)) return undefined
  return routes.get(nearest(asked, routes.keys()) ?? '')
}

/** The documented endpoint that a request without placeholders reads. */
export const documented = async ({ method, path }: WireRequest): Promise<Endpoint | undefined> => {
  if (method !== 'GET') return undefined
  const [plain] = path.split('?')
  for (const row of areas)
    for (const endpoint of Object.values(await row.load()))
      if (methodOf(endpoint) === method && pathOf(endpoint) === plain) return endpoint
  return undefined
}

/** A documented path with what was typed in its places, up to the first place still to be filled. */
const continued = (path: string, typed: readonly string[]): string | undefined => {
  const parts = path.split('/')
  const fits = typed.every((word, i) => parts[i]?.startsWith(':') === true || parts[i] === word)
  if (!fits) return undefined
  return [...typed, ...parts.slice(typed.length)].join('/').replace(/[:*].*$/, '')
}

/** The catalogue's paths for a method, with what they do. */
export const pathsFor = async (
  [method]: readonly string[],
  current: string,
): Promise<readonly Suggestion[]> => {
  const typed = current.split('/').slice(0, -1)
  const found = new Map<string, string>()
  for (const row of areas)
    for (const endpoint of Object.values(await row.load())) {
      if (methodOf(endpoint) !== method?.toUpperCase()) continue
      const path = continued(pathOf(endpoint), typed)
      if (path?.startsWith('/') === true && !found.has(path)) found.set(path, endpoint.summary)
    }
  return [...found].map(([value, text]) => ({ value, text }))
}
