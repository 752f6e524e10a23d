/** Moves through a text, with its line and column. */
import { type Mark, YamlProblem } from './tokens.js'

/** The characters that end a line. */
const breaks = '\n\r\u0085\u2028\u2029'

export const isBreak = (character: string): boolean =>
  character !== '' && breaks.includes(character)
export const isBlank = (character: string): boolean => character === ' ' || character === '\t'
/** True for white space, a line break, or the end of the text. */
export const isGap = (character: string): boolean =>
  character === '' || isBlank(character) || isBreak(character)

export class Cursor {
  readonly text: string
  offset = 0
  line = 0
  column = 0

  constructor(text: string) {
    this.text = text
  }

  /** Returns the character at a distance from here; empty after the end of the text. */
  peek(ahead = 0): string {
    return this.text.charAt(this.offset + ahead)
  }

  get mark(): Mark {
    return { offset: this.offset, line: this.line, column: this.column }
  }

  skip(count = 1): void {
    this.offset += count
    this.column += count
  }

  /** Skips a line break. @returns the character that it is folded to */
  skipBreak(): string {
    const character = this.peek()
    const length = character === '\r' && this.peek(1) === '\n' ? 2 : 1
    this.offset += length
    this.line++
    this.column = 0
    return character === '\u2028' || character === '\u2029' ? character : '\n'
  }

  /** Skips characters while the test is true, and returns them. */
  takeWhile(is: (character: string) => boolean): string {
    const start = this.offset
    while (this.peek() !== '' && is(this.peek())) this.skip()
    return this.text.slice(start, this.offset)
  }

  /** True if a line begins here with `---` or `...`. */
  get isAtDocument(): boolean {
    if (this.column !== 0 || !isGap(this.peek(3))) return false
    const sign = this.text.slice(this.offset, this.offset + 3)
    return sign === '---' || sign === '...'
  }

  fail(problem: string, context: string, at: Mark = this.mark): never {
    throw new YamlProblem(problem, context, at)
  }
}
