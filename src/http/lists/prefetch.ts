/** The pages of a list that are asked for before they are read. */

import LinkHeader from 'http-link-header'
import { Failure } from '../../errors.js'
import { createUnusable } from '../answers/network.js'
import { maskAddressSecrets } from '../answers/secrets.js'
import { readHeader } from '../headers.js'
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

// Where a list goes on: the Link header as it is given (`http/README.md`).

/** The parts of an answer that say where the next page of its list is. */
interface PageAnswer {
  readonly headers: AnswerHeaders
  readonly target: RequestTarget
  readonly label: string
}

const linkOf = ({ headers, label }: PageAnswer, rel: string): string | undefined => {
  const { link } = headers
  const text = Array.isArray(link) ? link.join(', ') : link
  if (text === undefined || text.trim() === '') return undefined
  try {
    return LinkHeader.parse(text).rel(rel)[0]?.uri
  } catch {
    throw createUnusable('the Link header of the list cannot be read', label)
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
    throw createUnusable(
      `the list continues outside of the instance, at ${maskAddressSecrets(url?.href ?? link)}, which was not contacted`,
      page.label,
      'The instance names itself otherwise than the base URL does: use the address that it uses.',
    )
  const taken = { origin: root.origin, path: `${root.path}${path}` }
  if (formatAddress(target) !== formatAddress(taken))
    note(`next page: ${maskAddressSecrets(formatAddress(target))} taken as ${formatAddress(root)}`)
  return path
}

const createGetRequest = (path: string): WireRequest => ({ method: 'GET', path, headers: {} })

/**
 * The next page, exactly as `rel="next"` names it; only what stands before the API's own path is replaced by the
 * base URL, so that no credential goes anywhere else.
 * @throws Failure `unreachable` for a link that leads out of the instance's API
 */
const findNextPage = (page: PageAnswer, root: Root): WireRequest | undefined => {
  const link = linkOf(page, 'next')
  return link === undefined ? undefined : createGetRequest(toPathBelowRoot(link, page, root))
}

const parseWholeNumber = (text: string | null | undefined): number | undefined =>
  text !== null && text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined

const getQueryParameter = (path: string, name: string): string | null =>
  new URLSearchParams(path.slice(path.indexOf('?') + 1)).get(name)

/** The number of the last page, where the instance counts its pages. */
const getLastPage = (page: PageAnswer): number | undefined =>
  parseWholeNumber(readHeader(page.headers, 'x-total-pages'))

/** A page by its number, made from a page that the instance named. */
const createNumberedPage = (named: WireRequest, number: number): WireRequest => ({
  ...named,
  path: named.path.replace(/([?&]page=)\d+/, `$1${number}`),
})

const pageNumber = (named: WireRequest): number | undefined =>
  parseWholeNumber(getQueryParameter(named.path, 'page'))

const documentedSize = 20

/** Returns the number of records that a page may hold. */
export const pageSize = (page: PageAnswer): number =>
  parseWholeNumber(readHeader(page.headers, 'x-per-page')) ??
  parseWholeNumber(getQueryParameter(page.target.path, 'per_page')) ??
  documentedSize

export const getTotal = (page: PageAnswer): number | undefined =>
  parseWholeNumber(readHeader(page.headers, 'x-total'))

/** True if the instance announces a further page, in any header. */
export const hasMore = (page: PageAnswer): boolean =>
  parseWholeNumber(readHeader(page.headers, 'x-next-page')) !== undefined

// Past 50,000 projects: `GET /projects` by offset ends there with 405, and goes on by id
// (`http/README.md`; `id_after` and `id_before` of `GET /projects`).

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
  // A list that does not even begin ends for another reason.
  if (last === undefined && !parameters.has('pagination')) throw error
  const id = readRecordId(last)
  if (parameters.get('order_by') !== 'id' || id === undefined)
    throw new Failure(error.category, error.message, {
      ...error.details,
      ...toDetails({ code: 'order-by-id' }),
    })
  const ascending = parameters.get('sort') === 'asc'
  parameters.delete('page')
  parameters.set(ascending ? 'id_after' : 'id_before', String(id))
  if (ascending) parameters.set('pagination', 'keyset')
  return { method: 'GET', path: `${path}?${parameters}`, headers: {}, keyset: true }
}

