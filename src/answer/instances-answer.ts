/** Prints the answer of several instances as one, with the notes on each instance below it. */

import type { Stdout } from '../base/io.js'
import type { Raw } from '../engine/plan/line.js'
import { getSite, type Row, type Rows } from '../engine/rows.js'
import { createWaitTest, TargetWriter } from '../engine/target-order.js'
import { getConditionFields, parseWhere } from '../engine/where/index.js'
import { Failure } from '../errors.js'
import { AnswerPrinter } from './answer-printer.js'
import type { OuterLine, RunEnd, Streams } from './options.js'
import type { PageSource } from './page-view.js'
import { printRows } from './print-rows.js'
import { openNotes, openStreams, type ScreenOptions } from './streams.js'

/** The output of one of several instances. It fails, because the rows must go to the shared answer. */
const unusableOutput: Stdout = {
  write: async () => {
    throw new Failure('internal', 'an answer of one of several instances past the others')
  },
  end: async () => {},
}

/** The notes on one instance, which are printed below the output. */
interface PartNotes {
  readonly notes: Streams['notes']
  /** The note on the end of the instance's list. */
  list?: string
  /** True if records of the instance were printed. */
  hasRecords?: true
  /** Prints the other notes on the instance. */
  later?: () => void
}

/** The line of several instances, with its output. */
export type SharedLine = ScreenOptions & {
  readonly raw: Raw
  /** The kind of the parts: instances, snapshots or resumed runs. Records have no column for a run. */
  readonly column: 'profile' | 'snapshot' | 'run'
  readonly getSource: () => Promise<PageSource>
  /** The time of the latest snapshot; undefined if the line reads no snapshots. */
  readonly asOf?: Date | undefined
}

export class InstancesAnswer {
  readonly #shown: SharedLine
  readonly #screen: Streams
  readonly #printing: AnswerPrinter
  readonly #parts = new Map<string, PartNotes>()
  /** True if `--limit` was reached. The notes on the lists of single instances are then left out. */
  #isFull = false
  /** The targets whose lists were read to their end, even if they are empty. */
  readonly #ended = new Set<string>()
  /** The notes on all instances together. */
  readonly #notes: (() => void)[] = []

  private constructor(shown: SharedLine, screen: Streams) {
    this.#shown = shown
    this.#screen = screen
    this.#printing = new AnswerPrinter({ ...shown, raw: () => shown.raw }, screen, this.addNote, {
      getSource: async () => ({
        ...(await shown.getSource()),
        listComplete: () => [...this.#ended],
      }),
      clock: { now: shown.io.now, asOf: async () => shown.asOf ?? shown.io.now() },
    })
  }

  static async open(shown: SharedLine): Promise<InstancesAnswer> {
    return new InstancesAnswer(shown, await openStreams(shown))
  }

  get column(): SharedLine['column'] {
    return this.#shown.column
  }

  get notes(): Streams['notes'] {
    return this.#screen.notes
  }

  /** Opens the notes of one instance. Each line begins with its name. */
  async openNotesFor(name: string): Promise<Streams['notes']> {
    const notes = await openNotes(this.#shown, { column: this.#shown.column, name })
    return this.#screen.page?.keepNotes(notes, name) ?? notes
  }

  /**
   * Creates the options of the run on one instance, which writes its rows here.
   * @param turn resolves when all instances before this one have written their rows
   */
  async createTarget(
    name: string,
    turn: Promise<void>,
    push: (row: Row) => Promise<void>,
  ): Promise<Required<Pick<OuterLine, 'part' | 'screen'>>> {
    const notes = await this.openNotesFor(name)
    const { column } = this.#shown
    const partNotes: PartNotes = { notes }
    this.#parts.set(name, partNotes)
    return {
      screen: {
        ...this.#screen,
        notes,
        out: unusableOutput,
        plain: unusableOutput,
        finish: async () => {},
        interactive: () => false,
        label: name,
      },
      part: {
        name,
        column: column === 'run' ? undefined : column,
        isHeld: createWaitTest(turn),
        writeRows: (rows) =>
          new TargetWriter({ target: { [column]: name }, turn, push }).writeAll(rows),
        printLater: (say) => {
          partNotes.later = say
        },
      },
    }
  }

  /** Prints the rows of all instances. */
  print(rows: Rows): Promise<void> {
    const { globals, command } = this.#shown
    return printRows(this.#keepEnds(rows), {
      answer: this.#printing,
      allowsText: globals.curl || command.readOnly === true,
    })
  }

  /** Ends the output, and prints the notes. @param names the instances in the order of their notes */
  async close(names: readonly string[], end: RunEnd): Promise<void> {
    const say = (): void => {
      const isChosen = this.#isChosenByCondition()
      for (const name of names) {
        const { notes, list, later, hasRecords } = this.#parts.get(name) ?? {}
        const isTold = list !== undefined && !this.#isFull && (hasRecords === true || !isChosen)
        if (isTold) notes?.note(list)
        later?.()
      }
      for (const tell of this.#notes) tell()
    }
    await this.#screen.finish(say, end)
  }

  /** True if a condition on the instances or snapshots themselves chose some. The others are then empty for that reason. */
  #isChosenByCondition(): boolean {
    const fields = getConditionFields(parseWhere(this.#shown.globals.where ?? []))
    const parts = [...this.#parts.values()]
    return (
      fields.includes(this.#shown.column) && parts.some(({ hasRecords }) => hasRecords === true)
    )
  }

  /** Adds the note that `--limit` was reached. */
  noteLimit(text: string): void {
    this.#isFull = true
    this.addNote(text)
  }

  async *#keepEnds(rows: Rows): Rows {
    for await (const row of rows) {
      const name = getSite(row.target ?? {})?.name ?? ''
      const part = this.#parts.get(name)
      if (row.kind === 'end' && row.isCut !== true && name !== '') this.#ended.add(name)
      if (row.kind === 'records' && row.batch.length > 0 && part !== undefined)
        part.hasRecords = true
      if (row.kind === 'end' && row.target?.parent === undefined && part !== undefined)
        part.list = row.note ?? part.list
      yield row
    }
  }

  /** Adds a note on all instances below the output. */
  readonly addNote = (text: string): void => {
    this.#notes.push(() => this.notes.note(text))
  }
}
