/** One object of a run that keeps a journal: looked at before, where that is asked for, and after. */
import { keptOf } from '../../../../commands/answered.js'
import type { Plan } from '../../../../commands/described.js'
import type { Inverse } from '../../../../commands/journal/inverse.js'
import type { InstanceService, PlanAnswer } from '../../../../commands/services.js'
import type { Command } from '../../../../commands/types.js'
import { Failure, survived } from '../../../../errors.js'
import type { Item } from '../../../../fleet/items.js'
import type { Attributes, Header } from '../../../../fleet/journal/lines.js'
import type { Facts } from '../../../../fleet/journal/record.js'
import { creates, Former, identityIn, isSo, leftBy, selectedAs, wishOf } from './former.js'

interface DoingParts {
  readonly command: Pick<Command, 'area'>
  readonly instance: InstanceService
  readonly header: Header
  /** `--undo-record`: what takes the run back. */
  readonly inverse: Inverse | undefined
  readonly selected: (plan: Plan) => unknown
  /** It was selected in an earlier run, and may have been changed since. */
  readonly stale: boolean
}

interface Done {
  readonly answer: PlanAnswer
  readonly facts: Facts
}

type Send = (plan: Plan) => Promise<PlanAnswer>

const unknown = (): Failure =>
  new Failure('partial', 'it may have been written before, and is not as it was to be', {
    hint: 'Look at it, and begin a new run for it.',
    unknownOutcome: true,
  })

/** An answer of its own: facts are kept by it. */
const unchanged = (): PlanAnswer => ({ unchanged: true })

export class Doing {
  readonly #parts: DoingParts
  readonly #former: Former
  /** What was looked at before all were changed together, by place. */
  readonly #prepared = new Map<number, Attributes | undefined>()

  constructor(parts: DoingParts) {
    this.#parts = parts
    this.#former = new Former(parts.instance, parts.command.area)
  }

  /** Looks at an object that is changed with others, before it is done by itself. */
  async prepare(item: Item, plan: Plan): Promise<void> {
    const before = await this.#before(item, plan).catch((error: unknown) => {
      // What cannot be read fails when it is changed.
      survived(error)
      return undefined
    })
    this.#prepared.set(item.n, before)
  }

  async one(item: Item, plan: Plan, send: Send): Promise<Done> {
    if (item.how === 'read') return this.#look(item, plan)
    const prepared = this.#prepared.has(item.n)
    const before = prepared ? this.#prepared.get(item.n) : await this.#before(item, plan)
    this.#prepared.delete(item.n)
    if (!prepared && this.#isAlready(plan, before)) return { answer: unchanged(), facts: {} }
    const answer = item.how === 'again' ? await gone(send, plan) : await send(plan)
    const facts = keptOf(answer)
    if (answer.unchanged === true) return { answer, facts }
    if (creates(plan))
      return { answer, facts: { ...facts, before: null, after: identityIn(answer.value, plan) } }
    if (before === undefined) return { answer, facts }
    return {
      answer,
      facts: { ...facts, before, after: await this.#after(item, plan, answer, before) },
    }
  }

  /** Whether it is there already, or already as it is to be. */
  #isAlready({ endpoint, ...plan }: Plan, before: Attributes | undefined): boolean {
    const { inverse, stale } = this.#parts
    if (before === undefined || (stale && inverse === undefined)) return false
    if (endpoint.changes !== true && endpoint.leaves === undefined)
      return before !== null && !endpoint.route.startsWith('DELETE ')
    return isSo(wishOf({ ...plan, endpoint }), before)
  }

  /** What may have been sent, and is never sent twice: it is only looked at. */
  async #look(item: Item, plan: Plan): Promise<Done> {
    const { inverse } = this.#parts
    const wish = wishOf(plan)
    const now =
      plan.endpoint.changes === true || plan.endpoint.leaves !== undefined
        ? await this.#former.attributes(plan)
        : inverse?.presence === true && !creates(plan)
          ? await this.#former.presence(inverse, this.#parts.header, item, plan)
          : undefined
    if (now === undefined || now === null) throw unknown()
    if (Object.keys(wish).length > 0 && !isSo(wish, now)) throw unknown()
    return { answer: {}, facts: {} }
  }

  async #before(item: Item, plan: Plan): Promise<Attributes | undefined> {
    const { inverse, header, selected } = this.#parts
    if (inverse === undefined) return selectedAs(item.before ?? selected(plan), plan)
    if (creates(plan)) return undefined
    return inverse.presence
      ? this.#former.presence(inverse, header, item, plan)
      : this.#former.attributes(plan)
  }

  async #after(
    item: Item,
    plan: Plan,
    answer: PlanAnswer,
    before: Attributes,
  ): Promise<Attributes> {
    const { inverse, header } = this.#parts
    return inverse?.presence === true
      ? this.#former.presence(inverse, header, item, plan)
      : leftBy(plan, answer, before)
  }
}

/** What was deleted before is gone already. */
const gone = async (send: Send, plan: Plan): Promise<PlanAnswer> => {
  try {
    return await send(plan)
  } catch (error) {
    if (error instanceof Failure && error.details.lacks === 'record') return unchanged()
    throw error
  }
}
