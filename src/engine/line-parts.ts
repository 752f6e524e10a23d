/** The parts of a run that carry out the actions of its line. */
import type { Endpoint } from '../catalogue/endpoint.js'
import type { FollowUpParts } from './bulk/follow-up.js'
import type { BulkRunner } from './bulk/runner.js'
import type { AnswerService, Context, InstanceService, UiService } from './command/context.js'
import type { Given, Parent } from './command/types.js'
import type { Caller } from './instance/caller.js'
import type { InstanceExchange } from './instance/exchange.js'
import type { ListReader } from './instance/listing.js'
import type { RunPlanner, LineTargets } from './instance/planning.js'
import type { RunOptions } from './options.js'
import type { CurlPrinter } from './perform/curl.js'
import type { Previewer } from './perform/preview.js'
import type { RecordFilter, RecordFilterOptions } from './records/where.js'
import type { PollScreen } from './repeat.js'
import type { Rows } from './rows.js'
import type { Workspace } from './workspace/workspace.js'

/** Reads of single records, beside the lists that they come from. */
export type SingleReadOptions = Pick<RecordFilterOptions, 'planned' | 'data' | 'failed' | 'width'>

/** A run that is there: its parts, and what its rows are printed with. */
export interface LineParts {
  readonly answer: AnswerService
  readonly bulk: BulkRunner
  readonly caller: Caller
  /** `--curl`: prints requests. */
  readonly curl: CurlPrinter | undefined
  readonly exchange: InstanceExchange
  /** Sends further requests to the objects of the run, on record in its journal. */
  readonly following: FollowUpParts
  readonly instance: InstanceService
  readonly lists: ListReader
  readonly options: RunOptions
  readonly place: Workspace
  readonly planning: RunPlanner
  /** `--dry-run`: shows what would be written; undefined where it is. */
  readonly preview: (() => Promise<Previewer>) | undefined
  readonly ui: UiService
  /** Says a line that stands below the output. */
  readonly later: (text: string) => void
  /** Returns which records of a list are wanted; undefined where all are. */
  readonly choice: (endpoint?: Endpoint, parent?: Parent) => Promise<RecordFilter | undefined>
  /** Returns what a command is handed that talks to an instance in another way. */
  createContext(instance: InstanceService): Context
  /** What the line's command is handed. */
  readonly context: Context
  /** Reads of single records, beside the lists that they come from. */
  readonly singles: SingleReadOptions
  readonly polls: PollScreen
  /** Hears of each round of a line that is repeated. */
  readonly printing: { readonly begin: () => void }
  /** Prints rows where the answer of the run goes. */
  readonly print: (rows: Rows) => Promise<void>
  /** Yields the rows of the run's command. @param targets what the line is about, where it does not name that by itself */
  rowsOf(given: Given, targets?: LineTargets): Rows
  /** Says that there is nothing to do, and writes that down where the journal of the shard is waited for. */
  readonly endEmptyShard: () => Rows
}
