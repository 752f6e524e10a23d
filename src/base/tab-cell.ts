/** Writes and reads the cells of tab-separated values, for tables in a pipe and for objects on standard input. */
import { tryParseJson } from './objects.js'

/** Matches a cell that is a JSON string. Its commas and quotes are escaped, which distinguishes it from a cell of a spreadsheet. */
const jsonCell = /^"(?=[^",]*\\)[^",]*"$/

const quotedCell = /^"(?:[^"]|"")*"$/

/** Removes the quotes of a cell: those of `quoteCell`, and those that spreadsheets write around cells with commas or quotes. */
export const unquoteCell = (cell: string): string => {
  const text = jsonCell.test(cell) ? tryParseJson(cell) : undefined
  if (typeof text === 'string') return text
  const isQuoted = quotedCell.test(cell) && /[",]/.test(cell.slice(1, -1))
  return isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell
}

/**
 * Quotes a text that a cell cannot hold as it is, such as one with a tab or a line break. Any other text stays.
 * @param toVisible makes control characters visible, as escapes of JSON
 */
export const quoteCell = (text: string, toVisible: (text: string) => string): string => {
  if (toVisible(text) === text && unquoteCell(text) === text) return text
  const inner = JSON.stringify(text).slice(1, -1)
  return `"${toVisible(inner.replaceAll('\\"', '\\u0022').replaceAll(',', '\\u002c'))}"`
}
