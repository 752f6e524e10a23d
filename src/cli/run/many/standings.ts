/** How far an interrupted run came: what was done, what failed, what may have been done. */
import { writes } from '../../../catalogue/endpoint.js'
import type { Plan } from '../../../commands/described.js'
import { mostNamed } from '../../../fleet/items.js'
import type { Result } from './intake.js'

/** Names of objects, as many as one wants to read. */
class Names {
  readonly #names: string[] = []
  #more = 0

  add({ label = '' }: Plan): void {
    if (this.#names.length < mostNamed) this.#names.push(label)
    else this.#more += 1
  }

  get text(): string {
    const more = this.#more === 0 ? '' : ` and ${this.#more} more`
    return `${this.#names.join(', ')}${more}`
  }
}

export class Standings {
  readonly #open = new Set<Plan>()
  readonly #done = new Names()
  readonly #failed = new Names()

  begun(plan: Plan): void {
    this.#open.add(plan)
  }

  settled({ item: { plan }, outcome }: Result): void {
    this.#open.delete(plan)
    if ('failure' in outcome) this.#failed.add(plan)
    else this.#done.add(plan)
  }

  line(): string {
    const open = new Names()
    for (const plan of this.#open) if (writes(plan.endpoint)) open.add(plan)
    return [
      `interrupted; done before that: ${this.#done.text || 'none'}`,
      ...(this.#failed.text === '' ? [] : [`failed: ${this.#failed.text}`]),
      ...(open.text === '' ? [] : [`under way, so that the outcome is not known: ${open.text}`]),
    ].join('; ')
  }
}
