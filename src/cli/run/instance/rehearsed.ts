/**
 * `--dry-run`: the instance of a run in which nothing is written. What a command reads is read; a write
 * ends the work on its object, which is read instead and shown as it is beside what it would be.
 */

import type { JsonValues } from '../../../base/json/value.js'
import { isObject } from '../../../base/objects.js'
import { type Endpoint, writes } from '../../../catalogue/endpoint.js'
import type { Words } from '../../../catalogue/words.js'
import type { Answered, Input, Listing, RecordOf } from '../../../client/typed.js'
import { readingOf } from '../../../commands/derive/index.js'
import type { Described, Given, Plan, PlanSource, Plans } from '../../../commands/described.js'
import type {
  AnswerService,
  Collecting,
  Elsewhere,
  Emit,
  InstanceService,
  Many,
  Uncatalogued,
  Which,
} from '../../../commands/services.js'
import { Failure } from '../../../errors.js'
import type { Credential, Answer as Download, Whole, WireRequest } from '../../../http/types.js'
import type { Crowd } from '../many/crowd.js'
import { inHand, type SourceMaker, sourceOf } from '../many/in-hand.js'
import { behind, firstOf } from '../many/pieces.js'
import { columns, type Preview, previewOf, previewOfRequest, removes, rowsOf } from './preview.js'
import { objectOf, ReadingPlans } from './reading-plans.js'
import { Printed } from './unsent.js'

/** What would be written: by an endpoint, or by a request that the catalogue does not know. */
type Written = { readonly plan: Plan } | { readonly request: WireRequest }

/** Ends the work on an object where it would be written. */
class Unwritten extends Error {
  constructor(readonly what: Written) {
    super('nothing is written')
  }
}

interface Parts {
  /** The instance that reads. */
  readonly live: InstanceService
  /** Several objects, always as a list. */
  readonly crowd: Pick<Crowd, 'many' | 'stream'>
  /** Plans objects as they come. */
  readonly coming: SourceMaker
  readonly answer: Pick<AnswerService, 'columnsFor' | 'printMany'>
  readonly command: Pick<Described, 'area'>
  /** The request of a plan, as it would travel. */
  readonly build: (plan: Plan) => Promise<WireRequest>
  /** Whether some refusals are no failures: then one object is as one of several. */
  readonly tolerates: boolean
  /** Whether secrets are shown. */
  readonly secrets: boolean
  /** The instance's own, where a vocabulary is in force. */
  readonly words?: Words | undefined
}

const emit: Emit = {
  columns,
  people: { rows: rowsOf, columns: ['object', ...columns], sheets: true },
}

/** Nothing is written. */
export class RehearsedInstance implements InstanceService {
  readonly #parts: Parts
  /** How many calls of `many` and `each` wait for what would be written. */
  #gathering = 0

  constructor(parts: Parts) {
    this.#parts = parts
  }

  plans(given: Given, override?: JsonValues): Promise<readonly Plan[]> {
    return this.#parts.live.plans(given, override)
  }

  plan(given: Given, override?: JsonValues): Promise<Plan> {
    return this.#parts.live.plan(given, override)
  }

  async call<const E extends Endpoint>(endpoint: E, input: Input<E>): Promise<Answered<E>> {
    if (writes(endpoint)) return this.#end({ key: '', endpoint, values: { ...input } })
    return this.#parts.live.call(endpoint, input)
  }

  async send(plan: Plan): Promise<Whole> {
    return writes(plan.endpoint) ? this.#end(plan) : this.#parts.live.send(plan)
  }

  records<const E extends Listing>(
    endpoint: E,
    input: Input<E>,
    how?: Which<RecordOf<E>>,
  ): Promise<readonly RecordOf<E>[]> {
    return this.#parts.live.records(endpoint, input, how)
  }

  list(plan: Plan, shown?: Emit): Promise<void> {
    return this.#parts.live.list(plan, shown)
  }

  collect(plan: Plan, how?: Collecting): Promise<readonly unknown[]> {
    return this.#parts.live.collect(plan, how)
  }

  /** Each up to its write, and what that would change; then the run ends, since nothing was done. */
  async many(given: Plans, how: Many = {}): Promise<void> {
    const source = await sourceOf(given, this.#parts.coming)
    if (source !== undefined) return this.#coming(source, how)
    const plans = await inHand(given, (...asked) => this.plans(...asked))
    if (!plans.some(({ endpoint }) => writes(endpoint))) return this.#parts.live.many(plans, how)
    await this.#show(plans, (plan) => this.#upToWrite(plan, how))
  }

  /** The same of objects that are planned as they come. */
  async #coming(source: PlanSource, how: Many): Promise<void> {
    const { crowd, command, live } = this.#parts
    const given = source.objects[Symbol.asyncIterator]()
    const [one] = await firstOf(given, 1)
    const all = { ...source, objects: behind(one === undefined ? [] : [one], given) }
    if (one !== undefined && !writes((await source.planOf(one)).endpoint))
      return live.many(all, how)
    const reading = new ReadingPlans(command)
    const planOf: PlanSource['planOf'] = async (object) => reading.of(await source.planOf(object))
    await crowd.stream(
      { ...all, planOf },
      {
        emit,
        run: async (plan) => ({
          value: await this.#preview(await this.#upToWrite(reading.original(plan), how)),
        }),
      },
    )
    throw new Printed()
  }

