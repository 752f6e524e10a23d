/** `--sort`: an answer whose records wait until all came, and are then printed in their order. */

import { mapConcurrent } from '../../base/async.js'
import { currentIo } from '../../base/io.js'
import { stringifyExact } from '../../base/json/json.js'
import { parseBytes, type Records } from '../../base/json/records.js'
import { isObject } from '../../base/objects.js'
import { nearest } from '../../base/suggest.js'
import { levelsNamed } from '../../catalogue/shapes/common.js'
import type { Naming } from '../../catalogue/words.js'
import { defaultLimit } from '../../client/defaults.js'
import { Failure } from '../../errors.js'
import type { Inspection, SingleReader, Writer } from '../../output/types.js'
import { concurrencyLimit, type Globals, ownOrders } from '../command/globals.js'
import type { Command } from '../command/types.js'
import { bindOrder, type Known, type Order, parseSort, type SortField } from '../where/index.js'
import { hasField } from '../where/shape.js'
import { KeptRows } from './kept-rows.js'
import {
  type AnswerContext,
  columnsBeside,
  fieldInspection,
  getShapes,
  unwrapRow,
} from './known-fields.js'
import type { SingleFields } from './single.js'

// Records of a list with what only the single record shows of them.

const encoder = new TextEncoder()

/** A row as bytes. */
const encoded = (row: unknown): Uint8Array => encoder.encode(stringifyExact(row) ?? 'null')

interface MergeOptions {
  readonly fields: readonly string[]
  readonly words?: Naming | undefined
  /** The record in a row; undefined where the row is about something else. */
  readonly recordOf: (row: unknown) => unknown
}

/** A row with the single record's fields beside its own; itself where it has them all, or they cannot be read. */
const mergedRow = async (
  row: unknown,
  reader: SingleReader | undefined,
  { fields, words, recordOf }: MergeOptions,
): Promise<unknown> => {
  const record = recordOf(row)
  if (reader === undefined || !isObject(record)) return row
  if (fields.every((field) => hasField(record, field.split('.'), words))) return row
  const single = await reader.read(record)
  if (!isObject(single)) return row
  const merged = { ...single, ...record }
  return record === row || !isObject(row) ? merged : { ...row, record: merged }
}

/** Reads the single record of each that is printed there, several at once. */
const withSingles = (writer: Writer, options: MergeOptions, width: number): Writer => ({
  raw: async (batch, readers = []) => {
    const merge = async ([i, bytes]: readonly [number, Uint8Array]): Promise<Uint8Array> => {
      const reader = readers[i]
      if (reader === undefined) return bytes
      const row = parseBytes(bytes)
      const merged = await mergedRow(row, reader, options)
      return merged === row ? bytes : encoded(merged)
    }
    const whole: Uint8Array[] = []
    for await (const bytes of mapConcurrent(batch.entries(), width, merge)) whole.push(bytes)
    await writer.raw(whole)
  },
  record: (value) => writer.record(value),
  close: () => writer.close(),
  abandon: () => writer.abandon(),
})

/** After so many records a field that none of them has is unknown: about a page. */
const maxLooked = 100

/** So many records are printed at once. */
const batchSize = 100

interface SortOptions {
  readonly singles: SingleFields | undefined
  /** How many single records are read at once. */
  readonly width: number
  readonly command: Pick<Command, 'flags'>
  readonly answering: AnswerContext
  readonly globals: Pick<Globals, 'limit' | 'sort'>
  /** A line that stands below the output. */
  readonly note: (text: string) => void
}

/** A mistake where fields were named, with the values that the API's own flag of that name takes. */
const alsoOwn = (error: unknown, { flags }: Pick<Command, 'flags'>): unknown => {
  const values = flags.flatMap((flag) => (flag.name === 'sort' ? ownOrders(flag) : []))
  if (!(error instanceof Failure) || values.length === 0) return error
  const { hint = '' } = error.details
  const further = `The instance can sort by ${values.join(' or ')} itself.`
  return new Failure(error.category, error.message, { hint: `${hint} ${further}`.trim() })
}

