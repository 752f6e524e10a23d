/** The instance of a run, as a command sees it. */
import type { JsonValues } from '../../base/json/value.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { largestPage } from '../../client/defaults.js'
import {
  type Answered,
  answered,
  type Input,
  type Listing,
  type RecordOf,
} from '../../client/typed.js'
import type { Credential, Answer as Download, Whole, WireRequest } from '../../http/types.js'
import type { Given, Plan } from '../command/described.js'
import type { Collecting, Elsewhere, InstanceService, Party, Which } from '../command/services.js'
import type { ExchangeServices } from '../instance/exchange.js'
import type { Lists } from '../instance/listing.js'
import type { Planning } from '../instance/planning.js'
import type { Sending } from '../instance/sending.js'
import type { Crowd } from '../many/crowd.js'

export interface Parts {
  readonly planning: Pick<Planning, 'plan' | 'plans'>
  readonly sending: Sending
  readonly exchange: ExchangeServices
  readonly lists: Lists
  readonly crowd: Pick<Crowd, 'each'>
}

/** Everything is sent. */
export class LiveInstance implements InstanceService {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  plans(given: Given, override?: JsonValues): Promise<readonly Plan[]> {
    return this.#parts.planning.plans(given, override)
  }

  plan(given: Given, override?: JsonValues): Promise<Plan> {
    return this.#parts.planning.plan(given, override)
  }

  async call<const E extends Endpoint>(endpoint: E, input: Input<E>): Promise<Answered<E>> {
    return answered(endpoint, await this.#parts.sending.send({ endpoint, values: { ...input } }))
  }

  send(plan: Plan): Promise<Whole> {
    return this.#parts.sending.send(plan)
  }

  async records<const E extends Listing>(
    endpoint: E,
    input: Input<E>,
    { limit = 'all', where = () => true }: Which<RecordOf<E>> = {},
  ): Promise<readonly RecordOf<E>[]> {
    const found: RecordOf<E>[] = []
    const instance = await this.#parts.exchange.instance()
    for await (const record of instance.list(endpoint, input, { limit, perPage: largestPage }))
      if (where(record)) found.push(record)
    return found
  }

  collect(plan: Plan, { whole = false, where }: Collecting = {}): Promise<readonly unknown[]> {
    return whole ? this.#parts.lists.gather(plan, where) : this.#parts.lists.collect(plan)
  }

  each<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void> {
    return this.#parts.crowd.each(items, work)
  }

  open(plan: Plan, headers?: Readonly<Record<string, string>>): Promise<Download> {
    return this.#parts.sending.open(plan, headers)
  }

  elsewhere(baseUrl: string, credential: Credential | undefined, party?: Party): Elsewhere {
    const { exchange } = this.#parts
    return {
      build: (ask) => exchange.build(ask, baseUrl),
      call: async (request) => {
        await exchange.admit(request, true)
        return (await exchange.anonymous(baseUrl, credential, party)).call(request)
      },
    }
  }

  async raw(request: WireRequest, called?: Endpoint): Promise<Whole> {
    const { exchange } = this.#parts
    await exchange.admit(request)
    return (await exchange.client(called)).call(request)
  }
}
