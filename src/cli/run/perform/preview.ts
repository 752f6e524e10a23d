/** `--dry-run`: each object is read, and shown as it is beside what it would be. Nothing is written. */
import { isObject } from '../../../base/objects.js'
import { writes } from '../../../catalogue/endpoint.js'
import type { Words } from '../../../catalogue/words.js'
import { readingOf } from '../../../commands/derive/index.js'
import type { Described, Plan, PlanSource } from '../../../commands/described.js'
import type { AnswerService, Emit } from '../../../commands/services.js'
import type { Operation } from '../../../commands/types.js'
import { Failure } from '../../../errors.js'
import type { ExchangeServices } from '../instance/exchange.js'
import { checkAbsent } from '../instance/existing.js'
import type { Lists } from '../instance/listing.js'
import {
  columns,
  type Preview,
  previewOf,
  previewOfRequest,
  removes,
  rowsOf,
} from '../instance/preview.js'
import { objectOf, ReadingPlans } from '../instance/reading-plans.js'
import type { Sending } from '../instance/sending.js'
import type { Crowd } from '../many/crowd.js'
import { mergedOf } from './merged.js'

interface Parts {
  readonly exchange: Pick<ExchangeServices, 'build'>
  readonly sending: Pick<Sending, 'send'>
  readonly lists: Pick<Lists, 'gather'>
  /** Several objects, always as a list. */
  readonly crowd: Pick<Crowd, 'many' | 'stream'>
  readonly answer: Pick<AnswerService, 'columnsFor' | 'printMany'>
  readonly command: Pick<Described, 'area'>
  /** Whether some refusals are no failures: then one object is as one of several. */
  readonly tolerates: boolean
  /** Whether secrets are shown. */
  readonly secrets: boolean
  /** The instance's own, where a vocabulary is in force. */
  readonly words: Words | undefined
}

const emit: Emit = {
  columns,
  people: { rows: rowsOf, columns: ['object', ...columns], sheets: true },
}

export class Previews {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async show(source: readonly Plan[] | PlanSource, operation: Operation): Promise<void> {
    const { crowd, command } = this.#parts
    const reading = new ReadingPlans(command)
    const run = async (plan: Plan) => {
      const original = reading.original(plan)
      if (original.refused !== undefined) throw original.refused
      await operation.check?.(original)
      return { value: await this.#of(original, operation) }
    }
    if ('planOf' in source) {
      const planOf: PlanSource['planOf'] = async (object) => reading.of(await source.planOf(object))
      return crowd.stream({ ...source, planOf }, { emit, run })
    }
    const plans = mergedOf(source, operation.merge).map(({ request }) => request)
    const [only, ...others] = plans
    if (only !== undefined && this.#isAlone(only, others)) return this.#print(only, operation)
    await crowd.many(
      plans.map((plan) => reading.of(plan)),
      { emit, run },
    )
  }

  #isAlone(only: Plan, others: readonly Plan[]): boolean {
    return only.parent === undefined && others.length === 0 && !this.#parts.tolerates
  }

  async #print(plan: Plan, operation: Operation): Promise<void> {
    const { answer, command } = this.#parts
    if (plan.refused !== undefined) throw plan.refused
    await operation.check?.(plan)
    const preview = await this.#of(plan, operation)
    const object =
      operation.to === undefined && plan.request === undefined
        ? objectOf(plan, command)
        : preview.request.replace(/^\w+ /, '')
    await answer.printMany([{ object, ...preview }], { ...emit, columns: ['object', ...columns] })
  }

  async #of(plan: Plan, { to }: Operation): Promise<Preview> {
    const { answer, command, exchange, lists, secrets, sending, words } = this.#parts
    const { endpoint } = plan
    if (plan.request !== undefined) return previewOfRequest(plan.request, secrets, words)
    const wire = await exchange.build(plan, to?.origin)
    if (to !== undefined) return previewOfRequest(to.request?.(wire) ?? wire, secrets, words)
    const how = { path: wire.path, secrets, words }
    const reading = writes(endpoint) ? await readingOf(command.area, endpoint) : undefined
    if (reading === undefined) {
      await checkAbsent(plan, (list) => lists.gather(list))
      return previewOf(plan, undefined, how)
    }
    const values = reading.values(plan)
    try {
      const { data } = await sending.send({ endpoint: reading.endpoint, values })
      const gone = removes(endpoint, reading.endpoint)
      const shown = gone ? { columns: await answer.columnsFor(reading.endpoint) } : {}
      return previewOf(plan, isObject(data) ? data : {}, { ...shown, ...how })
    } catch (error) {
      const absent = error instanceof Failure && error.category === 'not_found'
      if (!absent || endpoint.brings !== true) throw error
      return previewOf(plan, undefined, how)
    }
  }
}
