/** How text meets one stream: its colours, widths, symbols and links. */
import type { Tone } from '../../base/tone.js'
import { bar } from './bar.js'
import { accessible, type ColorFlag, type Env, type Painter, painterOf, useColor } from './color.js'
import { visible } from './escape.js'
import { type Linker, linkerOf } from './link.js'
import { type Mark, markOf, spokenMarks, status } from './status.js'
import { age, span } from './time.js'
import { roughWidths, type Widths, widthsFor } from './width.js'

export interface Style extends Painter {
  readonly terminal: boolean
  /** For a screen reader: words in place of symbols and bars, nothing side by side. */
  readonly accessible: boolean
  readonly color: boolean
  /** Columns of the terminal; 80 where it does not say. */
  readonly width: number
  readonly visible: (text: string) => string
  readonly widthsFor: (texts: readonly string[]) => Promise<Widths>
  readonly wrap: Widths['wrap']
  readonly status: (word: string) => { readonly text: string; readonly tone: Tone } | undefined
  readonly age: (text: string, now: Date) => string | undefined
  readonly span: (seconds: number) => string
  readonly link: Linker
  /** The painted symbol of a verdict. */
  readonly mark: (kind: Mark) => string
  /** A bar of so many columns, filled to `fraction` (0 to 1). */
  readonly bar: (fraction: number, columns: number) => string
}

/** The stream's side of a style. */
export interface Screen {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

const defaultWidth = 80

/** Words, symbols and bars: what differs for a screen reader. */
const signs = (paint: Painter['paint'], spoken: boolean) => ({
  status: (word: string) => {
    const found = status(word)
    return spoken && found !== undefined ? { ...found, text: word } : found
  },
  mark: (kind: Mark): string => {
    const [symbol, tone] = markOf(kind)
    const text = spoken ? spokenMarks[kind] : symbol
    return tone === undefined ? text : paint(text, tone)
  },
  bar: (fraction: number, columns: number): string =>
    spoken ? '' : bar(fraction, columns, (text) => paint(text, 'good')),
})

/** The style of a stream, from `--color`, the environment, and whether it is a terminal. */
export const styleOf = async (
  stream: Screen,
  env: Env,
  flag: ColorFlag = 'auto',
): Promise<Style> => {
  const terminal = stream.isTTY === true
  const color = useColor(flag, env, terminal)
  const painter = await painterOf(color)
  const spoken = terminal && accessible(env)
  return {
    ...painter,
    ...signs(painter.paint, spoken),
    terminal,
    accessible: spoken,
    color,
    width: stream.columns !== undefined && stream.columns > 0 ? stream.columns : defaultWidth,
    visible,
    widthsFor,
    wrap: roughWidths.wrap,
    age,
    span,
    link: await linkerOf({ isTTY: terminal }, env),
  }
}
