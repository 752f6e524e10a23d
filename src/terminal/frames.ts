/**
 * Draws the answers of a repeated command over each other, without flicker, and marks changes. The last frame stays on
 * the screen.
 */
import { stripVTControlCharacters } from 'node:util'
import type { Stdout } from '../base/io.js'
import type { Style } from './style.js'

/** The width of the column of marks. */
export const gutterWidth = 2

const formatMoveUp = (rows: number): string => (rows === 0 ? '\r' : `\r\x1b[${rows}A`)
const clearRest = '\x1b[K'
const clearBelow = '\x1b[J'
/** Starts a frame: drawn at once if the terminal supports it, without a cursor and without wrapping. */
const beginFrame = '\x1b[?2026h\x1b[?25l\x1b[?7l'
const finishFrame = '\x1b[?7h\x1b[?25h\x1b[?2026l'

/** Matches ages, which change by themselves and so do not count as changes, and neither does the space around them. */
const agePattern = /\b(just now|(in )?\d+ (y|mo|d|h|min|s)( ago)?)(?= |$)/g
const normalizeLine = (line: string): string =>
  stripVTControlCharacters(line).replace(agePattern, '~').replace(/ +/g, ' ').trim()

/** Splits a line into cells; every second element is the gap between two cells. */
const splitCells = (line: string): readonly string[] => line.split(/( {2,})/)

/** Returns the subject of a line: its first text. */
const getSubject = (cells: readonly string[]): string =>
  cells.map(normalizeLine).find((cell) => cell !== '') ?? ''

/** The previous frame, for comparison. */
class PreviousFrame {
  readonly #lines: ReadonlySet<string>
  /** The cells by subject; undefined for a subject with several lines. */
  readonly #about = new Map<string, readonly string[] | undefined>()

  constructor(lines: readonly string[]) {
    this.#lines = new Set(lines.map(normalizeLine))
    for (const cells of lines.map(splitCells)) {
      const subject = getSubject(cells)
      this.#about.set(subject, this.#about.has(subject) ? undefined : cells.map(normalizeLine))
    }
  }

  has(line: string): boolean {
    return this.#lines.has(normalizeLine(line))
  }

  /** Marks the changed cells of a line, or the whole line if its number of cells changed. */
  markChanges(line: string, mark: (text: string) => string): string {
    const cells = splitCells(line)
    const before = this.#about.get(getSubject(cells))
    if (before?.length !== cells.length) return mark(line)
    return cells
      .map((cell, n) => (n % 2 === 1 || normalizeLine(cell) === before[n] ? cell : mark(cell)))
      .join('')
  }
}

export interface Frames extends Stdout {
  /** Adds a line below the frame. */
  note(text: string): void
  /** Draws everything that was written since the last call. */
  draw(): Promise<void>
}

interface FramesOptions {
  readonly stdout: Stdout
  readonly style: Pick<Style, 'bold' | 'dim'>
  /** Returns the current number of rows of the terminal. */
  readonly rows: () => number
}

/** Cuts lines to the height of the screen, less one row for the cursor. */
const fitLines = (
  lines: readonly string[],
  rows: number,
  more: (n: number) => string,
): string[] => {
  const room = Math.max(1, rows - 1)
  if (lines.length <= room) return [...lines]
  return [...lines.slice(0, room - 1), more(lines.length - room + 1)]
}

/** Draws each frame over the previous one. */
class TerminalFrames implements Frames {
  private written: Uint8Array[] = []
  private notes: string[] = []
  private before: PreviousFrame | undefined
  private rows = 0

  constructor(private readonly options: FramesOptions) {}

  async write(chunk: string | Uint8Array): Promise<void> {
    this.written.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  }

  note(text: string): void {
    this.notes.push(...text.split('\n'))
  }

  async draw(): Promise<void> {
    const { stdout, style, rows } = this.options
    const lines = this.takeLines()
    const answer = lines.map((line) => this.markLine(line))
    const about = this.notes.splice(0).map((text) => style.dim(`  ${text}`))
    const room = rows() - about.length
    const shown = [...fitLines(answer, room, (n) => style.dim(`  … ${n} more lines`)), ...about]
    const body = shown.map((line) => `${line}${clearRest}\n`).join('')
    await stdout.write(`${beginFrame}${formatMoveUp(this.rows)}${body}${clearBelow}${finishFrame}`)
    this.rows = shown.length
    this.before = new PreviousFrame(lines)
  }

  async end(): Promise<void> {
    const { stdout } = this.options
    // Anything left was written outside of a frame.
    for (const chunk of this.written.splice(0)) await stdout.write(chunk)
    await stdout.end()
  }

  private markLine(line: string): string {
    const { bold } = this.options.style
    if (this.before === undefined || line === '' || this.before.has(line)) return `  ${line}`
    return `${bold('~')} ${this.before.markChanges(line, bold)}`
  }

  private takeLines(): string[] {
    const text = Buffer.concat(this.written.splice(0)).toString('utf8')
    return text === '' ? [] : text.replace(/\n$/, '').split('\n')
  }
}

export const openFrames = (options: FramesOptions): Frames => new TerminalFrames(options)
