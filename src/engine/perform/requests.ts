/** The requests that a command wants made of its targets, each complete. */
import { mapConcurrent, maxConcurrent } from '../../base/async.js'
import type { Given, Merge, ObjectStream, Operation, Plan, PlanSource } from '../command/types.js'

import type { Planning } from '../instance/planning.js'
import { givenFor, type ParentTarget } from '../plan/parents.js'
import { completing } from '../plan/plan.js'
import { apartWithRows } from '../plan/row-fields.js'

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

/** What an operation works on, where that is not what the line names by itself. */
export type Targets =
  | { readonly slots: readonly ParentTarget[] }
  | { readonly coming: ObjectStream }

/** Whether requests are made as their objects come. */
export const isSource = (plans: readonly Plan[] | PlanSource): plans is PlanSource =>
  'planOf' in plans

export class Requests {
  readonly #planning: Planning

  constructor(planning: Planning) {
    this.#planning = planning
  }

  /** In hand, or made as the objects come. */
  of(
    given: Given,
    operation: Operation,
    targets: Targets | undefined,
  ): Promise<readonly Plan[] | PlanSource> {
    const { plans, plansFor } = operation
    if (plans !== undefined) return Promise.resolve(plans)
    const asked = operation.given ?? given
    if (targets === undefined && plansFor !== undefined) return plansFor(asked)
    if (targets === undefined) return this.#named(asked, operation)
    if ('slots' in targets) return this.below(asked, operation, targets.slots)
    return this.#planning.source(asked, operation, targets.coming)
  }

  /** Of what each of several projects or groups has. */
  async below(
    given: Given,
    operation: Operation,
    slots: readonly ParentTarget[],
  ): Promise<readonly Plan[]> {
    const plans: Plan[] = []
    for (const slot of slots)
      if (operation.plansFor !== undefined)
        for (const plan of await operation.plansFor(givenFor(given, slot)))
          plans.push({ ...plan, parent: slot.parent })
      else for await (const plan of this.#planning.below(given, operation, slot)) plans.push(plan)
    return this.#completed(plans, operation)
  }

  /** Of what the line names. */
  async #named(given: Given, operation: Operation): Promise<readonly Plan[]> {
    const { preset, split, standIn } = operation
    const { texts, ...rows } = apartWithRows(given, split)
    const args = standIn === undefined ? texts : texts.map(standIn)
    const apart = operation.merge !== undefined
    const plans = await this.#planning.plans({ ...given, args, ...rows }, preset, apart)
    const named = plans.map((plan, i) => {
      const text = texts[i]
      return standIn === undefined || text === undefined ? plan : { ...plan, label: text }
    })
    return this.#completed(named, operation)
  }

  async #completed(plans: readonly Plan[], operation: Operation): Promise<readonly Plan[]> {
    if (operation.complete === undefined) return plans
    const all: Plan[] = []
    const width = operation.reads === true ? maxConcurrent : 1
    for await (const plan of mapConcurrent(plans, width, completing(operation))) all.push(plan)
    return all
  }
}
