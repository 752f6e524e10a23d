/** Where the rounds of `--watch` go: over each other on a terminal, one after the other elsewhere. */
import type { Globals } from '../../commands/globals.js'
import { isRepeated } from '../../commands/repeat-flags.js'
import type { Format } from '../../output/types.js'
import { type Frames, gutter, openFrames } from '../../terminal/streams/frames.js'
import { type LastAnswer, openLast } from '../../terminal/streams/last.js'
import type { Notes } from '../../terminal/streams/notes.js'
import { standardOutput } from '../../terminal/streams/standard.js'
import type { Stdout } from '../../terminal/streams/stdout.js'
import { accessible } from '../../terminal/text/color.js'
import type { Style } from '../../terminal/text/style.js'
import type { Rounds } from './watch.js'

interface Shown {
  readonly out: Stdout
  readonly redrawn: boolean
  /** Columns for the answer. */
  readonly width: number
  /** Notes of a watch: below the picture, or each said once. */
  readonly notes: (notes: Notes) => Notes
  readonly rounds: Rounds
}

const once = (say: Notes['note']): Notes['note'] => {
  const said = new Set<string>()
  return (text) => {
    const whole = [text].flat().join('\n')
    if (!said.has(whole)) say(text)
    said.add(whole)
  }
}

const inPlace = (frames: Frames, style: Style, quiet: boolean): Shown => ({
  out: frames,
  redrawn: true,
  width: style.width - gutter,
  notes: (notes) => ({
    ...notes,
    note: (text) => {
      if (!quiet) for (const line of [text].flat()) frames.note(style.visible(line))
    },
    warn: (text) => {
      if (!quiet) frames.note(`warning: ${style.visible(text)}`)
    },
  }),
  rounds: {
    between: async () => {},
    end: async (status) => {
      if (!quiet) frames.note(status)
      await frames.draw()
    },
  },
})

const lastOnly = (out: LastAnswer, style: Style, notes: Shown['notes']): Shown => ({
  out,
  redrawn: false,
  width: style.width,
  notes,
  rounds: {
    between: async () => out.drop(),
    end: async () => {},
  },
})

export const roundsOf = (
  globals: Pick<Globals, 'watch' | 'until' | 'quiet'>,
  env: NodeJS.ProcessEnv,
  format: Format,
  style: Style,
  plain: Stdout,
): Shown => {
  const watching = isRepeated(globals)
  if (watching && style.terminal && !accessible(env) && env.TERM !== 'dumb') {
    const rows = (): number => standardOutput().rows ?? 24
    return inPlace(openFrames({ stdout: plain, style, rows }), style, globals.quiet)
  }
  const saidOnce = (notes: Notes): Notes => ({ ...notes, note: once(notes.note) })
  // Who only waits for the end of it has no use for what was before.
  if (watching && globals.watch === undefined) return lastOnly(openLast(plain), style, saidOnce)
  return {
    out: plain,
    redrawn: false,
    width: style.width,
    notes: (notes) => (watching ? saidOnce(notes) : notes),
    rounds: {
      between: () => plain.write(format.separator ?? ''),
      end: () => plain.end(),
    },
  }
}
