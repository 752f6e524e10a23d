/** Defines the answer of a run: the interface of everything that rows can be printed to. */

import type { AnswerService } from '../engine/command/context.js'
import type { RecordView, Rows } from '../engine/rows.js'
import type { HeldRecords } from '../output/index.js'
import type { Writer } from '../output/types.js'

/** The records of one target, held until the rows for people can be made of them. */
export interface PeopleRows extends HeldRecords {
  readonly columns: readonly string[] | undefined
}

/** The output of a run's rows: standard output, a page, or a browser. */
export interface RunAnswer extends AnswerService {
  /** True if each item of an answer that is a list is printed as a record. */
  readonly splitsLists: boolean
  /** Opens the writer of a part of the answer. */
  openWriter(many: boolean, emit: RecordView): Promise<Writer>
  /** Prints one object that is no record, as JSON unless the format has a form for it. */
  printDocument(value: unknown): Promise<void>
  /** Writes text or bytes as they are. */
  write(chunk: string | Uint8Array): Promise<void>
  /** Writes a report to standard output, even if the answer goes to a file. */
  writeReport(text: string): Promise<void>
  /** Flushes everything that was written so far. */
  flush(): Promise<void>
  /** Applies the stages of the line to rows: conditions, order, groups and masking. */
  applyStages(rows: Rows): Rows
  /** Returns the holder of a target's records, if people see rows that are made of all of them. */
  holdPeopleRows(view: RecordView): PeopleRows | undefined
  /** Adds a note below the answer. */
  addFooter(text: string): void
}
