/**
 * Previews writes (`--dry-run`): reads each object, and shows its attributes next to those that would be sent. Nothing
 * is written to the instance; `--save` records the plan.
 */
import { type Fields, getFields, isObject, tryParseJson } from '../../base/objects.js'
import { getSecrecies, maskAddresses, maskFields } from '../../base/secrets/mask.js'
import { type Endpoint, getMethod, getPath, isAboutPart, writes } from '../../catalogue/endpoint.js'
import { getSecretFields } from '../../catalogue/fields.js'
import { getLevelName } from '../../catalogue/shapes/common.js'
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
import { resolveLoss } from '../command/reversal.js'
import type { Actions, CommandFacts, Plan, PlanSource, WriteOptions } from '../command/types.js'
import { type Caller, isAsSent } from '../instance/caller.js'
import type { InstanceExchange } from '../instance/exchange.js'
import type { ListReader } from '../instance/listing.js'
import type { PlanKeeper } from '../journaling/planned-run.js'
import { createNoteRow, type RecordView, type Rows, yieldRecords } from '../rows.js'
import { checkNoDuplicate } from './duplicates.js'
import { FirstObjects, getPreviewName, SafePlans } from './safe-plans.js'

// The preview of one object.

/** An attribute with its current and its new value. */
interface Change {
  readonly attribute: string
  readonly now: unknown
  readonly new: unknown
  /** True if the current value equals the new one. */
  readonly already_so: boolean
}

/** The changes that a write would make to one object. */
interface Preview {
  /** The method and path of the write. */
  readonly request: string
  /** True if the object was read; otherwise its current values are unknown. */
  readonly read: boolean
  /** The loss that a real run would ask to confirm. */
  readonly loses?: string
  /** The reason why the write cannot be undone, if there is one. */
  readonly irreversible?: string
  readonly changes: readonly Change[]
}

/** Returns the attributes that a call sends, with files as their names. */
const getSentEntries = (ask: Ask): readonly (readonly [string, unknown])[] => [
  ...Object.entries(getSentAttributes(ask)),
  ...Object.entries(ask.files ?? {}).map(([name, { filename }]) => [name, filename] as const),
]

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

/** True if an attribute is a list that the line does not set and that is empty anyway. */
const isEmptyOmittedList = (
  { attribute, now }: Pick<Change, 'attribute' | 'now'>,
  { endpoint, values, extra }: Ask,
): boolean =>
  endpoint.empties?.includes(attribute) === true &&
  values[attribute] === undefined &&
  extra?.[attribute] === undefined &&
  isEmpty(now)

/** Returns the changes of an object that is deleted: its fields are lost. */
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
  const same =
    record !== undefined && now !== undefined && isAsSent(sent, now, ask.endpoint.params[name])
  return { attribute: name, now: toSentForm(now, sent), new: sent, already_so: same }
}

/** Masks secrets by attribute name, because the rows have the names in a column. */
const maskChanges = (changes: readonly Change[], endpoint: Endpoint): readonly Change[] => {
  const findSecrecy = getSecrecies(getSecretFields(endpoint))
  const hide = (of: 'now' | 'new'): Fields =>
    maskFields(
      Object.fromEntries(changes.map((change) => [change.attribute, change[of]])),
      findSecrecy,
    )
  const [now, next] = [hide('now'), hide('new')]
  return changes.map((change) => ({
    ...change,
    now: now[change.attribute],
    new: next[change.attribute],
  }))
}

/** True if a call deletes the object that is read. */
const isRemoval = (endpoint: Endpoint, read: Endpoint | undefined): boolean =>
  getMethod(endpoint) === 'DELETE' && read !== undefined && getPath(read) === getPath(endpoint)

const formatRequest = ({ method, path }: Pick<WireRequest, 'method' | 'path'>): string =>
  `${method} ${path}`

