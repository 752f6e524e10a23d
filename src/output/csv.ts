/**
 * CSV by RFC 4180, written by csv-stringify, lines ended by a line feed: a header of field names, whole
 * values, nested ones as JSON text. A cell that a spreadsheet would run as a formula gets an
 * apostrophe in front, unless `--csv-raw`.
 */
import { stringify as csvOf, type Options } from 'csv-stringify/sync'
import { ExactNumber } from '../base/json/json.js'
import { stringify } from '../base/json/values.js'
import { getLevelName } from '../catalogue/levels.js'
import { createRows } from './cell.js'
import { shownLines } from './escape.js'
import type { FormatView, OpenPrinter } from './types.js'

/** Digits behind a sign are a number, whoever says so: no formula. */
const signed = /^[+-]\d+(\.\d+)?$/

/** What starts a formula for some spreadsheets, and for the library only where it is not shown as text. */
const broken = /^[\r\n]/

/** Of this cell alone no formula is escaped: the library takes any option here, its types know some. */
const asItIs = (value: string): { readonly value: string } => {
  const cell = { value, escape_formulas: false }
  return cell
}

const optionsOf = ({ csvRaw }: FormatView): Options => ({
  escape_formulas: csvRaw !== true,
  // White space at the ends is lost to some readers where it is not quoted.
  quoted_match: /^[ \t]|[ \t]$/,
  cast: {
    boolean: String,
    string: (value) => (signed.test(value) ? asItIs(value) : value),
    // A number as it came.
    object: (value) => asItIs(String(value)),
  },
})

type Cell = string | number | boolean | ExactNumber | null

/** Line breaks and tabs stay, as RFC 4180 allows inside of quotes; other control characters are shown. */
const cellOf = (value: unknown, { style, csvRaw }: FormatView): Cell => {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'boolean' || value instanceof ExactNumber)
    return value
  const whole = typeof value === 'string' ? value : stringify(value)
  const front = csvRaw !== true && broken.test(whole) ? "'" : ''
  return shownLines(front + whole, style, '\n\t')
}

export const open: OpenPrinter = (sink, view) => {
  const rows = createRows(view)
  const options = optionsOf(view)
  let started = false
  const header = (): (readonly Cell[])[] => {
    if (started || rows.columns().length === 0) return []
    started = true
    if (view.headless === true) return []
    return [rows.headings().map((name) => cellOf(name, view))]
  }
  const rowOf = (record: unknown): readonly Cell[] =>
    rows
      .values(record)
      .map((value, i) => cellOf(getLevelName(rows.columns()[i], value) ?? value, view))
  const write = async (lines: readonly (readonly Cell[])[]): Promise<void> => {
    if (lines.length > 0) await sink.write(csvOf([...lines], options))
  }
  return {
    values: async (batch) => {
      // Their first record may be what says which columns there are.
      const lines = batch.map(rowOf)
      await write([...header(), ...lines])
    },
    close: () => write(header()),
  }
}
