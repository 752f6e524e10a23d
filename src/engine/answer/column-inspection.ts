/** Looks for the catalogue's columns in the records of an answer: what none has may be called otherwise there. */
import { shownFields } from '../../catalogue/kinds.js'
import { called, type Words } from '../../catalogue/words.js'
import type { Inspection } from '../../output/types.js'
import type { Emit } from '../command/running.js'
import { recordIn } from '../records/field-inspection.js'
import { mayHave } from '../where/leaves.js'
import { kindIn } from '../where/shape.js'

const sourceOf = (column: string): string =>
  Object.entries<string>(shownFields).find(([name]) => name === column)?.[1] ?? column

/**
 * Notes each column that no record has.
 * @param note is told a column and the sentence about it
 */
export const columnInspection = (
  emit: Emit,
  words: Words | undefined,
  note: (column: string, text: string) => void,
): Inspection | undefined => {
  const { endpoint } = emit
  const columns = emit.columns ?? endpoint?.columns ?? []
  const missing = new Set(
    columns.filter((column) => kindIn(endpoint?.returns.shape, sourceOf(column)) !== undefined),
  )
  if (missing.size === 0) return undefined
  let records = 0
  return {
    holds: false,
    see: (rows) => {
      for (const row of rows) {
        const record = recordIn(row, { emit })
        if (record === undefined) continue
        records += 1
        for (const column of missing)
          if (mayHave(record, sourceOf(column).split('.'), words)) missing.delete(column)
      }
      return missing.size === 0
    },
    end: async () => {
      if (records === 0) return
      for (const column of missing)
        note(
          column,
          `no record has the field ${called(column, words)}: its column is empty (another version or edition?)`,
        )
    },
  }
}
