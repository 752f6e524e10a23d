/** Addresses: of the instance, of its API root, and as they may be shown. */
import { usage } from '../errors.js'
import { safeAddress } from './secrets.js'

const root = '/api/v4'

/**
 * The base URL in its one form: origin and path, without a trailing slash and without `/api/v4`.
 * @throws Failure `usage` when it is no http address, or carries credentials, a query or a fragment
 */
export const normalizeBaseUrl = (text: string): string => {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  const shape = 'Give it as https://host or https://host/path.'
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.host === '')
    throw usage(`"${safeAddress(text)}" is no address of an instance`, shape)
  if (url.username !== '' || url.password !== '')
    throw usage('the base URL must not carry a user name or password', shape)
  if (url.search !== '' || url.hash !== '')
    throw usage('the base URL must not have a query or a fragment', shape)
  const path = url.pathname.replace(/\/+$/, '').replace(/\/api\/v4$/, '')
  return `${url.origin}${path.replace(/\/+$/, '')}`
}

/** Origin and path of a request, the path exactly as it was encoded. */
export interface Target {
  readonly origin: string
  readonly path: string
}

/** The API root of an instance (API document 1, convention 1). */
export const apiRoot = (baseUrl: string): Target => {
  const url = new URL(baseUrl)
  return { origin: url.origin, path: `${url.pathname.replace(/\/+$/, '')}${root}` }
}

/** An absolute address, split without touching how its path is written. */
export const targetOf = (address: string): Target => {
  const url = new URL(address)
  return { origin: url.origin, path: `${url.pathname}${url.search}` }
}

export const addressOf = (target: Target): string => `${target.origin}${target.path}`

/** A request in words, without credentials: `GET https://host/api/v4/runners`. */
export const requestLabel = (method: string, target: Target): string =>
  `${method} ${safeAddress(addressOf(target))}`
