/** `--dry-run`: each object is read, and shown as it is beside what it would be. Nothing is written. */
import { type Fields, isObject } from '../../base/objects.js'
import { maskAddresses, maskFields, secrecies } from '../../base/secrets/mask.js'
import { type Endpoint, getMethod, getPath, writes } from '../../catalogue/endpoint.js'
import { getSecretFields } from '../../catalogue/fields.js'
import { type Managed, managedKinds } from '../../catalogue/managed.js'
import { formatOf, type Param } from '../../catalogue/params.js'
import type { Words } from '../../catalogue/words.js'
import { Failure } from '../../errors.js'
import type { Ask, WireRequest } from '../../http/types.js'
import { getLevelName } from '../../output/cell.js'
import type { BulkRunner } from '../bulk/runner.js'
import { asSent, findReading, shownIn } from '../command/object-reader.js'
import type { AnswerService, Emit } from '../command/services.js'
import type { CommandFacts, Operation, Plan, PlanSource } from '../command/types.js'
import { agrees, type Caller } from '../instance/caller.js'
import type { InstanceExchange } from '../instance/exchange.js'
import type { Lists } from '../instance/listing.js'
import { mergedRequests } from './live.js'

// What a write would change: its object as it is now, beside what would be sent.

/** One attribute, as it is and as it would be. */
interface Change {
  readonly attribute: string
  readonly now: unknown
  readonly new: unknown
  /** It is what would be sent. */
  readonly already_so: boolean
}

/** What would become of one object. */
interface Preview {
  /** Method and path of what would be sent. */
  readonly request: string
  /** Whether the object was read: else nothing is known of what it is now. */
  readonly read: boolean
  readonly changes: readonly Change[]
}

/** What goes along that is no part of the path, files by their names. */
const sentBy = ({
  endpoint,
  values,
  extra,
  files,
}: Ask): readonly (readonly [string, unknown])[] => [
  ...Object.entries({ ...endpoint.leaves, ...extra, ...values }).filter(
    ([name, value]) => value !== undefined && !(name in endpoint.path),
  ),
  ...Object.entries(files ?? {}).map(([name, { filename }]) => [name, filename] as const),
]

/** What an object that is deleted shows of itself. */
const lostWith = (record: Fields, columns: readonly string[]): readonly Change[] =>
  columns
    .filter((attribute) => record[attribute] !== undefined)
    .map((attribute) => ({
      attribute,
      now: record[attribute],
      new: null,
      already_so: false,
    }))

const changed = (
  ask: Ask,
  record: Fields | undefined,
  [name, sent]: readonly [string, unknown],
) => {
  const now = record === undefined ? undefined : shownIn(record, name, ask.endpoint)
  const same = record !== undefined && now !== undefined && agrees(sent, now)
  return { attribute: name, now: asSent(now, sent), new: sent, already_so: same }
}

/** Secrets by what they are called: the rows have their names in a column. */
const hidden = (
  changes: readonly Change[],
  endpoint: Endpoint,
  words: Words | undefined,
): readonly Change[] => {
  const secrecyOf = secrecies(getSecretFields(endpoint), words)
  const hide = (of: 'now' | 'new'): Fields =>
    maskFields(
      Object.fromEntries(changes.map((change) => [change.attribute, change[of]])),
      secrecyOf,
    )
  const [now, next] = [hide('now'), hide('new')]
  return changes.map((change) => ({
    ...change,
    now: now[change.attribute],
    new: next[change.attribute],
  }))
}

/** Whether a call removes the very object that is read. */
const removes = (endpoint: Endpoint, read: Endpoint | undefined): boolean =>
  getMethod(endpoint) === 'DELETE' && read !== undefined && getPath(read) === getPath(endpoint)

const requestLine = ({ method, path }: Pick<WireRequest, 'method' | 'path'>): string =>
  `${method} ${path}`

interface PreviewOptions {
  readonly path: string
  readonly columns?: readonly string[]
  readonly secrets: boolean
  readonly words?: Words
}

/**
 * What a write would change.
 * @param record its object as it is; undefined where it was not read
 * @param path of the request, as it would travel
 * @param columns what is shown of an object that is removed
 * @param secrets whether they are shown
 * @param words the instance's own, by which attributes are shown
 */
const previewOf = (
  ask: Ask,
  record: Fields | undefined,
  { path, columns, secrets, words }: PreviewOptions,
): Preview => {
  const changes =
    columns !== undefined && record !== undefined
      ? lostWith(record, columns)
      : sentBy(ask).map((one) => changed(ask, record, one))
  const request = requestLine({ method: getMethod(ask.endpoint), path: path.replace(/\?.*/s, '') })
  const shown = secrets ? changes : hidden(changes, ask.endpoint, words)
  const named =
    words === undefined
      ? shown
      : shown.map((change) => ({ ...change, attribute: words.name(change.attribute) }))
  return { request, read: record !== undefined, changes: named }
}

