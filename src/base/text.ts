/** Quotes, counts, shortens and processes text for people. */

/** The meaning of a colored word; the colors are those of every terminal, on light and dark. */
export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'quiet' | 'grave'

// Long texts are processed in pieces, so that the results do not take a multiple of their memory.

const maxPiece = 1 << 16

/** Returns the end of a piece that begins at `start`: after a line if there is one, never within a character. */
const findPieceEnd = (text: string, start: number): number => {
  const end = start + maxPiece
  if (end >= text.length) return text.length
  const line = text.lastIndexOf('\n', end)
  if (line > start) return line + 1
  const code = text.charCodeAt(end)
  return (code >= 0xdc00 && code <= 0xdfff) || code === 0x0a ? end + 1 : end
}

/** Applies `work` to each piece of a text. The work must not depend on text beyond a line. */
export const mapChunks = (text: string, work: (piece: string) => string): string => {
  if (text.length <= maxPiece) return work(text)
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = findPieceEnd(text, at)
    pieces.push(work(text.slice(at, end)))
    at = end
  }
  return pieces.join('')
}

/** Removes the slashes at the end of a text. */
export const trimTrailingSlashes = (text: string): string => text.replace(/(?<!\/)\/+$/, '')

/** Returns a path after the paths that contain it, the outermost first. */
export const listPathsTo = (path: string): readonly string[] =>
  path.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'))

// Numbers for people.

/** Formats 4213 as `4,213`; a number has at most 21 digits. */
export const groupDigits = (count: number): string =>
  String(count).replace(/\B(?=(\d{3}){1,6}$)/g, ',')

/** Formats a count with its noun: `3 runners`. */
export const formatCount = (count: number, one: string): string =>
  `${count} ${count === 1 ? one : `${one}s`}`

/** Splits a list at its commas, without white space and empty parts. */
export const splitList = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** Decodes a part of a URI. A part with an invalid encoding is returned as it is. */
export const decodeUri = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Describes a text by its length, for messages that must not quote it. */
export const describeSize = (text: string): string =>
  text === '' ? 'an empty value' : `a value of ${formatCount(text.length, 'character')}`

/** Shortens a text of a file to one line that a message can quote. */
export const quoteText = (text: string): string => {
  const line = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
  const short = line.length > 60 ? `${line.slice(0, 57)}…` : line
  return short.trim() === short ? short : `"${short}"`
}

/** Joins words as in a sentence: `a`, `a or b`, or `a, b or c`. */
export const joinWords = (words: readonly string[], joint: 'and' | 'or'): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${joint} ${words.at(-1)}`

/** Joins the first few texts, and says how many more there are. */
export const joinFirst = (texts: readonly string[], most: number, joint = ', '): string =>
  texts.length <= most
    ? texts.join(joint)
    : `${texts.slice(0, most).join(joint)} and ${texts.length - most} more`

/** Creates a function that passes on each text once, even if it is called with the text again. */
export const tellOnce = <T extends string | readonly string[]>(
  say: (text: T) => void,
): ((text: T) => void) => {
  const toldTexts = new Set<string>()
  return (text) => {
    const whole = [text].flat().join('\n')
    if (toldTexts.has(whole)) return
    toldTexts.add(whole)
    say(text)
  }
}

// English words, where names become texts.

/** Returns a text that begins with a capital letter. */
export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Matches words that end in s and are not plural. */
const singulars = /(?:ss|us|is|news|kubernetes|status|access)$/

/** True if a word ends as plurals do. */
export const isPlural = (word: string): boolean => /s$/.test(word) && !singulars.test(word)

/** Returns the singular of a plural, `branch` for `branches`; any other word as it is. */
export const toSingular = (word: string): string => {
  if (!isPlural(word)) return word
  if (/(?:sses|xes|ches|shes)$/.test(word)) return word.slice(0, -2)
  return word.replace(/ies$/, 'y').replace(/s$/, '')
}

/** Matches a cell of CSV that has an apostrophe before the beginning of a formula. */
export const escapedFormula = /^'+[=+\-@\t\r\n＝＋－＠]/

/** Removes the apostrophe that svcctl and other programs write before formulas in CSV. */
export const unescapeFormula = (cell: string): string =>
  escapedFormula.test(cell) ? cell.slice(1) : cell
