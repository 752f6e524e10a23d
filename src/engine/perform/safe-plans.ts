/**
 * Converts the plans of a dry run to safe ones, which need no confirmation and are not reported as done, and names
 * their objects.
 */
import type { Endpoint } from '../../catalogue/endpoint.js'
import type { CommandFacts, Plan } from '../command/types.js'
import { type GivenObject, maxNamed } from '../work/report.js'

/**
 * Returns the name of a plan's object. A plan without one is named by the value of its first placeholder, or by the
 * area.
 * @param isNaming true for the name that other commands take, which may be shorter than the label
 */
export const getPreviewName = (
  { label, object = label, endpoint, values }: Plan,
  { area }: Pick<CommandFacts, 'area'>,
  isNaming: boolean,
): string => {
  const name = isNaming ? object : label
  if (name !== undefined) return name
  const [holder] = Object.keys(endpoint.path)
  return holder === undefined ? area : String(values[holder])
}

/** Passes objects on and remembers the first ones for the confirmation. */
export class FirstObjects {
  readonly first: GivenObject[] = []
  readonly #objects: AsyncIterable<GivenObject>

  constructor(objects: AsyncIterable<GivenObject>) {
    this.#objects = objects
  }

  async *yieldAll(): AsyncGenerator<GivenObject> {
    for await (const object of this.#objects) {
      if (this.first.length < maxNamed) this.first.push(object)
      yield object
    }
  }
}

/** Creates safe plans and finds their originals. Plans with one endpoint share one safe endpoint. */
export class SafePlans {
  readonly #command: Pick<CommandFacts, 'area'>
  readonly #isNaming: boolean
  readonly #made = new Map<Endpoint, Endpoint>()
  readonly #originals = new WeakMap<Plan, Plan>()

  constructor(command: Pick<CommandFacts, 'area'>, isNaming: boolean) {
    this.#command = command
    this.#isNaming = isNaming
  }

  /** Returns the safe form of a plan. */
  toSafePlan(plan: Plan): Plan {
    const endpoint = this.#toSafeEndpoint(plan.endpoint)
    const read = {
      ...plan,
      endpoint,
      label: getPreviewName(plan, this.#command, this.#isNaming),
    }
    this.#originals.set(read, plan)
    return read
  }

  /** Returns the original of a safe plan. */
  getOriginal(read: Plan): Plan {
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
