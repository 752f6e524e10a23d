/** Requests the pages of a list before they are read. */

import LinkHeader from 'http-link-header'
import { Failure } from '../../errors.js'
import { createUnusableAnswerFailure } from '../answers/network.js'
import { maskAddressSecrets } from '../answers/secrets.js'
import { parseCount, readHeader } from '../headers.js'
import { formatAddress, parseAddress, type RequestTarget } from '../request/address.js'
import type { Attempts } from '../sending/attempts.js'
import type { OpenAnswer } from '../sending/exchange.js'
import {
  type AnswerHeaders,
  type Batch,
  type ListOptions,
  type NextStep,
  toDetails,
  type WireRequest,
} from '../types.js'

// The next page of a list, from the Link header exactly as it was received (`http/README.md`).

/** The parts of an answer that lead to the next page of its list. */
interface PageAnswer {
  readonly headers: AnswerHeaders
  readonly target: RequestTarget
  readonly label: string
}

const getNextLink = ({ headers, label }: PageAnswer): string | undefined => {
  const { link } = headers
  const text = Array.isArray(link) ? link.join(', ') : link
  if (text === undefined || text.trim() === '') return undefined
  try {
    return LinkHeader.parse(text).rel('next')[0]?.uri
  } catch {
    throw createUnusableAnswerFailure('the Link header of the list cannot be read', label)
  }
}

/** The root of the API, to which links of the instance are rewritten. */
interface Root {
  readonly root: RequestTarget
  readonly note: (text: string) => void
}

/** Returns the path below the API root, whatever precedes it; undefined if it is no address of the API. */
const getApiPath = (path: string, root: RequestTarget): string | undefined => {
  if (path.startsWith(`${root.path}/`)) return path.slice(root.path.length)
  const [, rest] = /^[^?]*?\/api\/v4(\/.*)$/.exec(path) ?? []
  return rest
}

const toPathBelowRoot = (link: string, page: PageAnswer, { root, note }: Root): string => {
  const from = formatAddress(page.target)
  const url = URL.canParse(link, from) ? new URL(link, from) : undefined
  const target = url === undefined ? undefined : parseAddress(url.href)
  const path = target && getApiPath(target.path, root)
  if (target === undefined || path === undefined)
    throw createUnusableAnswerFailure(
      `the list continues outside of the instance, at ${maskAddressSecrets(url?.href ?? link)}, which was not contacted`,
      page.label,
      'The instance names itself otherwise than the base URL does: use the address that it uses.',
    )
  const used = { origin: root.origin, path: `${root.path}${path}` }
  if (formatAddress(target) !== formatAddress(used))
    note(`next page: ${maskAddressSecrets(formatAddress(target))} taken as ${formatAddress(root)}`)
  return path
}

/**
 * Returns the request for the next page, as `rel="next"` names it. Only the part before the API path is replaced by the base URL, so that
 * no credential goes to another host.
 * @throws Failure `unreachable` for a link that leads out of the instance's API
 */
const findNextPage = (page: PageAnswer, root: Root): WireRequest | undefined => {
  const link = getNextLink(page)
  if (link === undefined) return undefined
  return { method: 'GET', path: toPathBelowRoot(link, page, root), headers: {} }
}

const getQueryParameter = (path: string, name: string): string | null =>
  new URLSearchParams(path.slice(path.indexOf('?') + 1)).get(name)

/** Returns the number of the last page, if the instance counts its pages. */
const getLastPage = (page: PageAnswer): number | undefined =>
  parseCount(readHeader(page.headers, 'x-total-pages'))

/** Creates the request for a page by its number, from a page that a link named. */
const createNumberedPage = (named: WireRequest, number: number): WireRequest => ({
  ...named,
  path: named.path.replace(/([?&]page=)\d+/, `$1${number}`),
})

const pageNumber = (named: WireRequest): number | undefined =>
  parseCount(getQueryParameter(named.path, 'page'))

const documentedSize = 20

