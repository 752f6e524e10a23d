/** Translates the paging options of a line to requests: which pages are requested, of what size, and how many records are wanted. */
import type { ListOptions, WireRequest } from '../http/types.js'
import { defaultLimit, largestPage } from './defaults.js'

export interface Paging {
  /** The maximum number of records. Without it, a command reads a hundred, and a function of `svcctl/client` all. */
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

/** Returns the number of records that a limit allows. */
export const toMaxCount = (limit: NonNullable<Paging['limit']> = defaultLimit): number =>
  limit === 'all' ? Number.POSITIVE_INFINITY : limit

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

/** Adds the paging to the query of a request. Without a flag, paging in the query stays as it is: a page number counts pages of its size. */
export const addPaging = (request: WireRequest, paging: Paging): WireRequest => {
  const { page } = paging
  const isSized = isExact(paging) || /[?&](?:per_)?page=/.test(request.path)
  const size =
    paging.perPage ??
    (isSized ? undefined : Math.min(getRequestLimit(paging) ?? largestPage, largestPage))
  const text = [
    ...(page === undefined ? [] : [`page=${page}`]),
    ...(size === undefined ? [] : [`per_page=${size}`]),
  ].join('&')
  if (text === '') return request
  return { ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}${text}` }
}
