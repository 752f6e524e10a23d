/** Defines the answer of a run, and where its rows go: standard output, a page, a browser, or a place among those of others. */

import type { AnswerService } from '../engine/command/context.js'
import type { RecordView, Rows } from '../engine/rows.js'
import type { HeldRecords } from '../output/index.js'
import type { Writer } from '../output/types.js'

/** The records of one of several parts of an answer, held until rows can be made of them. */
export interface PeopleRows extends HeldRecords {
  readonly columns: readonly string[] | undefined
}

/** The answer of a run, as the engine has it. */
export interface RunAnswer extends AnswerService {
  /** True if the items of an answer that is a list are records of their own. */
  readonly splitsLists: boolean
  /** Begins a part of the answer. */
  writer(many: boolean, emit: RecordView): Promise<Writer>
  /** Prints one object that makes no rows: as JSON where the format has nothing else. */
  printDocument(value: unknown): Promise<void>
  /** Writes text that no format wrote, and bytes that are shown instead of kept. */
  write(chunk: string | Uint8Array): Promise<void>
  /** Writes a report on standard output, wherever the answer goes. */
  writeReport(text: string): Promise<void>
  /** Hands on what was written so far. */
  flush(): Promise<void>
  /** Passes rows on, with what the line asks of their records. */
  stage(rows: Rows): Rows
  /** Returns what holds the records of one of several parts, where people see rows that are made of them. */
  rowsForPeople(view: RecordView): PeopleRows | undefined
  /** Says a line below the answer. */
  sayBelow(text: string): void
}
