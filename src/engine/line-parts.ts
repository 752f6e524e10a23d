/** The parts of a run that carry out the actions of its line: types for the engine, which `answer/` implements. */
import type { Endpoint } from '../catalogue/endpoint.js'
import type { FollowUpServices } from './bulk/follow-up.js'
import type { BulkRunner } from './bulk/runner.js'
import type { AnswerService, Context, InstanceService, UiService } from './command/context.js'
import type { Given, Parent } from './command/types.js'
import type { Caller } from './instance/caller.js'
import type { InstanceExchange } from './instance/exchange.js'
import type { ListReader } from './instance/listing.js'
import type { LineTargets, RunPlanner } from './instance/planning.js'
import type { RunOptions } from './options.js'
import type { CurlPrinter } from './perform/curl.js'
import type { Previewer } from './perform/preview.js'
import type { RecordFilter, RecordFilterOptions } from './records/where.js'
import type { PollScreen } from './repeat.js'
import type { Rows } from './rows.js'
import type { Workspace } from './workspace/workspace.js'

/** The options for reading single records in addition to their lists. */
export type SingleReadOptions = Pick<
  RecordFilterOptions,
  'planCommand' | 'readData' | 'reportFailure' | 'width'
>

/** The parts of one run, and the printing of its rows. */
export interface LineParts {
  readonly answer: AnswerService
  readonly bulk: BulkRunner
  readonly caller: Caller
  /** Prints requests as curl commands (`--curl`); undefined without the flag. */
  readonly curl: CurlPrinter | undefined
  readonly exchange: InstanceExchange
  /** Sends further requests for the objects of the run, which its journal records. */
  readonly followUps: FollowUpServices
  readonly instance: InstanceService
  readonly lists: ListReader
  readonly options: RunOptions
  readonly place: Workspace
  readonly planning: RunPlanner
  /** Opens the previews of a dry run (`--dry-run`); undefined without the flag. */
  readonly preview: (() => Promise<Previewer>) | undefined
  readonly ui: UiService
  /** Adds a note below the output. */
  readonly addFooter: (text: string) => void
  /** Returns the choice among the records of a list; undefined if all records are wanted. */
  readonly chooseRecords: (
    endpoint?: Endpoint,
    parent?: Parent,
  ) => Promise<RecordFilter | undefined>
  /** Creates the context of a command for an instance other than the run's own. */
  createContext(instance: InstanceService): Context
  /** The context of the line's command. */
  readonly context: Context
  /** The options for reading single records in addition to their lists. */
  readonly singleReads: SingleReadOptions
  readonly polls: PollScreen
  /** The printer, which is told when a round of a repeated line begins. */
  readonly printing: { readonly begin: () => void }
  /** Prints rows to the output of the run. */
  readonly print: (rows: Rows) => Promise<void>
  /** Yields the rows of the run's command. @param targets the targets of the line, if its arguments do not name them */
  yieldRows(given: Given, targets?: LineTargets): Rows
  /** Yields the note that a shard has no objects. A journal that is to be merged with others records it. */
  readonly endEmptyShard: () => Rows
}
