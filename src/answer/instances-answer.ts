/** The one answer of several instances: its rows, and what is said of each below it. */

import { getCurrentIo, type Stdout } from '../base/io.js'
import type { Words } from '../catalogue/words.js'
import { createHeldTest, TargetWriter } from '../engine/order.js'
import type { Raw } from '../engine/plan/line.js'
import { getSite, type Row, type Rows } from '../engine/rows.js'
import { Failure } from '../errors.js'
import type { OuterLine, RunEnd, Streams } from './options.js'
import type { PageSource } from './page-view.js'
import { printRows } from './print-rows.js'
import { AnswerPrinter } from './printing.js'
import { openNotes, openStreams, type ScreenOptions } from './streams.js'

/** The output of an instance among several: it hands over rows, and prints nothing itself. */
const nowhere: Stdout = {
  write: async () => {
    throw new Failure('internal', 'an answer of one of several instances past the others')
  },
  end: async () => {},
}

/** Notes on one instance, which stand below the output. */
interface SaidOfPart {
  readonly notes: Streams['notes']
  /** The end of its list, in words. */
  list?: string
  later?: () => void
}

/** The line of several instances, and where it is answered. */
type SharedLine = ScreenOptions & {
  readonly raw: Raw
  readonly source: () => Promise<PageSource>
  /** When the latest of its snapshots was read; undefined if it has none. */
  readonly asOf?: Date | undefined
}

/** An instance or a snapshot among several. */
interface AskedTarget {
  readonly column: 'profile' | 'snapshot'
  readonly name: string
}

export class InstancesAnswer {
  readonly #shown: SharedLine
  readonly #screen: Streams
  readonly #printing: AnswerPrinter
  readonly #parts = new Map<string, SaidOfPart>()
  /** True if there are as many records as were asked for: then nothing is said of the lists of single instances. */
  #isFull = false
  /** The targets whose lists were read to their end, even if they are empty. */
  readonly #ended = new Set<string>()
  /** The notes on all instances together. */
  readonly #notes: (() => void)[] = []

  private constructor(shown: SharedLine, screen: Streams, words: Words | undefined) {
    this.#shown = shown
    this.#screen = screen
    this.#printing = new AnswerPrinter(
      { ...shown, words, raw: () => shown.raw },
      screen,
      this.addNote,
      {
        source: async () => ({ ...(await shown.source()), ended: () => [...this.#ended] }),
        asOf: async () => shown.asOf ?? getCurrentIo().now(),
      },
    )
  }

  static async of(shown: SharedLine, words: Words | undefined): Promise<InstancesAnswer> {
    return new InstancesAnswer(shown, await openStreams(shown), words)
  }

  get notes(): Streams['notes'] {
    return this.#screen.notes
  }

  /** The notes of one, each line with its name. */
  notesOf(name: string): Promise<Streams['notes']> {
    return openNotes(this.#shown, name)
  }

  /**
   * Creates the part that one of them hands its rows to.
   * @param turn resolves when those before it have handed over theirs
   */
  async part(
    { column, name }: AskedTarget,
    turn: Promise<void>,
    push: (row: Row) => Promise<void>,
  ): Promise<Pick<OuterLine, 'part' | 'screen'>> {
    const notes = await this.notesOf(name)
    const said: SaidOfPart = { notes }
    this.#parts.set(name, said)
    return {
      screen: {
        ...this.#screen,
        notes,
        out: nowhere,
        plain: nowhere,
        finish: async () => {},
        interactive: () => false,
        of: name,
      },
      part: {
        name,
        column,
        isHeld: createHeldTest(turn),
        takeAll: (rows) =>
          new TargetWriter({ target: { [column]: name }, turn, push }).takeAll(rows),
        later: (say) => {
          said.later = say
        },
      },
    }
  }

  /** Prints the rows of all. */
  print(rows: Rows): Promise<void> {
    const { globals, command } = this.#shown
    return printRows(this.#hearEnds(rows), {
      answer: this.#printing,
      allowsText: globals.curl || command.readOnly === true,
    })
  }

  /** @param names the order in which is said what is to be said of each */
  async close(names: readonly string[], end: RunEnd): Promise<void> {
    const say = (): void => {
      for (const name of names) {
        const { notes, list, later } = this.#parts.get(name) ?? {}
        if (list !== undefined && !this.#isFull) notes?.note(list)
        later?.()
      }
      for (const tell of this.#notes) tell()
    }
    await this.#screen.finish(say, end)
  }

  /** Says that there are as many records as were asked for. */
  fill(text: string): void {
    this.#isFull = true
    this.addNote(text)
  }

  async *#hearEnds(rows: Rows): Rows {
    for await (const row of rows) {
      const name = getSite(row.of ?? {})?.name ?? ''
      const part = this.#parts.get(name)
      if (row.kind === 'end' && row.isCut !== true && name !== '') this.#ended.add(name)
      if (row.kind === 'end' && row.of?.parent === undefined && part !== undefined)
        part.list = row.said ?? part.list
      yield row
    }
  }

  /** Says something of all of them below the output. */
  readonly addNote = (text: string): void => {
    this.#notes.push(() => this.notes.note(text))
  }
}
