/** Prints rows as they arrive, in the format of the line. */

import { type OpenRow, type Row, type Rows, toIncompleteFailure } from '../engine/rows.js'
import { Failure } from '../errors.js'
import type { Writer } from '../output/types.js'
import { mergeTargets } from './merge-targets.js'
import type { RunAnswer } from './run-answer.js'

/** The output for rows. */
export interface PrintOptions {
  readonly answer: RunAnswer
  /** False if the text of one of several instances is refused. */
  readonly allowsText?: boolean
  /** Converts an error of printing to the error that is thrown. */
  readonly describe?: (lost: unknown) => unknown
}

/** The open part of the answer. */
interface OpenPart {
  readonly writer: Writer
  readonly row: OpenRow
  printed: number
}

/** Prints rows. One part of the answer is open at a time. */
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
        // Notes at their place were printed when the row came.
        if (row.isBelow === true) this.#answer.addFooter(row.text)
        return
      case 'answer':
      case 'exit':
      case 'failed':
        return
    }
  }

  /** Ends the answer early. Records of a list that were held back are written. */
  async abandon(): Promise<void> {
    const part = this.#part
    if (part === undefined || part === 'skipped') return
    const { isMerged, source } = part.row
    if (isMerged === true || source !== undefined) await part.writer.abandon()
  }

  /** Adds to an error of printing how many records of a list were printed. */
  describeLost(error: unknown): unknown {
    const part = this.#part
    if (part === undefined || part === 'skipped') return error
    const { source } = part.row
    return source === undefined
      ? error
      : toIncompleteFailure(error, source.isOrdered ? 0 : part.printed)
  }

  async #open(row: OpenRow): Promise<void> {
    const { many, source, view } = row
    if (!many && view.noted === true && this.#answer.reader === 'people') {
      this.#part = 'skipped'
      return
    }
    const writer = await this.#answer.openWriter(many, view)
    source?.attachReader(writer)
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
 * Prints rows as they arrive. The rows of several targets become one list. An error of printing ends the source of the rows.
 * @throws errors of the source and errors of printing
 */
export const printRows = async (rows: Rows, output: PrintOptions): Promise<void> => {
  const { answer, allowsText = true, describe } = output
  const printer = new RowPrinter(answer)
  let isEnded = false
  const watchEnd = async function* (): Rows {
    try {
      yield* rows
    } catch (error) {
      isEnded = true
      throw error
    }
  }
  try {
    const shown = answer.applyStages(mergeTargets(watchEnd(), answer, allowsText))
    for await (const row of shown) await printer.print(row)
  } catch (error) {
    const lost = isEnded ? error : printer.describeLost(error)
    await printer.abandon()
    throw isEnded || describe === undefined ? lost : describe(lost)
  }
  await printer.abandon()
}
