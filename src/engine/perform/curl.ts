/** `--curl`: requests as curl commands. Nothing is sent. */

import { toCurl } from '../../http/index.js'
import type { Plan, PlanSource } from '../command/described.js'
import type { AnswerService } from '../command/services.js'
import type { Operation } from '../command/types.js'
import type { ExchangeServices } from '../instance/exchange.js'
import type { Lists } from '../instance/listing.js'
import { mergePlans } from './requests.js'
import { readable } from './unsent.js'

interface Parts {
  readonly exchange: Pick<ExchangeServices, 'build' | 'curlOf' | 'guard'>
  readonly lists: Pick<Lists, 'request' | 'whole' | 'refuseChoice'>
  readonly answer: Pick<AnswerService, 'write'>
}

export class Curl {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The request of a list, and what of it would be tested here. */
  async list(plan: Plan, whole: boolean): Promise<void> {
    const { exchange, lists } = this.#parts
    if (plan.request !== undefined) return this.#one(plan, {})
    if (whole) return this.#write(await exchange.curlOf(await lists.whole(plan), plan.endpoint))
    const { request, tested } = await lists.request(plan)
    for (const line of tested) await this.#write(`# ${line}`)
    await this.#write(await exchange.curlOf(readable(request), plan.endpoint))
  }

  /** A request each, in their order; one for all where they go as one. */
  async print(source: readonly Plan[] | PlanSource, operation: Operation): Promise<void> {
    if ('planOf' in source) {
      for await (const object of source.objects)
        await this.#one(await source.planOf(object), operation)
      return
    }
    for (const { request } of mergePlans(source, operation.merge))
      await this.#one(request, operation)
  }

  async #one(plan: Plan, { to }: Operation): Promise<void> {
    const { exchange, lists } = this.#parts
    if (plan.refused !== undefined) throw plan.refused
    if (plan.request !== undefined) {
      lists.refuseChoice()
      await exchange.guard(plan.request)
      return this.#write(await exchange.curlOf(readable(plan.request), plan.called))
    }
    if (to === undefined)
      return this.#write(await exchange.curlOf(readable(await exchange.build(plan)), plan.endpoint))
    const { origin, credential, request = (one) => one } = to
    const wire = request(await exchange.build(plan, origin))
    await this.#write(toCurl(origin, readable(wire), credential.kind))
  }

  #write(command: string): Promise<void> {
    return this.#parts.answer.write(`${command}\n`)
  }
}
