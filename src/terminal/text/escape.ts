/** Text from outside, made safe to show. */
import { inPieces } from '../../base/pieces.js'

/**
 * What can move the cursor, change the terminal or turn the reading direction: control
 * characters (C0, DEL, C1), lone surrogates, line and paragraph separators, bidirectional marks,
 * embeddings, overrides and isolates, the byte order mark and interlinear annotations.
 */
const hostile = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb]/u
const allHostile = new RegExp(hostile.source, 'gu')

const short: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' }

const escaped = (char: string): string =>
  short[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * The text with each such character as the escape that JSON would use (`\u001b`, `\n`). The text
 * of compact JSON stays JSON.
 */
export const visible = (text: string): string =>
  hostile.test(text) ? inPieces(text, (piece) => piece.replace(allHostile, escaped)) : text

/** Text of several lines: their ends and tabs stay, everything else as `visible` has it. */
export const visibleLines = (text: string): string =>
  hostile.test(text)
    ? inPieces(text, (piece) => piece.replaceAll('\r\n', '\n').replace(/[^\n\t]+/g, visible))
    : text

const controls = /(?!\r\n)[^\P{Cc}\t\n]/gu
/** For a pipe, where text is data: only what no text file holds is escaped. */
export const printable = (text: string): string =>
  text.replace(controls, (char, at: number) =>
    char === '\r' && text[at + 1] === '\n' ? char : escaped(char),
  )
