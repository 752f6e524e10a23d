/**
 * Cells in columns, laid out by cli-table3: without borders, padded, two blanks between columns. What
 * stands in a cell is cut and wrapped before, since it cuts by code units, through characters. It
 * measures by `.config/string-width.cjs`, which the bundler puts in place of its own old measure.
 */
import Table from 'cli-table3'
import { sumNumbers } from '../base/numbers.js'

// How the columns of a table share the width of a terminal.

export const gap = 2
const narrowest = 4
/** The display columns that a column of words needs to be distinguishable. */
const shortestWord = 8
/** A column of at most this width holds words: a status, an age, a short name. */
const longestWord = 18
/** The display columns that a column of longer text needs to be useful. */
const shortestText = 10

/** Shares the room: narrow columns are whole, wide ones get an equal share. */
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

/** Shows words whole and shares the rest among texts, if that leaves enough for them; else shares all equally. */
const splitWordsFirst = (natural: readonly number[], room: number): number[] => {
  const texts = natural.filter((width) => width > longestWord)
  const left = room - sumNumbers(natural.filter((width) => width <= longestWord))
  if (left < texts.length * shortestText) return splitEqually(natural, room)
  const cut = splitEqually(texts, left)
  return natural.map((width) => (width > longestWord ? (cut.shift() ?? 0) : width))
}

/** Counts the columns that have room to be useful; those to the right of them are left out. */
const countReadable = (natural: readonly number[], room: number): number => {
  let left = room
  const none = natural.findIndex((width) => {
    left -= gap + Math.min(Math.max(width, narrowest), shortestWord)
    return left < 0
  })
  return none < 0 ? natural.length : none
}

/** Columns that stand in one line of a record: the first of them, and how wide each is. */
export interface TableLine {
  readonly first: number
  readonly widths: readonly number[]
}

/** The indent of the further lines of a record, in display columns. */
export const nestedIndent = 2

/**
 * Puts the columns of a record, shown whole, into lines: as many columns in each as have room.
 * Only a column that is wider than the terminal is cut.
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
 * Shares the width of a terminal among columns of these natural widths. The first column names the object for verbs, so
 * it
 * is whole before any other. Then words come before longer text. If not even their beginnings have room, columns on the
 * right
 * are left out, and the result is shorter. The last column gets the rest, since nothing follows it.
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

/** The most rows of one table of the library, whose time grows with their square; further rows go into further tables. */
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

const layOutTable = (rows: readonly (readonly string[])[], widths: readonly number[]): string => {
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
 * Formats rows as lines, each ended by a line break, without trailing spaces.
 * @param widths display columns of each column
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
