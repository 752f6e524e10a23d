/** What a run is made of, as whoever carries out the actions of its line sees it. */
import type { Endpoint } from '../catalogue/endpoint.js'
import type { RunAnswer } from './answer/run-answer.js'
import type { FollowUpParts } from './bulk/follow-up.js'
import type { BulkRunner } from './bulk/runner.js'
import type { InstanceService, Services } from './command/services.js'
import type { Caller } from './instance/caller.js'
import type { InstanceExchange } from './instance/exchange.js'
import type { Lists } from './instance/listing.js'
import type { Planning } from './instance/planning.js'
import type { RunOptions } from './options.js'
import type { Curl } from './perform/curl.js'
import type { Previews } from './perform/preview.js'
import type { RecordChoice } from './records/where.js'
import type { Prompter } from './workspace/prompter.js'
import type { Workspace } from './workspace/workspace.js'

export interface LineParts {
  readonly answer: RunAnswer
  readonly bulk: BulkRunner
  readonly caller: Caller
  /** `--curl`: prints requests. */
  readonly curl: Curl | undefined
  readonly exchange: InstanceExchange
  /** What sends further requests to the objects of the run, on record in its journal. */
  readonly following: FollowUpParts
  readonly instance: InstanceService
  readonly lists: Lists
  readonly options: RunOptions
  readonly place: Workspace
  readonly planning: Planning
  /** `--dry-run`: shows what would be written; undefined where it is. */
  readonly preview: (() => Promise<Previews>) | undefined
  readonly ui: Prompter
  /** Says a line that stands below the output. */
  readonly later: (text: string) => void
  /** Returns which records of a list are wanted; undefined where all are. */
  readonly choice: (endpoint?: Endpoint) => Promise<RecordChoice | undefined>
  /** Returns what a command is handed that talks to an instance in another way. */
  servicesWith(instance: InstanceService): Services
}
