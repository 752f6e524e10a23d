/** The plans of objects that come: one after the other, of one project or group, or each with its own. */
import { ahead, mostAtOnce } from '../../base/ahead.js'
import type {
  Coming,
  Command,
  Given,
  NamedObject,
  Operation,
  Plan,
  PlanSource,
} from '../../commands/types.js'
import type { GivenObject } from '../../fleet/items.js'
import { completing } from '../run/perform/complete.js'
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
      parent: owner,
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

/** What is done with the objects that come. */
interface Unplanned {
  readonly given: Given
  readonly operation: Operation
}

/** The objects that come, those of one text apart. */
async function* apart(
  objects: AsyncIterable<NamedObject>,
  split: Operation['split'],
): AsyncGenerator<NamedObject> {
  if (split === undefined) return yield* objects
  for await (const { text, ...others } of objects)
    for (const one of split(text)) yield { ...others, text: one }
}

/** A plan for each object that comes. */
export const sourceOf = (
  command: Command,
  { given, operation }: Unplanned,
  { objects, below, confirm }: Coming,
  around: Surroundings,
): PlanSource => {
  const { planFirst: checked, preset, split, standIn } = operation
  const width = operation.reads === true ? mostAtOnce : 1
  const planners = new Planners(
    (slot) =>
      new Planner(
        command,
        slot === undefined ? given : givenFor(given, slot),
        around,
        preset,
        standIn,
      ),
    below,
  )
  const complete = completing(operation)
  const planOf = async (object: GivenObject): Promise<Plan> =>
    complete(await planners.planOf(object))
  const named = async function* (): AsyncGenerator<GivenObject> {
    const take = async (one: NamedObject): Promise<GivenObject> => {
      const object = await planners.objectOf(one)
      if (checked === true) await planOf(object)
      return object
    }
    yield* ahead(apart(objects, split), checked === true ? width : 1, take)
  }
  return {
    objects: named(),
    planOf,
    width,
    confirm,
    ...(checked === true ? { whole: true } : {}),
  }
}
