/** What a run is made of. */

import type { Meter } from '../base/progress.js'
import type { Prompts } from '../base/prompts.js'
import type { StandardInput } from '../base/standard-input.js'
import type { Words } from '../catalogue/words.js'
import type { SnapshotReader } from '../client/snapshot-answers.js'
import type { FleetGate } from '../http/gate.js'
import type { Format } from '../output/types.js'
import type { Profile, Session } from '../profile/types.js'
import type { Liveness, Notes } from '../terminal/notes.js'
import type { Stdout } from '../terminal/stdout.js'
import type { ColorFlag, Style } from '../terminal/style.js'
import type { Globals } from './command/globals.js'
import type { InnerRuns, LineAsk, PipedInput } from './command/services.js'
import type { Command, Plan } from './command/types.js'
import type { WordsFinder } from './command/words.js'
import type { JournalOptions } from './journaling/runs.js'
import type { ParsedLine, Raw } from './plan/line.js'
import type { PollScreen, WaitCondition } from './repeat.js'
import type { Rows } from './rows.js'

// The screen of a run: where answers go, what is said beside them, how questions are asked.

/** What came of a run, when its answer ends. */
export interface RunEnd {
  /** What ended it before its time. */
  readonly failed?: unknown
  readonly code: number
}

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
  readonly polls: PollScreen
  readonly interactive: () => boolean
  /** Ends the answer, and says what stands below it. */
  readonly finish: (say: () => void, end: RunEnd) => Promise<void>
  /** Where the answer is a page, whose first part begins it. */
  readonly page?: { readonly begin: () => boolean }
  /** The profile that each line of it begins with, where there are several. */
  readonly of?: string
}

/** What a run has decided before it begins, for whoever tells of its failure. */
export interface FailureFormat {
  /** Failures are JSON. */
  readonly json: boolean
  readonly color?: ColorFlag
}

/** A run that is one of several instances: where what it says and prints goes. */
export interface InstancePart {
  /** Its profile. */
  readonly name: string
  readonly screen: Streams
  /** Whether those before it have not handed over theirs. */
  readonly isHeld: () => boolean
  /** Takes the rows of its answer, in its turn. */
  readonly takeAll: (rows: Rows) => Promise<void>
  /** Says what stands below the output, once that of all is there. */
  readonly later: (say: () => void) => void
}

/** A line, and whose words it is read in. */
export interface AskedLine {
  readonly command: Command
  readonly raw: Raw
  readonly signal: AbortSignal
  /** Is told how a failure is to be told. */
  readonly decided: (how: FailureFormat) => void
  /** Finds the words of its instance. */
  readonly own: WordsFinder
  /** Understands a line. */
  readonly parse: (tokens: readonly string[]) => Promise<ParsedLine>
  /** What it reads in the place of standard input. */
  readonly input?: StandardInput | undefined
}

/** What a line has from that of all, where it is run on one of several instances. */
export interface LinePart extends InstancePart {
  readonly input: StandardInput
  readonly env: NodeJS.ProcessEnv
  readonly format: Format
  /** In which the line may be written; those of others are among them. */
  readonly words?: Words
}

/** The sessions of a run. */
export interface OpenSessions {
  /** The one in force; nothing is read before it is asked for. */
  current(): Promise<Session>
  /** Another profile's; without a name, what flags and environment alone make. */
  of(profile: string | undefined): Promise<Session>
  /** The profile in force, where there is one. */
  profile(): Promise<Profile | undefined>
  /** What answers in the place of the instance, where that is a snapshot. */
  snapshot(): Promise<SnapshotReader | undefined>
  close(): Promise<void>
}

/** What runs within one run have from it. */
export interface SharedServices {
  readonly sessions: OpenSessions
  /** The gate of an address: the same for all of an origin. */
  readonly gateOf: (baseUrl: string) => Promise<FleetGate>
  /** Where the answer of the outer run goes, if that is a file: a line that is done in its place answers there. */
  readonly file?: Stdout | undefined
}

/** A run within another. */
export interface InnerPart {
  /** Those of the outer run, where it asks the same instance. */
  readonly sessions?: OpenSessions | undefined
  readonly gateOf: SharedServices['gateOf']
  readonly file?: SharedServices['file']
  /** Takes its answer, notes and questions; by default they go to the person at the terminal. */
  readonly screen?: Streams
  /** Nothing but GET and HEAD is sent; `marked`: and what the catalogue marks as reading. */
  readonly readOnly?: boolean | 'marked'
  /** Told of a list that ended whether it goes on. */
  readonly ended?: (more: boolean) => void
  /** Told of each list that is asked for. */
  readonly asked?: ((plan: Plan) => void) | undefined
  /** Chooses among the parents of a list, and hears of each when it is read. */
  readonly parents?: LineAsk['parents']
  /** What several lines read once, and whether their conditions are tested here alone. */
  readonly reads?: LineAsk['reads']
  readonly whole?: boolean | undefined
  /** Its conditions were joined with others that nobody typed. */
  readonly composed?: boolean | undefined
}

/** A line that is run within another: how it is seen, what takes its records, and what of the environment it sees. */
export interface InnerLine {
  readonly part: InnerPart
  readonly format?: Format
  readonly env?: NodeJS.ProcessEnv
}

/** Records that objects were selected by, by what the objects are called. */
export class ChosenRecords {
  readonly #records = new Map<string, unknown>()

  /** @param parent where there are several */
  add(record: unknown, text: string, parent = ''): void {
    this.#records.set(`${parent}\0${text}`, record)
  }

  /** The record that the object of a plan was selected by. */
  of({ label = '', parent }: Plan): unknown {
    const name = parent?.name.replace(/^(?:group|project):/, '') ?? ''
    return this.#records.get(`${name}\0${label}`)
  }
}

export interface RunOptions {
  readonly command: Command
  readonly globals: Globals
  readonly format: Format
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly stdin: PipedInput
  /** The words in force, where the command speaks of the instance's names. */
  readonly words?: Words
  /** The same for whatever is sent. */
  readonly own?: WordsFinder
  /** The objects came from standard input: the answer is a list, however many there are. */
  readonly listed: boolean
  /** What the line says of its journal. */
  readonly journaling: JournalOptions
  /** Where it is one of several instances. */
  readonly part?: InstancePart
  /** Where it is within another: what it has from there, and how it is seen. */
  readonly inner?: InnerPart
  /** How others are run within it. */
  readonly runs?: ((sharing: SharedServices) => InnerRuns) | undefined
  /** What is waited for, where the rounds end by themselves. */
  readonly until?: WaitCondition
  /** A report takes the place of the answer on standard output. */
  readonly isSilent?: boolean
  /** The records that `--select` chose. */
  readonly chosen: ChosenRecords
}
