/** The sink of rows: prints them as they come, in the format that was asked for. */

import { cutShort, type OpenRow, type Row, type Rows } from '../engine/rows.js'
import { Failure } from '../errors.js'
import type { Writer } from '../output/types.js'
import { mergeTargets } from './merge-targets.js'
import type { RunAnswer } from './run-answer.js'

/** The place where rows go, and what may be printed there. */
export interface PrintOptions {
  readonly answer: RunAnswer
  /** False where text of one of several instances is refused. */
  readonly allowsText?: boolean
  /** Returns what is thrown for what could not be printed. */
  readonly describe?: (lost: unknown) => unknown
}

/** A part of the answer that is open. */
interface OpenPart {
  readonly writer: Writer
  readonly row: OpenRow
  printed: number
}

/** Prints rows; one part of the answer is open at a time. */
class RowPrinter {
  readonly #answer: RunAnswer
  #part: OpenPart | 'skipped' | undefined

  constructor(answer: RunAnswer) {
    this.#answer = answer
  }

  async print(row: Row): Promise<void> {
    switch (row.kind) {
      case 'open':
        return this.#open(row)
      case 'value':
        return this.#write((writer) => writer.record(row.value), 1)
      case 'records':
        return this.#write((writer) => writer.raw(row.batch), row.batch.length)
      case 'end':
        return this.#close(row.isCut === true)
      case 'document':
        return this.#answer.printDocument(row.value)
      case 'text':
        return this.#answer.write(row.chunk)
      case 'report':
        return this.#answer.writeReport(row.text)
      case 'flush':
        return this.#answer.flush()
      case 'note':
        // The others were said when the rows were handed over.
        if (row.isBelow === true) this.#answer.sayBelow(row.text)
        return
      case 'answer':
      case 'exit':
      case 'failed':
        return
    }
  }

  /** Ends the answer before its time: what was held back of a list is written. */
  async abandon(): Promise<void> {
    const part = this.#part
    if (part === undefined || part === 'skipped') return
    const { isMerged, source } = part.row
    if (isMerged === true || source !== undefined) await part.writer.abandon()
  }

  /** Returns what is thrown for what could not be printed: of a list with how much of it is there. */
  describeLost(error: unknown): unknown {
    const part = this.#part
    if (part === undefined || part === 'skipped') return error
    const { source } = part.row
    return source === undefined ? error : cutShort(error, source.isOrdered ? 0 : part.printed)
  }

  async #open(row: OpenRow): Promise<void> {
    const { many, source, view } = row
    if (!many && view.noted === true && this.#answer.reader === 'people') {
      this.#part = 'skipped'
      return
    }
    const writer = await this.#answer.writer(many, view)
    source?.opened(writer)
    this.#part = { writer, row, printed: 0 }
  }

  async #write(write: (writer: Writer) => Promise<void>, count: number): Promise<void> {
    const part = this.#part
    if (part === undefined) throw new Failure('internal', 'a record outside of an answer')
    if (part === 'skipped') return
    await write(part.writer)
    part.printed += count
  }

  async #close(isCut: boolean): Promise<void> {
    const part = this.#part
    this.#part = undefined
    if (part === undefined || part === 'skipped') return
    await (isCut ? part.writer.abandon() : part.writer.close())
  }
}

/**
 * Prints rows as they come, those of several targets as one list. What cannot be printed ends whoever yields them where it is.
 * @throws what their source throws, and what cannot be printed
 */
export const printRows = async (rows: Rows, output: PrintOptions): Promise<void> => {
  const { answer, allowsText = true, describe } = output
  const printer = new RowPrinter(answer)
  let isEnded = false
  const heard = async function* (): Rows {
    try {
      yield* rows
    } catch (error) {
      isEnded = true
      throw error
    }
  }
  try {
    const shown = answer.stage(mergeTargets(heard(), answer, allowsText))
    for await (const row of shown) await printer.print(row)
  } catch (error) {
    const lost = isEnded ? error : printer.describeLost(error)
    await printer.abandon()
    throw isEnded || describe === undefined ? lost : describe(lost)
  }
  await printer.abandon()
}
