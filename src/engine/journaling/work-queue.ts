/** Numbers the plans of a run and removes duplicates, for lists of plans and for plans that arrive. */

import type { Plan, PlanSource } from '../command/types.js'
import { getPlanIdentity } from '../plan/objects.js'
import { getParentFields } from '../records/object-rows.js'
import type { PlanAnswer } from '../rows.js'
import type { GivenObject, Item, ItemOutcome } from '../work/report.js'
import { SeenObjects } from '../work/seen-objects.js'

/**
 * Returns the object and the parent of a plan as a journal names them. In a tree, the parent's name contains its kind.
 */
export const getPlanPlace = (plan: Plan) => {
  const fields = getParentFields(plan)
  return { ...fields, parent: plan.parent?.name ?? fields.parent }
}

/** Converts a plan to an item that waits in the journal, with the attributes of its row. */
export const toQueuedItem = (plan: Plan) => ({ ...getPlanPlace(plan), row: plan.row })

/** A plan with its number. */
export interface NumberedPlan extends Item {
  readonly plan: Plan
}

/** The outcome of a plan. */
export type Result = ItemOutcome<PlanAnswer, NumberedPlan>

/** The plans that a run processes. */
export interface WorkQueue {
  readonly items: AsyncIterable<NumberedPlan>
  /** The items, if all of them are known from the start. */
  readonly held?: readonly NumberedPlan[]
  /** The first plan; undefined if there is none. */
  readonly first: Plan | undefined
  /** The plans that are known before anything is sent: all of them, or only the first. */
  readonly known: readonly Plan[]
  /** Returns the total number of objects; undefined while it is unknown. */
  readonly getTotal: () => number | undefined
  /** Returns the number of objects so far. */
  readonly countQueued: () => number
  /** Returns the number of repeated objects. */
  readonly countDuplicates: () => number
  /** Returns true if reading the input failed, so that it must be read again. */
  readonly isCut?: () => boolean
}

/** Detects repeated plans. A plan without a label is never a repetition. */
export class Deduplicator {
  readonly #seen = new SeenObjects()
  duplicates = 0
  queued = 0

  add(plan: Plan): boolean {
    const place = getParentFields(plan)
    const given = { ...place, object: getPlanIdentity(plan) ?? place.object }
    const known = plan.label !== undefined && !this.#seen.add(given)
    if (known) this.duplicates += 1
    else this.queued += 1
    return !known
  }
}

/** Removes the repeated plans of a list. */
export const removeRepeated = (plans: readonly Plan[]): readonly Plan[] => {
  const once = new Deduplicator()
  return plans.filter((plan) => once.add(plan))
}

/** Yields a list of items one by one. */
async function* yieldItems(items: readonly NumberedPlan[]): AsyncGenerator<NumberedPlan> {
  yield* items
}

/**
 * Creates the queue of a list of items.
 * @param twice the number of repeated objects that were removed
 */
export const createQueue = (items: readonly NumberedPlan[], twice: number): WorkQueue => {
  const known = items.map(({ plan }) => plan)
  return {
    items: yieldItems(items),
    held: items,
    first: known[0],
    known,
    getTotal: () => known.length,
    countQueued: () => known.length,
    countDuplicates: () => twice,
  }
}

/** Creates the queue of a list of plans. */
export const createHeldQueue = (plans: readonly Plan[]): WorkQueue => {
  const once = new Deduplicator()
  const items = plans
    .filter((plan) => once.add(plan))
    .map((plan, i) => ({ n: i + 1, ...getParentFields(plan), plan }))
  return createQueue(items, once.duplicates)
}

/** Creates the queue of objects that are planned as they arrive, after the first plan. */
export const createArrivingQueue = (
  first: Plan,
  objects: AsyncIterable<GivenObject> | Iterable<GivenObject>,
  source: Pick<PlanSource, 'known' | 'planOf'>,
): WorkQueue => {
  const once = new Deduplicator()
  let ended = false
  const yieldPlans = async function* (): AsyncGenerator<NumberedPlan> {
    for await (const object of objects) {
      const plan = await source.planOf(object)
      if (once.add(plan)) yield { n: once.queued, ...getParentFields(plan), plan }
    }
    ended = true
  }
  return {
    items: yieldPlans(),
    first,
    known: [first],
    getTotal: () => (ended ? once.queued : source.known?.count),
    countQueued: () => once.queued,
    countDuplicates: () => once.duplicates,
  }
}
