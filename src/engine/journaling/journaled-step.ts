/**
 * Sends one object of a run with a journal, and finds the object's state before and after, limited to the attributes
 * that the run changes.
 */

import { isNumber } from '../../base/json/json.js'
import { type Fields, isObject } from '../../base/objects.js'
import { masked } from '../../base/secrets/names.js'
import { type Endpoint, getMethod, getPath, toPathPattern } from '../../catalogue/endpoint.js'
import { getKindByName } from '../../catalogue/kinds.js'
import { Failure, isMissing, recoverFrom } from '../../errors.js'
import type { Ask } from '../../http/types.js'
import type { InstanceService } from '../command/context.js'
import {
  findObjectReader,
  getSentAttributes,
  getShownValue,
  toSentForm,
} from '../command/object-reader.js'
import { pickAnswerFacts } from '../command/outcomes.js'
import type { Command, Plan } from '../command/types.js'
import { isAsSent } from '../instance/caller.js'
import type { Attributes, Header } from '../journal/lines.js'
import type { SnapshotFilter } from '../journal/objects.js'
import type { AttributeMask, Facts } from '../journal/record.js'
import type { PlanAnswer } from '../rows.js'
import type { Item } from '../work/report.js'
import { buildInverseValues, type Inverse, readCurrent } from './inverse.js'

/** True if a value contains a whole number beyond 2^53, which JSON would round. */
const holdsRounded = (value: unknown): boolean => {
  if (isNumber(value))
    return Number.isInteger(Number(value)) && !Number.isSafeInteger(Number(value))
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsRounded)
}

// The attributes that a run changes, and their previous values.

/** Returns the attributes that a plan sends, without those that name its object. */
const getWantedFields = (plan: Plan): Fields =>
  Object.fromEntries(
    Object.entries(getSentAttributes(plan)).filter(
      ([name]) => plan.endpoint.args?.includes(name) !== true,
    ),
  )

/** Returns the attributes that a plan changes and that undo restores. */
const getChangedFields = (plan: Plan): Fields =>
  plan.endpoint.changes === true ? getWantedFields(plan) : (plan.endpoint.leaves ?? {})

/**
 * True if a journal can record a value. A missing or rounded value is treated like a masked one: it cannot be restored.
 */
const isKeepable = (value: unknown): boolean => value !== undefined && !holdsRounded(value)

/** Returns the wanted attributes of a plan as a record shows them. */
const getShownAttributes = (record: Fields, wanted: Fields, endpoint: Endpoint): Attributes =>
  Object.fromEntries(
    Object.entries(wanted).map(([name, sent]) => {
      const now = getShownValue(record, name, endpoint)
      return [name, isKeepable(now) ? toSentForm(now, sent) : masked]
    }),
  )

/** Returns the fields of a record that identify its object. */
const getIdentityFields = (record: unknown, { endpoint }: Plan): Attributes => {
  if (!isObject(record)) return {}
  const name = endpoint.args?.[0] ?? ''
  const kind = getKindByName((endpoint.path[name] ?? endpoint.params[name])?.completes)
  const names = ['id', ...(kind?.names.filter((field) => !field.includes('url')) ?? [])]
  return Object.fromEntries(
    names.flatMap((field) => {
      const value = record[field]
      return typeof value === 'object' || value === undefined ? [] : [[field, value] as const]
    }),
  )
}

/** Returns the parameters that create an object again, as far as its record shows them. */
const getGivenFields = (record: Fields, { endpoint }: Plan): Fields =>
  Object.fromEntries(
    Object.keys(endpoint.params).flatMap((name) => {
      const shown = name.endsWith('_ids')
        ? toSentForm(getShownValue(record, name, endpoint), [])
        : record[name]
      const value = endpoint.args?.includes(name) === true ? undefined : shown
      return value === undefined ? [] : [[name, isKeepable(value) ? value : masked] as const]
    }),
  )

