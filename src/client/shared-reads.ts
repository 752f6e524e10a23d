/** Shares answers between several command lines of one run, so that each list and each object is requested once. */
import { isInterruption } from '../errors.js'
import type {
  AnswerHead,
  Batch,
  Client,
  ListEnd,
  ListOptions,
  WholeAnswer,
  WireRequest,
} from '../http/types.js'

/** A list as it was read: its pages and records, and how it ended. */
interface KeptList {
  readonly pages: readonly AnswerHead[]
  readonly batches: readonly Batch[]
  readonly end: ListEnd | { readonly error: unknown }
}

/** The maximum number of bytes of records that are kept. Further lists are read again by each line. */
const maxKept = 128 * 1024 * 1024

/** Caches the answers and lists of the instance, by request. */
export class SharedReads {
  readonly #answers = new Map<string, Promise<WholeAnswer>>()
  readonly #lists = new Map<string, KeptList>()
  #bytes = 0

  /** Returns a client that sends no request twice. */
  wrap(client: Client): Client {
    return {
      open: (request) => client.open(request),
      call: (request) => this.#call(client, request),
      list: (request, options) => this.#list(client, request, options),
      close: () => client.close(),
    }
  }

  #call(client: Client, request: WireRequest): Promise<WholeAnswer> {
    if (request.method !== 'GET') return client.call(request)
    const key = JSON.stringify([request.path, request.absolute, request.headers])
    const known = this.#answers.get(key)
    if (known !== undefined) return known
    const answer = client.call(request)
    this.#answers.set(key, answer)
    answer.catch((error: unknown) => {
      if (isInterruption(error)) this.#answers.delete(key)
    })
    return answer
  }

  async *#list(
    client: Client,
    request: WireRequest,
    options: ListOptions,
  ): AsyncGenerator<Batch, ListEnd> {
    const { limit, single, onPage } = options
    const key = JSON.stringify([request.path, request.absolute, request.headers, limit, single])
    const known = this.#lists.get(key)
    if (known === undefined) return yield* this.#read(client, request, options, key)
    for (const page of known.pages) onPage?.(page)
    yield* known.batches
    if ('error' in known.end) throw known.end.error
    return known.end
  }

  /** Reads a list, and keeps it if it is read to its end and the limit permits it. */
  async *#read(
    client: Client,
    request: WireRequest,
    options: ListOptions,
    key: string,
  ): AsyncGenerator<Batch, ListEnd> {
    const pages: AnswerHead[] = []
    const batches: Batch[] = []
    const onPage = (page: AnswerHead): void => {
      pages.push({ status: page.status, headers: page.headers })
      options.onPage?.(page)
    }
    const keep = (end: KeptList['end']): void => {
      if (this.#bytes <= maxKept) this.#lists.set(key, { pages, batches, end })
    }
    const reading = client.list(request, { ...options, onPage })
    try {
      for (;;) {
        const step = await reading.next()
        if (step.done === true) {
          keep(step.value)
          return step.value
        }
        this.#keepBatch(batches, step.value)
        yield step.value
      }
    } catch (error) {
      if (!isInterruption(error)) keep({ error })
      throw error
    } finally {
      await reading.return({ records: 0, more: true })
    }
  }

  /** Copies records, since printing overwrites the memory in which they arrived. */
  #keepBatch(batches: Batch[], batch: Batch): void {
    for (const { length } of batch) this.#bytes += length
    if (this.#bytes > maxKept) batches.length = 0
    else batches.push(batch.map((bytes) => Buffer.from(bytes)))
  }
}
