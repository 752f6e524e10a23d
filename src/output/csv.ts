/**
 * Writes CSV by RFC 4180 with csv-stringify: a header of field names, then whole values, with nested ones as JSON.
 * Lines end in a line feed. A cell that a spreadsheet would run as a formula gets a leading apostrophe, unless
 * `--csv-raw` is set. A cell that has one before a formula gets another, so that reading removes exactly one.
 */
import { stringify as csvOf, type Options } from 'csv-stringify/sync'
import { ExactNumber } from '../base/json/json.js'
import { serializeJson } from '../base/json/values.js'
import { escapedFormula } from '../base/text.js'
import { createListPrinter } from './cell.js'
import { escapeLines } from './escape.js'
import type { FormatView, OpenPrinter } from './types.js'

/** Matches signed numbers, which are no formulas. */
const signedNumber = /^[+-]\d+(\.\d+)?$/

/**
 * Matches a leading line break, which begins a formula in some spreadsheets. csv-stringify recognizes it only before it
 * is escaped.
 */
const leadingBreak = /^[\r\n]/

/** Matches texts that need no escape. */
const plainText = /^[ -~]*$/

/**
 * Creates a cell whose text is not escaped as a formula. The library accepts any option here, but its types contain
 * only some.
 */
const createRawCell = (value: string): { readonly value: string } => {
  const cell = { value, escape_formulas: false }
  return cell
}

/** @param columns the number of columns. An empty cell that is alone in its row has quotes, because readers skip blank lines. */
const createOptions = ({ csvRaw }: FormatView, columns: number): Options => ({
  quoted_empty: columns === 1,
  escape_formulas: csvRaw !== true,
  // Some readers drop unquoted white space at the ends.
  quoted_match: /^[ \t]|[ \t]$/,
  cast: {
    boolean: String,
    string: (value) => (signedNumber.test(value) ? createRawCell(value) : value),
    // An exact number stays as it came.
    object: (value) => createRawCell(String(value)),
  },
})

type Cell = string | number | boolean | ExactNumber | null

/** Formats a cell. Line breaks and tabs stay, as RFC 4180 allows in quotes; other control characters are escaped. */
const formatCell = (value: unknown, { style, csvRaw }: FormatView): Cell => {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'boolean' || value instanceof ExactNumber)
    return value
  const whole = typeof value === 'string' ? value : serializeJson(value)
  const isOpen = csvRaw !== true && (leadingBreak.test(whole) || escapedFormula.test(whole))
  const front = isOpen ? "'" : ''
  if (plainText.test(whole)) return front + whole
  return escapeLines(front + whole, style, '\n\t')
}

export const open: OpenPrinter = (sink, view) => {
  const format = (lines: readonly (readonly unknown[])[]): string =>
    csvOf(
      lines.map((values) => values.map((value) => formatCell(value, view))),
      createOptions(view, lines[0]?.length ?? 0),
    )
  return createListPrinter(sink, view, {
    header: (rows) => (view.headless === true ? '' : format([rows.headings()])),
    lines: format,
  })
}
