/**
 * Sends follow-up requests: the second request that some commands need for each object of a run. The journal of that run records the values
 * that they set.
 */

import { getSentAttributes } from '../command/object-reader.js'
import type { Plan, WriteOptions } from '../command/types.js'
import type { InstanceExchange } from '../instance/exchange.js'
import { readWork } from '../journal/objects.js'
import { createAttributeMask } from '../journal/run-record.js'
import { type Journal, resumeJournal } from '../journal/writer.js'
import { getParentFields } from '../records/object-rows.js'
import type { PlanAnswer, Rows } from '../rows.js'
import { type End, getItemPlace, getObjectKey, type Item } from '../work/report.js'
import type { BulkRunner } from './runner.js'

/** Loads the objects of a journal by their keys. */
const loadItems = async (journal: Journal): Promise<ReadonlyMap<string, Item>> => {
  const items = new Map<string, Item>()
  for await (const item of readWork(journal)) items.set(getObjectKey(item), item)
  return items
}

/**
 * Adds the values that a follow-up request set to the journal. Undo then knows that they came from the run, and restores the values from
 * before it.
 */
const recordSentValues = async (
  journal: Journal,
  items: ReadonlyMap<string, Item>,
  plan: Plan,
): Promise<void> => {
  const item = items.get(getObjectKey(getParentFields(plan)))
  const after = createAttributeMask(plan.endpoint)(getSentAttributes(plan))
  // An earlier line of the journal has the values from before the run.
  if (item !== undefined)
    await journal.append({ ...getItemPlace(item), state: 'done', before: {}, after })
}

/** The parts of the run that follow-up requests use: its runner, its request log and its journal. */
export interface FollowUpServices {
  readonly bulk: Pick<BulkRunner, 'runPlans'>
  readonly send: (plan: Plan) => Promise<PlanAnswer>
  /** The request log, which leaves out requests while a journal records them. */
  readonly requests: Pick<InstanceExchange['requests'], 'setJournal'>
  /** The journal file of the run; undefined if the run has no journal. */
  readonly file: string | undefined
}

/**
 * Sends the follow-up requests of a run.
 * @throws Failure of the requests as a whole
 */
export async function* sendFollowUps(
  { bulk, send, requests, file }: FollowUpServices,
  plans: readonly Plan[],
  options: Pick<WriteOptions, 'done'>,
): Rows {
  // `kept: false`: the runner must not create a journal of its own.
  if (file === undefined) return yield* bulk.runPlans(plans, { ...options, run: send, kept: false })
  const { journal } = await resumeJournal(file)
  const items = await loadItems(journal)
  const run = async (plan: Plan): Promise<PlanAnswer> => {
    const answer = await send(plan)
    await recordSentValues(journal, items, plan)
    return answer
  }
  let end: End = 'stopped'
  requests.setJournal(true)
  try {
    yield* bulk.runPlans(plans, { ...options, run, kept: false })
    end = 'completed'
  } finally {
    requests.setJournal(false)
    await journal.end(end).catch(() => {})
    await journal.close()
  }
}
