/**
 * Styles text for a terminal: colors, symbols, links, bars and widths, depending on what the terminal and the person
 * want.
 */

import {
  escapeControls,
  formatDuration,
  formatIsoAge,
  loadWidths,
  roughWidths,
  type Widths,
} from '../base/screen-text.js'
import { isSwitchedOn } from '../base/switches.js'
import type { Tone } from '../base/text.js'
import { bad, getStatusStyle, good, warn } from '../base/tones.js'

/** The values of `--color`. */
export type ColorFlag = 'auto' | 'always' | 'never'

/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ''
/** True if the program runs in CI (the `CI` variable). */
export const isCi = (env: Env): boolean => isSwitchedOn(env.CI)
/** True if SVC_ACCESSIBLE asks for output for screen readers: words instead of symbols, nothing redrawn. */
export const isAccessible = (env: Env): boolean => isSwitchedOn(env.SVC_ACCESSIBLE)

/**
 * Decides whether to use color. The flag takes precedence over FORCE_COLOR and CLICOLOR_FORCE, and these over NO_COLOR,
 * CLICOLOR=0, TERM=dumb and CI; otherwise terminals have color. `gh` and chalk have the same order.
 */
export const useColor = (flag: ColorFlag, env: Env, isTTY: boolean): boolean => {
  if (flag !== 'auto') return flag === 'always'
  if (isSet(env.FORCE_COLOR)) return isSwitchedOn(env.FORCE_COLOR)
  if (isSwitchedOn(env.CLICOLOR_FORCE)) return true
  if (isSet(env.NO_COLOR) || env.CLICOLOR === '0' || env.TERM === 'dumb' || isCi(env)) return false
  return isTTY
}

interface Painter {
  bold(text: string): string
  dim(text: string): string
  paint(text: string, tone: Tone): string
}

const keepText = (text: string): string => text
const uncolored: Painter = { bold: keepText, dim: keepText, paint: keepText }

/** Loads the painter. Without color, text stays unchanged. */
const createPainter = async (color: boolean): Promise<Painter> => {
  if (!color) return uncolored
  const { Chalk } = await import('chalk')
  const chalk = new Chalk({ level: 1 })
  const tones: Readonly<Record<Tone, (text: string) => string>> = {
    good: chalk.green,
    bad: chalk.red,
    warn: chalk.yellow,
    busy: chalk.cyan,
    quiet: chalk.dim,
    grave: chalk.magenta,
  }
  return { bold: chalk.bold, dim: chalk.dim, paint: (text, tone) => tones[tone](text) }
}

// Bars that show a fraction.

/** Draws a bar `columns` wide, filled to `fraction` (0 to 1). */
export const drawBar = (
  fraction: number,
  columns: number,
  paint: (text: string) => string = (text) => text,
): string => {
  const share = Number.isNaN(fraction) ? 0 : Math.min(1, Math.max(0, fraction))
  // A bar is full only at 1 and empty only at 0.
  const rounded = Math.round(share * columns)
  const filled = share === 1 || share === 0 ? rounded : Math.min(columns - 1, Math.max(1, rounded))
  return paint('█'.repeat(filled)) + '░'.repeat(columns - filled)
}

const marks = { good, bad, warn, next: ['→', undefined] } as const

/** A verdict, or the mark of a next step. */
type Mark = keyof typeof marks

/** Returns the symbol of a mark and its tone. */
const getMark = (kind: Mark): readonly [symbol: string, tone: Tone | undefined] => marks[kind]

/** The words that replace symbols for screen readers. */
const spokenMarks: Readonly<Record<Mark, string>> = {
  good: 'ok:',
  warn: 'warning:',
  bad: 'problem:',
  next: 'next:',
}

// Links (OSC 8), if the terminal is known to support them.

type Linker = (text: string, url: string) => string

/** Matches a URL without spaces and control characters. */
const urlPattern = /^https?:\/\/[\x21-\x7e]+$/

const omitLink: Linker = (text) => text

/** Formats text as a link. Other URLs than plain http(s) ones are left out. */
export const formatLink: Linker = (text, url) =>
  urlPattern.test(url) ? `\u001b]8;;${url}\u001b\\${text}\u001b]8;;\u001b\\` : text

