/** The plans of a run on their way to the engine: numbered, each once. */

import type { Plan, PlanSource } from '../command/types.js'
import { getParentFields } from '../records/object-rows.js'
import type { PlanAnswer } from '../rows.js'
import type { GivenObject, Item, ItemOutcome } from '../work/report.js'
import { SeenObjects } from '../work/seen-objects.js'

/** Returns the object and the parent of a plan as the journal names them: in a tree, the parent's kind stands before its name. */
export const placeOf = (plan: Plan) => {
  const fields = getParentFields(plan)
  return { ...fields, parent: plan.parent?.name ?? fields.parent }
}

/** A plan in its place. */
export interface NumberedPlan extends Item {
  readonly plan: Plan
}

/** The outcome of a plan. */
export type Result = ItemOutcome<PlanAnswer, NumberedPlan>

/** The plans that a run works on. */
export interface WorkQueue {
  readonly items: AsyncIterable<NumberedPlan>
  /** The items, if all of them are in hand. */
  readonly held?: readonly NumberedPlan[]
  /** The first plan; undefined where there is none. */
  readonly first: Plan | undefined
  /** The plans that are known before anything is sent: all of them, or the first. */
  readonly known: readonly Plan[]
  /** Returns the number of objects that there will be; undefined while that is not known. */
  readonly total: () => number | undefined
  /** Returns the number of objects by now. */
  readonly queued: () => number
  /** Returns the number of objects that were given once more. */
  readonly twice: () => number
  /** Returns true if the input did not come to its end: it is to be given again. */
  readonly cut?: () => boolean
}

/** Takes plans in one after the other; what has no name is its own. */
export class Deduplicator {
  readonly #seen = new SeenObjects()
  twice = 0
  queued = 0

  take(plan: Plan): boolean {
    const known = plan.label !== undefined && !this.#seen.add(getParentFields(plan))
    if (known) this.twice += 1
    else this.queued += 1
    return !known
  }
}

const toPlacedPlan = (plan: Plan, n: number): NumberedPlan => ({
  n,
  ...getParentFields(plan),
  plan,
})

/** Items in hand, as they would come. */
async function* yieldItems(items: readonly NumberedPlan[]): AsyncGenerator<NumberedPlan> {
  yield* items
}

/** Items in hand, of which so many were given once more. */
export const createQueue = (items: readonly NumberedPlan[], twice: number): WorkQueue => {
  const known = items.map(({ plan }) => plan)
  return {
    items: yieldItems(items),
    held: items,
    first: known[0],
    known,
    total: () => known.length,
    queued: () => known.length,
    twice: () => twice,
  }
}

/** Plans in hand. */
export const createHeldQueue = (plans: readonly Plan[]): WorkQueue => {
  const once = new Deduplicator()
  const items = plans.filter((plan) => once.take(plan)).map((plan, i) => toPlacedPlan(plan, i + 1))
  return createQueue(items, once.twice)
}

/** Objects that are planned as they come, after the first. */
export const createArrivingQueue = (
  first: Plan,
  objects: AsyncIterable<GivenObject> | Iterable<GivenObject>,
  source: Pick<PlanSource, 'known' | 'planOf'>,
): WorkQueue => {
  const once = new Deduplicator()
  let ended = false
  const each = async function* (): AsyncGenerator<NumberedPlan> {
    for await (const object of objects) {
      const plan = await source.planOf(object)
      if (once.take(plan)) yield toPlacedPlan(plan, once.queued)
    }
    ended = true
  }
  return {
    items: each(),
    first,
    known: [first],
    total: () => (ended ? once.queued : source.known?.count),
    queued: () => once.queued,
    twice: () => once.twice,
  }
}
