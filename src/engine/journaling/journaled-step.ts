/**
 * Does one object of a run that keeps a journal: it finds what the object was before and is after, in the attributes
 * that the run changes, no others.
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
import { pickAnswerFacts } from '../command/running.js'
import type { Command, Plan } from '../command/types.js'
import { isAsSent } from '../instance/caller.js'
import type { Attributes, Header } from '../journal/lines.js'
import type { AttributeMask, Facts } from '../journal/record.js'
import type { SnapshotFilter } from '../journal/work.js'
import type { PlanAnswer } from '../rows.js'
import type { Item } from '../work/report.js'
import { buildInverseValues, type Inverse, readCurrent } from './inverse.js'

/** True if a value holds a whole number past 2^53, which plain JSON would round. */
const holdsRounded = (value: unknown): boolean => {
  if (isNumber(value))
    return Number.isInteger(Number(value)) && !Number.isSafeInteger(Number(value))
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsRounded)
}

// What a run changes, and what was there before.

/** Returns the attributes that a plan sets, as they are sent, without what names its object. */
const getWantedFields = (plan: Plan): Fields =>
  Object.fromEntries(
    Object.entries(getSentAttributes(plan)).filter(
      ([name]) => plan.endpoint.args?.includes(name) !== true,
    ),
  )

/** Returns the fields of its object that a plan changes, as undo puts them back. */
const getChangedFields = (plan: Plan): Fields =>
  plan.endpoint.changes === true ? getWantedFields(plan) : (plan.endpoint.leaves ?? {})

/** True if a journal can hold a value. A value that no answer shows, or that JSON would round, is as little known as a masked one. */
const isKeepable = (value: unknown): boolean => value !== undefined && !holdsRounded(value)

/** Returns the attributes that a plan wants, as a record shows them. */
const getShownAttributes = (record: Fields, wanted: Fields, endpoint: Endpoint): Attributes =>
  Object.fromEntries(
    Object.entries(wanted).map(([name, sent]) => {
      const now = getShownValue(record, name, endpoint)
      return [name, isKeepable(now) ? toSentForm(now, sent) : masked]
    }),
  )

/** Returns the fields of a record that say which object it is. */
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

/** Returns the parameters of the endpoint that puts an object back, as far as its record shows them. */
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

/** True if a plan makes an object that no argument names. */
const isCreationPlan = ({ endpoint }: Plan): boolean =>
  getMethod(endpoint) === 'POST' &&
  endpoint.inverse !== undefined &&
  endpoint.path[endpoint.args?.[0] ?? ''] === undefined

/** True if attributes are as they are wanted. */
const hasAttributes = (wanted: Fields, now: Attributes): boolean =>
  now !== null &&
  Object.keys(wanted).length > 0 &&
  Object.entries(wanted).every(([name, sent]) => now[name] !== masked && isAsSent(sent, now[name]))

/** The data that a read is answered with, asked once: what takes long is no reason to wait with a write. */
export type CachedRead = (ask: Ask) => Promise<unknown>

/** The arguments that say how one object of a run is put back as it was. */
type InverseArguments = readonly [inverse: Inverse, header: Header, item: Item, plan: Plan]

/** Creates the plan that would undo what a plan does to its object. */
const createInversePlan = (
  ...[inverse, header, { parent, ...item }, plan]: InverseArguments
): Plan => {
  // By what the plan found it to be: a username may be written in more ways than one.
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
  const endpoint = inverse.endpointFor(was)
  if (endpoint === undefined) throw new Failure('failed', 'no command restores the previous state')
  return { key: '', endpoint, values: buildInverseValues(endpoint, was, header) }
}

/** Reads objects before they are changed. */
class Snapshot {
  readonly #reads: CachedRead
  readonly #instance: InstanceService
  readonly #area: string

  constructor(reads: CachedRead, instance: InstanceService, area: string) {
    this.#reads = reads
    this.#instance = instance
    this.#area = area
  }

