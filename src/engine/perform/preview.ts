/** `--dry-run`: each object is read, and shown as it is beside what it would be. Nothing is written. */
import { type Fields, isObject } from '../../base/objects.js'
import { getSecrecies, maskAddresses, maskFields } from '../../base/secrets/mask.js'
import { type Endpoint, getMethod, getPath, writes } from '../../catalogue/endpoint.js'
import { getSecretFields } from '../../catalogue/fields.js'
import { getLevelName } from '../../catalogue/levels.js'
import type { Words } from '../../catalogue/words.js'
import { Failure } from '../../errors.js'
import type { Ask, WireRequest } from '../../http/types.js'
import type { BulkRunner } from '../bulk/runner.js'
import { isSource } from '../command/actions.js'
import type { AnswerService, UiService } from '../command/context.js'
import {
  findObjectReader,
  getSentAttributes,
  getShownValue,
  toSentForm,
} from '../command/object-reader.js'
import { resolveLoss } from '../command/running.js'
import type { Actions, CommandFacts, Plan, PlanSource, WriteOptions } from '../command/types.js'
import { type Caller, isAsSent } from '../instance/caller.js'
import type { InstanceExchange } from '../instance/exchange.js'
import type { ListReader } from '../instance/listing.js'
import type { PlanKeeper, PreviewedObject } from '../journaling/planned-run.js'
import { type RecordView, type Rows, yieldRecords } from '../rows.js'
import { checkAbsent } from './duplicates.js'
import { FirstObjects, getPlanObjectName, ReadingPlans } from './safe-plans.js'

// What a write would change: its object as it is now, beside what would be sent.

/** One attribute, as it is and as it would be. */
interface Change {
  readonly attribute: string
  readonly now: unknown
  readonly new: unknown
  /** It is what would be sent. */
  readonly already_so: boolean
}

/** The changes that a write would make to one object. */
interface Preview {
  /** Method and path of what would be sent. */
  readonly request: string
  /** True if the object was read: else nothing is known of what it is now. */
  readonly read: boolean
  /** The loss for which the write has to be confirmed. */
  readonly loses?: string
  /** Why it cannot be undone, where it cannot. */
  readonly irreversible?: string
  readonly changes: readonly Change[]
}

/** Returns what is sent besides the path, files by their names. */
const getSentEntries = (ask: Ask): readonly (readonly [string, unknown])[] => [
  ...Object.entries(getSentAttributes(ask)),
  ...Object.entries(ask.files ?? {}).map(([name, { filename }]) => [name, filename] as const),
]

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

/** True if an attribute is a list that was not given, and there is nothing in it to be lost. */
const isEmptyOmittedList = (
  { attribute, now }: Pick<Change, 'attribute' | 'now'>,
  { endpoint, values, extra }: Ask,
): boolean =>
  endpoint.empties?.includes(attribute) === true &&
  values[attribute] === undefined &&
  extra?.[attribute] === undefined &&
  isEmpty(now)

/** Returns the changes of an object that is deleted: the fields that it shows of itself. */
const getLostFields = (record: Fields, columns: readonly string[]): readonly Change[] =>
  columns
    .filter((attribute) => record[attribute] !== undefined)
    .map((attribute) => ({
      attribute,
      now: record[attribute],
      new: null,
      already_so: false,
    }))

const toChange = (
  ask: Ask,
  record: Fields | undefined,
  [name, sent]: readonly [string, unknown],
) => {
  const now = record === undefined ? undefined : getShownValue(record, name, ask.endpoint)
  const same = record !== undefined && now !== undefined && isAsSent(sent, now)
  return { attribute: name, now: toSentForm(now, sent), new: sent, already_so: same }
}

/** Secrets by what they are called: the rows have their names in a column. */
const maskChanges = (
  changes: readonly Change[],
  endpoint: Endpoint,
  words: Words | undefined,
): readonly Change[] => {
  const secrecyOf = getSecrecies(getSecretFields(endpoint), words)
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

/** True if a call removes the very object that is read. */
const isRemoval = (endpoint: Endpoint, read: Endpoint | undefined): boolean =>
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
 * Describes what a write would change.
 * @param record its object as it is; undefined if it was not read
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
      ? getLostFields(record, columns)
      : getSentEntries(ask)
          .map((one) => toChange(ask, record, one))
          .filter((change) => !isEmptyOmittedList(change, ask))
  const request = requestLine({ method: getMethod(ask.endpoint), path: path.replace(/\?.*/s, '') })
  const shown = secrets ? changes : maskChanges(changes, ask.endpoint, words)
  const named =
    words === undefined
      ? shown
      : shown.map((change) => ({ ...change, attribute: words.name(change.attribute) }))
  return { request, read: record !== undefined, changes: named }
}

