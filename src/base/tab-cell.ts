/** Writes and reads the cells of tab-separated values, for tables in a pipe and for objects on standard input. */
import { tryParseJson } from './objects.js'

/** Matches a cell in quotes. */
const quotedCell = /^"(?:[^"]|"")*"$/

/** Reads a cell that `quoteCell` wrote: a JSON string with an escape. Spreadsheets double the quotes in a cell, which is no JSON. */
const readJsonCell = (cell: string): string | undefined => {
  if (!cell.startsWith('"') || !cell.endsWith('"') || !cell.includes('\\')) return undefined
  const text = tryParseJson(cell)
  return typeof text === 'string' ? text : undefined
}

/** Removes the quotes of a cell: those of `quoteCell`, and those that spreadsheets write around cells with commas or quotes. */
export const unquoteCell = (cell: string): string => {
  const text = readJsonCell(cell)
  if (text !== undefined) return text
  const isQuoted = quotedCell.test(cell) && /[",]/.test(cell.slice(1, -1))
  return isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell
}

/**
 * Quotes a text that a cell cannot hold as it is, such as one with a tab or a line break. Any other text stays.
 * @param toVisible makes control characters visible, as escapes of JSON
 */
export const quoteCell = (text: string, toVisible: (text: string) => string): string =>
  toVisible(text) === text && unquoteCell(text) === text ? text : toVisible(JSON.stringify(text))
