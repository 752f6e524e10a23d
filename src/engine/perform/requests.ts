import type { Merge, Plan, PlanSource } from '../command/types.js'

/** Ends the work on an object, or the run, early and well: its request was printed instead of sent. */
export class Printed extends Error {}

// Requests that go as one: of several projects or groups, one for each of them.

/** One request, and the requests in whose place it goes. */
interface Merged {
  readonly request: Plan
  readonly plans: readonly Plan[]
}

/** What plans that go as one have in common. */
const together = ({ parent, row }: Plan): string => JSON.stringify([parent?.name, row])

/** At most so many plans go as one request: an instance limits the length of a request and the time for its answer. */
const maxMerged = 100

/** What is sent of these; one that is refused, or alone, stands for itself. */
export const mergePlans = (plans: readonly Plan[], merge: Merge | undefined): readonly Merged[] => {
  if (merge === undefined) return plans.map((plan) => ({ request: plan, plans: [plan] }))
  const groups: Plan[][] = []
  const open = new Map<unknown, Plan[]>()
  for (const plan of plans) {
    const key = plan.refused === undefined ? together(plan) : plan
    const group = open.get(key)
    if (group !== undefined && group.length < maxMerged) group.push(plan)
    else {
      const begun = [plan]
      groups.push(begun)
      open.set(key, begun)
    }
  }
  return groups.map((group) => {
    const [only, ...others] = group
    const alone = only !== undefined && others.length === 0
    return { request: alone ? only : merge.request(group), plans: group }
  })
}

/** Whether requests are made as their objects come. */
export const isSource = (plans: readonly Plan[] | PlanSource): plans is PlanSource =>
  'planOf' in plans
