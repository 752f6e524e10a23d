/** Reads lists page by page. Each page is requested as soon as its address is known, and records are returned in order, as bytes. */
import { MalformedJson } from '../../base/json/json.js'
import { createUnusableAnswerFailure } from '../answers/network.js'
import { maskAddressSecrets } from '../answers/secrets.js'
import type { OpenAnswer } from '../sending/exchange.js'
import type { Batch, ListEnd, ListOptions, ListWork, WireRequest } from '../types.js'
import {
  getTotal,
  hasMore,
  type ListPage,
  PagePrefetch,
  type Pages,
  pageSize,
  pagingHint,
} from './prefetch.js'
import { KeyMatcher, NoListError, Splitter } from './splitter.js'

/** True if a record contains an ID, so that equal bytes mean the same record. */
const isIdentified = (record: Uint8Array): boolean => {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength)
  return bytes.includes('"id"') || bytes.includes('"iid"')
}

const waitOneTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Waits until the request for the next page is sent, so that reading the present page does not delay it. undici checks an idle connection
 * in one turn of the event loop, and writes in the next.
 */
const waitUntilSent = async (): Promise<void> => {
  await waitOneTurn()
  await waitOneTurn()
}

/** True if a page is found by its number, so that its total is that of the whole list. */
const isNumbered = ({ path }: WireRequest): boolean =>
  !/[?&](?:id_after|id_before|cursor)=/.test(path)

/** A page that is being read. */
interface OpenPage {
  readonly reply: OpenAnswer
  readonly splitter: Splitter
  /** The first bytes of the page. */
  head: Uint8Array | undefined
  /** True if the page has yielded records. */
  begun: boolean
}

/** The reading of one list, from its first request to its end. */
class ListRun {
  readonly #limit: number
  readonly #prefetch: PagePrefetch
  readonly #matcher: KeyMatcher
  #pagesRead = 0
  /** The first record of the page before this one. */
  #previousFirstRecord: Uint8Array | undefined
  #records = 0
  /** The batch that was read last. */
  #lastBatch: Batch | undefined
  #total: number | undefined
  /** The total before records were deleted while the list was read. */
  #totalBefore: number | undefined
  #work: ListWork | undefined
  /** True if a page held more records than the limit allowed. */
  #isCut = false
  /** True if the answer is a single object. */
  #isSingleObject = false

  constructor(
    private readonly pages: Pages,
    private readonly options: ListOptions,
  ) {
    this.#prefetch = new PagePrefetch(pages, options)
    this.#matcher = new KeyMatcher(options.watch)
    this.#limit = options.limit ?? Number.POSITIVE_INFINITY
  }

  async *run(request: WireRequest): AsyncGenerator<Batch, ListEnd> {
    const prefetch = this.#prefetch
    let more = false
    this.#work = this.options.work?.()
    try {
      prefetch.ask(request)
      for (let page = await this.#takePage(); page !== undefined; page = await this.#takePage()) {
        const { next, lost, reply } = page
        this.options.onPage?.(reply)
        this.#updateTotal(page)
        prefetch.check(page)
        prefetch.prefetchAfter(page, this.#limit - this.#records, this.#pagesRead === 0)
        if (!prefetch.none) await waitUntilSent()
        yield* this.#readRecords(page)
        this.#pagesRead += 1
        if (this.#records >= this.#limit || this.options.single === true) {
          const hasNext = next !== undefined || lost !== undefined || !prefetch.none
          return this.#createEnd(this.#isCut || hasNext || hasMore(reply))
        }
        if (this.#isSingleObject) return { records: this.#records, more: false }
        // The records before the failure are returned first.
        if (lost !== undefined) throw lost
        prefetch.prefetchMore()
        if (prefetch.none && next !== undefined) prefetch.ask(next)
        more = hasMore(reply)
      }
      return this.#createEnd(more)
    } catch (error) {
      throw this.options.mapError?.(error) ?? error
    } finally {
      prefetch.abandon()
      this.#work?.end()
      this.#noteDeletions(request)
    }
  }

  #updateTotal({ reply, request }: ListPage): void {
    const total = getTotal(reply)
    if (total === undefined) return
    const before = this.#total
    if (before !== undefined && total < before && isNumbered(request)) this.#totalBefore ??= before
    this.#total = total
  }

  /**
   * Notes that records were deleted while the list was read. Those behind them moved forward, so that some of them can be missing: at the
   * beginning of a page that was not requested yet.
   */
  #noteDeletions({ method, path }: WireRequest): void {
    if (this.#totalBefore === undefined) return
    const label = `${method} ${maskAddressSecrets(path)}`
    const counts = `from ${this.#totalBefore} to ${this.#total} records`
    this.pages.warn(
      `${label}: the list became shorter while it was read (${counts}), so records may be missing; read it again`,
    )
  }

  #createEnd(more: boolean): ListEnd {
    return { records: this.#records, more, total: this.#total }
  }

  #takePage(): Promise<ListPage | undefined> {
    return this.#prefetch.take(this.#lastBatch)
  }

