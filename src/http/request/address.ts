/** Addresses: of the instance, of its API root, and as they may be shown. */
import { safeAddress } from '../answers/secrets.js'

const root = '/api/v4'

/** Origin and path of a request, the path exactly as it was encoded. */
export interface Target {
  readonly origin: string
  readonly path: string
}

/** The API root of an instance (`http/README.md`). */
export const getApiRoot = (baseUrl: string): Target => {
  const url = new URL(baseUrl)
  return { origin: url.origin, path: `${url.pathname.replace(/\/+$/, '')}${root}` }
}

/** An absolute address, split without touching how its path is written. */
export const parseAddress = (address: string): Target => {
  const url = new URL(address)
  return { origin: url.origin, path: `${url.pathname}${url.search}` }
}

export const formatAddress = (target: Target): string => `${target.origin}${target.path}`

/** A request in words, without credentials: `GET https://host/api/v4/runners`. */
export const requestLabel = (method: string, target: Target): string =>
  `${method} ${safeAddress(formatAddress(target))}`
