/** Splits JSON text into tokens without a parser, and joins texts into bytes. Numbers keep their digits, and nesting needs no recursion. */
import { findStringEnd } from './json.js'

const whiteSpace = /[ \t\r\n]+/y
const bareWord = /[^\s"{}[\],:]+/y

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
    const blank = matchAt(whiteSpace, text, at)
    const token = blank ?? matchAt(bareWord, text, at) ?? char
    if (blank === undefined) yield token
    at += token.length
  }
}

/** The number of characters that are joined as text before they become bytes, so that no text of the whole size is built. */
const maxText = 1 << 16

/** Joins texts, and returns them as UTF-8 bytes. */
export const joinPieces = (pieces: Iterable<string>): Uint8Array => {
  const chunks: Uint8Array[] = []
  let out = ''
  for (const piece of pieces) {
    out += piece
    if (out.length < maxText) continue
    chunks.push(Buffer.from(out))
    out = ''
  }
  return Buffer.concat([...chunks, Buffer.from(out)])
}
