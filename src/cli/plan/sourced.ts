/** The plans of objects that come: one after the other, of one project or group, or each with its own. */
import { ahead } from '../../base/ahead.js'
import type {
  Coming,
  Command,
  NamedObject,
  Plan,
  PlanSource,
  Unplanned,
} from '../../commands/types.js'
import type { GivenObject } from '../../fleet/items.js'
import { widthOf } from '../run/many/in-hand.js'
import { givenFor, type Slot, slotIn } from './parents.js'
import { Planner } from './planner.js'
import type { Surroundings } from './surroundings.js'

/** What belongs to projects is planned otherwise than what belongs to groups. */
class Planners {
  readonly #make: (slot: Slot | undefined) => Planner
  readonly #below: Coming['below']
  readonly #made = new Map<Slot['kind'] | undefined, Planner>()

  constructor(make: (slot: Slot | undefined) => Planner, below: Coming['below']) {
    this.#make = make
    this.#below = below
  }

  async objectOf({ text, parent, before }: NamedObject): Promise<GivenObject> {
    const slot = this.#slotOf(parent)
    const object = await this.#for(slot).objectOf(text, slot?.value)
    return {
      ...object,
      ...(parent === undefined ? {} : { parent }),
      ...(before === undefined ? {} : { before }),
    }
  }

  async planOf({ object, parent }: GivenObject): Promise<Plan> {
    const slot = this.#slotOf(parent)
    const owner = slot?.value ?? parent
    const plan = await this.#for(slot).planOf({
      object,
      ...(owner === undefined ? {} : { parent: owner }),
    })
    return slot === undefined ? plan : { ...plan, parent: slot.parent }
  }

  #slotOf(parent: string | undefined): Slot | undefined {
    return this.#below === undefined || parent === undefined
      ? undefined
      : slotIn(this.#below, parent)
  }

  #for(slot: Slot | undefined): Planner {
    const planner = this.#made.get(slot?.kind) ?? this.#make(slot)
    this.#made.set(slot?.kind, planner)
    return planner
  }
}

/** A plan for each object that comes. */
export const sourceOf = (
  command: Command,
  unplanned: Unplanned,
  { objects, below, confirm }: Coming,
  around: Surroundings,
): PlanSource => {
  const { given, override, each, checked } = unplanned
  const width = widthOf(unplanned)
  const planners = new Planners(
    (slot) =>
      new Planner(command, slot === undefined ? given : givenFor(given, slot), around, override),
    below,
  )
  const planOf = async (object: GivenObject): Promise<Plan> => {
    const plan = await planners.planOf(object)
    return each === undefined ? plan : each(plan)
  }
  const named = async function* (): AsyncGenerator<GivenObject> {
    const take = async (one: NamedObject): Promise<GivenObject> => {
      const object = await planners.objectOf(one)
      if (checked === true) await planOf(object)
      return object
    }
    yield* ahead(objects, checked === true ? width : 1, take)
  }
  return {
    objects: named(),
    planOf,
    width,
    ...(confirm === undefined ? {} : { confirm }),
    ...(checked === true ? { whole: true } : {}),
  }
}
