/** Types for the options of a run whose answer is printed: its streams, its format, and its place among other runs. */

import type { Meter, Prompts, ShownWork } from '../base/interaction.js'
import type { Io, Stdout } from '../base/io.js'
import type { StandardInput } from '../base/standard-input.js'
import type { Command, Plan } from '../engine/command/types.js'
import type { ObjectBudget, RunOptions } from '../engine/options.js'
import type { ParsedLine, Raw } from '../engine/plan/line.js'
import type { PollScreen } from '../engine/repeat.js'
import type { Rows } from '../engine/rows.js'
import type { Format } from '../output/types.js'
import type { Notes } from '../terminal/notes.js'
import type { ColorFlag, Style } from '../terminal/style.js'

/** The end of a run. */
export interface RunEnd {
  /** The error that ended the run early. */
  readonly failed?: unknown
  readonly code: number
}

/** The streams of a run: its output, its notes, and its prompts. */
export interface Streams {
  /** The style of text on standard output. */
  readonly style: Style
  /** The width of the output, in columns. */
  readonly width: number
  readonly out: Stdout
  /** Standard output without a pager or frames. */
  readonly plain: Stdout
  readonly notes: Notes
  readonly prompts: Prompts
  readonly meter: Meter
  /** Shows a line for ongoing work until it ends. */
  readonly beginProgress: (text: string) => ShownWork
  readonly polls: PollScreen
  readonly interactive: () => boolean
  /** Ends the output, and then prints the notes below it. */
  readonly finish: (say: () => void, end: RunEnd) => Promise<void>
  /** The page that is written, if the format is one. */
  readonly page?: {
    /** Returns true for the first part of the page. */
    readonly begin: () => boolean
    /** Wraps the notes on one of several instances, so that the page shows them too. */
    readonly keepNotes: (notes: Notes, label: string) => Notes
  }
  /** The profile that begins each line of a trace, if there are several. */
  readonly label?: string
}

/** The form in which the failure of a run is reported. */
export interface FailureFormat {
  /** True if failures are JSON. */
  readonly json: boolean
  readonly color?: ColorFlag
}

/** A parsed line, with the functions that it needs from the command line. */
export interface AskedLine {
  readonly command: Command
  readonly raw: Raw
  readonly io: Io
  readonly signal: AbortSignal
  /** Called with the format of a failure report, once it is known. */
  readonly onFormat: (how: FailureFormat) => void
  /** Parses another line, which has no alias. */
  readonly parse: (tokens: readonly string[]) => Promise<ParsedLine>
}

/** The options of a run whose rows are printed. */
export interface AnswerOptions extends Omit<RunOptions, 'part'> {
  readonly format: Format
  /** The streams of the run. The default is those of the process. */
  readonly screen?: Streams | undefined
  /** True if the records go to an outer run and not to standard output, so that no person sees a secret. */
  readonly isKept?: true | undefined
  /** Called with the plan of each list that the line itself requests. */
  readonly onListed?: (plan: Plan) => void
  /** True if a report replaces the answer on standard output. */
  readonly isSilent?: boolean
  /** The place among several instances. */
  readonly part?:
    | {
        /** The name of the profile, the time of the snapshot, or the name of the run that is resumed. */
        readonly name: string
        /** The column with the name of the profile or the snapshot. */
        readonly column?: 'profile' | 'snapshot' | undefined
        /** Returns true while instances before this one still have rows to write. */
        readonly isHeld: () => boolean
        /** The objects that `--limit` leaves to `--select`. */
        readonly budget?: ObjectBudget
        /** Writes the rows of this instance in its turn. */
        readonly writeRows: (rows: Rows) => Promise<void>
        /** Keeps the function that prints the notes below the output of all instances. */
        readonly printLater: (say: () => void) => void
      }
    | undefined
}

/** The options that a line gets from outside, if it runs on one of several instances or inside another run. */
export interface OuterLine
  extends Partial<Pick<AnswerOptions, 'env' | 'format' | 'inner' | 'isKept' | 'part' | 'screen'>> {
  readonly input?: StandardInput | undefined
}
