/** Finds what each plan of a dry run is about, and creates the plan that only reads it. */
import type { Endpoint } from '../../catalogue/endpoint.js'
import type { CommandFacts, Plan } from '../command/types.js'
import { type GivenObject, maxNamed } from '../work/report.js'

/**
 * Returns the name of the object of a plan.
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

/** Objects as they come, and the first of them. */
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

/** Creates plans that only read: they are neither confirmed nor reported as done. Of each endpoint there is one such. */
export class ReadingPlans {
  readonly #command: Pick<CommandFacts, 'area'>
  readonly #isNaming: boolean
  readonly #made = new Map<Endpoint, Endpoint>()
  readonly #originals = new WeakMap<Plan, Plan>()

  constructor(command: Pick<CommandFacts, 'area'>, isNaming: boolean) {
    this.#command = command
    this.#isNaming = isNaming
  }

  of(plan: Plan): Plan {
    const endpoint = this.#harmless(plan.endpoint)
    const read = {
      ...plan,
      endpoint,
      label: getPlanObjectName(plan, this.#command, this.#isNaming),
    }
    this.#originals.set(read, plan)
    return read
  }

  original(read: Plan): Plan {
    return this.#originals.get(read) ?? read
  }

  #harmless(endpoint: Endpoint): Endpoint {
    const known = this.#made.get(endpoint)
    if (known !== undefined) return known
    const { destructive: _, ...kept } = endpoint
    const harmless: Endpoint = { ...kept, safe: true }
    this.#made.set(endpoint, harmless)
    return harmless
  }
}
