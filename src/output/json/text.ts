/** JSON rewritten as text: laid out anew, and what could move a cursor made visible. */
import { bytesOfPieces, readTokens } from './tokens.js'

export interface Rewriting {
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
