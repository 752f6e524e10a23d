/** The interface of stages, which transform the records of a list between the command and its output. */
import { serializeExact } from '../../base/json/json.js'
import type { HiddenFields } from '../../base/secrets/mask-records.js'
import type { Globals } from '../command/globals.js'
import type { Command } from '../command/types.js'
import type { RecordsRow, RecordView, Rows } from '../rows.js'
import type { AnswerContext } from './known-fields.js'

/** Transforms the records of one list. */
export interface ListStage {
  /** The view of the records that it passes on. */
  readonly view: RecordView
  /** Receives records, and returns those that can be passed on at once. */
  addRecords(row: RecordsRow): Promise<RecordsRow | undefined>
  /** Yields the records that it held back until the end of the list. */
  finish(): Rows
  /** Returns notes for the end of the output. */
  describe(): Iterable<string>
}

const encoder = new TextEncoder()

/** Encodes a record as bytes. */
export const encodeRecord = (record: unknown): Uint8Array =>
  encoder.encode(serializeExact(record) ?? 'null')

/** The parts of a line that stages need. */
export interface StageOptions {
  readonly command: AnswerContext['command'] & Pick<Command, 'flags'>
  readonly globals: Globals
  readonly now: () => Date
  /** Returns the fields of the records that nobody may see. */
  readonly getHidden: (view: RecordView) => HiddenFields
}
