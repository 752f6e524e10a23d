/** Tab-separated values: whole, untouched but for what would break the line. */
import { rowsOf } from '../columns.js'
import { levelOf } from '../levels.js'
import { isScalar, stringify } from '../record.js'
import { shown } from '../shown.js'
import type { Open, View } from '../types.js'

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (isScalar(value)) return String(value)
  return Array.isArray(value) && value.every(isScalar)
    ? value.map(textOf).join(',')
    : stringify(value)
}

/** A line of cells; tabs, line breaks and control characters in them are shown as escapes. */
const line = (view: View, values: readonly unknown[]): string =>
  `${values.map((value) => shown(textOf(value), view.style)).join('\t')}\n`

/** A list: a header line of field names, then a line a record. */
export const plainList: Open = (sink, view) => {
  const rows = rowsOf(view)
  let started = false
  const header = (): string => {
    if (started || rows.columns().length === 0) return ''
    started = true
    return line(view, rows.headings())
  }
  const write = async (records: readonly unknown[]): Promise<void> => {
    if (records.length === 0) return
    const named = (record: unknown): readonly unknown[] =>
      rows.values(record).map((value, i) => levelOf(rows.columns()[i], value) ?? value)
    const lines = records.map((record) => line(view, named(record)))
    await sink.write(header() + lines.join(''))
  }
  return {
    values: write,
    close: async () => {
      const text = header()
      if (text !== '') await sink.write(text)
    },
  }
}

/** One object: a line a field, its name and its value. */
export const plainDetail: Open = (sink, view) => {
  const write = async (record: unknown): Promise<void> => {
    const rows = rowsOf(view)
    const values = rows.values(record)
    const columns = rows.columns()
    const lines = rows
      .headings()
      .map((name, i) => line(view, [name, levelOf(columns[i], values[i]) ?? values[i]]))
    await sink.write(lines.join(''))
  }
  return {
    values: async (batch) => {
      for (const record of batch) await write(record)
    },
    close: async () => {},
  }
}