/** True if a plan creates an object that no argument names. */
const isCreationPlan = ({ endpoint }: Plan): boolean =>
  getMethod(endpoint) === 'POST' &&
  endpoint.inverse !== undefined &&
  endpoint.path[endpoint.args?.[0] ?? ''] === undefined

/** True if the attributes have the wanted values. */
const hasAttributes = (wanted: Fields, now: Attributes): boolean =>
  now !== null &&
  Object.keys(wanted).length > 0 &&
  Object.entries(wanted).every(([name, sent]) => now[name] !== masked && isAsSent(sent, now[name]))

/** Reads data once, with a short timeout: a slow read must not delay a write. */
export type CachedRead = (ask: Ask) => Promise<unknown>

/** The arguments for restoring one object of a run. */
type InverseArguments = readonly [inverse: Inverse, header: Header, item: Item, plan: Plan]

/** Creates the plan that would undo another plan. */
const createInversePlan = (
  ...[inverse, header, { parent, ...item }, plan]: InverseArguments
): Plan => {
  // The plan has the resolved ID: a username can be written in several ways.
  const known = plan.values[plan.endpoint.args?.[0] ?? '']
  const object = known === undefined ? item.object : String(known)
  const was = {
    n: 1,
    object,
    parent,
    before: {},
    after: null,
    masked: [],
  }
  const endpoint = inverse.findEndpoint(was)
  if (endpoint === undefined) throw new Failure('failed', 'no command restores the previous state')
  return { key: '', endpoint, values: buildInverseValues(endpoint, was, header) }
}

/** Reads the state of objects before they are changed. */
class StateReader {
  readonly #readOnce: CachedRead
  readonly #instance: InstanceService
  readonly #area: string

  constructor(reads: CachedRead, instance: InstanceService, area: string) {
    this.#readOnce = reads
    this.#instance = instance
    this.#area = area
  }

