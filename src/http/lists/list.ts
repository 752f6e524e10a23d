/** Lists: page after page, each asked for as soon as it is known, records as bytes and in order. */
import { MalformedJson } from '../../base/json/json.js'
import { createUnusable, LostRequest } from '../answers/network.js'
import type { OpenAnswer } from '../sending/exchange.js'
import type { Batch, ListEnd, ListOptions, ListWork, WireRequest } from '../types.js'
import {
  getTotal,
  hasMore,
  type ListPage,
  misled,
  PagePrefetch,
  type Pages,
  pageSize,
} from './prefetch.js'
import { KeyMatcher, NoListError, Splitter } from './splitter.js'

/** True if a record contains an ID, so that equal bytes mean the same record. */
const isIdentified = (record: Uint8Array): boolean => {
  const bytes = Buffer.from(record.buffer, record.byteOffset, record.byteLength)
  return bytes.includes('"id"') || bytes.includes('"iid"')
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Lets a request leave before the present page is cut up: undici looks at an idle connection in one
 * turn of the event loop and writes in the next.
 */
const leave = async (): Promise<void> => {
  await turn()
  await turn()
}

/** A page that is being read. */
interface PageRead {
  readonly reply: OpenAnswer
  readonly splitter: Splitter
  /** The first bytes that came. */
  head: Uint8Array | undefined
  /** True if the page has yielded records. */
  begun: boolean
}

class Listing {
  readonly #pages: Pages
  readonly #options: ListOptions
  readonly #limit: number
  readonly #ahead: PagePrefetch
  readonly #lookout: KeyMatcher
  #pagesRead = 0
  /** The first record of the page before this one. */
  #before: Uint8Array | undefined
  #records = 0
  /** The batch that was read last. */
  #last: Batch | undefined
  #total: number | undefined
  #work: ListWork | undefined
  /** True if a page held more records than the limit allowed. */
  #cut = false
  /** The answer is one object. */
  #alone = false

  constructor(pages: Pages, options: ListOptions) {
    this.#pages = pages
    this.#options = options
    this.#ahead = new PagePrefetch(pages, options)
    this.#lookout = new KeyMatcher(options.watch)
    this.#limit = options.limit ?? Number.POSITIVE_INFINITY
  }

  async *run(request: WireRequest): AsyncGenerator<Batch, ListEnd> {
    const ahead = this.#ahead
    let more = false
    this.#work = this.#options.work?.()
    try {
      ahead.ask(request)
      for (let page = await this.#take(); page !== undefined; page = await this.#take()) {
        const { next, reply } = page
        this.#options.onPage?.(reply)
        this.#total = getTotal(reply) ?? this.#total
        ahead.check(page)
        ahead.look(page, this.#limit - this.#records, this.#pagesRead === 0)
        if (!ahead.none) await leave()
        yield* this.#recordsOf(page)
        this.#pagesRead += 1
        const goesOn = next !== undefined || page.lost !== undefined || !ahead.none
        more = this.#cut || goesOn || hasMore(reply)
        if (this.#records >= this.#limit || this.#options.single === true) break
        if (this.#alone) return { records: this.#records, more: false }
        // What came before is given first.
        if (page.lost !== undefined) throw page.lost
        ahead.goOn()
        if (ahead.none && next !== undefined) ahead.ask(next)
        more = ahead.none && hasMore(reply)
      }
    } catch (error) {
      throw this.#options.mapError?.(error) ?? error
    } finally {
      ahead.abandon()
      this.#work?.end()
    }
    const total = this.#total
    return { records: this.#records, more, total }
  }

  #take(): Promise<ListPage | undefined> {
    return this.#ahead.take(this.#last)
  }

  /** A page's records; asked for again while nothing of it has been given away. */
  async *#recordsOf(asked: ListPage): AsyncGenerator<Batch> {
    const before = this.#records
    let page = this.#begin(asked.reply)
    for (;;) {
      try {
        for await (const chunk of page.reply.body) {
          const batch = this.#push(page, chunk)
          if (batch.length > 0) yield batch
          if (this.#cut) return
        }
        // A list may be empty so; a page that the one before it speaks of holds records.
        if (page.reply.status !== 204 || this.#pagesRead > 0) page.splitter.end()
        return
      } catch (error) {
        if (error instanceof MalformedJson) throw this.#foreign(page, error)
        if (this.#records > before) throw error
        page = await this.#again(asked, error)
      }
    }
  }

  #begin(reply: OpenAnswer): PageRead {
    const takesObject = this.#options.alone !== undefined && this.#pagesRead === 0
    const splitter = new Splitter(this.#lookout, takesObject)
    return { reply, splitter, head: undefined, begun: false }
  }

  async #again({ attempts, reply, request }: ListPage, error: unknown): Promise<PageRead> {
    if (!(error instanceof LostRequest && error.transient) || !attempts.left) throw error
    await attempts.pause(reply.label, error.message)
    return this.#begin(await this.#pages.open(request, attempts))
  }

  /** The records that end within this chunk, as many as the limit has room for. */
  #push(page: PageRead, chunk: Uint8Array): Batch {
    page.head ??= chunk
    const records = page.splitter.push(chunk)
    if (records.length === 0) return records
    if (page.splitter.alone) this.#options.alone?.()
    this.#alone = page.splitter.alone
    page.reply.body.progressed()
    if (!page.begun) this.#checkRepeat(page.reply, records.at(0))
    page.begun = true
    return this.#within(records)
  }

  #foreign({ head = new Uint8Array(), reply }: PageRead, error: MalformedJson): Error {
    return this.#pages.foreign(reply, head, error instanceof NoListError ? '' : error.message)
  }

  /** A page that comes again under another number would be printed twice. */
  #checkRepeat(reply: OpenAnswer, first: Uint8Array | undefined): void {
    const before = this.#before
    this.#before = first
    if (first === undefined || before === undefined || pageSize(reply) < 2) return
    if (isIdentified(first) && Buffer.compare(first, before) === 0)
      throw createUnusable('the list gives the same page again', reply.label, misled)
  }

  /** As many records as the limit has room for, counted. */
  #within(records: Batch): Batch {
    const room = this.#limit - this.#records
    this.#cut = records.length > room
    const batch = this.#cut ? records.slice(0, room) : records
    if (batch.length === 0) return batch
    this.#records += batch.length
    this.#last = batch
    this.#work?.update(this.#records, this.#total)
    return batch
  }
}

/**
 * The records of a list, in order, as bytes. What came before a failure has been given.
 * @throws Failure `unreachable` for a body that is no list, or not whole; what its pages throw
 */
export const listRecords = (
  pages: Pages,
  request: WireRequest,
  options: ListOptions,
): AsyncGenerator<Batch, ListEnd> => new Listing(pages, options).run(request)
