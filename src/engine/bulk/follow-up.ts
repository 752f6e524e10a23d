/**
 * Sends follow-up requests: the second request that some commands need for each object of a run. The journal of that run records the values
 * that they set.
 */

import type { Clock } from '../../base/async.js'
import { getSentAttributes } from '../command/object-reader.js'
import type { Plan, WriteOptions } from '../command/types.js'
import type { InstanceExchange } from '../instance/exchange.js'
import { readWork } from '../journal/objects.js'
import { createAttributeMask, createRunRecord } from '../journal/run-record.js'
import { type Journal, resumeJournal } from '../journal/writer.js'
import { getParentFields } from '../records/object-rows.js'
import type { PlanAnswer, Rows } from '../rows.js'
import { type Item, type Outcome, toOutcome } from '../work/report.js'
import { getObjectKey } from '../work/seen-objects.js'
import type { BulkRunner } from './runner.js'

/** Loads the objects of a journal by their keys. */
const loadItems = async (journal: Journal): Promise<ReadonlyMap<string, Item>> => {
  const items = new Map<string, Item>()
  for await (const item of readWork(journal)) items.set(getObjectKey(item), item)
  return items
}

/**
 * Adds the outcome of a follow-up request to the journal, with the values that it set. Undo then knows that they came from the run, and
 * restores the values from before it: an earlier line of the journal has these.
 */
const recordFollowUp = (
  journal: Journal,
  item: Item,
  plan: Plan,
  outcome: Outcome<PlanAnswer>,
): Promise<void> =>
  createRunRecord<PlanAnswer>(journal, {
    getFacts: () => ({ before: {}, after: getSentAttributes(plan) }),
    mask: createAttributeMask(plan.endpoint),
  }).recordOutcome(item, outcome)

/** The parts of the run that follow-up requests use: its runner, its request log and its journal. */
export interface FollowUpServices {
  readonly bulk: Pick<BulkRunner, 'runPlans'>
  readonly send: (plan: Plan) => Promise<PlanAnswer>
  /** The request log, which leaves out requests while a journal records them. */
  readonly requests: Pick<InstanceExchange['requests'], 'setJournal'>
  /** The journal file of the run; undefined if the run has no journal. */
  readonly file: string | undefined
  readonly clock: Clock
}

/**
 * Sends the follow-up requests of a run.
 * @throws Failure of the requests as a whole
 */
export async function* sendFollowUps(
  { bulk, send, requests, file, clock }: FollowUpServices,
  plans: readonly Plan[],
  options: Pick<WriteOptions, 'done'>,
): Rows {
  // `kept: false`: the runner must not create a journal of its own.
  if (file === undefined) return yield* bulk.runPlans(plans, { ...options, run: send, kept: false })
  const { journal } = await resumeJournal(file, clock)
  const items = await loadItems(journal)
  let sent = 0
  const run = async (plan: Plan): Promise<PlanAnswer> => {
    const outcome = await send(plan).then(
      (result) => ({ state: 'done', result }) as const,
      toOutcome,
    )
    sent += 1
    const item = items.get(getObjectKey(getParentFields(plan)))
    if (item !== undefined) await recordFollowUp(journal, item, plan, outcome)
    if ('failure' in outcome) throw outcome.failure
    return outcome.result
  }
  requests.setJournal(true)
  try {
    yield* bulk.runPlans(plans, { ...options, run, kept: false })
  } finally {
    requests.setJournal(false)
    const end = sent === plans.length ? 'completed' : 'stopped'
    await journal.end(end).catch(() => {})
    await journal.close()
  }
}
