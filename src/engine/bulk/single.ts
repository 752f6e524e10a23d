/** Sends the plan of a single object with a journal. */
import { recoverFrom } from '../../errors.js'
import type { Plan } from '../command/types.js'
import { isNamedBySecret, type JournaledRun } from '../journaling/journaled-run.js'
import { getPlanPlace, type NumberedPlan, toQueuedItem } from '../journaling/work-queue.js'
import type { PlanAnswer } from '../rows.js'
import { type End, type Outcome, toOutcome } from '../work/report.js'
import { createWithheldHandler, type Engine, type Keeper, type PlanSender } from './plan-work.js'

/**
 * Opens the journal of a single object and records the object. Returns undefined if the journal cannot be written and no flag requires one:
 * the log of requests then records the write, or warns that it cannot.
 */
const openSingleJournal = async (
  { globals }: Engine,
  keeper: Keeper,
  plan: Plan,
): Promise<JournaledRun | undefined> => {
  let journaled: JournaledRun | undefined
  try {
    journaled = await keeper()
    await journaled.writeObjects([toQueuedItem(plan)])
    return journaled
  } catch (error) {
    await journaled?.discard()
    const failure = recoverFrom(error)
    // A run that reverts another one is never sent without its record.
    if (globals.journal !== undefined || plan.reverts !== undefined) throw failure
    return undefined
  }
}

/** Runs a single object with a journal. Its outcome is returned even if it cannot be recorded. */
export const runJournaledSingle = async (
  engine: Engine,
  keeper: Keeper,
  plan: Plan,
  work: PlanSender,
): Promise<PlanAnswer> => {
  // An object that a secret names is sent without a journal.
  if (isNamedBySecret(plan)) return work(plan)
  const journaled = await openSingleJournal(engine, keeper, plan)
  if (journaled === undefined) return work(plan)
  const item: NumberedPlan = { n: 1, ...getPlanPlace(plan), plan }
  let warned = false
  const warnIfUnrecorded = (line: Promise<void>): Promise<void> =>
    line.catch((error: unknown) => {
      const { message } = recoverFrom(error)
      if (!warned) engine.ui.warn(`the result of this write is not recorded: ${message}`)
      warned = true
    })
  let end: End = 'interrupted'
  try {
    await journaled.readBefore(item)
    await warnIfUnrecorded(journaled.record.recordStart(item))
    const sent = journaled.sendOne(item, plan, work).catch(createWithheldHandler(plan))
    const outcome = await sent.then(
      (result): Outcome<PlanAnswer> => ({
        state: result.unchanged === true ? 'unchanged' : 'done',
        result,
      }),
      toOutcome,
    )
    await warnIfUnrecorded(journaled.record.recordOutcome(item, outcome))
    const isWithheld = 'failure' in outcome && outcome.failure.details.withheld === true
    end = isWithheld ? 'interrupted' : 'completed'
    if ('failure' in outcome) throw outcome.failure
    return outcome.result ?? {}
  } finally {
    await journaled.end(end)
  }
}
