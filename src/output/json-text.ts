/** JSON rewritten as text: laid out anew, and what could move a cursor made visible. */
import { stringEnd } from '../base/json/json.js'

// JSON as text, token by token: without a parser's loss of digits, without recursion, and with every string and
// number as it came.

const space = /[ \t\r\n]+/y
const plain = /[^\s"{}[\],:]+/y

const matchAt = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

/** Strings, punctuation and bare words, in order; white space left out. */
export function* readTokens(text: string): Generator<string> {
  let at = 0
  while (at < text.length) {
    const char = text.charAt(at)
    if (char === '"') {
      const end = stringEnd(text, at)
      yield text.slice(at, end)
      at = end
      continue
    }
    const blank = matchAt(space, text, at)
    const token = blank ?? matchAt(plain, text, at) ?? char
    if (blank === undefined) yield token
    at += token.length
  }
}

/** So many characters are held as pieces of text before they become bytes. */
const most = 1 << 16

/** Pieces of text as one piece of memory. */
export const bytesOfPieces = (pieces: Iterable<string>): Uint8Array => {
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

interface Rewriting {
  /** Lay it out over lines of two spaces a level, the whole standing this many levels deep. */
  readonly indent?: number
  /** Applied to each string's text. */
  readonly show?: (text: string) => string
}

/** Deeper than this nothing is indented further, so that hostile nesting stays small. */
const deepestIndent = 40

/** Line breaks and indents before and after tokens. */
class Layout {
  private opened = false
  private depth: number
  constructor(depth: number) {
    this.depth = depth
  }

  private line(): string {
    return `\n${'  '.repeat(Math.min(this.depth, deepestIndent))}`
  }

  place(token: string): string {
    const first = this.opened
    this.opened = token === '{' || token === '['
    if (token === '}' || token === ']') {
      this.depth--
      return first ? token : this.line() + token
    }
    const before = first ? this.line() : ''
    if (this.opened) this.depth++
    if (token === ',') return `,${this.line()}`
    return before + (token === ':' ? ': ' : token)
  }
}

function* rewriting(text: string, { indent, show = (t) => t }: Rewriting): Generator<string> {
  const layout = indent === undefined ? undefined : new Layout(indent)
  for (const token of readTokens(text)) {
    const shown = token.startsWith('"') ? show(token) : token
    yield layout === undefined ? shown : layout.place(shown)
  }
}

/** JSON text with its white space replaced: none, or an indented layout. */
export const rewrite = (text: string, options: Rewriting = {}): Uint8Array =>
  bytesOfPieces(rewriting(text, options))
