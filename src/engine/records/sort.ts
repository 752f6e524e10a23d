/** `--sort`: the records of a list wait until all came, and are then handed over in their order. */

import { mapConcurrent } from '../../base/async.js'
import { getCurrentIo } from '../../base/io.js'
import { parseBytes } from '../../base/json/records.js'
import { findNearest } from '../../base/suggest.js'
import { findLevelNames } from '../../catalogue/shapes/common.js'
import type { Inspection } from '../../catalogue/views.js'
import { defaultLimit } from '../../client/defaults.js'
import { Failure } from '../../errors.js'
import { type Globals, getOwnOrders } from '../command/globals.js'
import type { Command } from '../command/types.js'
import type { RecordsRow, RecordView, Rows, SingleReader } from '../rows.js'
import { bindOrder, type Known, type Order, parseSort, type SortField } from '../where/index.js'
import { KeptRows } from './kept-rows.js'
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

/** After so many records a field that none of them has is unknown: about a page. */
const maxLooked = 100

/** The number of records that are handed over at once. */
const batchSize = 100

interface SortOptions extends Pick<StageOptions, 'command' | 'words'> {
  readonly globals: Pick<Globals, 'limit' | 'sort'>
  /** The number of single records that are read at once. */
  readonly width: number
  readonly view: RecordView
  readonly singles: SingleFields | undefined
}

/** Adds to a mistake in named fields the values that the API's own flag of that name takes. */
const addOwnOrders = (error: unknown, { flags }: Pick<Command, 'flags'>): unknown => {
  const values = flags.flatMap((flag) => (flag.name === 'sort' ? getOwnOrders(flag) : []))
  if (!(error instanceof Failure) || values.length === 0) return error
  const { hint = '' } = error.details
  const further = `The instance can sort by ${values.join(' or ')} itself.`
  return new Failure(error.category, error.message, { hint: `${hint} ${further}`.trim() })
}

/** Returns what is known of the records of an answer. */
const createKnown = (answering: AnswerContext): Known => ({
  list: { anyOf: getShapes(answering) },
  now: getCurrentIo().now().getTime(),
  names: findLevelNames,
  nearest: findNearest,
  made: answering.command.computedFields,
  others: answering.command.instanceFields,
  words: answering.words,
})

/** A row as it came, and as it is sorted. */
interface UnsortedRow {
  readonly row: unknown
  readonly bytes: Uint8Array
  readonly reader?: SingleReader | undefined
}

/** The records of one list, which wait until all came. */
class SortedRecords implements ListStage {
  readonly view: RecordView
  readonly #options: SortOptions
  readonly #answering: AnswerContext
  readonly #order: Order
  readonly #kept: KeptRows
  /** Rows about parents of which nothing could be read: they have no place among the records. */
  readonly #others: Uint8Array[] = []
  /** Looks for fields of which no shape knows; undefined once it has seen enough. */
  #inspection: Inspection | undefined
  #looked = 0

  constructor(fields: readonly SortField[], options: SortOptions) {
    const { command, globals, singles, view, words } = options
    this.view = view
    this.#options = options
    this.#answering = { command, emit: view, words, single: singles?.endpoint }
    const beside = getColumnsBeside(view)
    const { limit = defaultLimit } = globals
    this.#order = bindOrder(fields, createKnown(this.#answering), beside)
    this.#kept = new KeptRows(this.#order, limit === 'all' ? Number.POSITIVE_INFINITY : limit)
    const own = fields.map(({ field }) => field).filter((field) => !beside.includes(field))
    this.#inspection = createFieldInspection(this.#answering, own)
  }

  async take({ batch, readers = [] }: RecordsRow): Promise<undefined> {
    if (readers.length === 0) {
      for (const bytes of batch) await this.#keep({ row: parseBytes(bytes), bytes })
      return
    }
    const whole = ([i, bytes]: readonly [number, Uint8Array]) => this.#whole(bytes, readers[i])
    for await (const one of mapConcurrent(batch.entries(), this.#options.width, whole))
      await this.#keep(one)
  }

  async *finish(): Rows {
    await this.#look()
    let batch: Pick<UnsortedRow, 'bytes' | 'reader'>[] = []
    for (const one of this.#kept.sorted()) {
      if (batch.push(one) < batchSize) continue
      yield createBatch(batch)
      batch = []
    }
    yield createBatch(batch)
    if (this.#others.length > 0) yield { kind: 'records', batch: this.#others }
  }

  *describe(): Generator<string> {
    const { printed, count } = this.#kept
    if (printed < count)
      yield `showing the first ${printed} of ${count}; use --limit <n> or --limit all for more`
  }

  /** Reads what a row is sorted by of its single record; what is only shown of that is read for what is printed. */
  async #whole(bytes: Uint8Array, reader: SingleReader | undefined): Promise<UnsortedRow> {
    const row = parseBytes(bytes)
    const { view, words, singles } = this.#options
    const { sorted = [], shown = [] } = singles ?? {}
    // An instance among several is left by the time when all are sorted.
    const now =
      sorted.length > 0 || view.within !== undefined || reader?.has(unwrapRow(row, this.#answering))
    if (now !== true) return { row, bytes, reader }
    const merged = await mergeSingle(row, reader, { fields: [...sorted, ...shown], view, words })
    return { row: merged, bytes: shown.length > 0 && merged !== row ? encodeRecord(merged) : bytes }
  }

  async #keep({ row, bytes, reader }: UnsortedRow): Promise<void> {
    const record = unwrapRow(row, this.#answering)
    if (record === undefined) return void this.#others.push(bytes)
    if (this.#inspection?.see([row]) === true) this.#inspection = undefined
    if (++this.#looked === maxLooked) await this.#look()
    const key = this.#order.keyOf(record, row)
    this.#kept.add({ key, bytes, reader })
  }

  /** @throws Failure `usage` for a field that no record has */
  async #look(): Promise<void> {
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
 * Creates what puts the records of a list into the order of `--sort`.
 * @throws Failure `usage` for a field that has no order
 */
export const createSortStage = (options: SortOptions): ListStage =>
  new SortedRecords(parseSort(options.globals.sort ?? []), options)
