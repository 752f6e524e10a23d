/** Rounds of an answer, drawn over each other: no flicker, what changed marked, the last one stays. */
import { stripVTControlCharacters } from 'node:util'
import type { Style } from '../text/style.js'
import type { Stdout } from './stdout.js'

/** Columns that the marks take. */
export const gutter = 2

const up = (rows: number): string => (rows === 0 ? '\r' : `\r\x1b[${rows}A`)
const clearRest = '\x1b[K'
const clearBelow = '\x1b[J'
/** Drawn at once where the terminal knows how; without a cursor, and a line never takes two rows. */
const begin = '\x1b[?2026h\x1b[?25l\x1b[?7l'
const finish = '\x1b[?7h\x1b[?25h\x1b[?2026l'

/** Ages go on by themselves: they are no change. Neither is the space that they leave. */
const ages = /\b(just now|(in )?\d+ (y|mo|d|h|min|s)( ago)?)(?= |$)/g
const meaning = (line: string): string =>
  stripVTControlCharacters(line).replace(ages, '~').replace(/ +/g, ' ').trim()

export interface Frames extends Stdout {
  /** Adds a line below the answer. */
  note(text: string): void
  /** Draws what was written since the last time. */
  draw(): Promise<void>
}

export interface FramesOptions {
  readonly stdout: Stdout
  readonly style: Pick<Style, 'bold' | 'dim'>
  /** Rows of the terminal, now. */
  readonly rows: () => number
}

/** What a screen of so many rows has room for; the last row is the cursor's. */
const fitted = (lines: readonly string[], rows: number, more: (n: number) => string): string[] => {
  const room = Math.max(1, rows - 1)
  if (lines.length <= room) return [...lines]
  return [...lines.slice(0, room - 1), more(lines.length - room + 1)]
}

export const openFrames = ({ stdout, style, rows }: FramesOptions): Frames => {
  let written: Uint8Array[] = []
  let notes: string[] = []
  let before: ReadonlySet<string> | undefined
  let drawn = 0

  const marked = (line: string): string => {
    const changed = before !== undefined && line !== '' && !before.has(meaning(line))
    return changed ? `${style.bold('~')} ${style.bold(line)}` : `  ${line}`
  }
  const take = (): string[] => {
    const text = Buffer.concat(written).toString('utf8')
    written = []
    return text === '' ? [] : text.replace(/\n$/, '').split('\n')
  }
  const draw = async (): Promise<void> => {
    const lines = take()
    const answer = lines.map(marked)
    const about = notes.map((text) => style.dim(`  ${text}`))
    notes = []
    const room = rows() - about.length
    const shown = [...fitted(answer, room, (n) => style.dim(`  … ${n} more lines`)), ...about]
    const body = shown.map((line) => `${line}${clearRest}\n`).join('')
    await stdout.write(`${begin}${up(drawn)}${body}${clearBelow}${finish}`)
    drawn = shown.length
    before = new Set(lines.map(meaning))
  }
  return {
    write: async (chunk) => {
      written.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
    },
    note: (text) => {
      notes.push(...text.split('\n'))
    },
    draw,
    end: async () => {
      // What is left is an answer that never became a round.
      for (const chunk of written) await stdout.write(chunk)
      written = []
      await stdout.end()
    },
  }
}
