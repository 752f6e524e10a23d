/** Sends the requests of actions, and those that a command makes for itself. */
import { AsyncCache } from '../../base/async.js'
import type { JsonValues } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { largestPage } from '../../client/defaults.js'
import {
  type Input,
  type ListEndpoint,
  type RecordOf,
  type TypedAnswer,
  toTypedAnswer,
} from '../../client/types.js'
import { type Failure, recoverFrom } from '../../errors.js'
import type {
  Client,
  Credential,
  Answer as Download,
  WholeAnswer,
  WireRequest,
} from '../../http/types.js'
import { type BulkOptions, toPlanAnswer } from '../bulk/plan-work.js'
import type { BulkRunner } from '../bulk/runner.js'
import { type ClientIdentity, isSource } from '../command/actions.js'
import type {
  CollectOptions,
  ExternalClient,
  InstanceService,
  RecordQuery,
} from '../command/context.js'
import type { Actions, Given, Merge, Plan, ReceivedAnswer, WriteOptions } from '../command/types.js'
import type { Caller } from '../instance/caller.js'
import type { InstanceExchange } from '../instance/exchange.js'
import type { ListReader } from '../instance/listing.js'
import type { RunPlanner } from '../instance/planning.js'
import type { PlanAnswer } from '../rows.js'
import { groupMergeable, type WorkRunner } from '../work/run.js'

// Requests that are sent: to their address, and if the command wants that, followed to their end.

interface SendingParts {
  readonly caller: Pick<Caller, 'open' | 'send'>
  readonly exchange: Pick<InstanceExchange, 'recordWrite' | 'createClient' | 'build' | 'getClient'>
  readonly bulk: Pick<BulkRunner, 'each'>
}

/** Sends the actions of one write. */
class ActionSender {
  readonly #parts: SendingParts
  readonly #how: WriteOptions
  /** The answers to requests that were sent before the first is followed. */
  readonly #came = new Map<Plan, ReceivedAnswer>()
  /** The outcomes of a merged request by plan: a failure, or undefined for success. */
  readonly #merged = new Map<Plan, Failure | undefined>()

  constructor(parts: SendingParts, bulkOptions: WriteOptions) {
    this.#parts = parts
    this.#how = bulkOptions
  }

  /** Returns the options of a bulk run that sends these actions. */
  get bulkOptions(): Pick<BulkOptions, 'merging' | 'run' | 'sendTogether'> {
    const { finishWhen, merge } = this.#how
    return {
      run: this.#sendOne,
      sendTogether: finishWhen && this.#sendAll,
      merging: merge && { getKey: getMergeKey, send: (plans) => this.#sendMerged(plans, merge) },
    }
  }

  readonly #sendOne = async (plan: Plan): Promise<PlanAnswer> => {
    if (plan.refused !== undefined) throw plan.refused
    const { finish } = this.#how
    if (this.#merged.has(plan)) {
      const failure = this.#merged.get(plan)
      this.#merged.delete(plan)
      if (failure !== undefined) throw failure
      return {}
    }
    if (finish === undefined) return toPlanAnswer(plan, await this.#sendWhole(plan))
    const came = this.#came.get(plan) ?? (await this.#receive(plan))
    this.#came.delete(plan)
    return finish(plan, came)
  }

  /** Sends all requests before the first is followed. */
  readonly #sendAll = (plans: readonly Plan[]): Promise<void> =>
    this.#parts.bulk.each(plans, async (plan) => {
      if (plan.refused === undefined) this.#came.set(plan, await this.#receive(plan))
    })

  /** Sends one request for several plans. */
  async #sendMerged(plans: readonly Plan[], merge: Merge): Promise<void> {
    try {
      const outcomes = await merge.parseOutcomes(plans, await this.#sendWhole(merge.request(plans)))
      for (const [i, plan] of plans.entries()) this.#merged.set(plan, outcomes[i])
    } catch (error) {
      const failure = recoverFrom(error)
      for (const plan of plans) this.#merged.set(plan, failure)
    }
  }

  async #receive(plan: Plan): Promise<ReceivedAnswer> {
    try {
      if (plan.endpoint.returns.kind === 'file' && plan.request === undefined)
        return { download: await this.#parts.caller.open(plan) }
      return { whole: await this.#sendWhole(plan) }
    } catch (error) {
      return { failure: recoverFrom(error) }
    }
  }

  async #sendWhole(plan: Plan): Promise<WholeAnswer> {
    const { exchange, caller } = this.#parts
    const { to } = this.#how
    if (plan.request !== undefined) {
      await exchange.recordWrite(plan.request)
      return (await exchange.getClient(plan.called)).call(plan.request)
    }
    if (to === undefined) return caller.send(plan)
    const { origin, credential, party, request = (one) => one } = to
    const wire = request(await exchange.build(plan, origin))
    await exchange.recordWrite(wire, true)
    return (await exchange.createClient(origin, credential, party)).call(wire)
  }
}

