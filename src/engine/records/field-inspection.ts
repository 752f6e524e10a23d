/** Looks at the records of an answer: whether they have the fields that the catalogue does not know, and its columns. */
import { isObject } from '../../base/objects.js'
import { keyIn } from '../../catalogue/words.js'
import type { Inspection } from '../../output/types.js'
import { mayHave } from '../where/leaves.js'
import { type Answering, KnownFields, unknownFields } from './known-fields.js'

/** What becomes of names that no record has. */
interface Unknown {
  /** It is too late to refuse them, since something was written. */
  readonly late: boolean
  readonly note: (text: string) => void
}

/** The record of a row; undefined where the row says what became of an object. */
export const recordIn = (row: unknown, { emit }: Pick<Answering, 'emit'>): unknown => {
  if (emit.parent === undefined && emit.within === undefined) return row
  return isObject(row) && 'record' in row ? row.record : undefined
}

/**
 * Looks for fields that were asked for and that the documents do not know: an instance may be newer than
 * these. Undefined where they know all.
 */
export const fieldInspection = (
  answering: Answering,
  fields: readonly string[],
  { late, note }: Unknown,
): Inspection | undefined => {
  const { words } = answering
  const known = new KnownFields(answering)
  const missing = new Set(fields.filter((field) => !known.has(field)))
  if (missing.size === 0) return undefined
  const names = new Set(known.names)
  const state = { rows: 0, records: 0 }
  const look = (record: unknown): void => {
    state.records += 1
    for (const field of missing) {
      const whole = isObject(record) && keyIn(record, field, words) !== undefined
      if (whole || mayHave(record, field.split('.'), words)) missing.delete(field)
    }
    if (state.records === 1 && isObject(record))
      for (const name of Object.keys(record)) names.add(name)
  }
  return {
    holds: !late,
    see: (rows) => {
      state.rows += rows.length
      for (const row of rows) {
        const record = recordIn(row, answering)
        if (record !== undefined) look(record)
      }
      return missing.size === 0
    },
    end: async () => {
      // What is said of objects that could not be read is the failure; of an empty answer the documents tell.
      const telling = state.records > 0 || (state.rows === 0 && known.documented)
      if (missing.size === 0 || !telling) return
      const failure = await unknownFields(answering, [...missing], names)
      if (!late) throw failure
      note(`${failure.message}. ${failure.details.hint}`)
    },
  }
}
