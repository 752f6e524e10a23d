/** Declares the defaults of requests and lists, which help texts mention as well, and translates paging options to requests. */
import type { ListOptions, WireRequest } from '../http/types.js'

/** The time to wait for an answer, and for each further piece of it, in seconds. */
export const defaultTimeout = 60
/** The default time-out in seconds for the refresh of an OAuth token. */
export const refreshTimeout = 30
/** The number of further attempts of a request. */
export const defaultRetries = 3
/** The time for which an instance may turn requests away, because of limits or maintenance, in seconds. */
export const defaultMaxWait = 900
/** The maximum of that time: a day. */
export const longestMaxWait = 86_400
/** The default number of records of a list. */
export const defaultLimit = 100
/** The maximum number of records of a page (`http/README.md`, "Lists"). */
export const largestPage = 100

/** The time to wait for an answer: `brief` for requests that are useful but not worth a wait. */
export type WaitKind = 'usual' | 'brief'

/** The settings for brief requests: a time-out in seconds, and no further attempt unless the instance limits requests. */
const brief = { timeout: 3, retries: 0 } as const

interface WaitSettings {
  readonly timeout: number
  readonly retries: number
  /** The number of further attempts if the instance asks to wait; `retries` unless given. */
  readonly refusals?: number
}

/** Returns the time-out and retries of requests, with defaults for missing ones. */
export const getWaitSettings = (
  patience: WaitKind,
  { timeout = defaultTimeout, retries = defaultRetries }: Partial<WaitSettings>,
): WaitSettings =>
  patience === 'brief'
    ? { timeout: Math.min(timeout, brief.timeout), retries: brief.retries, refusals: retries }
    : { timeout, retries }

export interface Paging {
  /** The maximum number of records; a hundred unless given. */
  readonly limit?: number | 'all'
  /** The number of the only page to read. */
  readonly page?: number
  /** The number of records of a page. Without a limit, exactly one page is requested. */
  readonly perPage?: number
  /** The maximum number of pages in flight; `auto` for the default. */
  readonly concurrency?: number | 'auto'
}

/** True if exactly one page is requested. */
export const isExact = ({ limit, page, perPage }: Paging): boolean =>
  page !== undefined || (perPage !== undefined && limit === undefined)

const getRequestLimit = (paging: Paging): number | undefined => {
  if (paging.limit === 'all') return undefined
  return paging.limit ?? (isExact(paging) ? undefined : defaultLimit)
}

/** Returns the maximum number of records; undefined for all that the pages have. */
export const getWantedCount = (paging: Paging): number | undefined => {
  const { limit } = paging
  return isExact(paging) && typeof limit !== 'number' ? undefined : getRequestLimit(paging)
}

/** Returns the paging for a search: all records are requested, since the wanted ones are selected only after they arrive. */
export const toSearchPaging = (paging: Paging): Paging => {
  const { page, perPage, concurrency } = paging
  const width = concurrency === undefined ? {} : { concurrency }
  if (!isExact(paging)) return { limit: 'all', perPage: perPage ?? largestPage, ...width }
  return {
    page,
    perPage,
    ...width,
  }
}

/** Returns the options for following the pages of a list. */
export const toListOptions = (paging: Paging): ListOptions => {
  const limit = getRequestLimit(paging)
  const { concurrency = 'auto' } = paging
  return {
    limit,
    ...(isExact(paging) ? { single: true } : {}),
    concurrency: concurrency === 'auto' ? undefined : concurrency,
  }
}

/** Adds the paging to the query of a request. */
export const addPaging = (request: WireRequest, paging: Paging): WireRequest => {
  const { page } = paging
  const size =
    paging.perPage ??
    (isExact(paging) ? undefined : Math.min(getRequestLimit(paging) ?? largestPage, largestPage))
  const text = [
    ...(page === undefined ? [] : [`page=${page}`]),
    ...(size === undefined ? [] : [`per_page=${size}`]),
  ].join('&')
  if (text === '') return request
  return { ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}${text}` }
}