/** Creates the options of the bulk runner that sends a command's actions. */
export const createLiveOptions = (parts: SendingParts, options: WriteOptions): BulkOptions => ({
  ...options,
  ...new ActionSender(parts, options).bulkOptions,
})

// Requests that a command makes for itself.

export interface Parts {
  readonly planning: Pick<RunPlanner, 'createPlans'>
  readonly caller: Caller
  readonly exchange: InstanceExchange
  readonly lists: ListReader
  readonly bulk: Pick<BulkRunner, 'carryOut' | 'each'>
}

/** Sends the requests of a command to its instance. */
export class LiveInstance implements InstanceService {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  createPlans(given: Given, override?: JsonValues): Promise<readonly Plan[]> {
    return this.#parts.planning.createPlans(given, override)
  }

  async call<const E extends Endpoint>(endpoint: E, input: Input<E>): Promise<TypedAnswer<E>> {
    return toTypedAnswer(
      endpoint,
      await this.#parts.caller.send({ endpoint, values: { ...input } }),
    )
  }

  send(plan: Plan): Promise<WholeAnswer> {
    return this.#parts.caller.send(plan)
  }

  async readRecords<const E extends ListEndpoint>(
    endpoint: E,
    input: Input<E>,
    { limit = 'all', where = () => true }: RecordQuery<RecordOf<E>> = {},
  ): Promise<readonly RecordOf<E>[]> {
    const found: RecordOf<E>[] = []
    const instance = await this.#parts.exchange.openInstance()
    for await (const record of instance.list(endpoint, input, { limit, perPage: largestPage }))
      if (where(record)) found.push(record)
    return found
  }

  collect(plan: Plan, { whole = false, where }: CollectOptions = {}): Promise<readonly unknown[]> {
    return whole ? this.#parts.lists.gather(plan, where) : this.#parts.lists.collect(plan)
  }

  each<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void> {
    return this.#parts.bulk.each(items, work)
  }

  readonly carryOut: WorkRunner = (work) => this.#parts.bulk.carryOut(work)

  open(plan: Plan, headers?: Readonly<Record<string, string>>): Promise<Download> {
    return this.#parts.caller.open(plan, headers)
  }

  createClientFor(
    baseUrl: string,
    credential: Credential | undefined,
    party?: ClientIdentity,
  ): ExternalClient {
    const { exchange } = this.#parts
    // One client for all requests of a command, because each has connections of its own.
    const clients = new AsyncCache<string, Client>()
    return {
      build: (ask) => exchange.build(ask, baseUrl),
      call: async (request) => {
        await exchange.recordWrite(request, true)
        const open = () => exchange.createClient(baseUrl, credential, party)
        return (await clients.of(baseUrl, open)).call(request)
      },
    }
  }

  async sendUndocumented(request: WireRequest, called?: Endpoint): Promise<WholeAnswer> {
    const { exchange } = this.#parts
    await exchange.recordWrite(request)
    return (await exchange.getClient(called)).call(request)
  }
}

// Merged requests: one for all objects, or one for each of several projects or groups.

/** Returns a key that is equal for plans of one request; undefined for a refused plan. */
const getMergeKey = ({ parent, row, refused }: Plan): string | undefined =>
  refused === undefined ? JSON.stringify([parent?.name, row]) : undefined

async function* yieldPlans(source: Actions): AsyncGenerator<Plan> {
  if (!isSource(source)) yield* source
  else for await (const object of source.objects) yield source.planOf(object)
}

/** Yields the plans that are sent for actions: merged ones, and others as they are. */
export async function* mergeRequests(
  source: Actions,
  merge: Merge | undefined,
): AsyncGenerator<Plan> {
  if (merge === undefined) return yield* yieldPlans(source)
  for await (const group of groupMergeable(yieldPlans(source), getMergeKey)) {
    const plans = group.map(({ item }) => item)
    const [only] = plans
    yield only !== undefined && plans.length === 1 ? only : merge.request(plans)
  }
}
