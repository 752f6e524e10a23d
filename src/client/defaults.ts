/** Defaults of requests and lists, which help names as well, and the pages that a limit asks for. */
import type { ListOptions, WireRequest } from '../http/types.js'

/** Seconds to wait for an answer, and for each further piece of it. */
export const defaultTimeout = 60
/** Seconds for the refresh of an OAuth token, where nobody says. */
export const refreshTimeout = 30
/** How often a request is tried again. */
export const defaultRetries = 3
/** Seconds that an instance may turn requests away for, by limits or maintenance. */
export const defaultMaxWait = 900
/** The longest of these, a day. */
export const longestMaxWait = 86_400
/** How many records of a list. */
export const defaultLimit = 100
/** Records that a page holds at most (`http/README.md`, "Lists"). */
export const largestPage = 100

/** How long an answer is waited for: `brief` for what is good to know, and not worth a wait. */
export type WaitKind = 'usual' | 'brief'

/** What is good to know is waited for so many seconds, and asked once, unless the instance limits requests. */
const brief = { timeout: 3, retries: 0 } as const

interface WaitSettings {
  readonly timeout: number
  readonly retries: number
  /** How often a request is tried again that the instance asks to wait; `retries` unless given. */
  readonly refusals?: number
}

/** The time-out and retries of requests; the defaults where none are given. */
export const waitingFor = (
  patience: WaitKind,
  { timeout = defaultTimeout, retries = defaultRetries }: Partial<WaitSettings>,
): WaitSettings =>
  patience === 'brief'
    ? { timeout: Math.min(timeout, brief.timeout), retries: brief.retries, refusals: retries }
    : { timeout, retries }

export interface Paging {
  /** How many records at most; a hundred unless given. */
  readonly limit?: number | 'all'
  /** Exactly this page. */
  readonly page?: number
  /** Records a page; without a limit exactly one page is asked for. */
  readonly perPage?: number
  /** Pages in flight at once, at most; `auto` as many as is usual. */
  readonly concurrency?: number | 'auto'
}

/** Whether exactly one page is asked for. */
export const isExact = ({ limit, page, perPage }: Paging): boolean =>
  page !== undefined || (perPage !== undefined && limit === undefined)

const countOf = (paging: Paging): number | undefined => {
  if (paging.limit === 'all') return undefined
  return paging.limit ?? (isExact(paging) ? undefined : defaultLimit)
}

/** How many records are wanted at most; undefined for all that the pages have. */
export const wanted = (paging: Paging): number | undefined => {
  const { limit } = paging
  return isExact(paging) && typeof limit !== 'number' ? undefined : countOf(paging)
}

/** The paging of a list from whose records some are chosen only once they came. */
export const searched = (paging: Paging): Paging => {
  const { page, perPage, concurrency } = paging
  const width = concurrency === undefined ? {} : { concurrency }
  if (!isExact(paging)) return { limit: 'all', perPage: perPage ?? largestPage, ...width }
  return {
    page,
    perPage,
    ...width,
  }
}

/** How the pages are followed. */
export const followed = (paging: Paging): ListOptions => {
  const limit = countOf(paging)
  const { concurrency = 'auto' } = paging
  return {
    limit,
    ...(isExact(paging) ? { single: true } : {}),
    concurrency: concurrency === 'auto' ? undefined : concurrency,
  }
}

/** A request with what the paging asks for added to its query. */
export const paged = (request: WireRequest, paging: Paging): WireRequest => {
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