/** Returns the number of records that a page may hold. */
export const pageSize = (page: PageAnswer): number =>
  parseCount(readHeader(page.headers, 'x-per-page')) ??
  parseCount(getQueryParameter(page.target.path, 'per_page')) ??
  documentedSize

export const getTotal = (page: PageAnswer): number | undefined =>
  parseCount(readHeader(page.headers, 'x-total'))

/** True if the instance announces a further page, in any header. */
export const hasMore = (page: PageAnswer): boolean =>
  parseCount(readHeader(page.headers, 'x-next-page')) !== undefined

// The continuation by ID: `GET /projects` by offset ends with 405 after 50,000 projects, and continues by `id_after` or `id_before`
// (`http/README.md`).

const isOffsetLimit = ({ details }: Failure, { keyset }: WireRequest): boolean =>
  keyset === true && details.status === 405

const readRecordId = (record: Uint8Array | undefined): number | undefined => {
  if (record === undefined) return undefined
  const value: unknown = JSON.parse(Buffer.from(record).toString())
  return typeof value === 'object' && value !== null && 'id' in value && Number.isInteger(value.id)
    ? Number(value.id)
    : undefined
}

/**
 * Returns the request that continues after `last`, if the list is in the order of IDs.
 * @throws Failure the instance's own, with a hint, if the order does not allow it
 */
const continueById = (
  error: unknown,
  request: WireRequest,
  last: Uint8Array | undefined,
): WireRequest => {
  if (!(error instanceof Failure) || !isOffsetLimit(error, request)) throw error
  const [path, query] = request.path.split('?', 2)
  const parameters = new URLSearchParams(query)
  // A list whose first page fails did not reach the offset limit.
  if (last === undefined && !parameters.has('pagination')) throw error
  const id = readRecordId(last)
  if (parameters.get('order_by') !== 'id' || id === undefined)
    throw error.with(toDetails({ code: 'order-by-id' }))
  const ascending = parameters.get('sort') === 'asc'
  parameters.delete('page')
  parameters.set(ascending ? 'id_after' : 'id_before', String(id))
  if (ascending) parameters.set('pagination', 'keyset')
  return { method: 'GET', path: `${path}?${parameters}`, headers: {}, keyset: true }
}

/** The services of the client that a list uses. */
export interface Pages extends Root {
  /** Receives a note that people should read. */
  readonly warn: (text: string) => void
  /** Sends a request. @returns an answer 2xx whose body is still unread */
  open(request: WireRequest, attempts: Attempts): Promise<OpenAnswer>
  createAttempts(): Attempts
  /** Returns the number of requests that may be under way now; undefined if there is no gate. */
  getWidth(): number | undefined
  /** Creates the Failure for a body that is not the expected list. */
  createWrongBodyFailure(reply: OpenAnswer, head: Uint8Array, why: string): Failure
}

export interface ListPage {
  readonly request: WireRequest
  readonly reply: OpenAnswer
  readonly attempts: Attempts
  readonly next: WireRequest | undefined
  /** The reason why the next page is unknown. */
  readonly lost?: Failure
}

interface RequestedPage {
  readonly request: WireRequest
  readonly page: Promise<ListPage>
}

/** The pages that are requested by number: the next one, and the last one needed. */
interface Numbers {
  readonly named: WireRequest
  next: number
  readonly last: number
}

/** The number of pages in flight if no concurrency is given. */
const usualWindow = 4
/** The number of pages in flight if the reader has to wait, so that less memory is held. */
const heldWindow = 2
/** Up to this number of remaining pages, following the links is as fast. */
const fewPages = 2

/** The next step if the instance's paging is wrong. */
export const pagingHint: NextStep = { code: 'paging' }

export class PagePrefetch {
  readonly #requested: RequestedPage[] = []
  readonly #visited = new Set<string>()
  #numbers: Numbers | undefined

  constructor(
    private readonly pages: Pages,
    private readonly options: ListOptions,
  ) {}

  /** True if no page is requested. */
  get none(): boolean {
    return this.#requested.length === 0
  }

