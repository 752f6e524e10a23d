/** One object of a run that keeps a journal: looked at before it is changed, and described after. */
import { methodOf } from '../../catalogue/endpoint.js'
import { Failure, isMissing, survived } from '../../errors.js'
import { asUnchanged, keptOf } from '../command/answered.js'
import type { Plan } from '../command/described.js'
import type { InstanceService, PlanAnswer } from '../command/services.js'
import type { Command } from '../command/types.js'
import type { Attributes, Header } from '../journal/lines.js'
import type { Facts } from '../journal/record.js'
import type { Item } from '../work/items.js'
import {
  creates,
  Former,
  identityIn,
  isSo,
  leftBy,
  type ReadOnce,
  readWith,
  selectedAs,
  wishOf,
} from './former.js'
import type { Inverse } from './inverse.js'

interface DoingParts {
  readonly command: Pick<Command, 'area'>
  readonly instance: InstanceService
  readonly reads: ReadOnce
  /** Whether a request may be sent, as far as its profile says. */
  readonly admits: (plan: Plan) => Promise<boolean>
  readonly header: Header
  /** What takes the run back, where what was there before is kept for that. */
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
  /** What was there before, by place, from when an object is looked at until it is done. */
  readonly #seen = new Map<number, Facts>()

  constructor(parts: DoingParts) {
    this.#parts = parts
    this.#former = new Former(parts.reads, parts.instance, parts.command.area)
  }

  /** What is known of an object before it is begun. */
  seen({ n }: Item): Facts {
    return this.#seen.get(n) ?? {}
  }

  /** Looks at an object before it is begun: what cannot be read is written all the same, and cannot be undone. */
  async look(item: Item, plan: Plan): Promise<void> {
    if (item.how === 'read' || plan.refused !== undefined || this.#seen.has(item.n)) return
    try {
      const before = await this.#before(item, plan)
      if (before !== undefined) this.#seen.set(item.n, { before })
    } catch (error) {
      this.#seen.set(item.n, { unread: survived(error).message })
    }
  }

  async one(item: Item, plan: Plan, send: Send): Promise<Done> {
    if (item.how === 'read') return this.#look(item, plan)
    const { before, unread } = this.seen(item)
    this.#seen.delete(item.n)
    if (item.how === 'look' && isSo(wishOf(plan), before ?? null))
      return { answer: unchanged(), facts: {} }
    const sent = item.how === 'again' ? await gone(send, plan) : await send(plan)
    // What was as it is to be is sent all the same: others may change it meanwhile.
    const same = sent.unchanged !== true && isSo(wishOf(plan), before ?? null)
    const answer = same ? asUnchanged(sent) : sent
    const facts = keptOf(answer)
    if (answer.unchanged === true) return { answer, facts }
    if (creates(plan))
      return { answer, facts: { ...facts, before: null, after: identityIn(answer.value, plan) } }
    if (before === undefined)
      return { answer, facts: unread === undefined ? facts : { ...facts, unread } }
    const after = await this.#after(item, plan, answer, before)
    return { answer, facts: { ...facts, before, after } }
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
    const { inverse, header, selected, stale } = this.#parts
    const known = readWith(plan) ?? selectedAs(item.before ?? selected(plan), plan)
    if (inverse === undefined || (known !== undefined && !stale)) return known
    // What may not be sent is not looked at either: it is refused as it is sent.
    if (creates(plan) || !(await this.#parts.admits(plan))) return undefined
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
    if (inverse?.presence !== true) return leftBy(plan, answer, before)
    if (methodOf(plan.endpoint) === 'DELETE') return null
    const shown = this.#former.shown(answer.value, inverse, header, item, plan)
    // What cannot be read any more is done all the same.
    return shown ?? this.#former.presence(inverse, header, item, plan).catch(() => ({}))
  }
}

/** What was deleted before is gone already. */
const gone = async (send: Send, plan: Plan): Promise<PlanAnswer> => {
  try {
    return await send(plan)
  } catch (error) {
    if (isMissing(error)) return unchanged()
    throw error
  }
}
