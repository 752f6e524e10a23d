/** Defaults of requests and lists, which help names as well, and the pages that a limit asks for. */
import type { ListOptions, WireRequest } from '../http/types.js'

/** Seconds to wait for an answer, and for each further piece of it. */
export const defaultTimeout = 60
/** The default time-out in seconds for the refresh of an OAuth token. */
export const refreshTimeout = 30
/** The number of further attempts of a request. */
export const defaultRetries = 3
/** Seconds that an instance may turn requests away for, by limits or maintenance. */
export const defaultMaxWait = 900
/** The longest of these, a day. */
export const longestMaxWait = 86_400
/** The number of records that a list yields. */
export const defaultLimit = 100
/** Records that a page holds at most (`http/README.md`, "Lists"). */
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
  /** Exactly this page. */
  readonly page?: number
  /** Records a page; without a limit exactly one page is asked for. */
  readonly perPage?: number
  /** Pages in flight at once, at most; `auto` as many as is usual. */
  readonly concurrency?: number | 'auto'
}

/** True if exactly one page is requested. */
export const isExact = ({ limit, page, perPage }: Paging): boolean =>
  page !== undefined || (perPage !== undefined && limit === undefined)

const countOf = (paging: Paging): number | undefined => {
  if (paging.limit === 'all') return undefined
  return paging.limit ?? (isExact(paging) ? undefined : defaultLimit)
}

/** Returns the maximum number of records; undefined for all that the pages have. */
export const getWantedCount = (paging: Paging): number | undefined => {
  const { limit } = paging
  return isExact(paging) && typeof limit !== 'number' ? undefined : countOf(paging)
}

/** The paging of a list from whose records some are chosen only once they came. */
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
  const limit = countOf(paging)
  const { concurrency = 'auto' } = paging
  return {
    limit,
    ...(isExact(paging) ? { single: true } : {}),
    concurrency: concurrency === 'auto' ? undefined : concurrency,
  }
}

/** A request with what the paging asks for added to its query. */
export const addPaging = (request: WireRequest, paging: Paging): WireRequest => {
  const { page } = paging
  const size =
    paging.perPage ??
    (isExact(paging) ? undefined : Math.min(countOf(paging) ?? largestPage, largestPage))
  const text = [
    ...(page === undefined ? [] : [`page=${page}`]),
    ...(size === undefined ? [] : [`per_page=${size}`]),
  ].join('&')
  if (text === '') return request
  return { ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}${text}` }
}