/** What is known of the records of an answer. */
const knownOf = (answering: AnswerContext): Known => ({
  list: { anyOf: getShapes(answering) },
  now: currentIo().now().getTime(),
  names: levelsNamed,
  nearest,
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

class SortedWriter implements Writer {
  readonly #command: SortOptions['command']
  readonly #writer: Writer
  readonly #singles: SingleFields | undefined
  readonly #width: number
  readonly #answering: AnswerContext
  readonly #order: Order
  readonly #kept: KeptRows
  readonly #note: SortOptions['note']
  /** Rows about parents of which nothing could be read: they have no place among the records. */
  readonly #others: Uint8Array[] = []
  /** Looks for fields of which no shape knows; undefined once it has seen enough. */
  #inspection: Inspection | undefined
  #looked = 0

  constructor(writer: Writer, fields: readonly SortField[], sorting: SortOptions) {
    const { answering, command, globals, note } = sorting
    this.#command = command
    this.#singles = sorting.singles
    this.#width = sorting.width
    const { emit } = answering
    const beside = columnsBeside(emit)
    const { limit = defaultLimit } = globals
    this.#writer = writer
    this.#answering = answering
    this.#order = bindOrder(fields, knownOf(answering), beside)
    this.#kept = new KeptRows(this.#order, limit === 'all' ? Number.POSITIVE_INFINITY : limit)
    this.#note = note
    const own = fields.map(({ field }) => field).filter((field) => !beside.includes(field))
    this.#inspection = fieldInspection(answering, own, { late: false, note })
  }

  async raw(batch: Records, readers: readonly (SingleReader | undefined)[] = []): Promise<void> {
    if (readers.length === 0) {
      for (const bytes of batch) await this.#take({ row: parseBytes(bytes), bytes })
      return
    }
    const whole = ([i, bytes]: readonly [number, Uint8Array]) => this.#whole(bytes, readers[i])
    for await (const taken of mapConcurrent(batch.entries(), this.#width, whole))
      await this.#take(taken)
  }

  record(row: unknown): Promise<void> {
    return this.#take({ row, bytes: encoded(row) })
  }

  async close(): Promise<void> {
    await this.#looks()
    await this.#print()
    await this.#writer.close()
    const { printed, count } = this.#kept
    if (printed < count)
      this.#note(
        `showing the first ${printed} of ${count}; use --limit <n> or --limit all for more`,
      )
  }

  /** The first of some are not the first of all: nothing is printed. */
  async abandon(): Promise<void> {
    await this.#writer.abandon()
  }

  /** A row with what it is sorted by of its single record; what is only shown of that is read for what is printed. */
  async #whole(bytes: Uint8Array, reader: SingleReader | undefined): Promise<UnsortedRow> {
    const row = parseBytes(bytes)
    const recordOf = (one: unknown): unknown => unwrapRow(one, this.#answering)
    const { emit, words } = this.#answering
    const { sorted = [], shown = [] } = this.#singles ?? {}
    // An instance among several is left by the time when all are sorted.
    const now = sorted.length > 0 || emit.within !== undefined || reader?.has(recordOf(row))
    if (now !== true) return { row, bytes, reader }
    const fields = [...sorted, ...shown]
    const merged = await mergedRow(row, reader, { fields, words, recordOf })
    return { row: merged, bytes: shown.length > 0 && merged !== row ? encoded(merged) : bytes }
  }

  async #take({ row, bytes, reader }: UnsortedRow): Promise<void> {
    const record = unwrapRow(row, this.#answering)
    if (record === undefined) return void this.#others.push(bytes)
    if (this.#inspection?.see([row]) === true) this.#inspection = undefined
    if (++this.#looked === maxLooked) await this.#looks()
    const key = this.#order.keyOf(record, row)
    this.#kept.add({ key, bytes, reader })
  }

  /** @throws Failure `usage` for a field that no record has */
  async #looks(): Promise<void> {
    const inspection = this.#inspection
    this.#inspection = undefined
    try {
      await inspection?.end()
    } catch (error) {
      throw alsoOwn(error, this.#command)
    }
  }

  async #print(): Promise<void> {
    let batch: Pick<UnsortedRow, 'bytes' | 'reader'>[] = []
    const write = (): Promise<void> =>
      this.#writer.raw(
        batch.map(({ bytes }) => bytes),
        batch.map(({ reader }) => reader),
      )
    for (const one of this.#kept.sorted()) {
      if (batch.push(one) < batchSize) continue
      await write()
      batch = []
    }
    await write()
    if (this.#others.length > 0) await this.#writer.raw(this.#others)
  }
}

/**
 * What is written there, in the order of `--sort`.
 * @throws Failure `usage` for a field that has no order
 */
const createSortedWriter = (writer: Writer, sorting: SortOptions): Writer =>
  new SortedWriter(writer, parseSort(sorting.globals.sort ?? []), sorting)

// What stands between the records of an answer and its format: their order, and what only single records show.

interface StageOptions {
  readonly command: Pick<Command, 'flags'>
  readonly answering: AnswerContext
  readonly globals: Pick<Globals, 'concurrency' | 'limit' | 'sort'>
  readonly singles: SingleFields | undefined
  /** A line that stands below the output. */
  readonly note: (text: string) => void
}

/** @throws Failure `usage` for what cannot be sorted by */
export const staged = async (writer: Writer, options: StageOptions): Promise<Writer> => {
  const { answering, globals, singles } = options
  const width = concurrencyLimit(globals)
  const { shown: fields = [] } = singles ?? {}
  let whole = writer
  if (fields.length > 0) {
    const recordOf = (row: unknown): unknown => unwrapRow(row, answering)
    whole = withSingles(writer, { fields, words: answering.words, recordOf }, width)
  }
  if (globals.sort === undefined) return whole
  return createSortedWriter(whole, { ...options, width })
}
