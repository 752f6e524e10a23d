/** What a dry run makes of its plans: what each is about, and the plan that only reads it. */
import type { Endpoint } from '../../../catalogue/endpoint.js'
import type { Described, Plan } from '../../../commands/described.js'

/** What a plan is about, where it does not say. */
export const objectOf = (
  { label, endpoint, values }: Plan,
  { area }: Pick<Described, 'area'>,
): string => {
  const [first = ''] = endpoint.args ?? []
  // Several that go as one request.
  if (label !== undefined)
    return String(values[first]).includes(',') ? String(values[first]) : label
  const [holder] = Object.keys(endpoint.path)
  return holder === undefined ? area : String(values[holder])
}

/** Plans that only read: neither confirmed nor told of as done; of each endpoint there is one such. */
export class ReadingPlans {
  readonly #command: Pick<Described, 'area'>
  readonly #made = new Map<Endpoint, Endpoint>()
  readonly #originals = new WeakMap<Plan, Plan>()

  constructor(command: Pick<Described, 'area'>) {
    this.#command = command
  }

  of(plan: Plan): Plan {
    const endpoint = this.#harmless(plan.endpoint)
    const read = { ...plan, endpoint, label: objectOf(plan, this.#command) }
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
