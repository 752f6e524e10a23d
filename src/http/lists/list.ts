/** Lists: page after page, each asked for as soon as it is known, records as bytes and in order. */
import { Malformed } from '../../base/json/malformed.js'
import type { Failure } from '../../errors.js'
import type { Attempts } from '../sending/attempts.js'
import { Lost, unusable } from '../sending/lost.js'
import type { Reply } from '../sending/wire.js'
import type { Batch, ListEnd, ListOptions, WireRequest } from '../types.js'
import { pastOffset } from './keyset.js'
import {
  hasMore,
  lastPage,
  nextPage,
  numbered,
  pageNumber,
  pageSize,
  type Root,
  totalOf,
} from './links.js'
import { Foreign, Splitter } from './splitter.js'

/** What a list needs of the client. */
export interface Pages extends Root {
  /** An answer 2xx; its body is still to be read. */
  open(request: WireRequest, attempts: Attempts): Promise<Reply>
  attempts(): Attempts
  /** How many requests may be under way now; undefined where nobody says. */
  width(): number | undefined
  /** A Failure for a body that is not the list it should be. */
  foreign(reply: Reply, head: Uint8Array, why: string): Failure
}

interface Page {
  readonly request: WireRequest
  readonly reply: Reply
  readonly attempts: Attempts
  readonly next: WireRequest | undefined
}

interface Ahead {
  readonly request: WireRequest
  readonly page: Promise<Page>
}

/** Pages that are asked for by number: the next one, and the last one wanted. */
interface Numbers {
  readonly named: WireRequest
  next: number
  readonly last: number
}

/** Pages in flight where nobody asked for a number. */
const usualWindow = 4
/** Fewer that are left are as soon there by their links. */
const fewPages = 2

const pagingHint = 'The instance’s paging is at fault; --page reads one page at a time.'

/** Whether a record says which it is, so that the same bytes are the same record. */
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

class Listing {
  readonly #pages: Pages
  readonly #options: ListOptions
  readonly #limit: number
  readonly #ahead: Ahead[] = []
  readonly #visited = new Set<string>()
  #numbers: Numbers | undefined
  #pagesRead = 0
  /** The first record of the page before this one. */
  #before: Uint8Array | undefined
  #records = 0
  #last: Uint8Array | undefined
  #total: number | undefined

  constructor(pages: Pages, options: ListOptions) {
    this.#pages = pages
    this.#options = options
    this.#limit = options.limit ?? Number.POSITIVE_INFINITY
  }

