/** The stages of a list: each takes its records and hands others on. */
import { serializeExact } from '../../base/json/json.js'
import type { HiddenFields } from '../../base/secrets/mask-records.js'
import type { Words } from '../../catalogue/words.js'
import type { Globals } from '../command/globals.js'
import type { Command } from '../command/types.js'
import type { RecordsRow, RecordView, Rows } from '../rows.js'
import type { AnswerContext } from './known-fields.js'

/** A stage of one list: it takes the records and hands others on. */
export interface ListStage {
  /** The view of the records that it hands on. */
  readonly view: RecordView
  /** Returns what can be handed on once these records came. */
  take(row: RecordsRow): Promise<RecordsRow | undefined>
  /** Yields what was held back until all came. */
  finish(): Rows
  /** Returns what is said of it below the answer. */
  describe(): Iterable<string>
}

const encoder = new TextEncoder()

/** Encodes a record as bytes. */
export const encodeRecord = (record: unknown): Uint8Array =>
  encoder.encode(serializeExact(record) ?? 'null')

/** The parts of a line that its stages need. */
export interface StageOptions {
  readonly command: AnswerContext['command'] & Pick<Command, 'flags'>
  readonly globals: Globals
  /** The instance's own, where a vocabulary is in force. */
  readonly words: Words | undefined
  /** Returns what of the records no one is shown. */
  readonly hiddenFor: (view: RecordView) => HiddenFields
}
