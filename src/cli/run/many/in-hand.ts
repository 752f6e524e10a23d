/** Plans, whether they are there or still come. */
import type { Plan, Plans } from '../../../commands/described.js'

export const isHeld = (plans: Plans): plans is readonly Plan[] => Array.isArray(plans)

/** All of them, when the last has come. */
export const inHand = async (plans: Plans): Promise<readonly Plan[]> => {
  if (isHeld(plans)) return plans
  const all: Plan[] = []
  for await (const plan of plans) all.push(plan)
  return all
}
