/**
 * Cells in columns, laid out by cli-table3: without borders, padded, two blanks between columns. What
 * stands in a cell is cut and wrapped before, since it cuts by code units, through characters. It
 * measures by `.config/string-width.cjs`, which the bundler puts in place of its own old measure.
 */
import Table from 'cli-table3'

// How the columns of a table share the width of a terminal.

export const gap = 2
const narrowest = 4
/** What a column of words needs to tell one from another. */
const shortestWord = 8
/** A column of at most this width holds words: a status, an age, a short name. */
const longestWord = 18
/** What a column of longer text needs to say anything. */
const shortestText = 10

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0)

/** Narrow columns whole, down to an equal share for the wide ones. */
const equally = (natural: readonly number[], room: number): number[] => {
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

/** Words whole and texts equally where that leaves something of the texts; else all equally. */
const wordsFirst = (natural: readonly number[], room: number): number[] => {
  const texts = natural.filter((width) => width > longestWord)
  const left = room - sum(natural.filter((width) => width <= longestWord))
  if (left < texts.length * shortestText) return equally(natural, room)
  const cut = equally(texts, left)
  return natural.map((width) => (width > longestWord ? (cut.shift() ?? 0) : width))
}

/** How many columns of these have room to say something; what is on the right of them is left out. */
const readable = (natural: readonly number[], room: number): number => {
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

/** How far the further lines of a record stand to the right. */
export const nestedIndent = 2

/**
 * The lines of a record whose columns are shown whole: as many columns in each as have room.
 * Only what is wider than the terminal is cut.
 */
export const stackWidth = (natural: readonly number[], terminal: number): TableLine[] => {
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
 * Widths for columns of these natural widths within a terminal. The first is what verbs take, so it
 * is whole before there is any other; then words go before longer text, and where not even their
 * beginnings have room, those on the right are left out (the result is shorter). The last column
 * gets what is left over, since nothing follows it.
 */
export const shareWidth = (natural: readonly number[], terminal: number): number[] => {
  const [first = 0, ...rest] = natural
  const leading = Math.min(first, terminal)
  const others = rest.slice(0, readable(rest, terminal - leading))
  const room = terminal - gap * others.length
  const widths = [leading, ...wordsFirst(others, room - leading)]
  const last = widths.length - 1
  widths[last] = (widths[last] ?? 0) + room - sum(widths)
  return widths
}

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

const laidOut = (rows: readonly (readonly string[])[], widths: readonly number[]): string => {
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
export const grid = (rows: readonly (readonly string[])[], widths: readonly number[]): string => {
  let text = ''
  for (let at = 0; at < rows.length; at += maxRows)
    text += laidOut(rows.slice(at, at + maxRows), widths)
  return text
}
