/** Sorts the records of a list (`--sort`): collects them all, and passes them on in order. */

import { mapConcurrent } from '../../base/async.js'
import { parseBytes } from '../../base/json/records.js'
import { getParamValues } from '../../catalogue/params.js'
import type { Inspection } from '../../catalogue/views.js'
import { toMaxCount } from '../../client/paging.js'
import { Failure } from '../../errors.js'
import type { Globals } from '../command/globals.js'
import { createKnown } from '../command/record-facts.js'
import type { Command } from '../command/types.js'
import type { FullRecordReader, RecordsRow, RecordView, Rows } from '../rows.js'
import { createOrder, parseSort, type RecordOrder, type SortField } from '../where/index.js'
import { RowSorter } from './kept-rows.js'
import {
  type AnswerContext,
  createFieldInspection,
  getColumnsBeside,
  getShapes,
  unwrapRow,
} from './known-fields.js'
import { encodeRecord, type ListStage, type StageOptions } from './list-stage.js'
import type { SingleFields } from './single.js'
import { mergeSingle } from './single-stage.js'

/** After this many records, about a page, a field that none of them has is unknown. */
const inspectedRecords = 100

/** The number of records that are passed on at once. */
const batchSize = 100

interface SortOptions extends Pick<StageOptions, 'command' | 'now'> {
  readonly globals: Pick<Globals, 'limit' | 'sort'>
  /** The number of single records that are read at once. */
  readonly width: number
  readonly view: RecordView
  readonly singles: SingleFields | undefined
}

/** Adds the API's own sort orders to the hint of a failure about a field. */
const addOwnOrders = (error: unknown, { flags }: Pick<Command, 'flags'>): unknown => {
  const values = flags.flatMap((flag) => (flag.name === 'sort' ? getParamValues(flag.param) : []))
  if (!(error instanceof Failure) || values.length === 0) return error
  const { hint = '' } = error.details
  const further = `The instance can sort by ${values.join(' or ')} itself.`
  return new Failure(error.category, error.message, { hint: `${hint} ${further}`.trim() })
}

/** A row with the record by which it is sorted. */
interface UnsortedRow {
  readonly row: unknown
  readonly bytes: Uint8Array
  readonly reader?: FullRecordReader | undefined
}

/** Collects the records of one list and sorts them. */
class SortStage implements ListStage {
  readonly view: RecordView
  readonly #options: SortOptions
  readonly #answering: AnswerContext
  readonly #order: RecordOrder
  readonly #sorter: RowSorter
  /** Rows about parents that could not be read; they come after all records. */
  readonly #others: Uint8Array[] = []
  /** Looks for undocumented fields; undefined after it has seen enough records. */
  #inspection: Inspection | undefined
  #looked = 0

  constructor(fields: readonly SortField[], options: SortOptions) {
    const { command, globals, now, singles, view } = options
    this.view = view
    this.#options = options
    this.#answering = { command, emit: view, single: singles?.endpoint }
    const beside = getColumnsBeside(view)
    const list = { anyOf: getShapes(this.#answering) }
    this.#order = createOrder(fields, { ...createKnown(command, now()), list }, beside)
    this.#sorter = new RowSorter(this.#order, toMaxCount(globals.limit))
    const own = fields.map(({ field }) => field).filter((field) => !beside.includes(field))
    this.#inspection = createFieldInspection(this.#answering, own)
  }

  async addRecords({ batch, readers = [] }: RecordsRow): Promise<undefined> {
    if (readers.length === 0) {
      for (const bytes of batch) await this.#addRow({ row: parseBytes(bytes), bytes })
      return
    }
    const readEntry = ([i, bytes]: readonly [number, Uint8Array]) =>
      this.#readRow(bytes, readers[i])
    for await (const one of mapConcurrent(batch.entries(), this.#options.width, readEntry))
      await this.#addRow(one)
  }

  async *finish(): Rows {
    await this.#endInspection()
    let batch: Pick<UnsortedRow, 'bytes' | 'reader'>[] = []
    for (const one of this.#sorter.yieldSorted()) {
      if (batch.push(one) < batchSize) continue
      yield createBatch(batch)
      batch = []
    }
    yield createBatch(batch)
    if (this.#others.length > 0) yield { kind: 'records', batch: this.#others }
  }

  *describe(): Generator<string> {
    const { printed, count } = this.#sorter
    if (printed < count)
      yield `showing the first ${printed} of ${count}; use --limit <n> or --limit all for more`
  }

  /**
   * Reads the single record if a row is sorted by its fields. Fields that are only shown are read later, for printed
   * rows.
   */
  async #readRow(bytes: Uint8Array, reader: FullRecordReader | undefined): Promise<UnsortedRow> {
    const { command, view, singles } = this.#options
    const row = command.naming.makeLegible(parseBytes(bytes))
    const { sorted = [], shown = [] } = singles ?? {}
    // One of several instances is disconnected by the time its records are printed.
    const now =
      sorted.length > 0 || view.within !== undefined || reader?.has(unwrapRow(row, this.#answering))
    if (now !== true) return { row, bytes, reader }
    const fields = [...sorted, ...shown]
    const merged = await mergeSingle(row, reader, { fields, view, command })
    return { row: merged, bytes: shown.length > 0 && merged !== row ? encodeRecord(merged) : bytes }
  }

  async #addRow({ row, bytes, reader }: UnsortedRow): Promise<void> {
    const { makeLegible } = this.#options.command.naming
    const record = makeLegible(unwrapRow(row, this.#answering))
    if (record === undefined) return void this.#others.push(bytes)
    if (this.#inspection?.see([row]) === true) this.#inspection = undefined
    if (++this.#looked === inspectedRecords) await this.#endInspection()
    const key = this.#order.toSortKey(record, row)
    this.#sorter.add({ key, bytes, reader })
  }

  /** @throws Failure `usage` for a field that no record has */
  async #endInspection(): Promise<void> {
    const inspection = this.#inspection
    this.#inspection = undefined
    try {
      await inspection?.end()
    } catch (error) {
      throw addOwnOrders(error, this.#options.command)
    }
  }
}

const createBatch = (rows: readonly Pick<UnsortedRow, 'bytes' | 'reader'>[]): RecordsRow => ({
  kind: 'records',
  batch: rows.map(({ bytes }) => bytes),
  readers: rows.map(({ reader }) => reader),
})

/**
 * Creates the stage that sorts the records of a list.
 * @throws Failure `usage` for a field that cannot be sorted by
 */
export const createSortStage = (options: SortOptions): ListStage =>
  new SortStage(parseSort(options.globals.sort ?? []), options)