interface PreviewOptions {
  readonly path: string
  readonly columns?: readonly string[]
  readonly secrets: boolean
}

/**
 * Describes what a write would change.
 * @param record the object; undefined if it was not read
 * @param path the path of the request
 * @param columns the fields to show of a deleted object
 * @param secrets true to show secrets
 */
const createPreview = (
  ask: Ask,
  record: Fields | undefined,
  { path, columns, secrets }: PreviewOptions,
): Preview => {
  const changes =
    columns !== undefined && record !== undefined
      ? getLostFields(record, columns)
      : getSentEntries(ask)
          .map((one) => toChange(ask, record, one))
          .filter((change) => !isEmptyOmittedList(change, ask))
  const request = formatRequest({
    method: getMethod(ask.endpoint),
    path: path.replace(/\?.*/s, ''),
  })
  const shown = secrets ? changes : maskChanges(changes, ask.endpoint)
  return { request, read: record !== undefined, changes: shown }
}

/** Parses the attributes of a body; none if the body is no JSON object. */
const parseAttributes = (body: WireRequest['body']): Fields =>
  typeof body === 'string' ? getFields(tryParseJson(body)) : {}

/** Describes what a request that is not in the catalogue would send. */
const createRequestPreview = (
  wire: WireRequest,
  secrets: boolean,
  { naming }: Pick<CommandFacts, 'naming'>,
): Preview => {
  const sent = parseAttributes(wire.body)
  const shown = secrets ? sent : maskFields(sent, getSecrecies(wire.secrets))
  const changes = Object.entries(shown).map(([own, value]) => ({
    attribute: naming.neutral(own),
    now: null,
    new: value,
    already_so: false,
  }))
  const request = formatRequest(wire)
  return { request: secrets ? request : maskAddresses(request), read: false, changes }
}

/** The text in the column of the new value if the object already has that value. */
const unchangedText = 'already in this state'

/** Converts an access level to its name, as a column of that attribute would show it. */
const toLevelText = (attribute: unknown, value: unknown): unknown =>
  getLevelName(typeof attribute === 'string' ? attribute : undefined, value) ?? value

/** Creates the rows of previews: one for each attribute, or the request if no object was read, or if a part of it is deleted. */
const toPreviewRows = (records: readonly unknown[], isOfPart: boolean): readonly unknown[] =>
  records.flatMap((record) => {
    if (!isObject(record) || !Array.isArray(record.changes)) return [record]
    const { object, request, read, changes } = record
    const rows = changes.filter(isObject).map((change) => ({
      object,
      attribute: change.attribute,
      now: toLevelText(change.attribute, change.now),
      new: change.already_so === true ? unchangedText : toLevelText(change.attribute, change.new),
    }))
    if (read === true && rows.length > 0) return rows
    // The path of a deletion only repeats the name of the object.
    if (!isOfPart && rows.length === 0 && /^DELETE /.test(String(request)))
      return [{ object, attribute: 'object', now: null, new: 'removed' }]
    return [{ object, attribute: 'request', now: null, new: request }, ...rows]
  })

const previewColumns = ['attribute', 'now', 'new'] as const

interface Parts {
  readonly exchange: Pick<InstanceExchange, 'build'>
  readonly caller: Pick<Caller, 'send'>
  readonly lists: Pick<ListReader, 'gather'>
  /** Confirms and processes several objects; the answer is a list. */
  readonly bulk: Pick<BulkRunner, 'confirm' | 'runPlans' | 'stream'>
  readonly answer: Pick<AnswerService, 'borrowColumns'>
  readonly command: Pick<CommandFacts, 'area' | 'endpoints' | 'naming'>
  readonly ui: Pick<UiService, 'note'>
  readonly explainIrreversible: (plan: Plan) => string | undefined
  /** True if some failures are tolerated: a single object is then reported like one of several. */
  readonly tolerates: boolean
  /** True if secrets are shown. */
  readonly secrets: boolean
  /** True if the format prints only the names by which other commands take the objects. */
  readonly isNaming: boolean
  /** Saves the previews as a planned run. */
  readonly planKeeper?: PlanKeeper
}

