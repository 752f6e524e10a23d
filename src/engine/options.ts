/** What a run is made of. */

import type { Stdout } from '../base/io.js'
import type { Words } from '../catalogue/words.js'
import type { SnapshotReader } from '../client/snapshot-answers.js'
import type { FleetGate } from '../http/gate.js'
import type { Profile, Session } from '../profile/types.js'
import type { Globals } from './command/globals.js'
import type { InnerRuns, LineAsk, PipedInput } from './command/services.js'
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
  /** Keeps what its dry run shows. */
  readonly planned?: LineAsk['planned']
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
  /** The same for whatever is sent. */
  readonly own?: WordsFinder
  /** The objects came from standard input: the answer is a list, however many there are. */
  readonly listed: boolean
  /** What the line says of its journal. */
  readonly journaling: JournalOptions
  /** Where it is one of several instances: whether those before it have not handed over their rows. */
  readonly part?: { readonly isHeld: () => boolean }
  /** Where it is within another: what it has from there, and how it is seen. */
  readonly inner?: InnerPart
  /** How others are run within it. */
  readonly runs?: ((sharing: SharedServices) => InnerRuns) | undefined
  /** What is waited for, where the rounds end by themselves. */
  readonly until?: WaitCondition
  /** The records that `--select` chose. */
  readonly chosen: ChosenRecords
}