  async *run(request: WireRequest): AsyncGenerator<Batch, ListEnd> {
    let more = false
    this.#ask(request)
    try {
      for (let page = await this.#take(); page !== undefined; page = await this.#take()) {
        const { next, reply } = page
        this.#total = totalOf(reply) ?? this.#total
        this.#checkAhead(page)
        this.#lookAhead(page)
        if (this.#ahead.length > 0) await leave()
        const cut = yield* this.#recordsOf(page)
        this.#pagesRead += 1
        more = cut || next !== undefined || this.#ahead.length > 0 || hasMore(reply)
        if (this.#records >= this.#limit || this.#options.single === true) break
        // The page that was read is under way no more.
        if (this.#numbers !== undefined) this.#fill(this.#numbers, this.#window())
        if (this.#ahead.length === 0 && next !== undefined) this.#ask(next)
        more = this.#ahead.length === 0 && hasMore(reply)
      }
    } finally {
      this.#abandon()
    }
    const total = this.#total
    return { records: this.#records, more, ...(total === undefined ? {} : { total }) }
  }

  #ask(request: WireRequest): void {
    const page = this.#fetch(request)
    // It is awaited in its turn; until then its failure is nobody's.
    page.catch(() => {})
    this.#ahead.push({ request, page })
  }

  async #fetch(request: WireRequest): Promise<Page> {
    const attempts = this.#pages.attempts()
    const first = !this.#visited.has(request.path)
    this.#visited.add(request.path)
    if (!first)
      throw unusable(
        'the list leads back to a page that was already read',
        `${request.method} ${request.path}`,
        pagingHint,
      )
    const reply = await this.#pages.open(request, attempts)
    return { request, reply, attempts, next: nextPage(reply, this.#pages) }
  }

  async #take(): Promise<Page | undefined> {
    const ahead = this.#ahead.shift()
    if (ahead === undefined) return undefined
    try {
      return await ahead.page
    } catch (error) {
      const on = pastOffset(error, ahead.request, this.#last)
      this.#abandon()
      return await this.#fetch(on)
    }
  }

  #abandon(): void {
    for (const { page, request } of this.#ahead.splice(0)) {
      this.#visited.delete(request.path)
      page.then(({ reply }) => reply.cancel()).catch(() => {})
    }
    this.#numbers = undefined
  }

  /** What was asked for by number counts only while the links lead there: `rel="last"` may lie. */
  #checkAhead({ next }: Page): void {
    const [ahead] = this.#ahead
    if (ahead === undefined) return
    if (next !== undefined && pageNumber(next) === pageNumber(ahead.request)) return
    this.#abandon()
  }

  /** Asks for what will be needed for certain, as many pages at once as there may be. */
  #lookAhead(page: Page): void {
    if (this.#options.single === true) return
    const { next, reply } = page
    const left = this.#limit - this.#records
    const sure = next !== undefined && left > pageSize(reply)
    const window = this.#window()
    // What the first page does not say is not believed of a later one.
    if (sure && window > 1 && this.#pagesRead === 0)
      this.#numbers = this.#numbersFrom(next, reply, left)
    if (this.#numbers !== undefined) this.#fill(this.#numbers, window - 1)
    else if (sure && this.#ahead.length === 0) this.#ask(next)
  }

  /** Pages that may be under way, the present one among them; one is the page by itself. */
  #window(): number {
    const width = this.#pages.width()
    const { concurrency = width === undefined ? 1 : usualWindow } = this.#options
    return Math.min(concurrency, width ?? concurrency)
  }

  #fill(numbers: Numbers, window: number): void {
    // One at least: a window may have become narrower since.
    while (this.#ahead.length < Math.max(1, window) && numbers.next <= numbers.last)
      this.#ask(numbered(numbers.named, numbers.next++))
  }

  /** By number as far as the instance says and the limit wants; undefined where it must be by links. */
  #numbersFrom(named: WireRequest, reply: Reply, left: number): Numbers | undefined {
    const last = lastPage(reply)
    const next = pageNumber(named)
    if (last === undefined || next === undefined) return undefined
    const wanted = next + Math.ceil(left / pageSize(reply)) - 2
    const upTo = Math.min(last, wanted)
    return upTo - next + 1 > fewPages ? { named, next, last: upTo } : undefined
  }

  /** A page's records; asked for again while nothing of it has been given away. */
  async *#recordsOf(page: Page): AsyncGenerator<Batch, boolean> {
    const before = this.#records
    let { reply } = page
    for (;;) {
      try {
        return yield* this.#split(reply)
      } catch (error) {
        const again = error instanceof Lost && error.transient && this.#records === before
        if (!again || !page.attempts.left) throw error
        await page.attempts.pause(reply.label, error.message)
        reply = await this.#pages.open(page.request, page.attempts)
      }
    }
  }

  /** A page that comes again under another number would be printed twice. */
  #checkRepeat(reply: Reply, first: Uint8Array | undefined): void {
    const before = this.#before
    this.#before = first
    if (first === undefined || before === undefined || pageSize(reply) < 2) return
    if (isIdentified(first) && Buffer.compare(first, before) === 0)
      throw unusable('the list gives the same page again', reply.label, pagingHint)
  }

  /** True when the page holds more than the limit allows. */
  async *#split(reply: Reply): AsyncGenerator<Batch, boolean> {
    const splitter = new Splitter(this.#options.watch)
    let head: Uint8Array | undefined
    let begun = false
    try {
      for await (const chunk of reply.body) {
        head ??= chunk
        const records = splitter.push(chunk)
        if (records.length === 0) continue
        reply.body.progressed()
        if (!begun) this.#checkRepeat(reply, records[0])
        begun = true
        const room = this.#limit - this.#records
        if (room === 0) return true
        const batch = records.length > room ? records.slice(0, room) : records
        this.#records += batch.length
        this.#last = batch.at(-1)
        this.#options.told?.(this.#records, this.#total)
        yield batch
        if (records.length > room) return true
      }
      // A list may be empty so; a page that the one before it speaks of holds records.
      if (reply.status !== 204 || this.#pagesRead > 0) splitter.end()
      return false
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
      const why = error instanceof Foreign ? '' : error.message
      throw this.#pages.foreign(reply, head ?? new Uint8Array(), why)
    }
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