/** Creates the function that formats links, if the terminal supports them. */
export const createLinker = async (stream: { isTTY?: boolean }, env: Env): Promise<Linker> => {
  if (stream.isTTY !== true || env.TERM === 'dumb') return omitLink
  const { createSupportsHyperlinks } = await import('supports-hyperlinks')
  return createSupportsHyperlinks({ isTTY: true }) ? formatLink : omitLink
}

/** The style of a stream's text. */
export interface Style extends Painter {
  readonly terminal: boolean
  /** True if tables are aligned although the stream is no terminal. */
  readonly aligned: boolean
  /** True for screen readers: words replace symbols and bars, and nothing stands side by side. */
  readonly accessible: boolean
  readonly color: boolean
  /** The width of the terminal in columns; 80 if unknown. */
  readonly width: number
  /**
   * The width of tables in columns: that of the terminal, or infinity if an aligned table may be as wide as its values.
   */
  readonly tableWidth: number
  readonly visible: (text: string) => string
  readonly widthsFor: (texts: readonly string[]) => Promise<Widths>
  readonly wrap: Widths['wrap']
  readonly status: (word: string) => { readonly text: string; readonly tone: Tone } | undefined
  readonly age: (text: string, now: Date) => string | undefined
  readonly span: (seconds: number) => string
  readonly link: Linker
  /** Returns the colored symbol of a mark. */
  readonly mark: (kind: Mark) => string
  /** Draws a bar `columns` wide, filled to `fraction` (0 to 1). */
  readonly bar: (fraction: number, columns: number) => string
}

/** The stream to style. */
export interface Screen {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

const defaultWidth = 80

/** Creates the functions for status words, symbols and bars, which differ for screen readers. */
const createSymbols = (paint: Painter['paint'], forScreenReader: boolean) => ({
  status: (word: string) => {
    const found = getStatusStyle(word)
    return forScreenReader && found !== undefined ? { ...found, text: word } : found
  },
  mark: (kind: Mark): string => {
    const [symbol, tone] = getMark(kind)
    const text = forScreenReader ? spokenMarks[kind] : symbol
    return tone === undefined ? text : paint(text, tone)
  },
  bar: (fraction: number, columns: number): string =>
    forScreenReader ? '' : drawBar(fraction, columns, (text) => paint(text, 'good')),
})

/** Creates the style of a stream, from `--color`, the environment, and whether it is a terminal. */
export const createStyle = async (
  stream: Screen,
  env: Env,
  flag: ColorFlag = 'auto',
): Promise<Style> => {
  const terminal = stream.isTTY === true
  const color = useColor(flag, env, terminal)
  const painter = await createPainter(color)
  const forScreenReader = terminal && isAccessible(env)
  const width = stream.columns !== undefined && stream.columns > 0 ? stream.columns : defaultWidth
  return {
    ...painter,
    ...createSymbols(painter.paint, forScreenReader),
    terminal,
    aligned: false,
    accessible: forScreenReader,
    color,
    width,
    tableWidth: width,
    visible: escapeControls,
    widthsFor: loadWidths,
    wrap: roughWidths.wrap,
    age: formatIsoAge,
    span: formatDuration,
    link: await createLinker({ isTTY: terminal }, env),
  }
}

/**
 * Returns the width that SVC_TERMINAL or COLUMNS sets for a pipe or a file; undefined if neither is a number of
 * columns.
 */
const readGivenWidth = ({ SVC_TERMINAL, COLUMNS }: Env): number | undefined =>
  [SVC_TERMINAL, COLUMNS].flatMap((text = '') =>
    /^[1-9]\d{0,4}$/.test(text) ? [Number(text)] : [],
  )[0]

/**
 * Creates the style of an aligned table in a pipe or a file. Times are not shown as ages, because the text is read
 * later.
 */
export const createAlignedStyle = (style: Style, env: Env): Style => {
  const given = readGivenWidth(env)
  return {
    ...style,
    aligned: true,
    width: given ?? style.width,
    tableWidth: given ?? Number.POSITIVE_INFINITY,
    age: () => undefined,
  }
}
