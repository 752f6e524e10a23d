/** The rows that `--sort` may still print, for the writer that sorts them: in memory, and no more of them than fit there. */
import { Failure } from '../../errors.js'
import type { SingleReader } from '../rows.js'
import type { Order, SortKey } from '../where/index.js'

/** The maximum number of rows that are sorted. */
export const maxSorted = 500_000

/** At least so many rows beyond the limit are collected before the last ones are dropped. */
const slack = 1000

interface AddedRow {
  readonly key: SortKey
  readonly bytes: Uint8Array
  /** The reader of the row's single record, for when the row is printed. */
  readonly reader: SingleReader | undefined
}

interface KeptRow extends AddedRow {
  /** The order in which the rows came: it decides between equal keys. */
  readonly n: number
}

/** The rows of an answer, of which the first so many are printed in their order. */
export class KeptRows {
  readonly #compare: (a: KeptRow, b: KeptRow) => number
  readonly #most: number
  #rows: KeptRow[] = []
  #count = 0
  #printed = 0

  constructor({ compare }: Pick<Order, 'compare'>, most: number) {
    this.#compare = (a, b) => compare(a.key, b.key) || a.n - b.n
    this.#most = most
  }

  /** Returns the number of rows that came, printed or not. */
  get count(): number {
    return this.#count
  }

  /** Returns the number of rows that were printed. */
  get printed(): number {
    return this.#printed
  }

  /** @throws Failure `failed` where there are more than can be sorted */
  add(row: AddedRow): void {
    this.#count += 1
    // A record is a part of its page, which goes on without it.
    this.#rows.push({ ...row, n: this.#count, bytes: row.bytes.slice() })
    if (this.#rows.length >= this.#most + Math.max(this.#most, slack)) this.#cut()
    if (this.#rows.length <= maxSorted) return
    throw new Failure('failed', `--sort can sort ${maxSorted} records, and there are more`, {
      hint: 'Choose fewer with --where or --limit, or sort them outside: -o ndjson | sort',
    })
  }

  /** All that are to be printed, in their order. */
  *sorted(): Generator<Pick<AddedRow, 'bytes' | 'reader'>> {
    this.#cut()
    for (const row of this.#rows) {
      this.#printed += 1
      yield row
    }
  }

  #cut(): void {
    this.#rows = this.#rows.sort(this.#compare).slice(0, this.#most)
  }
}