  ask(request: WireRequest): void {
    const page = this.#fetch(request)
    // The page is awaited in its turn. Until then, its failure must not count as unhandled.
    page.catch(() => {})
    this.#requested.push({ request, page })
  }

  async #fetch(request: WireRequest): Promise<ListPage> {
    const attempts = this.pages.createAttempts()
    const first = !this.#visited.has(request.path)
    this.#visited.add(request.path)
    if (!first)
      throw createUnusableAnswerFailure(
        'the list leads back to a page that was already read',
        `${request.method} ${request.path}`,
        pagingHint,
      )
    const reply = await this.pages.open(request, attempts)
    const page = { request, reply, attempts }
    try {
      return { ...page, next: inheritKeyset(request, findNextPage(reply, this.pages)) }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return { ...page, next: undefined, lost: error }
    }
  }

  /**
   * Returns the next page when it has come; undefined if none was requested.
   * @param last the records that were read last
   */
  async take(last: Batch | undefined): Promise<ListPage | undefined> {
    const requested = this.#requested.shift()
    if (requested === undefined) return undefined
    try {
      return await requested.page
    } catch (error) {
      const continuation = continueById(error, requested.request, last?.at(-1))
      this.abandon()
      return await this.#fetch(continuation)
    }
  }

  abandon(): void {
    for (const { page, request } of this.#requested.splice(0)) {
      this.#visited.delete(request.path)
      page.then(({ reply }) => reply.cancel()).catch(() => {})
    }
    this.#numbers = undefined
  }

  /** Abandons pages that were requested by number once the links lead elsewhere: `rel="last"` may be wrong. */
  check({ next }: ListPage): void {
    const [asked] = this.#requested
    if (asked === undefined) return
    if (next !== undefined && pageNumber(next) === pageNumber(asked.request)) return
    this.abandon()
  }

  /**
   * Requests the pages that the remaining records certainly need, as many at once as the window permits.
   * @param first true for the first page; only its headers decide whether pages are requested by number
   */
  prefetchAfter({ next, reply }: ListPage, left: number, first: boolean): void {
    if (this.options.single === true) return
    const needsNext = next !== undefined && left > pageSize(reply)
    const window = this.#getWindow()
    if (needsNext && window > 1 && first) this.#numbers = planNumbers(next, reply, left)
    if (this.#numbers !== undefined) this.#fill(this.#numbers, window - 1)
    else if (needsNext && this.none) this.ask(next)
  }

  /** Requests further pages by number after a page was read. */
  prefetchMore(): void {
    if (this.#numbers !== undefined) this.#fill(this.#numbers, this.#getWindow())
  }

  /** Returns the number of pages that may be in flight, including the present one; 1 means one page at a time. */
  #getWindow(): number {
    const width = this.pages.getWidth()
    const { concurrency = width === undefined ? 1 : usualWindow, held } = this.options
    const most = held?.() === true ? heldWindow : concurrency
    return Math.min(most, concurrency, width ?? concurrency)
  }

  #fill(numbers: Numbers, window: number): void {
    // At least one page is requested, even if the window has become narrower since.
    while (this.#requested.length < Math.max(1, window) && numbers.next <= numbers.last)
      this.ask(createNumberedPage(numbers.named, numbers.next++))
  }
}

/** Passes on the mark of continuation by ID (`keyset`) to the next page. */
const inheritKeyset = (
  { keyset }: WireRequest,
  next: WireRequest | undefined,
): WireRequest | undefined =>
  next === undefined || keyset === undefined ? next : { ...next, keyset }

/**
 * Plans requests by page number, as far as the instance counts its pages and the limit needs them. Returns undefined if the list must be
 * followed by its links.
 */
const planNumbers = (named: WireRequest, reply: OpenAnswer, left: number): Numbers | undefined => {
  const last = getLastPage(reply)
  const next = pageNumber(named)
  if (last === undefined || next === undefined) return undefined
  const wanted = next + Math.ceil(left / pageSize(reply)) - 2
  const upTo = Math.min(last, wanted)
  return upTo - next + 1 > fewPages ? { named, next, last: upTo } : undefined
}
