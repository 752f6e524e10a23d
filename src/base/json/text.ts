/** Splits JSON text into tokens without a parser: numbers keep their digits, and nesting needs no recursion. */
import { findStringEnd } from './json.js'

const blanks = /[ \t\r\n]+/y
const plain = /[^\s"{}[\],:]+/y

const matchAt = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

/** Yields strings, punctuation and bare words, in order; white space is left out. */
export function* readTokens(text: string): Generator<string> {
  let at = 0
  while (at < text.length) {
    const char = text.charAt(at)
    if (char === '"') {
      const end = findStringEnd(text, at)
      yield text.slice(at, end)
      at = end
      continue
    }
    const blank = matchAt(blanks, text, at)
    const token = blank ?? matchAt(plain, text, at) ?? char
    if (blank === undefined) yield token
    at += token.length
  }
}

/** The number of characters that are held as pieces of text before they become bytes. */
const most = 1 << 16

/** Joins pieces of text to one piece of memory. */
export const joinPieces = (pieces: Iterable<string>): Uint8Array => {
  const written: Uint8Array[] = []
  let out = ''
  for (const piece of pieces) {
    out += piece
    if (out.length < most) continue
    written.push(Buffer.from(out))
    out = ''
  }
  return Buffer.concat([...written, Buffer.from(out)])
}
