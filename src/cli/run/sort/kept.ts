/** The rows that a sorted answer may still print: the first so many in its order. */
import type { Order, SortKey } from '../../../fleet/where/order.js'
import { RecordSpool, type SpoolPlace } from './spool.js'

/** Up to so many rows are held as they are; more go to the spool. */
const maxInMemory = 5000

/** At least so many come together before the last of them are dropped. */
const slack = 1000

interface KeptRow {
  readonly key: SortKey
  /** The rows are stable: this decides where keys are equal. */
  readonly n: number
  /** What the limit counts by, where it is not all of them. */
  readonly group: string
  readonly place: SpoolPlace
}

export class KeptRows {
  readonly #compare: (a: KeptRow, b: KeptRow) => number
  readonly #most: number
  readonly #spool: RecordSpool | undefined
  #rows: KeptRow[] = []
  #count = 0
  /** How many of each group came. */
  readonly #groups = new Map<string, number>()

  constructor({ compare }: Pick<Order, 'compare'>, most: number) {
    this.#compare = (a, b) => compare(a.key, b.key) || a.n - b.n
    this.#most = most
    this.#spool = most > maxInMemory ? new RecordSpool() : undefined
  }

  /** How many came, printed or not. */
  get count(): number {
    return this.#count
  }

  async add(key: SortKey, bytes: Uint8Array, group = ''): Promise<void> {
    this.#count += 1
    this.#groups.set(group, (this.#groups.get(group) ?? 0) + 1)
    const place = (await this.#spool?.add(bytes)) ?? bytes.slice()
    this.#rows.push({ key, n: this.#count, group, place })
    const most = this.#most * this.#groups.size
    if (this.#rows.length >= most + Math.max(most, slack)) this.#cut()
  }

  /** All that are to be printed, in their order. */
  async *sorted(): AsyncGenerator<Uint8Array> {
    this.#cut()
    for (const { place } of this.#rows)
      yield (await this.#spool?.read(place)) ?? (place as Uint8Array)
  }

  /** How many are printed. */
  get printed(): number {
    return this.#rows.length
  }

  async close(): Promise<void> {
    await this.#spool?.close()
  }

  #cut(): void {
    const counts = new Map<string, number>()
    this.#rows.sort(this.#compare)
    this.#rows = this.#rows.filter(({ group }) => {
      const count = (counts.get(group) ?? 0) + 1
      counts.set(group, count)
      return count <= this.#most
    })
  }
}
