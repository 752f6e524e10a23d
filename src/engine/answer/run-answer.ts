/** Where the rows of a run go: standard output, a page, a browser, or a place among those of others. */
import type { Writer } from '../../output/types.js'
import type { AnswerService } from '../command/services.js'
import type { RecordView } from '../rows.js'

/** The answer of a run, as the engine has it. */
export interface RunAnswer extends AnswerService {
  /** Whether the items of an answer that is a list are records of their own. */
  readonly splitsLists: boolean
  /** Begins a part of the answer. */
  writer(many: boolean, emit: RecordView): Promise<Writer>
  /** Prints one object that makes no rows: as JSON where the format has nothing else. */
  printDocument(value: unknown): Promise<void>
  /** Writes text that no format wrote, and bytes that are shown instead of kept. */
  write(chunk: string | Uint8Array): Promise<void>
  /** Hands on what was written so far. */
  flush(): Promise<void>
  /** One of several parts of an answer, in the rows that people see. @param open starts what takes them */
  part(open: (emit: RecordView) => Writer, emit: RecordView): Writer
}
