/** Requests as they are sent: each by its way, followed to its end where the command does that. */
import type { Plan } from '../../../commands/described.js'
import type { Many, PlanAnswer } from '../../../commands/services.js'
import type { Operation, Received } from '../../../commands/types.js'
import { type Failure, survived } from '../../../errors.js'
import type { Answer as Download, Whole } from '../../../http/types.js'
import type { ExchangeServices } from '../instance/exchange.js'
import type { Sending } from '../instance/sending.js'
import { answerOf } from '../many/each.js'
import { mergedOf } from './merged.js'

export interface LiveSendingParts {
  readonly sending: Pick<Sending, 'open' | 'send'>
  readonly exchange: Pick<ExchangeServices, 'admit' | 'anonymous' | 'build' | 'client'>
}

type Parts = LiveSendingParts & {
  readonly crowd: {
    readonly each: <T>(items: readonly T[], work: (item: T) => Promise<void>) => Promise<void>
  }
}

/** What is sent of one operation, and how it is followed. */
export class LiveSending {
  readonly #parts: Parts
  readonly #operation: Operation
  /** What requests that were sent before were answered with. */
  readonly #came = new Map<Plan, Received>()
  /** What became of the objects of one request for several. */
  readonly #merged = new Map<Plan, Failure | undefined>()

  constructor(parts: Parts, operation: Operation) {
    this.#parts = parts
    this.#operation = operation
  }

  /** How a run over these requests goes. */
  get how(): Pick<Many, 'run' | 'together'> {
    const { finishWhen, merge } = this.#operation
    const together = merge === undefined ? finishWhen && this.#allSent : this.#allInOne
    return { run: this.#one, together }
  }

  readonly #one = async (plan: Plan): Promise<PlanAnswer> => {
    if (plan.refused !== undefined) throw plan.refused
    const { finish, send } = this.#operation
    if (send !== undefined) return send(plan)
    if (this.#merged.has(plan)) {
      const failure = this.#merged.get(plan)
      if (failure !== undefined) throw failure
      return {}
    }
    if (finish === undefined) return answerOf(plan, await this.#whole(plan))
    const came = this.#came.get(plan) ?? (await this.#answered(plan))
    this.#came.delete(plan)
    return finish(plan, came)
  }

  /** All are sent before the first is followed. */
  readonly #allSent = (plans: readonly Plan[]): Promise<void> =>
    this.#parts.crowd.each(plans, async (plan) => {
      if (plan.refused === undefined) this.#came.set(plan, await this.#answered(plan))
    })

  /** One request for all of them that go together. */
  readonly #allInOne = async (plans: readonly Plan[]): Promise<void> => {
    const { merge } = this.#operation
    const several = mergedOf(plans, merge).filter((merged) => merged.plans.length > 1)
    await this.#parts.crowd.each(several, async ({ request, plans: due }) => {
      try {
        const outcomes = await merge?.outcomes(due, await this.#whole(request))
        for (const [i, plan] of due.entries()) this.#merged.set(plan, outcomes?.[i])
      } catch (error) {
        const failure = survived(error)
        for (const plan of due) this.#merged.set(plan, failure)
      }
    })
  }

  async #answered(plan: Plan): Promise<Received> {
    try {
      if (plan.endpoint.returns.kind === 'file' && plan.request === undefined)
        return { download: await this.#download(plan) }
      return { whole: await this.#whole(plan) }
    } catch (error) {
      return { failure: survived(error) }
    }
  }

  #download(plan: Plan): Promise<Download> {
    return this.#parts.sending.open(plan)
  }

  async #whole(plan: Plan): Promise<Whole> {
    const { exchange, sending } = this.#parts
    const { to } = this.#operation
    if (plan.request !== undefined) {
      await exchange.admit(plan.request)
      return (await exchange.client(plan.called)).call(plan.request)
    }
    if (to === undefined) return sending.send(plan)
    const { origin, credential, party, request = (one) => one } = to
    const wire = request(await exchange.build(plan, origin))
    await exchange.admit(wire, true)
    return (await exchange.anonymous(origin, credential, party)).call(wire)
  }
}