const createView = ({ endpoints }: Pick<CommandFacts, 'endpoints'>): RecordView => {
  // The area of a documented command names the part: `artifacts delete`.
  const isOfPart = Object.values(endpoints).some((e) => e.from !== undefined && isAboutPart(e))
  return {
    columns: previewColumns,
    names: ['object'],
    people: {
      rows: (records) => toPreviewRows(records, isOfPart),
      columns: ['object', ...previewColumns],
      sheets: true,
    },
  }
}

export class Previewer {
  readonly #parts: Parts
  readonly #view: RecordView
  /** The reasons that were already printed why writes cannot be undone. */
  readonly #notedReasons = new Set<string>()

  constructor(parts: Parts) {
    this.#parts = parts
    this.#view = createView(parts.command)
  }

  /** Yields the previews of actions, and saves them if the line asks for it. */
  async *show(source: Actions, options: WriteOptions): Rows {
    const { planKeeper } = this.#parts
    try {
      yield* this.#yieldRows(source, options)
    } catch (error) {
      // A person must have seen all of a plan before carrying it out. A wrong line has no plan.
      if (planKeeper !== undefined && error instanceof Failure && error.category !== 'usage')
        yield createNoteRow('the plan is not saved, because the preview is incomplete')
      throw error
    }
    await planKeeper?.save()
  }

