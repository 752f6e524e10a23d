/** Names the object of each plan in a dry run, and turns plans into safe ones, which a run neither confirms nor reports as done. */
import type { Endpoint } from '../../catalogue/endpoint.js'
import type { CommandFacts, Plan } from '../command/types.js'
import { type GivenObject, maxNamed } from '../work/report.js'

/**
 * Returns the name of a plan's object. If the plan names none, this is the value of the first placeholder, or else the area.
 * @param isNaming true for the name that other commands take, which may be shorter than the label
 */
export const getPlanObjectName = (
  { label, object = label, endpoint, values }: Plan,
  { area }: Pick<CommandFacts, 'area'>,
  isNaming: boolean,
): string => {
  const name = isNaming ? object : label
  if (name !== undefined) return name
  const [holder] = Object.keys(endpoint.path)
  return holder === undefined ? area : String(values[holder])
}

/** Passes objects on and records the first of them, so that a report can name those. */
export class FirstObjects {
  readonly first: GivenObject[] = []
  readonly #objects: AsyncIterable<GivenObject>

  constructor(objects: AsyncIterable<GivenObject>) {
    this.#objects = objects
  }

  async *all(): AsyncGenerator<GivenObject> {
    for await (const object of this.#objects) {
      if (this.first.length < maxNamed) this.first.push(object)
      yield object
    }
  }
}

/** Turns plans into safe ones and finds their originals again. All plans with the same endpoint share one safe endpoint. */
export class ReadingPlans {
  readonly #command: Pick<CommandFacts, 'area'>
  readonly #isNaming: boolean
  readonly #made = new Map<Endpoint, Endpoint>()
  readonly #originals = new WeakMap<Plan, Plan>()

  constructor(command: Pick<CommandFacts, 'area'>, isNaming: boolean) {
    this.#command = command
    this.#isNaming = isNaming
  }

  /** Returns the safe plan for a plan. */
  of(plan: Plan): Plan {
    const endpoint = this.#toSafeEndpoint(plan.endpoint)
    const read = {
      ...plan,
      endpoint,
      label: getPlanObjectName(plan, this.#command, this.#isNaming),
    }
    this.#originals.set(read, plan)
    return read
  }

  /** Returns the plan from which a safe plan was made. */
  original(read: Plan): Plan {
    return this.#originals.get(read) ?? read
  }

  #toSafeEndpoint(endpoint: Endpoint): Endpoint {
    const known = this.#made.get(endpoint)
    if (known !== undefined) return known
    const { destructive: _, ...kept } = endpoint
    const safe: Endpoint = { ...kept, safe: true }
    this.#made.set(endpoint, safe)
    return safe
  }
}
