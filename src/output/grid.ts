/**
 * Lays out cells in columns without borders, with two spaces between them (cli-table3). Cells are cut and wrapped
 * before, because the library would cut through characters. It measures with `.config/string-width.cjs`, which the
 * bundler puts in place of the library's old measure.
 */
import Table from 'cli-table3'
import { sumNumbers } from '../base/collections.js'

// Sharing the width of a terminal among columns.

export const gap = 2
const narrowest = 4
/** The width that a column of words needs to be distinguishable. */
const shortestWord = 8
/** The maximum width of a column of words: statuses, ages, short names. */
const longestWord = 18
/** The width that a column of longer text needs to be useful. */
const shortestText = 10

/** Shares the room: narrow columns get their full width, wide ones an equal share. */
const splitEqually = (natural: readonly number[], room: number): number[] => {
  const widths = new Array<number>(natural.length).fill(0)
  const byWidth = natural.map((_, i) => i).sort((a, b) => (natural[a] ?? 0) - (natural[b] ?? 0))
  let left = room
  for (const [rank, i] of byWidth.entries()) {
    const width = Math.min(natural[i] ?? 0, Math.floor(left / (byWidth.length - rank)))
    widths[i] = width
    left -= width
  }
  return widths
}

/**
 * Gives words their full width and shares the rest among texts, if that leaves enough for them; otherwise shares
 * everything equally.
 */
const splitWordsFirst = (natural: readonly number[], room: number): number[] => {
  const texts = natural.filter((width) => width > longestWord)
  const left = room - sumNumbers(natural.filter((width) => width <= longestWord))
  if (left < texts.length * shortestText) return splitEqually(natural, room)
  const cut = splitEqually(texts, left)
  return natural.map((width) => (width > longestWord ? (cut.shift() ?? 0) : width))
}

/** Counts the columns that get a useful width; columns to the right of them are left out. */
const countReadable = (natural: readonly number[], room: number): number => {
  let left = room
  const none = natural.findIndex((width) => {
    left -= gap + Math.min(Math.max(width, narrowest), shortestWord)
    return left < 0
  })
  return none < 0 ? natural.length : none
}

/** The columns in one line of a record: the first of them, and their widths. */
export interface TableLine {
  readonly first: number
  readonly widths: readonly number[]
}

/** The indentation of a record's further lines, in columns. */
export const nestedIndent = 2

/**
 * Distributes the columns of a record over several lines, as many in each as fit. Only a column that is wider than the
 * terminal is cut.
 */
export const placeColumns = (natural: readonly number[], terminal: number): TableLine[] => {
  const lines: { first: number; widths: number[] }[] = []
  let left = 0
  for (const [i, width] of natural.entries()) {
    const last = lines.at(-1)
    if (last !== undefined && left >= gap + width) {
      last.widths.push(width)
      left -= gap + width
      continue
    }
    const room = Math.max(1, terminal - (i === 0 ? 0 : nestedIndent))
    lines.push({ first: i, widths: [Math.min(width, room)] })
    left = room - width
  }
  return lines
}

/**
 * Shares the width of a terminal among columns of these natural widths. The first column, which names the object, gets
 * its full width; then words come before longer texts. If even the beginnings do not fit, columns on the right are left
 * out, and the result is shorter. The last column gets the remaining width.
 */
export const splitWidth = (natural: readonly number[], terminal: number): number[] => {
  const [first = 0, ...rest] = natural
  const leading = Math.min(first, terminal)
  const others = rest.slice(0, countReadable(rest, terminal - leading))
  const room = terminal - gap * others.length
  const widths = [leading, ...splitWordsFirst(others, room - leading)]
  const last = widths.length - 1
  widths[last] = (widths[last] ?? 0) + room - sumNumbers(widths)
  return widths
}

/** The maximum number of rows in one table of the library, whose time grows with their square. */
const maxRows = 10

const noBorders = {
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

const layOutTable = (rows: readonly (readonly string[])[], widths: readonly number[]): string => {
  const table = new Table({
    chars: noBorders,
    // The library takes a width of 0 as "automatic".
    colWidths: widths.map((width) => Math.max(1, width)),
    wordWrap: false,
    // Not compact, it draws a border above each row, which is empty here.
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
  })
  table.push(...rows.map((row) => [...row]))
  return table
    .toString()
    .split('\n')
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

/**
 * Formats rows as lines without trailing spaces, each ending in a line break.
 * @param widths the width of each column
 */
export const formatGrid = (
  rows: readonly (readonly string[])[],
  widths: readonly number[],
): string => {
  let text = ''
  for (let at = 0; at < rows.length; at += maxRows)
    text += layOutTable(rows.slice(at, at + maxRows), widths)
  return text
}
