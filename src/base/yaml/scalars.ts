/** Reads the scalars of a YAML text as libyaml does: plain, in quotes, and as blocks. */
import { type Cursor, isBlank, isBreak, isGap } from './cursor.js'

/** Folds line breaks: a single line break becomes a space, and further ones are kept. */
class FoldBuffer {
  #blanks = ''
  #first = ''
  #others = ''
  /** True if a line has ended. */
  broken = false

  addBlank(character: string): void {
    if (!this.broken) this.#blanks += character
  }

  addBreak(text: string): void {
    if (this.broken) this.#others += text
    else this.#first = text
    this.broken = true
    this.#blanks = ''
  }

  /** Returns the folded text, and clears the buffer. */
  take(): string {
    const folded = this.#first === '\n' && this.#others === '' ? ' ' : ''
    const kept = this.#first === '\n' ? '' : this.#first
    const text = this.broken ? `${folded}${kept}${this.#others}` : this.#blanks
    this.#blanks = ''
    this.#first = ''
    this.#others = ''
    this.broken = false
    return text
  }
}

const plainContext = 'while scanning a plain scalar'
const flowSigns = ',[]{}'

const isPlainEnd = (at: Cursor, inFlow: boolean): boolean => {
  const character = at.peek()
  if (character === ':') {
    if (inFlow && at.peek(1) !== '' && `${flowSigns}?`.includes(at.peek(1)))
      at.fail("found unexpected ':'", plainContext)
    return isGap(at.peek(1))
  }
  return inFlow && flowSigns.includes(character)
}

/** Skips white space and line breaks after a part of a plain scalar. */
const foldPlain = (at: Cursor, fold: FoldBuffer, indent: number): void => {
  for (let character = at.peek(); isBlank(character) || isBreak(character); character = at.peek()) {
    if (isBreak(character)) {
      fold.addBreak(at.skipBreak())
      continue
    }
    if (fold.broken && at.column < indent && character === '\t')
      at.fail('found a tab character that violates indentation', plainContext)
    fold.addBlank(character)
    at.skip()
  }
}

/** Reads a plain scalar. @param indent the minimum indentation of its lines */
export const readPlain = (
  at: Cursor,
  indent: number,
  inFlow: boolean,
): { readonly value: string; readonly endsLine: boolean } => {
  let value = ''
  const fold = new FoldBuffer()
  for (;;) {
    if (at.isAtDocument || at.peek() === '#') break
    let part = ''
    while (!isGap(at.peek()) && !isPlainEnd(at, inFlow)) {
      part += at.peek()
      at.skip()
    }
    if (part !== '') value += fold.take() + part
    if (!isBlank(at.peek()) && !isBreak(at.peek())) break
    foldPlain(at, fold, indent)
    if (!inFlow && at.column < indent) break
  }
  return { value, endsLine: fold.broken }
}

// Quotes.

const escapes: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\u0007',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\u001b',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  N: '\u0085',
  _: '\u00a0',
  L: '\u2028',
  P: '\u2029',
}
const codeLengths: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }
const quoteContext = 'while parsing a quoted scalar'

const readEscape = (at: Cursor): string => {
  const sign = at.peek(1)
  const length = codeLengths[sign]
  if (length === undefined) {
    const escaped = sign === '' ? undefined : escapes[sign]
    if (escaped === undefined) at.fail(`Invalid escape sequence \\${sign}`, '')
    at.skip(2)
    return escaped
  }
  const digits = at.text.slice(at.offset + 2, at.offset + 2 + length)
  if (digits.length < length || !/^[\da-f]+$/i.test(digits))
    at.fail('did not find expected hexadecimal number', quoteContext)
  const code = Number.parseInt(digits, 16)
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff)
    at.fail('found invalid Unicode character escape code', quoteContext)
  at.skip(2 + length)
  return String.fromCodePoint(code)
}

