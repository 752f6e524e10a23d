/** The screen of a run: where answers go, what is said beside them, how questions are asked. */
import type { Prompts } from '../terminal/questions/prompts.js'
import type { Meter } from '../terminal/streams/meter.js'
import type { Liveness, Notes } from '../terminal/streams/notes.js'
import type { Stdout } from '../terminal/streams/stdout.js'
import type { Style } from '../terminal/text/style.js'
import type { Rounds } from './watch.js'

export interface Streams {
  /** How text is written on standard output. */
  readonly style: Style
  /** Columns for the answer. */
  readonly width: number
  readonly out: Stdout
  /** Standard output itself, without pager or frames. */
  readonly plain: Stdout
  readonly notes: Notes
  readonly prompts: Prompts
  readonly meter: Meter
  readonly liveness: Liveness
  readonly rounds: Rounds
  readonly interactive: () => boolean
  /** The profile that each line of it begins with, where there are several. */
  readonly of?: string
}
