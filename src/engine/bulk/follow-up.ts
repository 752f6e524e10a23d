/** Sends further requests for the objects of a run and records them in its journal, so that the command line remains one run. */

import { getSentAttributes } from '../command/object-reader.js'
import type { Plan, WriteOptions } from '../command/types.js'
import type { InstanceExchange } from '../instance/exchange.js'
import { readWork } from '../journal/objects.js'
import { createAttributeMask } from '../journal/record.js'
import { type Journal, resumeJournal } from '../journal/writer.js'
import { getParentFields } from '../records/object-rows.js'
import type { PlanAnswer, Rows } from '../rows.js'
import { type End, getItemPlace, type Item } from '../work/report.js'
import { getObjectKey } from '../work/seen-objects.js'
import type { BulkRunner } from './runner.js'

/** Reads the objects of a journal, each with its place in it. */
const loadPlaces = async (journal: Journal): Promise<ReadonlyMap<string, Item>> => {
  const places = new Map<string, Item>()
  for await (const item of readWork(journal)) places.set(getObjectKey(item), item)
  return places
}

/** Records the values that a further request set, so that undo restores those from before the run. */
const recordIn = async (
  journal: Journal,
  places: ReadonlyMap<string, Item>,
  plan: Plan,
): Promise<void> => {
  const item = places.get(getObjectKey(getParentFields(plan)))
  const after = createAttributeMask(plan.endpoint)(getSentAttributes(plan))
  // An earlier line of the journal has the values from before the run.
  if (item !== undefined)
    await journal.append({ ...getItemPlace(item), state: 'done', before: {}, after })
}

export interface FollowUpParts {
  readonly bulk: Pick<BulkRunner, 'runPlans'>
  readonly send: (plan: Plan) => Promise<PlanAnswer>
  /** Decides whether sent requests are recorded in a journal. */
  readonly requests: Pick<InstanceExchange['requests'], 'setJournal'>
  /** The journal file of the run; undefined if the run has no journal. */
  readonly file: string | undefined
}

/**
 * Sends further requests for the objects of a run.
 * @throws Failure of the requests as a whole
 */
export async function* followUp(
  { bulk, send, requests, file }: FollowUpParts,
  plans: readonly Plan[],
  options: Pick<WriteOptions, 'done'>,
): Rows {
  if (file === undefined) return yield* bulk.runPlans(plans, { ...options, run: send, kept: false })
  const { journal } = await resumeJournal(file)
  const places = await loadPlaces(journal)
  const run = async (plan: Plan): Promise<PlanAnswer> => {
    const answer = await send(plan)
    await recordIn(journal, places, plan)
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