/** Reads one piece of a quoted text; undefined at the closing quote, and where white space or a line break begins. */
const readPiece = (at: Cursor, quote: string, fold: FoldBuffer): string | undefined => {
  const character = at.peek()
  if (quote === "'" && character === quote && at.peek(1) === quote) {
    at.skip(2)
    return quote
  }
  if (character === quote || isGap(character)) return undefined
  if (quote === '"' && character === '\\') {
    if (!isBreak(at.peek(1))) return readEscape(at)
    at.skip()
    at.skipBreak()
    fold.addBreak('')
    return undefined
  }
  at.skip()
  return character
}

/** Reads a quoted text; the indentation of its lines has no meaning. */
export const readQuoted = (at: Cursor): string => {
  const context = 'while scanning a quoted scalar'
  const quote = at.peek()
  at.skip()
  let value = ''
  const fold = new FoldBuffer()
  for (;;) {
    if (at.isAtDocument) at.fail('found unexpected document indicator', context)
    if (at.peek() === '') at.fail('found unexpected end of stream', context)
    for (let piece = readPiece(at, quote, fold); piece !== undefined; ) {
      value += fold.take() + piece
      piece = readPiece(at, quote, fold)
    }
    if (at.peek() === quote) break
    while (isBlank(at.peek()) || isBreak(at.peek()))
      if (isBreak(at.peek())) fold.addBreak(at.skipBreak())
      else {
        fold.addBlank(at.peek())
        at.skip()
      }
  }
  at.skip()
  return value + fold.take()
}

// Blocks.

const blockContext = 'while scanning a block scalar'

interface BlockHeader {
  /** The indentation beyond that of the parent; 0 if the first line decides. */
  readonly increment: number
  readonly chomps: string
}

const readHeader = (at: Cursor): BlockHeader => {
  const signs = at.takeWhile((character) => /[-+\d]/.test(character))
  const chomps = signs.replace(/\d/, '')
  const digit = /\d/.exec(signs)?.[0]
  if (digit === '0') at.fail('found an indentation indicator equal to 0', blockContext)
  const blanks = at.takeWhile(isBlank)
  if (at.peek() === '#' && (blanks !== '' || signs === ''))
    at.takeWhile((character) => !isBreak(character))
  if (!/^(?:[-+]?\d?|\d[-+])$/.test(signs) || !(at.peek() === '' || isBreak(at.peek())))
    at.fail('did not find expected comment or line break', blockContext)
  if (at.peek() !== '') at.skipBreak()
  return { increment: Number(digit ?? 0), chomps }
}

/** Skips lines without text. @returns their line breaks, and their largest indentation */
const skipEmpty = (
  at: Cursor,
  indent: number,
): { readonly ends: string; readonly most: number } => {
  let ends = ''
  let most = 0
  for (;;) {
    const isBefore = (): boolean => indent === 0 || at.column < indent
    while (isBefore() && at.peek() === ' ') at.skip()
    most = Math.max(most, at.column)
    if (isBefore() && at.peek() === '\t')
      at.fail('found a tab character where an indentation space is expected', blockContext)
    if (!isBreak(at.peek())) return { ends, most }
    ends += at.skipBreak()
  }
}

/** Reads a block scalar. @param parent the indentation of the parent; -1 if there is none */
export const readBlock = (at: Cursor, parent: number): string => {
  const folds = at.peek() === '>'
  at.skip()
  const { increment, chomps } = readHeader(at)
  let indent = increment === 0 ? 0 : Math.max(parent, 0) + increment
  const first = skipEmpty(at, indent)
  if (indent === 0) indent = Math.max(first.most, parent + 1, 1)
  let value = ''
  let end = ''
  let empty = first.ends
  let wasIndented = false
  while (at.column === indent && at.peek() !== '') {
    const isIndented = isBlank(at.peek())
    const joins = folds && end === '\n' && !wasIndented && !isIndented
    value += (joins ? (empty === '' ? ' ' : '') : end) + empty
    wasIndented = isIndented
    value += at.takeWhile((character) => !isBreak(character))
    end = at.peek() === '' ? '' : at.skipBreak()
    empty = skipEmpty(at, indent).ends
  }
  if (chomps !== '-') value += end
  return chomps === '+' ? value + empty : value
}
