/** The options of a run, and what the runs within it share. */

import type { Stdout } from '../base/io.js'
import type { Words } from '../catalogue/words.js'
import type { SnapshotReader } from '../client/snapshot-answers.js'
import type { FleetGate } from '../http/gate.js'
import type { Profile, Session } from '../profile/types.js'
import type { InnerRuns, LineAsk, PipedInput } from './command/context.js'
import type { Globals } from './command/globals.js'
import type { Command, Plan } from './command/types.js'
import type { WordsFinder } from './command/words.js'
import type { JournalOptions } from './journaling/runs.js'
import type { WaitCondition } from './repeat.js'

/** The sessions of a run. */
export interface OpenSessions {
  /** The one in force; nothing is read before it is asked for. */
  current(): Promise<Session>
  /** Another profile's; without a name, what flags and environment alone make. */
  of(profile: string | undefined): Promise<Session>
  /** The profile in force, where there is one. */
  profile(): Promise<Profile | undefined>
  /** Returns the snapshot that answers in the place of the instance; undefined if there is none. */
  snapshot(): Promise<SnapshotReader | undefined>
  close(): Promise<void>
}

/** A run within another: what it has from there, and what is asked of it. */
export interface InnerPart
  extends Pick<LineAsk, 'composed' | 'parents' | 'planned' | 'reads' | 'whole'> {
  /** The sessions of the outer run, if this one asks the same instance. */
  readonly sessions?: OpenSessions | undefined
  /** The gate of an address: the same for all of an origin. */
  readonly gateOf: (baseUrl: string) => Promise<FleetGate>
  /** The file to which the answer of the outer run goes, if any: a line that is done in its place answers there. */
  readonly file?: Stdout | undefined
  /** Nothing but GET and HEAD is sent; `marked`: and what the catalogue marks as reading. */
  readonly readOnly?: boolean | 'marked'
  /** Takes whether a list goes on, when it ended. */
  readonly ended?: (more: boolean) => void
  /** Takes the plan of each list that is asked for. */
  readonly asked?: ((plan: Plan) => void) | undefined
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
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly stdin: PipedInput
  /** The words in force, where the command speaks of the instance's names. */
  readonly words?: Words
  /** The words for whatever is sent, found when they are needed. */
  readonly own?: WordsFinder
  /** The objects came from standard input: the answer is a list, however many there are. */
  readonly listed: boolean
  /** The options of the line's journal. */
  readonly journaling: JournalOptions
  /** The place among several instances: `isHeld` returns true while those before it have not handed over their rows. */
  readonly part?: { readonly isHeld: () => boolean } | undefined
  /** The options of a run within another: what it has from there, and how it is seen. */
  readonly inner?: InnerPart | undefined
  /** Creates the runner of lines within this run. */
  readonly runs?: ((sharing: InnerPart) => InnerRuns) | undefined
  /** The condition that is waited for, if the rounds end by themselves. */
  readonly until?: WaitCondition
  /** The records that `--select` chose. */
  readonly chosen: ChosenRecords
}
