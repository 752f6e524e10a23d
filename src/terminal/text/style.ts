/** How text meets one stream: its colours, widths, symbols and links. */
import type { Tone } from '../../base/tone.js'
import { bar } from './bar.js'
import { type ColorFlag, type Env, type Painter, painterOf, useColor } from './color.js'
import { visible } from './escape.js'
import { type Linker, linkerOf } from './link.js'
import { markOf, status } from './status.js'
import { age, span } from './time.js'
import { measure, prepare, truncate, wrap } from './width.js'

export interface Style extends Painter {
  readonly terminal: boolean
  readonly color: boolean
  /** Columns of the terminal; 80 where it does not say. */
  readonly width: number
  readonly visible: (text: string) => string
  readonly prepare: (texts: readonly string[]) => Promise<void>
  readonly measure: (text: string) => number
  readonly truncate: (text: string, columns: number) => string
  readonly wrap: (text: string, columns: number, whole?: boolean) => string[]
  readonly status: (word: string) => { readonly text: string; readonly tone: Tone } | undefined
  readonly age: (text: string, now: Date) => string | undefined
  readonly span: (seconds: number) => string
  readonly link: Linker
  /** The painted symbol of a verdict. */
  readonly mark: (kind: 'good' | 'bad' | 'warn') => string
  /** A bar of so many columns, filled to `fraction` (0 to 1). */
  readonly bar: (fraction: number, columns: number) => string
}

/** The stream's side of a style. */
export interface Screen {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

const defaultWidth = 80

/** The style of a stream, from `--color`, the environment, and whether it is a terminal. */
export const styleOf = async (
  stream: Screen,
  env: Env,
  flag: ColorFlag = 'auto',
): Promise<Style> => {
  const terminal = stream.isTTY === true
  const color = useColor(flag, env, terminal)
  const painter = await painterOf(color)
  const { paint } = painter
  return {
    ...painter,
    terminal,
    color,
    width: stream.columns !== undefined && stream.columns > 0 ? stream.columns : defaultWidth,
    visible,
    prepare,
    measure,
    truncate,
    wrap,
    status,
    age,
    span,
    link: await linkerOf({ isTTY: terminal }, env),
    mark: (kind) => paint(...markOf(kind)),
    bar: (fraction, columns) => bar(fraction, columns, (text) => paint(text, 'good')),
  }
}