  /** Reads the attributes that a plan changes; undefined if the API cannot read a single object. */
  async readAttributes(plan: Plan): Promise<Attributes | undefined> {
    const reading = await findObjectReader(this.#area, plan.endpoint)
    if (reading === undefined) return undefined
    try {
      const data = await this.#readOnce({
        endpoint: reading.endpoint,
        values: reading.fillPath(plan),
      })
      return getShownAttributes(isObject(data) ? data : {}, getChangedFields(plan), plan.endpoint)
    } catch (error) {
      if (plan.endpoint.brings === true && isMissing(error)) return null
      throw error
    }
  }

  /** Reads an object that a run creates or deletes; null if it does not exist. */
  async readPresence(...back: InverseArguments): Promise<Attributes> {
    const [inverse, , , plan] = back
    const taking = createInversePlan(...back)
    const now =
      (await this.#readSingle([plan, taking])) ??
      (await readCurrent(this.#instance, inverse, taking))
    return now === null
      ? null
      : { ...getIdentityFields(now, taking), ...getGivenFields(now, taking) }
  }

  /** Returns the state of an object from the answer to its plan; undefined if the answer is no record. */
  getFromAnswer(
    ...[value, ...back]: readonly [value: unknown, ...InverseArguments]
  ): Attributes | undefined {
    if (!isObject(value)) return undefined
    const taking = createInversePlan(...back)
    return { ...getIdentityFields(value, taking), ...getGivenFields(value, taking) }
  }

  /** Reads an object by its own path, if one of the plans has such a path; null if it does not exist. */
  async #readSingle(plans: readonly Plan[]): Promise<Fields | null | undefined> {
    for (const { endpoint, values } of plans) {
      const name = endpoint.args?.[0] ?? ''
      const reading = /^\d+$/.test(String(values[name]))
        ? await findObjectReader(this.#area, endpoint)
        : undefined
      // A record under another path does not prove that the object exists here.
      if (
        reading === undefined ||
        toPathPattern(getPath(reading.endpoint)) !== toPathPattern(getPath(endpoint))
      )
        continue
      try {
        const data = await this.#readOnce({
          endpoint: reading.endpoint,
          values: reading.fillPath({ values }),
        })
        return isObject(data) ? data : undefined
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    }
    return undefined
  }
}

/** Returns the previous attributes from the record that planning already read. */
const getPlannedAttributes = (plan: Plan): Attributes | undefined =>
  isObject(plan.record) && plan.endpoint.changes === true
    ? getShownAttributes(plan.record, getChangedFields(plan), plan.endpoint)
    : undefined

/** Returns the previous attributes from the record by which the object was selected; undefined if it lacks one. */
const getSelectedAttributes = (record: unknown, plan: Plan): Attributes | undefined => {
  const wanted = getChangedFields(plan)
  if (!isObject(record) || Object.keys(wanted).length === 0) return undefined
  const now = getShownAttributes(record, wanted, plan.endpoint)
  return Object.values(now ?? {}).includes(masked) ? undefined : now
}

/**
 * Returns the attributes after an update, from its answer. Attributes that the answer does not show are assumed to be
 * as sent.
 */
const getResultingAttributes = (
  plan: Plan,
  { value }: PlanAnswer,
  before: Attributes,
): Attributes => {
  const wanted = getChangedFields(plan)
  const shown = isObject(value) ? getShownAttributes(value, wanted, plan.endpoint) : {}
  return Object.fromEntries(
    Object.entries(before ?? {}).map(([name, was]) => {
      const now = shown?.[name] ?? masked
      if (was === masked) return [name, masked]
      return [name, now === masked ? wanted[name] : now]
    }),
  )
}

/** Creates a filter for the records by which objects were selected: it keeps the attributes that the run changes. */
export const createSnapshotFilter = (first: Plan, mask: AttributeMask): SnapshotFilter => {
  const changed = getChangedFields(first)
  return (before) => {
    const own = Object.entries(before ?? {}).filter(([name]) => Object.hasOwn(changed, name))
    return own.length === 0 ? undefined : mask(Object.fromEntries(own))
  }
}

// One object of a run: read before it is changed, and described afterwards.

interface StepParts {
  readonly command: Pick<Command, 'area'>
  readonly instance: InstanceService
  readonly readOnce: CachedRead
  /** Returns true if the profile allows the request. */
  readonly canWrite: (plan: Plan) => Promise<boolean>
  readonly header: Header
  /** The inverse of the run, if previous values are recorded. */
  readonly inverse: Inverse | undefined
  readonly getSelected: (plan: Plan) => unknown
  /** True if the object was selected by an earlier run, so that its record may be outdated. */
  readonly isStale: boolean
}

interface StepResult {
  readonly answer: PlanAnswer
  readonly facts: Facts
}

type PlanSender = (plan: Plan) => Promise<PlanAnswer>

const createUnknownFailure = (): Failure =>
  new Failure('partial', 'it may have been written before, but its values differ', {
    hint: 'Check the object, and start a new run for it.',
    unknownOutcome: true,
  })

/** Creates an answer. Each object needs one of its own, because facts are stored by answer. */
const createUnchangedAnswer = (): PlanAnswer => ({ unchanged: true })

export class JournaledStep {
  readonly #parts: StepParts
  readonly #state: StateReader
  /** The facts about the previous state, by number, from reading an object until it is done. */
  readonly #seen = new Map<number, Facts>()

  constructor(parts: StepParts) {
    this.#parts = parts
    this.#state = new StateReader(parts.readOnce, parts.instance, parts.command.area)
  }

  /** Returns the known facts about an object before it is begun. */
  getSeen({ n }: Item): Facts {
    return this.#seen.get(n) ?? {}
  }

  /**
   * Reads an object before it is begun. An object that cannot be read is changed all the same, but cannot be undone.
   */
  async readBefore(item: Item, plan: Plan): Promise<void> {
    if (item.how === 'read' || plan.refused !== undefined || this.#seen.has(item.n)) return
    try {
      const before = await this.#findBefore(item, plan)
      if (before !== undefined) this.#seen.set(item.n, { before })
    } catch (error) {
      this.#seen.set(item.n, { unread: recoverFrom(error).message })
    }
  }

  async sendOne(item: Item, plan: Plan, send: PlanSender): Promise<StepResult> {
    if (item.how === 'read') return this.#checkSent(item, plan)
    const { before, unread } = this.getSeen(item)
    this.#seen.delete(item.n)
    const asWanted = before !== undefined && hasAttributes(getWantedFields(plan), before)
    if (item.how === 'look' && asWanted) return { answer: createUnchangedAnswer(), facts: {} }
    const sent = item.how === 'again' ? await sendAgain(send, plan) : await send(plan)
    // A write is sent even if nothing would change, because another client may change the object meanwhile.
    const same = sent.unchanged !== true && asWanted
    const answer = same ? toUnchangedAnswer(sent) : sent
    const facts = pickAnswerFacts(answer)
    if (answer.unchanged === true) return { answer, facts }
    if (isCreationPlan(plan))
      return {
        answer,
        facts: { ...facts, before: null, after: getIdentityFields(answer.value, plan) },
      }
    if (before === undefined)
      return { answer, facts: unread === undefined ? facts : { ...facts, unread } }
    const after = await this.#findAfter(item, plan, answer, before)
    return { answer, facts: { ...facts, before, after } }
  }

  /** Checks an object whose request may already have been sent, as it must not be sent twice. */
  async #checkSent(item: Item, plan: Plan): Promise<StepResult> {
    const { inverse } = this.#parts
    const wanted = getWantedFields(plan)
    const now =
      plan.endpoint.changes === true || plan.endpoint.leaves !== undefined
        ? await this.#state.readAttributes(plan)
        : inverse?.isPresence === true && !isCreationPlan(plan)
          ? await this.#state.readPresence(inverse, this.#parts.header, item, plan)
          : undefined
    if (now === undefined || now === null) throw createUnknownFailure()
    if (Object.keys(wanted).length > 0 && !hasAttributes(wanted, now)) throw createUnknownFailure()
    return { answer: {}, facts: {} }
  }

  async #findBefore(item: Item, plan: Plan): Promise<Attributes | undefined> {
    const { inverse, header, getSelected, isStale } = this.#parts
    const known =
      getPlannedAttributes(plan) ?? getSelectedAttributes(item.before ?? getSelected(plan), plan)
    if (inverse === undefined || (known !== undefined && !isStale)) return known
    // A request that is not allowed needs no read: it is refused when it is sent.
    if (isCreationPlan(plan) || !(await this.#parts.canWrite(plan))) return undefined
    return inverse.isPresence
      ? this.#state.readPresence(inverse, header, item, plan)
      : this.#state.readAttributes(plan)
  }

  async #findAfter(
    item: Item,
    plan: Plan,
    answer: PlanAnswer,
    before: Attributes,
  ): Promise<Attributes> {
    const { inverse, header } = this.#parts
    if (inverse?.isPresence !== true) return getResultingAttributes(plan, answer, before)
    if (getMethod(plan.endpoint) === 'DELETE') return null
    const shown = this.#state.getFromAnswer(answer.value, inverse, header, item, plan)
    // The write succeeded even if the object cannot be read any more.
    return shown ?? this.#state.readPresence(inverse, header, item, plan).catch(() => ({}))
  }
}

/** Converts an answer to that of an object which the write did not change. */
const toUnchangedAnswer = (answer: PlanAnswer): PlanAnswer => ({
  ...pickAnswerFacts(answer),
  bytes: answer.bytes,
  reported: answer.reported,
  unchanged: true,
  get value() {
    return answer.value
  },
})

/** Repeats a deletion. An object that does not exist any more counts as unchanged. */
const sendAgain = async (send: PlanSender, plan: Plan): Promise<PlanAnswer> => {
  try {
    return await send(plan)
  } catch (error) {
    if (isMissing(error)) return createUnchangedAnswer()
    throw error
  }
}
