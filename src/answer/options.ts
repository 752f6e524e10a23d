/** The screen of a line, and the place where its rows go. */
import type { Stdout } from '../base/io.js'
import type { Meter } from '../base/progress.js'
import type { Prompts } from '../base/prompts.js'
import type { StandardInput } from '../base/standard-input.js'
import type { Command, Plan } from '../engine/command/types.js'
import type { WordsFinder } from '../engine/command/words.js'
import type { RunOptions } from '../engine/options.js'
import type { ParsedLine, Raw } from '../engine/plan/line.js'
import type { PollScreen } from '../engine/repeat.js'
import type { Rows } from '../engine/rows.js'
import type { Format } from '../output/types.js'
import type { Liveness, Notes } from '../terminal/notes.js'
import type { ColorFlag, Style } from '../terminal/style.js'

// The screen of a run: where answers go, what is said beside them, how questions are asked.

/** The end of a run. */
export interface RunEnd {
  /** The error that ended it before its time. */
  readonly failed?: unknown
  readonly code: number
}

export interface Streams {
  /** The style of text on standard output. */
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
  readonly polls: PollScreen
  readonly interactive: () => boolean
  /** Ends the answer, and says what stands below it. */
  readonly finish: (say: () => void, end: RunEnd) => Promise<void>
  /** The page that the answer is, if it is one: its first part begins it. */
  readonly page?: { readonly begin: () => boolean }
  /** The profile that each line of it begins with, where there are several. */
  readonly of?: string
}

/** The form in which the failure of a run is reported. */
export interface FailureFormat {
  /** Failures are JSON. */
  readonly json: boolean
  readonly color?: ColorFlag
}

/** A line, and whose words it is read in. */
export interface AskedLine {
  readonly command: Command
  readonly raw: Raw
  readonly signal: AbortSignal
  /** Takes the form in which a failure is reported. */
  readonly decided: (how: FailureFormat) => void
  /** Finds the words of its instance. */
  readonly own: WordsFinder
  /** Understands a line. */
  readonly parse: (tokens: readonly string[]) => Promise<ParsedLine>
}

/** The options of a run whose rows are answered. */
export interface AnswerOptions extends Omit<RunOptions, 'part'> {
  readonly format: Format
  /** By default the streams of the process. */
  readonly screen?: Streams | undefined
  /** True if what it prints is kept: it has no standard output, and no person who could copy a secret. */
  readonly isKept?: true | undefined
  /** Takes the plan of each list that the line itself asks for. */
  readonly onListed?: (plan: Plan) => void
  /** A report takes the place of the answer on standard output. */
  readonly isSilent?: boolean
  /** The place among several instances. */
  readonly part?:
    | {
        /** Its profile, or when its snapshot was begun. */
        readonly name: string
        /** The column that its name stands in. */
        readonly column: 'profile' | 'snapshot'
        /** Returns true while those before it have not handed over their rows. */
        readonly isHeld: () => boolean
        /** Takes the rows of its answer, in its turn. */
        readonly takeAll: (rows: Rows) => Promise<void>
        /** Says what stands below the output, once that of all is there. */
        readonly later: (say: () => void) => void
      }
    | undefined
}

/** What a line has from outside, if it runs on one of several instances or within another run. */
export interface OuterLine
  extends Partial<
    Pick<AnswerOptions, 'env' | 'format' | 'inner' | 'isKept' | 'part' | 'screen' | 'words'>
  > {
  readonly input?: StandardInput | undefined
}
