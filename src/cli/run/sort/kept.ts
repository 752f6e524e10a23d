/** The rows that a sorted answer may still print: the first so many in its order. */
import type { Order, SortKey } from '../../../fleet/where/order.js'
import type { SingleReader } from '../../../output/types.js'
import { RecordSpool, type SpoolPlace } from './spool.js'

/** Up to so many rows stay in memory. */
const maxInMemory = 5000

/** Of more than these, so many bytes do. */
const maxHeld = 32 * 1024 * 1024

/** At least so many come together before the last of them are dropped. */
const slack = 1000

interface AddedRow {
  readonly key: SortKey
  readonly bytes: Uint8Array
  /** What the limit counts by, where it is not all of them. */
  readonly group: string
  /** What reads more of it, once it is printed. */
  readonly reader: SingleReader | undefined
}

interface KeptRow extends Omit<AddedRow, 'bytes'> {
  /** The rows are stable: this decides where keys are equal. */
  readonly n: number
  readonly place: SpoolPlace
}

export class KeptRows {
  readonly #compare: (a: KeptRow, b: KeptRow) => number
  readonly #most: number
  readonly #spool: RecordSpool
  #rows: KeptRow[] = []
  #count = 0
  /** How many of each group came. */
  readonly #groups = new Map<string, number>()

  constructor({ compare }: Pick<Order, 'compare'>, most: number) {
    this.#compare = (a, b) => compare(a.key, b.key) || a.n - b.n
    this.#most = most
    this.#spool = new RecordSpool(most > maxInMemory ? maxHeld : Number.POSITIVE_INFINITY)
  }

  /** How many came, printed or not. */
  get count(): number {
    return this.#count
  }

  async add({ key, bytes, group, reader }: AddedRow): Promise<void> {
    this.#count += 1
    this.#groups.set(group, (this.#groups.get(group) ?? 0) + 1)
    const place = await this.#spool.add(bytes)
    this.#rows.push({ key, n: this.#count, group, reader, place })
    const most = this.#most * this.#groups.size
    if (this.#rows.length >= most + Math.max(most, slack)) this.#cut()
  }

  /** All that are to be printed, in their order. */
  async *sorted(): AsyncGenerator<Pick<AddedRow, 'bytes' | 'reader'>> {
    this.#cut()
    for (const { place, reader } of this.#rows)
      yield { bytes: await this.#spool.read(place), reader }
  }

  /** How many are printed. */
  get printed(): number {
    return this.#rows.length
  }

  async close(): Promise<void> {
    await this.#spool.close()
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
