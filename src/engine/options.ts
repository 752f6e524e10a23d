/** Types for the options of a run, and for what an outer run shares with the runs inside it. */

import type { Io, Stdout } from '../base/io.js'
import type { SnapshotReader } from '../client/snapshot-answers.js'
import type { FleetGate } from '../http/gate.js'
import type { Profile, Session } from '../profile/types.js'
import type { InnerRuns, PipedInput, ReadingLine } from './command/context.js'
import type { Globals } from './command/globals.js'
import type { Command, Plan } from './command/types.js'
import type { JournalOptions } from './journaling/runs.js'
import type { WaitCondition } from './repeat.js'

/** The sessions of a run. */
export interface OpenSessions {
  /** Returns the session in force. It is read at the first call. */
  current(): Promise<Session>
  /** Opens the session of another profile. Without a name, only flags and variables make it. */
  open(profile: string | undefined): Promise<Session>
  /** Returns the profile in force; undefined if there is none. */
  profile(): Promise<Profile | undefined>
  /** Returns the snapshot that answers instead of the instance; undefined if there is none. */
  snapshot(): Promise<SnapshotReader | undefined>
  close(): Promise<void>
}

/** The parts that a run inside another one gets from the outer run. */
export interface InnerPart
  extends Pick<ReadingLine, 'composed' | 'parents' | 'planned' | 'reads' | 'whole'> {
  /** The sessions of the outer run, if both runs use the same instance. */
  readonly sessions?: OpenSessions | undefined
  /** Returns the gate of an address. All addresses of an origin share one gate. */
  readonly getGate: (baseUrl: string) => Promise<FleetGate>
  /** The output file of the outer run, if it has one. A line that replaces the outer run writes its answer there. */
  readonly file?: Stdout | undefined
  /** True if only GET and HEAD are sent. With `marked`, requests that the catalogue marks as reading are sent as well. */
  readonly readOnly?: boolean | 'marked'
  /** Called when a list ends. `more` is true if the instance has further records. */
  readonly onEnded?: (more: boolean) => void
  /** Called with the plan of each list that the run requests. */
  readonly onPlanned?: ((plan: Plan) => void) | undefined
}

/** The records by which `--select` chose objects, by the names of the objects. */
export class ChosenRecords {
  readonly #records = new Map<string, unknown>()

  /** @param parent the name of the object's parent, if the line has several */
  add(record: unknown, text: string, parent = ''): void {
    this.#records.set(`${parent}\0${text}`, record)
  }

  /** Returns the record by which the object of a plan was selected; undefined if the line named it. */
  get({ label = '', parent }: Plan): unknown {
    const name = parent?.name.replace(/^(?:group|project):/, '') ?? ''
    return this.#records.get(`${name}\0${label}`)
  }
}

/** The number of objects that `--select` may still choose, on this instance and on those after it. */
export interface ObjectBudget {
  left: number
}

export interface RunOptions {
  readonly command: Command
  readonly globals: Globals
  readonly io: Io
  /** The variables of the line, or those that a run inside another one or on one of several instances gets. */
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly stdin: PipedInput
  /** True if the answer is a list even for one object, such as for objects from standard input. */
  readonly listed: boolean
  /** The options of the line's journal. */
  readonly journaling: JournalOptions
  /** The place among several instances. `isHeld` returns true while instances before this one still have rows to write. */
  readonly part?: { readonly isHeld: () => boolean; readonly budget?: ObjectBudget } | undefined
  /** The parts from an outer run; undefined if there is none. */
  readonly inner?: InnerPart | undefined
  /** Creates the functions that run commands and lines inside this run. */
  readonly createInnerRuns?: ((sharing: InnerPart) => InnerRuns) | undefined
  /** The condition that ends the rounds (`--wait-until`), if there is one. */
  readonly until?: WaitCondition
  /** The records by which `--select` chose the objects. */
  readonly chosen: ChosenRecords
}
