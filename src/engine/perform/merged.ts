/** Requests that go as one: of several projects or groups, one for each of them. */
import type { Plan } from '../command/described.js'
import type { Merge } from '../command/types.js'

/** One request, and the requests in whose place it goes. */
interface Merged {
  readonly request: Plan
  readonly plans: readonly Plan[]
}

/** What plans that go as one have in common. */
const together = ({ parent, row }: Plan): string => JSON.stringify([parent?.name, row])

/** What is sent of these; one that is refused, or alone, stands for itself. */
export const mergedOf = (plans: readonly Plan[], merge: Merge | undefined): readonly Merged[] => {
  if (merge === undefined) return plans.map((plan) => ({ request: plan, plans: [plan] }))
  const groups = new Map<unknown, Plan[]>()
  for (const plan of plans) {
    const key = plan.refused === undefined ? together(plan) : plan
    groups.set(key, [...(groups.get(key) ?? []), plan])
  }
  return [...groups.values()].map((group) => {
    const [only, ...others] = group
    const alone = only !== undefined && others.length === 0
    return { request: alone ? only : merge.request(group), plans: group }
  })
}
