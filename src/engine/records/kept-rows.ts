/** Sorts the rows of an answer in memory, and keeps only those that can still be printed. */
import { Failure } from '../../errors.js'
import type { FullRecordReader } from '../rows.js'
import type { RecordOrder, SortKey } from '../where/index.js'

/** The maximum number of rows that are sorted. */
export const maxSorted = 500_000

/** This many rows beyond the limit are collected before the last ones are dropped. */
const slack = 1000

interface AddedRow {
  readonly key: SortKey
  readonly bytes: Uint8Array
  /** The reader of the row's single record, for when the row is printed. */
  readonly reader: FullRecordReader | undefined
}

interface KeptRow extends AddedRow {
  /** The position at which the row arrived; it decides between equal keys. */
  readonly n: number
}

/** Collects rows and returns the first `most` of them in order. */
export class RowSorter {
  readonly #compare: (a: KeptRow, b: KeptRow) => number
  readonly #maxPrinted: number
  #rows: KeptRow[] = []
  #count = 0
  #printed = 0

  constructor({ compare }: Pick<RecordOrder, 'compare'>, most: number) {
    this.#compare = (a, b) => compare(a.key, b.key) || a.n - b.n
    this.#maxPrinted = most
  }

  /** The number of rows that arrived. */
  get count(): number {
    return this.#count
  }

  /** The number of rows that were printed. */
  get printed(): number {
    return this.#printed
  }

  /**
   * Adds a row.
   * @throws Failure `failed` if there are more rows than can be sorted
   */
  add(row: AddedRow): void {
    this.#count += 1
    // The bytes are copied, because a record is part of its page, which is reused.
    this.#rows.push({ n: this.#count, ...row, bytes: row.bytes.slice() })
    if (this.#rows.length >= this.#maxPrinted + Math.max(this.#maxPrinted, slack)) this.#cut()
    if (this.#rows.length <= maxSorted) return
    throw new Failure('failed', `--sort can sort ${maxSorted} records, and there are more`, {
      hint: 'Choose fewer with --where or --limit, or sort them outside: -o ndjson | sort',
    })
  }

  /** Yields the rows to print in their order. */
  *yieldSorted(): Generator<Pick<AddedRow, 'bytes' | 'reader'>> {
    this.#cut()
    for (const row of this.#rows) {
      this.#printed += 1
      yield row
    }
  }

  #cut(): void {
    this.#rows = this.#rows.sort(this.#compare).slice(0, this.#maxPrinted)
  }
}