  /** Reads the attributes that a plan changes, as they are now; undefined if the API reads no single object. */
  async attributes(plan: Plan): Promise<Attributes | undefined> {
    const reading = await findObjectReader(this.#area, plan.endpoint)
    if (reading === undefined) return undefined
    try {
      const data = await this.#reads({ endpoint: reading.endpoint, values: reading.values(plan) })
      return getShownAttributes(isObject(data) ? data : {}, getChangedFields(plan), plan.endpoint)
    } catch (error) {
      if (plan.endpoint.brings === true && isMissing(error)) return null
      throw error
    }
  }

  /** The object among its like, where a run makes it come and go; null where it is not there. */
  async presence(...back: InverseArguments): Promise<Attributes> {
    const [inverse, , , plan] = back
    const taking = createInversePlan(...back)
    const now =
      (await this.#single([plan, taking])) ?? (await readCurrent(this.#instance, inverse, taking))
    return now === null
      ? null
      : { ...getIdentityFields(now, taking), ...getGivenFields(now, taking) }
  }

  /** Returns the object by the record with which a plan was answered; undefined if the answer is no record. */
  shown(
    ...[value, ...back]: readonly [value: unknown, ...InverseArguments]
  ): Attributes | undefined {
    if (!isObject(value)) return undefined
    const taking = createInversePlan(...back)
    return { ...getIdentityFields(value, taking), ...getGivenFields(value, taking) }
  }

  /** The object by a read of itself, where one of the paths to it has one; null where it is not there. */
  async #single(plans: readonly Plan[]): Promise<Fields | null | undefined> {
    for (const { endpoint, values } of plans) {
      const name = endpoint.args?.[0] ?? ''
      const reading = /^\d+$/.test(String(values[name]))
        ? await findObjectReader(this.#area, endpoint)
        : undefined
      // A record from elsewhere says nothing of whether it is here.
      if (
        reading === undefined ||
        toPathPattern(getPath(reading.endpoint)) !== toPathPattern(getPath(endpoint))
      )
        continue
      try {
        const data = await this.#reads({
          endpoint: reading.endpoint,
          values: reading.values({ values }),
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

/** Returns the attributes that a plan changes, by the record that was read while it was planned. */
const readWith = (plan: Plan): Attributes | undefined =>
  isObject(plan.record) && plan.endpoint.changes === true
    ? getShownAttributes(plan.record, getChangedFields(plan), plan.endpoint)
    : undefined

/** Returns these attributes by the record with which the object was selected; undefined if the record has not all of them. */
const getSelectedAttributes = (record: unknown, plan: Plan): Attributes | undefined => {
  const wanted = getChangedFields(plan)
  if (!isObject(record) || Object.keys(wanted).length === 0) return undefined
  const now = getShownAttributes(record, wanted, plan.endpoint)
  return Object.values(now ?? {}).includes(masked) ? undefined : now
}

/** Returns the attributes that an update left, as its answer shows them; those that it does not show are as they were sent. */
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

/** Creates a filter for the record that an object was selected by: it keeps what all plans of the run change. */
export const keepOf = (first: Plan, mask: AttributeMask): SnapshotFilter => {
  const changed = getChangedFields(first)
  return (before) => {
    const own = Object.entries(before ?? {}).filter(([name]) => Object.hasOwn(changed, name))
    return own.length === 0 ? undefined : mask(Object.fromEntries(own))
  }
}

// One object of a run that keeps a journal: looked at before it is changed, and described after.

interface DoingParts {
  readonly command: Pick<Command, 'area'>
  readonly instance: InstanceService
  readonly reads: CachedRead
  /** Returns true if a request may be sent, as far as its profile says. */
  readonly admits: (plan: Plan) => Promise<boolean>
  readonly header: Header
  /** The inverse that undoes the run, if what was there before is kept for that. */
  readonly inverse: Inverse | undefined
  readonly selected: (plan: Plan) => unknown
  /** It was selected in an earlier run, and may have been changed since. */
  readonly stale: boolean
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

/** Creates an answer of its own for each object: facts are kept by it. */
const createUnchangedAnswer = (): PlanAnswer => ({ unchanged: true })

export class JournaledStep {
  readonly #parts: DoingParts
  readonly #snapshot: Snapshot
  /** The facts of what was there before, by place, from when an object is looked at until it is done. */
  readonly #seen = new Map<number, Facts>()

  constructor(parts: DoingParts) {
    this.#parts = parts
    this.#snapshot = new Snapshot(parts.reads, parts.instance, parts.command.area)
  }

  /** Returns what is known of an object before it is begun. */
  seen({ n }: Item): Facts {
    return this.#seen.get(n) ?? {}
  }

  /** Looks at an object before it is begun: what cannot be read is written all the same, and cannot be undone. */
  async look(item: Item, plan: Plan): Promise<void> {
    if (item.how === 'read' || plan.refused !== undefined || this.#seen.has(item.n)) return
    try {
      const before = await this.#before(item, plan)
      if (before !== undefined) this.#seen.set(item.n, { before })
    } catch (error) {
      this.#seen.set(item.n, { unread: recoverFrom(error).message })
    }
  }

  async one(item: Item, plan: Plan, send: PlanSender): Promise<StepResult> {
    if (item.how === 'read') return this.#look(item, plan)
    const { before, unread } = this.seen(item)
    this.#seen.delete(item.n)
    const asWanted = before !== undefined && hasAttributes(getWantedFields(plan), before)
    if (item.how === 'look' && asWanted) return { answer: createUnchangedAnswer(), facts: {} }
    const sent = item.how === 'again' ? await sendAgain(send, plan) : await send(plan)
    // What was as it is to be is sent all the same: others may change it meanwhile.
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
    const after = await this.#after(item, plan, answer, before)
    return { answer, facts: { ...facts, before, after } }
  }

  /** Looks at an object whose request may have been sent: that is never sent twice. */
  async #look(item: Item, plan: Plan): Promise<StepResult> {
    const { inverse } = this.#parts
    const wanted = getWantedFields(plan)
    const now =
      plan.endpoint.changes === true || plan.endpoint.leaves !== undefined
        ? await this.#snapshot.attributes(plan)
        : inverse?.presence === true && !isCreationPlan(plan)
          ? await this.#snapshot.presence(inverse, this.#parts.header, item, plan)
          : undefined
    if (now === undefined || now === null) throw createUnknownFailure()
    if (Object.keys(wanted).length > 0 && !hasAttributes(wanted, now)) throw createUnknownFailure()
    return { answer: {}, facts: {} }
  }

  async #before(item: Item, plan: Plan): Promise<Attributes | undefined> {
    const { inverse, header, selected, stale } = this.#parts
    const known = readWith(plan) ?? getSelectedAttributes(item.before ?? selected(plan), plan)
    if (inverse === undefined || (known !== undefined && !stale)) return known
    // What may not be sent is not looked at either: it is refused as it is sent.
    if (isCreationPlan(plan) || !(await this.#parts.admits(plan))) return undefined
    return inverse.presence
      ? this.#snapshot.presence(inverse, header, item, plan)
      : this.#snapshot.attributes(plan)
  }

  async #after(
    item: Item,
    plan: Plan,
    answer: PlanAnswer,
    before: Attributes,
  ): Promise<Attributes> {
    const { inverse, header } = this.#parts
    if (inverse?.presence !== true) return getResultingAttributes(plan, answer, before)
    if (getMethod(plan.endpoint) === 'DELETE') return null
    const shown = this.#snapshot.shown(answer.value, inverse, header, item, plan)
    // What cannot be read any more is done all the same.
    return shown ?? this.#snapshot.presence(inverse, header, item, plan).catch(() => ({}))
  }
}

/** Converts an answer to that about an object which the write left as it was. */
const toUnchangedAnswer = (answer: PlanAnswer): PlanAnswer => ({
  ...pickAnswerFacts(answer),
  bytes: answer.bytes,
  reported: answer.reported,
  unchanged: true,
  get value() {
    return answer.value
  },
})

/** Sends a deletion once more: an object that is gone already is unchanged. */
const sendAgain = async (send: PlanSender, plan: Plan): Promise<PlanAnswer> => {
  try {
    return await send(plan)
  } catch (error) {
    if (isMissing(error)) return createUnchangedAnswer()
    throw error
  }
}
