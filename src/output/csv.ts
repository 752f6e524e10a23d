/**
 * CSV by RFC 4180, written by csv-stringify, lines ended by a line feed: a header of field names, whole
 * values, nested ones as JSON text. A cell that a spreadsheet would run as a formula gets an
 * apostrophe in front, unless `--csv-raw`.
 */
import { stringify as csvOf, type Options } from 'csv-stringify/sync'
import { ExactNumber } from '../base/json/json.js'
import { serializeJson } from '../base/json/values.js'
import { getLevelName } from '../catalogue/levels.js'
import { createRows } from './cell.js'
import { escapeLines } from './escape.js'
import type { FormatView, OpenPrinter } from './types.js'

/** Digits after a sign are a number and no formula. */
const signed = /^[+-]\d+(\.\d+)?$/

/** The line breaks that begin a formula in some spreadsheets. The library recognizes them only if they were not made visible before. */
const broken = /^[\r\n]/

/** Creates a cell in which no formula is escaped. The library takes any option here; its types know only some. */
const createRawCell = (value: string): { readonly value: string } => {
  const cell = { value, escape_formulas: false }
  return cell
}

const createOptions = ({ csvRaw }: FormatView): Options => ({
  escape_formulas: csvRaw !== true,
  // White space at the ends is lost to some readers where it is not quoted.
  quoted_match: /^[ \t]|[ \t]$/,
  cast: {
    boolean: String,
    string: (value) => (signed.test(value) ? createRawCell(value) : value),
    // A number as it came.
    object: (value) => createRawCell(String(value)),
  },
})

type Cell = string | number | boolean | ExactNumber | null

/** Formats a cell. Line breaks and tabs stay, as RFC 4180 allows inside quotes; other control characters are made visible. */
const formatCell = (value: unknown, { style, csvRaw }: FormatView): Cell => {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'boolean' || value instanceof ExactNumber)
    return value
  const whole = typeof value === 'string' ? value : serializeJson(value)
  const front = csvRaw !== true && broken.test(whole) ? "'" : ''
  return escapeLines(front + whole, style, '\n\t')
}

export const open: OpenPrinter = (sink, view) => {
  const rows = createRows(view)
  const options = createOptions(view)
  let started = false
  const header = (): (readonly Cell[])[] => {
    if (started || rows.columns().length === 0) return []
    started = true
    if (view.headless === true) return []
    return [rows.headings().map((name) => formatCell(name, view))]
  }
  const rowOf = (record: unknown): readonly Cell[] =>
    rows
      .values(record)
      .map((value, i) => formatCell(getLevelName(rows.columns()[i], value) ?? value, view))
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
