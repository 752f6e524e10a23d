/** Standard input as lines, and as rows of comma-separated cells, as it comes. */
import type { Cells, NumberedText } from './piped.js'
import { refuseRow } from './piped-row.js'

/** Whole lines, numbered; what has no end yet waits. */
export class InputLines {
  #rest: string[] = []
  #number = 0

  take(text: string, last: boolean): readonly NumberedText[] {
    const end = last ? text.length : text.lastIndexOf('\n') + 1
    if (end === 0 && !last) {
      this.#rest.push(text)
      return []
    }
    const lines = [...this.#rest, text.slice(0, end)].join('').split('\n')
    this.#rest = [text.slice(end)]
    // Behind the last end there is nothing.
    if (lines.at(-1) === '') lines.pop()
    const first = this.#number + 1
    this.#number += lines.length
    return lines
      .map((line, i) => ({
        number: first + i,
        text: line.endsWith('\r') ? line.slice(0, -1) : line,
      }))
      .filter(({ text: line }) => line.trim() !== '')
  }
}

export type Parse = typeof import('csv-parse/sync')['parse']

/** Whether a text opens a quoted cell that it does not close, or the other way about. */
const turns = (text: string): boolean => text.split('"').length % 2 === 0

/** @throws Failure `usage` naming the place, for quotes that do not go together */
const rowsOf = (parse: Parse, lines: readonly NumberedText[], place: string): string[][] => {
  try {
    return parse(lines.map(({ text }) => text).join('\n'), { relax_column_count: true })
  } catch {
    throw refuseRow(
      place,
      'a misplaced quotation mark',
      'Put a cell that contains quotation marks in quotation marks, and double each of them.',
    )
  }
}

/** Rows of comma-separated cells, whose texts may go over several lines. */
export class CommaRows {
  readonly #parse: Parse
  #waiting: NumberedText[] = []
  #open = false

  constructor(parse: Parse) {
    this.#parse = parse
  }

  /** @throws Failure `usage` naming the place, for quotes that do not go together */
  take(lines: readonly NumberedText[], last: boolean): readonly Cells[] {
    const found: Cells[] = []
    for (const line of lines) {
      this.#waiting.push(line)
      if (turns(line.text)) this.#open = !this.#open
      if (!this.#open) found.push(...this.#rows())
    }
    if (last && this.#waiting.length > 0) found.push(...this.#rows())
    return found
  }

  #rows(): readonly Cells[] {
    const some = this.#waiting.splice(0)
    const place = `line ${some[0]?.number ?? 1}`
    return rowsOf(this.#parse, some, place).map((row) => ({
      place,
      cells: row.map((cell) => cell.trim()),
    }))
  }
}
