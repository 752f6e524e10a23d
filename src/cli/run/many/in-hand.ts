/** Plans, whether they are there or still come. */
import type { JsonValues } from '../../../base/json/value.js'
import type { Given, Plan, Plans } from '../../../commands/described.js'

export const isHeld = (plans: Plans): plans is readonly Plan[] => Array.isArray(plans)

/** All of them: what is not planned yet is. */
export const inHand = async (
  plans: Plans,
  plan: (given: Given, override?: JsonValues) => Promise<readonly Plan[]>,
): Promise<readonly Plan[]> => (isHeld(plans) ? plans : plan(plans.given, plans.override))
