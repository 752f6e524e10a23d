/** Prepares text for a terminal: formats times, makes control characters visible, and cuts and wraps lines by their width. */
import { mapChunks } from './text.js'

// Times and durations, without Intl, which is slow to load.

const second = 1000
const units = [
  ['y', 365 * 24 * 3600],
  ['mo', 30 * 24 * 3600],
  ['d', 24 * 3600],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/

/** Formats how long before or after `now` a time is: `2 h ago`, `in 3 d`, `just now`. */
export const formatAge = (time: Date, now: Date): string => {
  const seconds = Math.round((now.getTime() - time.getTime()) / second)
  const distance = Math.abs(seconds)
  if (distance < 5) return 'just now'
  const [unit, size] = units.find(([, s]) => distance >= s) ?? ['s', 1]
  const text = `${Math.floor(distance / size)} ${unit}`
  return seconds > 0 ? `${text} ago` : `in ${text}`
}

/** Formats the age of a time in ISO 8601; undefined if the text is no time. */
export const formatIsoAge = (text: string, now: Date): string | undefined => {
  if (text.length < 17 || !iso.test(text)) return undefined
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? undefined : formatAge(time, now)
}

/** Formats seconds in their two largest units: `1 h 5 min`, `3.2 s`. */
export const formatDuration = (seconds: number): string => {
  const sign = seconds < 0 ? '-' : ''
  const whole = Math.abs(seconds)
  if (whole < 60) return `${sign}${Number(whole.toFixed(1))} s`
  const first = units.findIndex(([, size]) => Math.round(whole) >= size)
  const parts: string[] = []
  let rest = Math.round(whole)
  for (const [unit, size] of units.slice(first, first + 2)) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${unit}`)
  }
  return sign + parts.join(' ')
}

/** Formats seconds in their largest unit: `12 d`. */
export const formatSpan = (seconds: number): string =>
  formatDuration(Math.abs(seconds)).replace(/^(\d+ \w+) .*/, '$1')

/** Formats the time until an end, or since it, with its day if that is known: `ends in 1 mo (2026-12-27)`. */
export const formatTimeLeft = (seconds: number, end?: string): string => {
  const left = seconds < 0 ? `ended ${formatSpan(seconds)} ago` : `ends in ${formatSpan(seconds)}`
  return end === undefined ? left : `${left} (${end.slice(0, 10)})`
}

// Text from outside, made safe for a terminal.

/**
 * The characters that can move the cursor, change the terminal, turn the reading direction or hide text. They are control characters (C0,
 * DEL, C1), lone surrogates, line and paragraph separators, bidirectional marks, embeddings, overrides and isolates. Further ones are
 * invisible operators, spaces without a width, the byte order mark, interlinear annotations, and tags, which spell a text for programs
 * alone. The first two classes are written as ranges, since V8 takes a millisecond to look up a class of Unicode by its name.
 */
const hostile =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for control characters
  /[\u0000-\u001f\u007f-\u009f\ud800-\udfff\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u
const allHostile = new RegExp(hostile.source, 'gu')

const short: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' }

const escapeCharacter = (char: string): string =>
  short[char] ??
  Array.from(
    { length: char.length },
    (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('')

/** Replaces control characters by the escapes that JSON would use (`\u001b`, `\n`). Compact JSON stays JSON. */
export const escapeControls = (text: string): string =>
  hostile.test(text) ? mapChunks(text, (piece) => piece.replace(allHostile, escapeCharacter)) : text

/** Replaces the control characters in text of several lines, whose line breaks and tabs stay. */
export const escapeControlLines = (text: string): string =>
  hostile.test(text)
    ? mapChunks(text, (piece) =>
        piece.replaceAll('\r\n', '\n').replace(/[^\n\t]+/g, escapeControls),
      )
    : text

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for control characters
const controls = /(?!\r\n)[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu
/** Escapes only what no text file contains, for pipes, where text is data. */
export const escapeUnprintable = (text: string): string =>
  text.replace(controls, (char, at: number) =>
    char === '\r' && text[at + 1] === '\n' ? char : escapeCharacter(char),
  )

// Display widths. Latin, Greek, Cyrillic and the symbols of svcctl take one column a character. Other text is measured by string-width,
// which `loadWidths` loads only if needed, because it starts Intl. `roughWidths` works without it, and counts two columns for each other
// character.

/** Matches text in which each character takes exactly one column. */
const simpleText =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0391-\u03c9\u0410-\u044f–—‘’“”…·‖›│░█●○◌◆▲▽▸▹✓✗⊘]*$/

/** Functions that measure text, and fit it into columns. */
export interface Widths {
  /** Display columns of one line without escape sequences. */
  readonly measure: (text: string) => number
  /** Cuts a line to a number of columns, with an ellipsis if it is longer. */
  readonly truncate: (text: string, columns: number) => string
  /**
   * Wraps a line into lines with at most this many columns, at spaces if there are some.
   * @param whole true if words that are longer than a line are not split, so that they can be copied
   */
  readonly wrap: (text: string, columns: number, whole?: boolean) => string[]
}

/** The measure of text beyond ASCII, and the characters into which such text may be cut. */
interface TextMetrics {
  readonly columns: (text: string) => number
  /** Splits a text into visible characters: a letter with its accents, or an emoji. */
  readonly characters: (text: string) => Iterable<string>
}

const estimateColumns = (text: string): number => {
  let columns = 0
  for (const char of text) columns += simpleText.test(char) ? 1 : 2
  return columns
}

const measureWidth = (text: string, { columns }: TextMetrics): number =>
  simpleText.test(text) ? text.length : columns(text)

/** Returns the beginning of a text that fits into the columns, without breaking a character. */
const takeColumns = (text: string, columns: number, metrics: TextMetrics): string => {
  if (simpleText.test(text)) return text.slice(0, Math.max(0, columns))
  let taken = ''
  let used = 0
  for (const character of metrics.characters(text)) {
    used += measureWidth(character, metrics)
    if (used > columns) break
    taken += character
  }
  return taken
}

const truncate = (text: string, columns: number, metrics: TextMetrics): string => {
  if (measureWidth(text, metrics) <= columns) return text
  return columns < 1 ? '' : `${takeColumns(text, columns - 1, metrics).trimEnd()}…`
}

/** Matches an address, which is not split, so that it can be copied and clicked. */
const address = /[a-z0-9+.-]:\/\/./i

/** Splits a word that is longer than a line, unless it is an address. */
const splitWord = (word: string, columns: number, metrics: TextMetrics): string[] => {
  if (address.test(word)) return [word]
  const pieces: string[] = []
  let piece = ''
  let used = 0
  for (const character of metrics.characters(word)) {
    const width = measureWidth(character, metrics)
    if (piece !== '' && used + width > columns) {
      pieces.push(piece)
      piece = ''
      used = 0
    }
    piece += width > columns ? '…' : character
    used += width
  }
  return [...pieces, piece]
}

const wrap = (text: string, columns: number, whole: boolean, metrics: TextMetrics): string[] => {
  const limit = Math.max(1, columns)
  if (measureWidth(text, metrics) <= limit) return [text]
  const lines: string[] = []
  let line: string | undefined
  for (const word of text.split(' ').flatMap((w) => (whole ? [w] : splitWord(w, limit, metrics)))) {
    const longer: string = line === undefined ? word : `${line} ${word}`
    if (line !== undefined && measureWidth(longer, metrics) > limit) {
      lines.push(line.trimEnd())
      line = word
    } else line = longer
  }
  return [...lines, line ?? '']
}

const createWidths = (metrics: TextMetrics): Widths => ({
  measure: (text) => measureWidth(text, metrics),
  truncate: (text, columns) => truncate(text, columns, metrics),
  wrap: (text, columns, whole = false) => wrap(text, columns, whole, metrics),
})

/** Approximate widths, for texts that are nearly always simple, in code that cannot await. */
export const roughWidths: Widths = createWidths({
  columns: estimateColumns,
  characters: (text) => text,
})

/** `Intl.Segmenter` takes time with the square of the text: a longer one is measured in pieces of this length. */
const maxPiece = 256

/** Splits a text into pieces that end at the end of a character. */
function* splitPieces(text: string, segmenter: Intl.Segmenter): Generator<string> {
  let size = maxPiece
  let rest = text
  while (rest.length > size) {
    // The last code unit of a piece may be the first half of a surrogate pair, so the unit before it is used.
    const end = segmenter.segment(rest.slice(0, size)).containing(size - 2)?.index ?? 0
    if (end > 0) yield rest.slice(0, end)
    rest = rest.slice(end)
    size = end > 0 ? maxPiece : size * 2
  }
  yield rest
}

const loadExact = async (): Promise<Widths> => {
  const { default: columns } = await import('string-width')
  const segmenter = new Intl.Segmenter()
  return createWidths({
    columns(text) {
      let sum = 0
      for (const piece of splitPieces(text, segmenter)) sum += columns(piece)
      return sum
    },
    *characters(text) {
      for (const piece of splitPieces(text, segmenter))
        for (const { segment } of segmenter.segment(piece)) yield segment
    },
  })
}
let exact: Promise<Widths> | undefined

/** Loads widths that are exact for these texts and their parts. */
export const loadWidths = async (texts: readonly string[]): Promise<Widths> => {
  if (texts.every((text) => simpleText.test(text))) return roughWidths
  exact ??= loadExact()
  return exact
}

/** Text that would be wrapped to fewer columns than this stands below the line that it belongs to. */
const narrowest = 12
/** The indent of such text. */
const lowIndent = 4

/**
 * Wraps text that begins at a column of a line, and returns its lines. The lines after the first have their indent. If little of the width
 * is left there, the first line is empty.
 */
export const wrapHanging = (
  text: string,
  { width, indent }: { readonly width: number; readonly indent: number },
  wrapLine: Widths['wrap'],
): readonly string[] => {
  const lines = wrapLine(text, width - indent)
  const isLow = lines.length > 1 && width - indent < narrowest && indent > lowIndent
  const [first = '', ...more] = isLow ? ['', ...wrapLine(text, width - lowIndent)] : lines
  return [first, ...more.map((line) => `${' '.repeat(isLow ? lowIndent : indent)}${line}`)]
}