  /** Yields a page's records. A page is requested again only if none of its records was returned yet. */
  async *#readRecords(requested: ListPage): AsyncGenerator<Batch> {
    const before = this.#records
    let page = this.#startPage(requested.reply)
    for (;;) {
      try {
        for await (const chunk of page.reply.body) {
          const batch = this.#readChunk(page, chunk)
          if (batch.length > 0) yield batch
          if (this.#isCut) return
        }
        // The first page may be empty (204). A page that a previous page announced must have records.
        if (page.reply.status !== 204 || this.#pagesRead > 0) page.splitter.end()
        return
      } catch (error) {
        if (error instanceof MalformedJson) throw this.#createWrongBodyFailure(page, error)
        if (this.#records > before) throw error
        page = await this.#retryPage(requested, error)
      }
    }
  }

  #startPage(reply: OpenAnswer): OpenPage {
    const acceptsObject = this.options.alone !== undefined && this.#pagesRead === 0
    const splitter = new Splitter(this.#matcher, acceptsObject, this.options.onlyObjects)
    return { reply, splitter, head: undefined, begun: false }
  }

  async #retryPage({ attempts, request }: ListPage, error: unknown): Promise<OpenPage> {
    await attempts.pauseAfterLoss(error, request.method)
    return this.#startPage(await this.pages.open(request, attempts))
  }

  /** Returns the records that end within this chunk, as many as the limit permits. */
  #readChunk(page: OpenPage, chunk: Uint8Array): Batch {
    page.head ??= chunk
    const records = page.splitter.push(chunk)
    if (records.length === 0) return records
    if (page.splitter.alone) this.options.alone?.()
    this.#isSingleObject = page.splitter.alone
    page.reply.body.resetWait()
    if (!page.begun) this.#checkRepeat(page.reply, records.at(0))
    page.begun = true
    return this.#applyLimit(records)
  }

  #createWrongBodyFailure(
    { head = new Uint8Array(), reply }: OpenPage,
    error: MalformedJson,
  ): Error {
    return this.pages.createWrongBodyFailure(
      reply,
      head,
      error instanceof NoListError ? '' : error.message,
    )
  }

  /** Fails if a page is returned again under another number, since its records would be printed twice. */
  #checkRepeat(reply: OpenAnswer, first: Uint8Array | undefined): void {
    const before = this.#previousFirstRecord
    this.#previousFirstRecord = first
    if (first === undefined || before === undefined || pageSize(reply) < 2) return
    if (isIdentified(first) && Buffer.compare(first, before) === 0)
      throw createUnusableAnswerFailure(
        'the list gives the same page again',
        reply.label,
        pagingHint,
      )
  }

  /** Takes as many records as the limit permits, and counts them. */
  #applyLimit(records: Batch): Batch {
    const room = this.#limit - this.#records
    this.#isCut = records.length > room
    const batch = this.#isCut ? records.slice(0, room) : records
    if (batch.length === 0) return batch
    this.#records += batch.length
    this.#lastBatch = batch
    this.#work?.update(this.#records, this.#total)
    return batch
  }
}

/**
 * Lists records in order, as bytes. The records before a failure are returned first.
 * @throws Failure `unreachable` for a body that is not a list, or not complete; the failures of its pages
 */
export const listRecords = (
  pages: Pages,
  request: WireRequest,
  options: ListOptions,
): AsyncGenerator<Batch, ListEnd> => new ListRun(pages, options).run(request)
