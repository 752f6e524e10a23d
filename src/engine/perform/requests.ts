/** The requests that are printed or shown instead of sent. */
import type { Merge, Plan, PlanSource } from '../command/types.js'
import { groupsOf } from '../work/groups.js'

/** Ends the work on an object, or the run, early and well: its request was printed instead of sent. */
export class Printed extends Error {}

// Requests that go as one: of several projects or groups, one for each of them.

/** The same for plans that go as one; undefined for one that is refused. */
export const mergeKey = ({ parent, row, refused }: Plan): string | undefined =>
  refused === undefined ? JSON.stringify([parent?.name, row]) : undefined

async function* plansIn(source: readonly Plan[] | PlanSource): AsyncGenerator<Plan> {
  if (!isSource(source)) yield* source
  else for await (const object of source.objects) yield source.planOf(object)
}

/** What is sent of these; one that is refused, or alone, stands for itself. */
export async function* mergedRequests(
  source: readonly Plan[] | PlanSource,
  merge: Merge | undefined,
): AsyncGenerator<Plan> {
  if (merge === undefined) return yield* plansIn(source)
  for await (const group of groupsOf(plansIn(source), mergeKey)) {
    const plans = group.map(({ item }) => item)
    const [only] = plans
    yield only !== undefined && plans.length === 1 ? only : merge.request(plans)
  }
}

/** Whether requests are made as their objects come. */
export const isSource = (plans: readonly Plan[] | PlanSource): plans is PlanSource =>
  'planOf' in plans