  /** Returns a preview as people see it: with the instance's names of its attributes. */
  #toShown({ changes, ...preview }: Preview): Preview {
    const { naming } = this.#parts.command
    const named = changes.map((change) => ({
      ...change,
      attribute: naming.name(change.attribute),
    }))
    return { ...preview, changes: named }
  }

  /** Previews one object itself. Several go through the run that writes use, as plans that change nothing. */
  async *#yieldRows(source: Actions, options: WriteOptions): Rows {
    const { bulk, command, isNaming, planKeeper } = this.#parts
    const reading = new SafePlans(command, isNaming)
    const run = async (plan: Plan) => {
      const original = reading.getOriginal(plan)
      if (original.refused !== undefined) throw original.refused
      await options.check?.(original)
      const preview = await this.#previewPlan(original, options)
      planKeeper?.addPreview(original, preview)
      return { value: this.#toShown(preview) }
    }
    if (isSource(source)) {
      const planOf: PlanSource['planOf'] = async (object) => {
        const plan = await source.planOf(object)
        await planKeeper?.addPlan(plan)
        return reading.toSafePlan(plan)
      }
      return yield* bulk.stream(
        { ...this.#addAnnouncement(source, options), planOf },
        { view: this.#view, run },
      )
    }
    const [only, ...others] = source
    for (const plan of source) await planKeeper?.addPlan(plan)
    await this.#announce(source, options)
    if (only !== undefined && this.#isAlone(only, others))
      return yield* this.#previewOne(only, options)
    yield* bulk.runPlans(
      source.map((plan) => reading.toSafePlan(plan)),
      { view: this.#view, run },
    )
  }

  /** Prints what a real run would ask to confirm: the loss and the objects. */
  async #announce(plans: readonly Plan[], options: WriteOptions, count?: number): Promise<void> {
    const due = plans.filter(({ refused }) => refused === undefined)
    const loss = resolveLoss(options)
    // The notes repeat the lines of the question, without a verb before each.
    const loses = loss && { ...loss, noteVerb: undefined }
    const { bulk, explainIrreversible } = this.#parts
    if (due.length === 0 || !(await bulk.confirm(due, { loses }, count))) return
    // The question already contains these reasons.
    for (const plan of due) this.#notedReasons.add(explainIrreversible(plan) ?? '')
  }

  /** Returns the reason why a plan cannot be undone, and prints each reason once. */
  async #noteIrreversible(plan: Plan, preview: Preview): Promise<Pick<Preview, 'irreversible'>> {
    const { ui, explainIrreversible } = this.#parts
    const why = explainIrreversible(plan) ?? (await this.#findGap(plan, preview))
    if (why === undefined) return {}
    if (!this.#notedReasons.has(why)) ui.note(`this cannot be undone: ${why}`)
    this.#notedReasons.add(why)
    return { irreversible: why }
  }

  /** Returns the reason why nothing restores an object that was read; undefined if a command sets its present values. */
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

  /** Adds to a stream of objects the announcement of a loss, before the first object is read. */
  #addAnnouncement(source: PlanSource, options: WriteOptions): PlanSource {
    const { endpoints } = this.#parts.command
    const destroys = Object.values(endpoints).some((e) => e.destructive !== undefined)
    if (!destroys && options.loses === undefined) return source
    const firstObjects = new FirstObjects(source.objects)
    const confirm = async (count: number): Promise<void> => {
      const plans: Plan[] = []
      for (const object of source.known?.first ?? firstObjects.first)
        plans.push(await source.planOf(object))
      await this.#announce(plans, options, count)
    }
    return { ...source, objects: firstObjects.yieldAll(), confirm }
  }

  #isAlone(only: Plan, others: readonly Plan[]): boolean {
    return only.parent === undefined && others.length === 0 && !this.#parts.tolerates
  }

  async *#previewOne(plan: Plan, options: WriteOptions): Rows {
    const { command, isNaming } = this.#parts
    if (plan.refused !== undefined) throw plan.refused
    await options.check?.(plan)
    const preview = await this.#previewPlan(plan, options)
    this.#parts.planKeeper?.addPreview(plan, preview)
    const object =
      options.to === undefined && plan.request === undefined
        ? getPreviewName(plan, command, isNaming)
        : preview.request.replace(/^\w+ /, '')
    yield* yieldRecords([{ object, ...this.#toShown(preview) }], {
      ...this.#view,
      columns: ['object', ...previewColumns],
    })
  }

  async #previewPlan(plan: Plan, options: WriteOptions): Promise<Preview> {
    const preview = await this.preview(plan, options)
    const loss = typeof options.loses === 'function' ? undefined : options.loses
    const loses = loss?.what ?? plan.endpoint.destructive
    const { request, read, changes } = preview
    const lost = loses === undefined ? {} : { loses }
    return { request, read, ...lost, ...(await this.#noteIrreversible(plan, preview)), changes }
  }

  /** Compares an object with what its plan would send. */
  async preview(plan: Plan, { to }: WriteOptions = {}): Promise<Preview> {
    const { answer, command, exchange, lists, secrets, caller } = this.#parts
    const { endpoint } = plan
    if (plan.request !== undefined) return createRequestPreview(plan.request, secrets, command)
    const wire = await exchange.build(plan, to?.origin)
    if (to !== undefined) return createRequestPreview(to.request?.(wire) ?? wire, secrets, command)
    const how = { path: wire.path, secrets }
    const reading = writes(endpoint) ? await findObjectReader(command.area, endpoint) : undefined
    if (reading === undefined) {
      await checkNoDuplicate(plan, (list) => lists.gather(list))
      return createPreview(plan, undefined, how)
    }
    const values = reading.fillPath(plan)
    try {
      const { data } = await caller.send({ endpoint: reading.endpoint, values })
      const gone = isRemoval(endpoint, reading.endpoint)
      const shown = gone ? { columns: await answer.borrowColumns(reading.endpoint) } : {}
      return createPreview(plan, getFields(data), { ...shown, ...how })
    } catch (error) {
      const absent = error instanceof Failure && error.category === 'not_found'
      if (!absent || endpoint.brings !== true) throw error
      return createPreview(plan, undefined, how)
    }
  }
}
