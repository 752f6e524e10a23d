/** Text from outside, made safe to show. */

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
  hostile.test(text) ? text.replace(allHostile, escaped) : text