/** The attributes of a body, where it has some. */
const attributesIn = (body: WireRequest['body']): Fields => {
  if (typeof body !== 'string') return {}
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** What a request would send that no endpoint of the catalogue stands for. */
const previewOfRequest = (wire: WireRequest, secrets: boolean, words?: Words): Preview => {
  const sent = attributesIn(wire.body)
  const shown = secrets ? sent : maskFields(sent, secrecies(wire.secrets, words))
  const changes = Object.entries(shown).map(([attribute, value]) => ({
    attribute,
    now: null,
    new: value,
    already_so: false,
  }))
  const request = requestLine(wire)
  return { request: secrets ? request : maskAddresses(request), read: false, changes }
}

/** What stands in the column of what would be, where that is so. */
const soAlready = 'already in this state'

/** A value as the column of its name would show it. */
const inWords = (attribute: unknown, value: unknown): unknown =>
  getLevelName(typeof attribute === 'string' ? attribute : undefined, value) ?? value

/** The rows of previews: an attribute each, and the request where nothing was there to compare. */
const rowsOf = (records: readonly unknown[]): readonly unknown[] =>
  records.flatMap((record) => {
    if (!isObject(record) || !Array.isArray(record.changes)) return [record]
    const { object, request, read, changes } = record
    const rows = changes.filter(isObject).map((change) => ({
      object,
      attribute: change.attribute,
      now: inWords(change.attribute, change.now),
      new: change.already_so === true ? soAlready : inWords(change.attribute, change.new),
    }))
    const asked = read === true && rows.length > 0
    return asked ? rows : [{ object, attribute: 'request', now: null, new: request }, ...rows]
  })

const columns = ['attribute', 'now', 'new'] as const

// Whether what a create would make is there already: looked for in the list that the catalogue has of its kind.

/** Values that tell objects of a kind apart: a key without its comment, each of several IDs. */
const identitiesIn = (param: Param, value: unknown): readonly string[] => {
  const text = String(value)
  if (formatOf(param) === 'public-key') return [text.trim().split(/\s+/, 2).join(' ')]
  return formatOf(param) === 'csv' ? text.split(',') : [text]
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
  return `"${String(record[label ?? identity])}" already exists${id}`
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
    hint: 'The instance would reject a second one.',
  })
}

// What a dry run makes of its plans: what each is about, and the plan that only reads it.

/** What a plan is about, where it does not say. */
const objectOf = (
  { label, endpoint, values }: Plan,
  { area }: Pick<CommandFacts, 'area'>,
): string => {
  const [first = ''] = endpoint.args ?? []
  // Several that go as one request.
  if (label !== undefined)
    return String(values[first]).includes(',') ? String(values[first]) : label
  const [holder] = Object.keys(endpoint.path)
  return holder === undefined ? area : String(values[holder])
}

/** Plans that only read: neither confirmed nor told of as done; of each endpoint there is one such. */
class ReadingPlans {
  readonly #command: Pick<CommandFacts, 'area'>
  readonly #made = new Map<Endpoint, Endpoint>()
  readonly #originals = new WeakMap<Plan, Plan>()

  constructor(command: Pick<CommandFacts, 'area'>) {
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
  readonly exchange: Pick<InstanceExchange, 'build'>
  readonly caller: Pick<Caller, 'send'>
  readonly lists: Pick<Lists, 'gather'>
  /** Several objects, always as a list. */
  readonly bulk: Pick<BulkRunner, 'many' | 'stream'>
  readonly answer: Pick<AnswerService, 'columnsFor' | 'printMany'>
  readonly command: Pick<CommandFacts, 'area'>
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
    const { bulk, command } = this.#parts
    const reading = new ReadingPlans(command)
    const run = async (plan: Plan) => {
      const original = reading.original(plan)
      if (original.refused !== undefined) throw original.refused
      await operation.check?.(original)
      return { value: await this.#of(original, operation) }
    }
    if ('planOf' in source && operation.merge === undefined) {
      const planOf: PlanSource['planOf'] = async (object) => reading.of(await source.planOf(object))
      return bulk.stream({ ...source, planOf }, { emit, run })
    }
    const plans: Plan[] = []
    for await (const plan of mergedRequests(source, operation.merge)) plans.push(plan)
    const [only, ...others] = plans
    if (only !== undefined && this.#isAlone(only, others)) return this.#print(only, operation)
    await bulk.many(
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
    const { answer, command, exchange, lists, secrets, caller, words } = this.#parts
    const { endpoint } = plan
    if (plan.request !== undefined) return previewOfRequest(plan.request, secrets, words)
    const wire = await exchange.build(plan, to?.origin)
    if (to !== undefined) return previewOfRequest(to.request?.(wire) ?? wire, secrets, words)
    const how = { path: wire.path, secrets, words }
    const reading = writes(endpoint) ? await findReading(command.area, endpoint) : undefined
    if (reading === undefined) {
      await checkAbsent(plan, (list) => lists.gather(list))
      return previewOf(plan, undefined, how)
    }
    const values = reading.values(plan)
    try {
      const { data } = await caller.send({ endpoint: reading.endpoint, values })
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
