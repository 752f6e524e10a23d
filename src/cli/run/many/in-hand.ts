/** Plans, whether they are there or still come. */
import type { JsonValues } from '../../../base/json/value.js'
import type { Given, Plan, PlanSource, Plans } from '../../../commands/described.js'

export const isHeld = (plans: Plans): plans is readonly Plan[] => Array.isArray(plans)

export const isComing = (plans: Plans): plans is PlanSource => 'planOf' in plans

/** All of them: what is not planned yet is. */
export const inHand = async (
  plans: Plans,
  plan: (given: Given, override?: JsonValues) => Promise<readonly Plan[]>,
): Promise<readonly Plan[]> => {
  if (isHeld(plans)) return plans
  if (!isComing(plans)) return plan(plans.given, plans.override)
  const all: Plan[] = []
  for await (const object of plans.objects) all.push(await plans.planOf(object))
  return all
}
