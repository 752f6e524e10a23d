/**
 * Cells in columns, laid out by cli-table3: without borders, padded, two blanks between columns. What
 * stands in a cell is cut and wrapped before, since it cuts by code units, through characters. It
 * measures by `.config/string-width.cjs`, which the bundler puts in place of its own old measure.
 */
import Table from 'cli-table3'
import { gap } from './widths.js'

/** A table takes time with the square of its rows; more of them go into further tables. */
const maxRows = 50

const none = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(gap),
} as const

/** A cell that goes over all columns, or one of a column; lines are separated by `\n`. */
export type GridCell = string | { readonly content: string; readonly colSpan: number }

const laidOut = (rows: readonly (readonly GridCell[])[], widths: readonly number[]): string => {
  const table = new Table({
    chars: none,
    // No width would be "as wide as it takes".
    colWidths: widths.map((width) => Math.max(1, width)),
    wordWrap: false,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  })
  table.push(...rows.map((row) => [...row]))
  return table
    .toString()
    .split('\n')
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

/**
 * Rows as lines, each ended by a line break, nothing behind the last character.
 * @param widths display columns of each column
 */
export const grid = (rows: readonly (readonly GridCell[])[], widths: readonly number[]): string => {
  let text = ''
  for (let at = 0; at < rows.length; at += maxRows)
    text += laidOut(rows.slice(at, at + maxRows), widths)
  return text
}
