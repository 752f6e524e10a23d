/** Makes text from outside safe to show on a terminal. */
import { mapChunks } from '../../base/text.js'

/**
 * What can move the cursor, change the terminal, turn the reading direction or say what nobody sees: control
 * characters (C0, DEL, C1), lone surrogates, line and paragraph separators, bidirectional marks, embeddings,
 * overrides and isolates, invisible operators and spaces without a width, the byte order mark, interlinear
 * annotations and tags, which spell a text for programs alone.
 */
const hostile =
  /[\p{Cc}\p{Cs}\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/u
const allHostile = new RegExp(hostile.source, 'gu')

const short: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' }

const escaped = (char: string): string =>
  short[char] ??
  Array.from(
    { length: char.length },
    (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('')

/** Replaces control characters by the escapes that JSON would use (`\u001b`, `\n`). Compact JSON stays JSON. */
export const visible = (text: string): string =>
  hostile.test(text) ? mapChunks(text, (piece) => piece.replace(allHostile, escaped)) : text

/** Does the same for text of several lines, whose line breaks and tabs stay. */
export const visibleLines = (text: string): string =>
  hostile.test(text)
    ? mapChunks(text, (piece) => piece.replaceAll('\r\n', '\n').replace(/[^\n\t]+/g, visible))
    : text

const controls = /(?!\r\n)[^\P{Cc}\t\n]/gu
/** Escapes only what no text file contains, for pipes, where text is data. */
export const printable = (text: string): string =>
  text.replace(controls, (char, at: number) =>
    char === '\r' && text[at + 1] === '\n' ? char : escaped(char),
  )
