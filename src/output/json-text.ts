/**
 * JSON rewritten as text, token by token: without a parser's loss of digits, without recursion,
 * and with every string and number as it came.
 */
import { stringEnd } from '../base/json/json.js'
import { masked, type Secrecy, secrecyOf } from './secrets.js'

export interface Rewriting {
  /** Lay it out over lines of two spaces a level, the whole standing this many levels deep. */
  readonly indent?: number
  /** Names of fields whose values are masked. */
  readonly secrets?: ReadonlySet<string>
  /** Applied to each string's text. */
  readonly show?: (text: string) => string
}

/** Deeper than this nothing is indented further, so that hostile nesting stays small. */
const deepestIndent = 40

const space = /[ \t\r\n]+/y
const plain = /[^\s"{}[\],:]+/y

const matchAt = (pattern: RegExp, text: string, at: number): string | undefined => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

/** Strings, punctuation and bare words, in order; white space left out. */
function* tokens(text: string): Generator<string> {
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

const keyOf = (token: string): string => {
  if (!token.includes('\\')) return token.slice(1, -1)
  try {
    return String(JSON.parse(token))
  } catch {
    return token
  }
}

/** Hides the values of secrets, however many tokens they have. */
class Hider {
  /** Brackets open within a value that is dropped as a whole. */
  private dropped = 0
  /** Of each open bracket, whether it is a list whose texts are hidden. */
  private readonly open: boolean[] = []
  private armed: Secrecy
  private last = ''
  constructor(private readonly secrets: ReadonlySet<string>) {}

  /** The token to write for this one; undefined to write nothing. */
  take(token: string): string | undefined {
    if (this.dropped > 0) {
      if (token === '{' || token === '[') this.dropped++
      if (token === '}' || token === ']') this.dropped--
      return undefined
    }
    const { armed } = this
    this.armed = undefined
    if (armed === 'declared') return this.hide(token)
    if (token === ':' && this.last.startsWith('"'))
      this.armed = secrecyOf(this.secrets, keyOf(this.last))
    this.last = token
    const listed = this.open.at(-1) === true
    if (token === '{') this.open.push(false)
    else if (token === '[') this.open.push(listed || armed === 'guessed')
    else if (token === '}' || token === ']') this.open.pop()
    const text = token.startsWith('"') && token !== '""'
    return text && (listed || armed === 'guessed') ? JSON.stringify(masked) : token
  }

  private hide(token: string): string {
    this.last = ''
    if (token === 'null' || token === '""') return token
    if (token === '{' || token === '[') this.dropped = 1
    return JSON.stringify(masked)
  }
}

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

function* rewriting(text: string, options: Rewriting): Generator<string> {
  const { show = (t: string) => t } = options
  const hider = options.secrets === undefined ? undefined : new Hider(options.secrets)
  const layout = options.indent === undefined ? undefined : new Layout(options.indent)
  for (const token of tokens(text)) {
    const kept = hider === undefined ? token : hider.take(token)
    if (kept === undefined) continue
    const shown = kept.startsWith('"') ? show(kept) : kept
    yield layout === undefined ? shown : layout.place(shown)
  }
}

/** So many characters are held as pieces of text before they become bytes. */
const most = 1 << 16

/** JSON text with its white space replaced (none, or an indented layout) and its secrets masked. */
export const rewrite = (text: string, options: Rewriting = {}): Uint8Array => {
  const written: Uint8Array[] = []
  let out = ''
  for (const piece of rewriting(text, options)) {
    out += piece
    if (out.length < most) continue
    written.push(Buffer.from(out))
    out = ''
  }
  return Buffer.concat([...written, Buffer.from(out)])
}
