/** Opens the journal of a run: of its writes, of a dry run that is saved, and of a shard without objects. */

import { writes } from '../catalogue/endpoint.js'
import type { Engine } from '../engine/bulk/plan-work.js'
import type { Context } from '../engine/command/context.js'
import { canRecordJournal, isFullySent, isPreview } from '../engine/command/derive.js'
import type { Plan } from '../engine/command/types.js'
import type { InstanceExchange } from '../engine/instance/exchange.js'
import type { RunPlanner } from '../engine/instance/planning.js'
import type { PlanKeeper } from '../engine/journaling/planned-run.js'
import type { Workspace } from '../engine/workspace/workspace.js'
import type { AnswerOptions } from './options.js'

/** True if a run keeps a journal. Every run that writes does, unless the API itself only tries the write. */
const isKept = (
  { command, globals, journaling }: AnswerOptions,
  { endpoint, reverts, values }: Plan,
): boolean => {
  if (journaling.resumed !== undefined || reverts !== undefined) return true
  const isRecorded = canRecordJournal(command) || command.ownJournal === true
  if (globals.journal === 'none' || !isRecorded) return false
  if (endpoint.ownDryRun === true && values.dry_run === true) return false
  return globals.journal !== undefined || writes(endpoint)
}

/** The parts of a run that its journal records. */
interface JournaledParts {
  readonly exchange: InstanceExchange
  readonly place: Workspace
  readonly planning: RunPlanner
  readonly ui: Context['ui']
  readonly getInstance: () => Context['instance']
}

/** The journal of one run. */
export class RunJournal {
  readonly #options: AnswerOptions
  readonly #parts: JournaledParts
  readonly #addFooter: (text: string) => void
  #file: string | undefined

  constructor(options: AnswerOptions, parts: JournaledParts, addFooter: (text: string) => void) {
    this.#options = options
    this.#parts = parts
    this.#addFooter = addFooter
  }

  /** The file of the journal; undefined before it is opened. */
  get file(): string | undefined {
    return this.#file
  }

  get #header() {
    const { command, globals, journaling } = this.#options
    const { place, planning, ui } = this.#parts
    return { command, globals, journaling, place, ui, getReplies: () => planning.replies }
  }

  /** Returns the function that opens the journal of a run with this first plan; undefined if the run keeps none. */
  readonly createKeeper: Engine['createKeeper'] = (first, single, how) => {
    const options = this.#options
    if (!isKept(options, first)) return undefined
    return async () => {
      const { JournaledRun } = await import('../engine/journaling/journaled-run.js')
      const { exchange, getInstance } = this.#parts
      const { readOnce, canWrite, requests } = exchange
      const getSelected = (plan: Plan): unknown => options.chosen.get(plan)
      const sent = { getSelected, readOnce, canWrite, requests, instance: getInstance() }
      const addFooter = this.#addFooter
      const journaled = await JournaledRun.open(
        { ...this.#header, ...sent, addFooter, single, how },
        first,
      )
      this.#file = journaled.journal.file
      return journaled
    }
  }

  /** Creates the keeper of a dry run that is saved as a planned run; undefined if it is not saved. */
  async createPlanKeeper(): Promise<PlanKeeper | undefined> {
    const { globals, inner } = this.#options
    const byPerson = globals.save && ({ by: 'person', onSaved: this.#noteSavedPlan } as const)
    const planned = inner?.planned ?? (byPerson || undefined)
    if (planned === undefined || !isPreview(this.#options)) return undefined
    const { PlanKeeper } = await import('../engine/journaling/planned-run.js')
    return new PlanKeeper({ ...this.#header, single: false }, planned)
  }

  readonly #noteSavedPlan = (id: string, line: string): void =>
    this.#addFooter(`saved as ${id}; carry it out with: ${line}`)

  /** Records a shard without objects, so that all shards of a run have a journal. */
  async recordEmptyShard(): Promise<void> {
    const { command, journaling } = this.#options
    if (journaling.resumed !== undefined) return
    if (!isFullySent(this.#options) || !canRecordJournal(command)) return
    const { recordEmptyShard } = await import('../engine/journaling/journaled-run.js')
    await recordEmptyShard(this.#header)
  }
}