  /** What a plan would write in the end: where all are sent together, itself. */
  async #upToWrite(plan: Plan, how: Many): Promise<Written> {
    const send = (one: Plan) => this.send(one).then(() => ({}))
    const run = how.together === undefined ? (how.run ?? send) : send
    return (await this.#unwritten(() => run(plan))) ?? { plan }
  }

  /** What is written in it is shown after the last; then the run ends. */
  async each<T>(
    items: readonly T[],
    work: (item: T, index: number) => Promise<void>,
  ): Promise<void> {
    const plans = new Map<number, Plan>()
    await this.#parts.live.each(items, async (item, index) => {
      const what = await this.#unwritten(() => work(item, index))
      if (what !== undefined && 'plan' in what) plans.set(index, what.plan)
    })
    const all = [...plans].toSorted(([a], [b]) => a - b).map(([, plan]) => plan)
    if (all.length > 0) await this.#show(all)
  }

  open(plan: Plan, headers?: Readonly<Record<string, string>>): Promise<Download> {
    return this.#parts.live.open(plan, headers)
  }

  elsewhere(baseUrl: string, credential: Credential | undefined): Elsewhere {
    const { build } = this.#parts.live.elsewhere(baseUrl, credential)
    return { build, call: (request) => this.#request(request) }
  }

  async raw(request: WireRequest, how?: Uncatalogued): Promise<Whole | undefined> {
    const reads = request.method === 'GET' || request.method === 'HEAD'
    return reads ? this.#parts.live.raw(request, how) : this.#request(request)
  }

  /** What `work` would write; undefined where it writes nothing. */
  async #unwritten(work: () => Promise<unknown>): Promise<Written | undefined> {
    this.#gathering += 1
    try {
      await work()
      return undefined
    } catch (error) {
      if (error instanceof Unwritten) return error.what
      throw error
    } finally {
      this.#gathering -= 1
    }
  }

  async #end(plan: Plan): Promise<never> {
    if (this.#gathering > 0) throw new Unwritten({ plan })
    return this.#show([plan])
  }

  /** Shows what plans would change; each is first made what is sent in the end. */
  async #show(
    plans: readonly Plan[],
    complete: (plan: Plan) => Promise<Written> = async (plan) => ({ plan }),
  ): Promise<never> {
    const { crowd, command } = this.#parts
    const reading = new ReadingPlans(command)
    const [only, ...others] = plans
    const alone = only?.parent === undefined && others.length === 0
    if (only !== undefined && alone && !this.#parts.tolerates)
      return this.#print(objectOf(only, command), await this.#preview(await complete(only)))
    await crowd.many(
      plans.map((plan) => reading.of(plan)),
      {
        emit,
        run: async (plan) => ({
          value: await this.#preview(await complete(reading.original(plan))),
        }),
      },
    )
    throw new Printed()
  }

  async #preview(what: Written): Promise<Preview> {
    const { answer, build, command, live, secrets, words } = this.#parts
    if ('request' in what) return previewOfRequest(what.request, secrets, words)
    const { plan } = what
    const { endpoint } = plan
    const { path } = await build(plan)
    const how = { path, secrets, ...(words === undefined ? {} : { words }) }
    const reading = await readingOf(command.area, endpoint)
    if (reading === undefined) return previewOf(plan, undefined, how)
    const values = reading.values(plan)
    try {
      const { data } = await live.send({ key: '', endpoint: reading.endpoint, values })
      const gone = removes(endpoint, reading.endpoint)
      const shown = gone ? { columns: await answer.columnsFor(reading.endpoint) } : {}
      return previewOf(plan, isObject(data) ? data : {}, { ...shown, ...how })
    } catch (error) {
      const absent = error instanceof Failure && error.category === 'not_found'
      if (!absent || endpoint.brings !== true) throw error
      return previewOf(plan, undefined, how)
    }
  }

  async #print(object: string, preview: Preview): Promise<never> {
    const shown = { ...emit, columns: ['object', ...columns] }
    await this.#parts.answer.printMany([{ object, ...preview }], shown)
    throw new Printed()
  }

  async #request(request: WireRequest): Promise<never> {
    if (this.#gathering > 0) throw new Unwritten({ request })
    return this.#print(
      request.path,
      previewOfRequest(request, this.#parts.secrets, this.#parts.words),
    )
  }
}
