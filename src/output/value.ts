/** The values of one field, a line each: text as it is, control characters visible; the rest as JSON. */
import { isScalar, stringify } from './record.js'
import { shown } from './shown.js'
import type { Open } from './types.js'

export const open: Open = (sink, view) => {
  const { fields = [], parents, pick, style } = view
  // A column that leads the rows of others stands before the one that was asked for.
  const field = fields.at(-1) ?? 'value'
  const path = parents === undefined ? field : `record.${field}`
  const lineOf = (record: unknown): string => {
    const value = isScalar(record) ? record : pick(record, path)
    if (value === undefined || value === null) return '\n'
    return `${shown(isScalar(value) ? String(value) : stringify(value), style)}\n`
  }
  return {
    values: (batch) => sink.write(batch.map(lineOf).join('')),
    close: async () => {},
  }
}
