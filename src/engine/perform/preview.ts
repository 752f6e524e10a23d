/** `--dry-run`: each object is read, and shown as it is beside what it would be. Nothing is written. */
import { type Fields, isObject } from '../../base/objects.js'
import { type Endpoint, writes } from '../../catalogue/endpoint.js'
import { managedKinds } from '../../catalogue/managed/index.js'
import type { Managed } from '../../catalogue/managed/managed.js'
import type { Param } from '../../catalogue/params.js'
import type { Words } from '../../catalogue/words.js'
import { Failure } from '../../errors.js'
import type { Ask } from '../../http/types.js'
import { readingOf } from '../command/derive/index.js'
import type { Described, Plan, PlanSource } from '../command/described.js'
import type { AnswerService, Emit } from '../command/services.js'
import type { Operation } from '../command/types.js'
import type { ExchangeServices } from '../instance/exchange.js'
import type { Lists } from '../instance/listing.js'
import type { Sending } from '../instance/sending.js'
import type { Crowd } from '../many/crowd.js'
import { mergedOf } from './merged.js'
import { columns, type Preview, previewOf, previewOfRequest, removes, rowsOf } from './rehearsed.js'

// Whether what a create would make is there already: looked for in the list that the catalogue has of its kind.

/** Values that tell objects of a kind apart: a key without its comment, each of several IDs. */
const identitiesIn = (param: Param, value: unknown): readonly string[] => {
  const text = String(value)
  if (param.type !== 'string') return [text]
  if (param.format === 'public-key') return [text.trim().split(/\s+/, 2).join(' ')]
  return param.format === 'csv' ? text.split(',') : [text]
}

/** Parameters of a create with the fields that show them, which no two objects of the kind have alike. */
const uniqueIn = ({ identity, also, at = {} }: Managed, { params }: Endpoint) =>
  Object.entries({
    ...(identity === undefined ? {} : { [identity]: identity }),
    ...(also === undefined ? {} : { [also]: also }),
    ...at,
  }).flatMap(([name, field]) => {
    const param = Object.hasOwn(params, name) ? params[name] : undefined
    return param === undefined ? [] : [{ name, field, param }]
  })

const calledBy = ({ label, identity = 'id' }: Managed, record: Fields): string => {
  const id = record.id === undefined ? '' : ` (ID ${String(record.id)})`
  return `"${String(record[label ?? identity])}" exists already${id}`
}

/**
 * Refuses a create whose object is there.
 * @param read gives all records of a list
 * @throws Failure `conflict`, and whatever the list is answered with
 */
const checkAbsent = async (
  { endpoint, values }: Pick<Plan, 'endpoint' | 'values'>,
  read: (list: Ask) => Promise<readonly unknown[]>,
): Promise<void> => {
  const kind = managedKinds.find(({ create }) => create?.route === endpoint.route)
  if (kind === undefined || kind.holds !== 'set') return
  const list = kind.read
  const own = Object.fromEntries(Object.keys(list.path).map((name) => [name, values[name]]))
  const records = await read({ endpoint: list, values: own })
  const unique = uniqueIn(kind, endpoint).filter(({ name }) => values[name] !== undefined)
  const found = records.filter(isObject).find((record) =>
    unique.some(({ name, field, param }) => {
      const wanted = identitiesIn(param, values[name])
      return identitiesIn(param, record[field]).some((one) => wanted.includes(one))
    }),
  )
  if (found === undefined) return
  throw new Failure('conflict', calledBy(kind, found), {
    hint: 'The instance would refuse to create it again.',
  })
}

// What a dry run makes of its plans: what each is about, and the plan that only reads it.

/** What a plan is about, where it does not say. */
const objectOf = ({ label, endpoint, values }: Plan, { area }: Pick<Described, 'area'>): string => {
  const [first = ''] = endpoint.args ?? []
  // Several that go as one request.
  if (label !== undefined)
    return String(values[first]).includes(',') ? String(values[first]) : label
  const [holder] = Object.keys(endpoint.path)
  return holder === undefined ? area : String(values[holder])
}

/** Plans that only read: neither confirmed nor told of as done; of each endpoint there is one such. */
class ReadingPlans {
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
