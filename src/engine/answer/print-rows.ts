/** The sink of rows: prints them as they come, in the format that was asked for. */

import { Failure } from '../../errors.js'
import type { Writer } from '../../output/types.js'
import { cutShort, type Row, type Rows, type Target } from '../rows.js'
import { isList, printedValue, refusePart } from './objects.js'
import type { RunAnswer } from './run-answer.js'
import { TargetParts } from './target-parts.js'

/** What a target is, in a word. */
const describeTarget = ({ parent }: Target): string =>
  parent === undefined ? 'instance' : 'project or group'

/** Where rows go. */
export interface PrintOptions {
  readonly answer: RunAnswer
  /** False where text of one of several instances is refused. */
  readonly allowsText?: boolean
  /** Returns what is thrown for what could not be printed. */
  readonly describe?: (lost: unknown) => unknown
}

const encoder = new TextEncoder()

type OpenRow = Extract<Row, { kind: 'open' }>

/** A part of the answer that is open. */
interface OpenPart {
  readonly writer: Writer
  readonly row: OpenRow
  /** Its values stand elsewhere already: among those of others it is seen in another way. */
  readonly isFilled: boolean
  printed: number
}

/** Prints rows; one part of the answer is open at a time. */
class RowPrinter {
  readonly #output: PrintOptions
  readonly #targets: TargetParts
  #part: OpenPart | 'skipped' | undefined
  /** The target whose text was begun. */
  #headed: string | undefined

  constructor(output: PrintOptions) {
    this.#output = output
    this.#targets = new TargetParts(output.answer)
  }

  async print(row: Row): Promise<void> {
    const { answer } = this.#output
    switch (row.kind) {
      case 'open':
        return this.#open(row)
      case 'value':
        return this.#write((writer) => writer.record(row.value), 1)
      case 'records':
        return this.#write((writer) => writer.raw(row.batch, row.readers), row.batch.length)
      case 'end':
        return this.#close(row)
      case 'answer':
        return this.#printAnswer(row)
      case 'document':
        if (row.of !== undefined) throw refusePart(describeTarget(row.of))
        return answer.printDocument(row.value)
      case 'text':
        return this.#printText(row)
      case 'failed':
        if (row.of === undefined || answer.reader !== 'programs') return
        return this.#targets.addFailure(row.of, row.failure)
      case 'flush':
        return row.of === undefined ? answer.flush() : undefined
      // Whoever handed the rows over has heard these.
      case 'note':
      case 'exit':
        return
    }
  }

  /** Ends the answer before its time: what was held back of a list is written. */
  async abandon(): Promise<void> {
    const part = this.#list
    await part?.writer.abandon()
    await this.#targets.abandon()
  }

  /** Returns what is thrown for what could not be printed: of a list with how much of it is there. */
  describeLost(error: unknown): unknown {
    const part = this.#list
    return part === undefined ? error : cutShort(error, part.source.isOrdered ? 0 : part.printed)
  }

  /** The list that is open by itself. */
  get #list() {
    const part = this.#part
    if (part === undefined || part === 'skipped' || part.row.of !== undefined) return undefined
    const { source } = part.row
    return source && { ...part, source }
  }

  async #open(row: OpenRow): Promise<void> {
    const { answer } = this.#output
    const { many, source, view } = row
    if (!many && view.noted === true && answer.reader === 'people') {
      this.#part = 'skipped'
      return
    }
    const writer = await (row.of === undefined
      ? answer.writer(many, view)
      : this.#targets.open(row.of, view, source === undefined))
    if (row.of === undefined) source?.opened(writer)
    const among = row.of === undefined ? undefined : view.among
    for (const value of among ?? []) await writer.record(value)
    this.#part = { writer, row, isFilled: among !== undefined, printed: 0 }
  }

  async #write(write: (writer: Writer) => Promise<void>, count: number): Promise<void> {
    const part = this.#part
    if (part === undefined) throw new Failure('internal', 'a record outside of an answer')
    if (part === 'skipped' || part.isFilled) return
    await write(part.writer)
    part.printed += count
  }

  async #close({ isCut = false, of }: Omit<Extract<Row, { kind: 'end' }>, 'kind'>): Promise<void> {
    const part = this.#part
    this.#part = undefined
    if (part !== undefined && part !== 'skipped')
      await (isCut ? part.writer.abandon() : part.writer.close())
    else if (part === undefined && of === undefined) await this.#targets.close()
  }

  /** Text of one of several instances stands below its name: what only looks, and requests that are not sent. */
  async #printText({ chunk, of }: Extract<Row, { kind: 'text' }>): Promise<void> {
    const { answer, allowsText = true } = this.#output
    if (of !== undefined && (of.parent !== undefined || !allowsText))
      throw refusePart(describeTarget(of))
    if (of?.profile !== undefined && this.#headed !== of.profile)
      await answer.write(`# ${of.profile}\n`)
    this.#headed = of?.profile
    await answer.write(chunk)
  }

  /** Passes the bytes of an answer on as they came; a format that needs fields parses them itself. */
  async #printAnswer({ answer, of, view }: Extract<Row, { kind: 'answer' }>): Promise<void> {
    const splits = of !== undefined || this.#output.answer.splitsLists
    const items = splits && isList(answer) ? printedValue(answer) : undefined
    if (Array.isArray(items)) {
      await this.#open({ kind: 'open', many: true, view, of })
      for (const value of items) await this.#write((writer) => writer.record(value), 1)
    } else {
      await this.#open({ kind: 'open', many: false, view, of })
      const bytes = answer.bytes ?? encoder.encode(JSON.stringify(answer.value))
      await this.#write((writer) => writer.raw([bytes]), 1)
    }
    await this.#close({ of })
  }
}

/**
 * Prints rows as they come. What cannot be printed ends whoever yields them where it is.
 * @throws what their source throws, and what cannot be printed
 */
export const printRows = async (rows: Rows, output: PrintOptions): Promise<void> => {
  const printer = new RowPrinter(output)
  const take = async (): Promise<Row | undefined> => {
    try {
      const step = await rows.next()
      return step.done === true ? undefined : step.value
    } catch (error) {
      await printer.abandon()
      throw error
    }
  }
  for (let row = await take(); row !== undefined; row = await take())
    try {
      await printer.print(row)
    } catch (error) {
      const lost = printer.describeLost(error)
      await printer.abandon()
      await rows.return()
      throw output.describe === undefined ? lost : output.describe(lost)
    }
  await printer.abandon()
}