/** Parses the attributes of a body; none if it has none. */
const parseAttributes = (body: WireRequest['body']): Fields => {
  if (typeof body !== 'string') return {}
  try {
    const value: unknown = JSON.parse(body)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** Describes what a request would send that no endpoint of the catalogue stands for. */
const previewOfRequest = (wire: WireRequest, secrets: boolean, words?: Words): Preview => {
  const sent = parseAttributes(wire.body)
  const shown = secrets ? sent : maskFields(sent, getSecrecies(wire.secrets, words))
  const changes = Object.entries(shown).map(([attribute, value]) => ({
    attribute,
    now: null,
    new: value,
    already_so: false,
  }))
  const request = requestLine(wire)
  return { request: secrets ? request : maskAddresses(request), read: false, changes }
}

/** The text in the column of the new value, if the object has that value already. */
const soAlready = 'already in this state'

/** Converts a value to what the column of its name would show. */
const toLevelText = (attribute: unknown, value: unknown): unknown =>
  getLevelName(typeof attribute === 'string' ? attribute : undefined, value) ?? value

/** Creates the rows of previews: an attribute each, and the request if nothing was there to compare. */
const toPreviewRows = (records: readonly unknown[]): readonly unknown[] =>
  records.flatMap((record) => {
    if (!isObject(record) || !Array.isArray(record.changes)) return [record]
    const { object, request, read, changes } = record
    const rows = changes.filter(isObject).map((change) => ({
      object,
      attribute: change.attribute,
      now: toLevelText(change.attribute, change.now),
      new: change.already_so === true ? soAlready : toLevelText(change.attribute, change.new),
    }))
    if (read === true && rows.length > 0) return rows
    // The path says no more of an object than what it is called by already.
    if (rows.length === 0 && /^DELETE /.test(String(request)))
      return [{ object, attribute: 'object', now: null, new: 'removed' }]
    return [{ object, attribute: 'request', now: null, new: request }, ...rows]
  })

const columns = ['attribute', 'now', 'new'] as const

interface Parts {
  readonly exchange: Pick<InstanceExchange, 'build'>
  readonly caller: Pick<Caller, 'send'>
  readonly lists: Pick<ListReader, 'gather'>
  /** Several objects, always as a list. */
  readonly bulk: Pick<BulkRunner, 'confirm' | 'many' | 'stream'>
  readonly answer: Pick<AnswerService, 'getColumnsFor'>
  readonly command: Pick<CommandFacts, 'area' | 'endpoints'>
  readonly ui: Pick<UiService, 'note'>
  readonly irreversible: (plan: Plan) => string | undefined
  /** True if some refusals are no failures: then one object is as one of several. */
  readonly tolerates: boolean
  /** True if secrets are shown. */
  readonly secrets: boolean
  /** True if the format prints nothing but what objects are called by other commands. */
  readonly isNaming: boolean
  /** The instance's own, where a vocabulary is in force. */
  readonly words: Words | undefined
  /** Keeps what is shown. */
  readonly keeper?: PlanKeeper
}

const view: RecordView = {
  columns,
  names: ['object'],
  people: { rows: toPreviewRows, columns: ['object', ...columns], sheets: true },
}

export class Previews {
  readonly #parts: Parts
  /** Why what cannot be undone: said once. */
  readonly #said = new Set<string>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Shows what would become of each object, and keeps it where that is asked for. */
  async *show(source: Actions, how: WriteOptions): Rows {
    yield* this.#rows(source, how)
    await this.#parts.keeper?.save()
  }

  /** Returns what is known of one object by the documents' names, so that it can be compared with what was shown before. */
  async look(plan: Plan, how: WriteOptions = {}): Promise<PreviewedObject> {
    return this.#plain(await this.#compared(plan, how))
  }

  #plain({ request, read, changes }: Preview): PreviewedObject {
    const { words } = this.#parts
    const named = changes.map((change) => ({
      ...change,
      attribute: words?.neutral(change.attribute) ?? change.attribute,
    }))
    return { request, read, changes: named }
  }

  async *#rows(source: Actions, how: WriteOptions): Rows {
    const { bulk, command, isNaming, keeper } = this.#parts
    const reading = new ReadingPlans(command, isNaming)
    const run = async (plan: Plan) => {
      const original = reading.original(plan)
      if (original.refused !== undefined) throw original.refused
      await how.check?.(original)
      const preview = await this.#of(original, how)
      keeper?.addPreview(original, this.#plain(preview))
      return { value: preview }
    }
    if (isSource(source)) {
      const planOf: PlanSource['planOf'] = async (object) => {
        const plan = await source.planOf(object)
        await keeper?.addPlan(plan)
        return reading.of(plan)
      }
      return yield* bulk.stream({ ...this.#announcing(source, how), planOf }, { view, run })
    }
    const [only, ...others] = source
    for (const plan of source) await keeper?.addPlan(plan)
    await this.#announce(source, how)
    if (only !== undefined && this.#isAlone(only, others)) return yield* this.#single(only, how)
    yield* bulk.many(
      source.map((plan) => reading.of(plan)),
      { view, run },
    )
  }

  /** Says what a real run would ask: what is lost, and with which objects. */
  async #announce(plans: readonly Plan[], how: WriteOptions, count?: number): Promise<void> {
    const due = plans.filter(({ refused }) => refused === undefined)
    const loss = resolveLoss(how)
    // Each line is among those of the question.
    const loses = loss && { ...loss, noteVerb: undefined }
    const { bulk, irreversible } = this.#parts
    if (due.length === 0 || !(await bulk.confirm(due, { loses }, count ?? due.length))) return
    // The question said it.
    for (const plan of due) this.#said.add(irreversible(plan) ?? '')
  }

  /** Why a plan cannot be undone, said with the first of which that is so. */
  async #reversal(plan: Plan, preview: Preview): Promise<Pick<Preview, 'irreversible'>> {
    const { ui, irreversible } = this.#parts
    const why = irreversible(plan) ?? (await this.#findGap(plan, preview))
    if (why === undefined) return {}
    if (!this.#said.has(why)) ui.note(`this cannot be undone: ${why}`)
    this.#said.add(why)
    return { irreversible: why }
  }

  /** Returns why nothing restores an object that was read; undefined if some command sets the fields that it has now. */
  async #findGap({ endpoint }: Plan, { read, changes }: Preview): Promise<string | undefined> {
    const { area, endpoints } = this.#parts.command
    const isOwn = Object.values(endpoints).includes(endpoint)
    if (!read || !isOwn || endpoint.leaves === undefined) return undefined
    const { findInverse } = await import('../journaling/inverse.js')
    const command = `${area} ${endpoint.command}`
    const { findEndpoint } = await findInverse({ command, endpoint: endpoint.route })
    const before = Object.fromEntries(changes.map(({ attribute, now }) => [attribute, now]))
    const isRestored = findEndpoint({ before })
    return isRestored === undefined ? 'no command restores the previous state' : undefined
  }

  /** Objects that come, of which that is said before the first is read. */
  #announcing(source: PlanSource, how: WriteOptions): PlanSource {
    const { endpoints } = this.#parts.command
    const destroys = Object.values(endpoints).some((e) => e.destructive !== undefined)
    if (!destroys && how.loses === undefined) return source
    const heard = new FirstObjects(source.objects)
    const confirm = async (count: number): Promise<void> => {
      const plans: Plan[] = []
      for (const object of source.known?.first ?? heard.first)
        plans.push(await source.planOf(object))
      await this.#announce(plans, how, count)
    }
    return { ...source, objects: heard.all(), confirm }
  }

  #isAlone(only: Plan, others: readonly Plan[]): boolean {
    return only.parent === undefined && others.length === 0 && !this.#parts.tolerates
  }

  async *#single(plan: Plan, how: WriteOptions): Rows {
    const { command, isNaming } = this.#parts
    if (plan.refused !== undefined) throw plan.refused
    await how.check?.(plan)
    const preview = await this.#of(plan, how)
    this.#parts.keeper?.addPreview(plan, this.#plain(preview))
    const object =
      how.to === undefined && plan.request === undefined
        ? getPlanObjectName(plan, command, isNaming)
        : preview.request.replace(/^\w+ /, '')
    yield* yieldRecords([{ object, ...preview }], { ...view, columns: ['object', ...columns] })
  }

  async #of(plan: Plan, how: WriteOptions): Promise<Preview> {
    const preview = await this.#compared(plan, how)
    const loss = typeof how.loses === 'function' ? undefined : how.loses
    const loses = loss?.what ?? plan.endpoint.destructive
    const { request, read, changes } = preview
    const lost = loses === undefined ? {} : { loses }
    return { request, read, ...lost, ...(await this.#reversal(plan, preview)), changes }
  }

  async #compared(plan: Plan, { to }: WriteOptions): Promise<Preview> {
    const { answer, command, exchange, lists, secrets, caller, words } = this.#parts
    const { endpoint } = plan
    if (plan.request !== undefined) return previewOfRequest(plan.request, secrets, words)
    const wire = await exchange.build(plan, to?.origin)
    if (to !== undefined) return previewOfRequest(to.request?.(wire) ?? wire, secrets, words)
    const how = { path: wire.path, secrets, words }
    const reading = writes(endpoint) ? await findObjectReader(command.area, endpoint) : undefined
    if (reading === undefined) {
      await checkAbsent(plan, (list) => lists.gather(list))
      return previewOf(plan, undefined, how)
    }
    const values = reading.values(plan)
    try {
      const { data } = await caller.send({ endpoint: reading.endpoint, values })
      const gone = isRemoval(endpoint, reading.endpoint)
      const shown = gone ? { columns: await answer.getColumnsFor(reading.endpoint) } : {}
      return previewOf(plan, isObject(data) ? data : {}, { ...shown, ...how })
    } catch (error) {
      const absent = error instanceof Failure && error.category === 'not_found'
      if (!absent || endpoint.brings !== true) throw error
      return previewOf(plan, undefined, how)
    }
  }
}