/** The services of the client that a list uses. */
export interface Pages extends Root {
  /** An answer 2xx; its body is still to be read. */
  open(request: WireRequest, attempts: Attempts): Promise<OpenAnswer>
  attempts(): Attempts
  /** Returns the number of requests that may be under way now; undefined if there is no gate. */
  width(): number | undefined
  /** A Failure for a body that is not the list it should be. */
  foreign(reply: OpenAnswer, head: Uint8Array, why: string): Failure
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

/** Pages that are asked for by number: the next one, and the last one wanted. */
interface Numbers {
  readonly named: WireRequest
  next: number
  readonly last: number
}

/** The number of pages in flight if no concurrency is given. */
const usualWindow = 4
/** Pages of a list that has to wait: who waits long holds little. */
const heldWindow = 2
/** Fewer that are left are as soon there by their links. */
const fewPages = 2

/** The instance's paging is at fault. */
export const misled: NextStep = { code: 'paging' }

export class PagePrefetch {
  readonly #pages: Pages
  readonly #options: ListOptions
  readonly #asked: RequestedPage[] = []
  readonly #visited = new Set<string>()
  #numbers: Numbers | undefined

  constructor(pages: Pages, options: ListOptions) {
    this.#pages = pages
    this.#options = options
  }

  /** True if no page is requested. */
  get none(): boolean {
    return this.#asked.length === 0
  }

  ask(request: WireRequest): void {
    const page = this.#fetch(request)
    // It is awaited in its turn; until then its failure is nobody's.
    page.catch(() => {})
    this.#asked.push({ request, page })
  }

  async #fetch(request: WireRequest): Promise<ListPage> {
    const attempts = this.#pages.attempts()
    const first = !this.#visited.has(request.path)
    this.#visited.add(request.path)
    if (!first)
      throw createUnusable(
        'the list leads back to a page that was already read',
        `${request.method} ${request.path}`,
        misled,
      )
    const reply = await this.#pages.open(request, attempts)
    const page = { request, reply, attempts }
    try {
      return { ...page, next: inheritKeyset(request, findNextPage(reply, this.#pages)) }
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
    const asked = this.#asked.shift()
    if (asked === undefined) return undefined
    try {
      return await asked.page
    } catch (error) {
      const on = continueById(error, asked.request, last?.at(-1))
      this.abandon()
      return await this.#fetch(on)
    }
  }

  abandon(): void {
    for (const { page, request } of this.#asked.splice(0)) {
      this.#visited.delete(request.path)
      page.then(({ reply }) => reply.cancel()).catch(() => {})
    }
    this.#numbers = undefined
  }

  /** Abandons pages that were requested by number once the links lead elsewhere: `rel="last"` may be wrong. */
  check({ next }: ListPage): void {
    const [asked] = this.#asked
    if (asked === undefined) return
    if (next !== undefined && pageNumber(next) === pageNumber(asked.request)) return
    this.abandon()
  }

  /**
   * Asks for what will be needed for certain of the records `left`, as many pages at once as there may be.
   * @param first whether it is the first page: what that one does not say is not believed of a later one
   */
  look({ next, reply }: ListPage, left: number, first: boolean): void {
    if (this.#options.single === true) return
    const sure = next !== undefined && left > pageSize(reply)
    const window = this.#window()
    if (sure && window > 1 && first) this.#numbers = planNumbers(next, reply, left)
    if (this.#numbers !== undefined) this.#fill(this.#numbers, window - 1)
    else if (sure && this.none) this.ask(next)
  }

  /** Asks on by number, once a page was read, which is under way no more. */
  goOn(): void {
    if (this.#numbers !== undefined) this.#fill(this.#numbers, this.#window())
  }

  /** Pages that may be under way, the present one among them; one is the page by itself. */
  #window(): number {
    const width = this.#pages.width()
    const { concurrency = width === undefined ? 1 : usualWindow, held } = this.#options
    const most = held?.() === true ? heldWindow : concurrency
    return Math.min(most, concurrency, width ?? concurrency)
  }

  #fill(numbers: Numbers, window: number): void {
    // One at least: a window may have become narrower since.
    while (this.#asked.length < Math.max(1, window) && numbers.next <= numbers.last)
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
