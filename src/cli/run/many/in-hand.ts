/** Plans, whether they are there or still come. */
import { ahead, mostAtOnce } from '../../../base/ahead.js'
import type { JsonValues } from '../../../base/json/value.js'
import type {
  Coming,
  Given,
  Plan,
  PlanSource,
  Plans,
  Unplanned,
} from '../../../commands/described.js'

/** What reads from the instance does so for as many at once as a gate ever lets go. */
export const widthOf = ({ reads }: Pick<Unplanned, 'reads'>): number =>
  reads === true ? mostAtOnce : 1

const isHeld = (plans: Plans): plans is readonly Plan[] => Array.isArray(plans)

const isComing = (plans: Plans): plans is PlanSource => 'planOf' in plans

/** All of them: what is not planned yet is. */
export const inHand = async (
  plans: Plans,
  plan: (given: Given, override?: JsonValues) => Promise<readonly Plan[]>,
): Promise<readonly Plan[]> => {
  if (isHeld(plans)) return plans
  const all: Plan[] = []
  if (!isComing(plans)) {
    const { given, override, each } = plans
    const made = await plan(given, override)
    if (each === undefined) return made
    for await (const one of ahead(made, widthOf(plans), each)) all.push(one)
    return all
  }
  for await (const object of plans.objects) all.push(await plans.planOf(object))
  return all
}

/** What plans objects as they come. */
export interface SourceMaker {
  source(unplanned: Unplanned, coming: Coming): Promise<PlanSource>
}

/** Objects that are planned as they come; undefined where they are in hand. */
export const sourceOf = async (
  plans: Plans,
  { source }: SourceMaker,
): Promise<PlanSource | undefined> => {
  if (isHeld(plans)) return undefined
  if (isComing(plans)) return plans
  const { coming } = plans.given
  return coming === undefined ? undefined : source(plans, coming)
}
