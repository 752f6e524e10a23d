/** One object of a run that keeps a journal: what it was before the run changed it and what it is after, in the attributes that the run changes, no others. */

import { isNumber } from '../../base/json/json.js'
import { type Fields, isObject } from '../../base/objects.js'
import { masked } from '../../base/secrets/names.js'
import { type Endpoint, getMethod, getPath, pathPattern } from '../../catalogue/endpoint.js'
import { kindNamed } from '../../catalogue/kinds.js'
import { Failure, isMissing, survived } from '../../errors.js'
import type { Ask } from '../../http/types.js'
import { asSent, findReading, getSentAttributes, shownIn } from '../command/object-reader.js'
import { toKeptAnswer } from '../command/running.js'
import type { InstanceService } from '../command/services.js'
import type { Command, Plan } from '../command/types.js'
import { agrees } from '../instance/caller.js'
import type { Attributes, Header } from '../journal/lines.js'
import type { Facts, Masking } from '../journal/record.js'
import type { SnapshotFilter } from '../journal/work.js'
import type { PlanAnswer } from '../rows.js'
import type { Item } from '../work/report.js'
import { type Inverse, readCurrent, valuesFor } from './inverse.js'

/** Whether a value holds a whole number past 2^53, which plain JSON would round. */
const holdsRounded = (value: unknown): boolean => {
  if (isNumber(value))
    return Number.isInteger(Number(value)) && !Number.isSafeInteger(Number(value))
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsRounded)
}

// What a run changes, and what was there before.

/** The attributes that a plan sets, as they are sent, without what names its object. */
const wantedBy = (plan: Plan): Fields =>
  Object.fromEntries(
    Object.entries(getSentAttributes(plan)).filter(
      ([name]) => plan.endpoint.args?.includes(name) !== true,
    ),
  )

/** What a plan changes of its object, as undo puts it back. */
const changedBy = (plan: Plan): Fields =>
  plan.endpoint.changes === true ? wantedBy(plan) : (plan.endpoint.leaves ?? {})

/** Whether a journal can hold a value: what no answer shows, or JSON would round, is as little known as a masked one. */
const isKeepable = (value: unknown): boolean => value !== undefined && !holdsRounded(value)

/** The attributes that a plan wants, as a record shows them. */
const shownAs = (record: Fields, wanted: Fields, endpoint: Endpoint): Attributes =>
  Object.fromEntries(
    Object.entries(wanted).map(([name, sent]) => {
      const now = shownIn(record, name, endpoint)
      return [name, isKeepable(now) ? asSent(now, sent) : masked]
    }),
  )

/** The fields of a record that say which object it is. */
const identityIn = (record: unknown, { endpoint }: Plan): Attributes => {
  if (!isObject(record)) return {}
  const name = endpoint.args?.[0] ?? ''
  const kind = kindNamed((endpoint.path[name] ?? endpoint.params[name])?.completes)
  const names = ['id', ...(kind?.names.filter((field) => !field.includes('url')) ?? [])]
  return Object.fromEntries(
    names.flatMap((field) => {
      const value = record[field]
      return typeof value === 'object' || value === undefined ? [] : [[field, value] as const]
    }),
  )
}

/** The parameters of what puts an object back, as far as its record shows them. */
const givenIn = (record: Fields, { endpoint }: Plan): Fields =>
  Object.fromEntries(
    Object.keys(endpoint.params).flatMap((name) => {
      const shown = name.endsWith('_ids')
        ? asSent(shownIn(record, name, endpoint), [])
        : record[name]
      const value = endpoint.args?.includes(name) === true ? undefined : shown
      return value === undefined ? [] : [[name, isKeepable(value) ? value : masked] as const]
    }),
  )

/** Whether a plan makes an object that nobody named. */
const creates = ({ endpoint }: Plan): boolean =>
  getMethod(endpoint) === 'POST' &&
  endpoint.inverse !== undefined &&
  endpoint.path[endpoint.args?.[0] ?? ''] === undefined

/** Whether attributes are as they are wanted. */
const hasAttributes = (wanted: Fields, now: Attributes): boolean =>
  now !== null &&
  Object.keys(wanted).length > 0 &&
  Object.entries(wanted).every(([name, sent]) => now[name] !== masked && agrees(sent, now[name]))

/** The data that a read is answered with, asked once: what takes long is no reason to wait with a write. */
export type CachedRead = (ask: Ask) => Promise<unknown>

/** What says how one object of a run is put back as it was. */
type InverseArguments = readonly [inverse: Inverse, header: Header, item: Item, plan: Plan]

/** What would take back what a plan does to its object. */
const backOf = (...[inverse, header, { parent, ...item }, plan]: InverseArguments): Plan => {
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
  return { key: '', endpoint, values: valuesFor(endpoint, was, header) }
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

  /** What of the object a plan changes, as it is now; undefined where the API reads no single one. */
  async attributes(plan: Plan): Promise<Attributes | undefined> {
    const reading = await findReading(this.#area, plan.endpoint)
    if (reading === undefined) return undefined
    try {
      const data = await this.#reads({ endpoint: reading.endpoint, values: reading.values(plan) })
      return shownAs(isObject(data) ? data : {}, changedBy(plan), plan.endpoint)
    } catch (error) {
      if (plan.endpoint.brings === true && isMissing(error)) return null
      throw error
    }
  }

  /** The object among its like, where a run makes it come and go; null where it is not there. */
  async presence(...back: InverseArguments): Promise<Attributes> {
    const [inverse, , , plan] = back
    const taking = backOf(...back)
    const now =
      (await this.#single([plan, taking])) ?? (await readCurrent(this.#instance, inverse, taking))
    return now === null ? null : { ...identityIn(now, taking), ...givenIn(now, taking) }
  }

  /** The same by the record that a plan was answered with; undefined where that is none. */
  shown(
    ...[value, ...back]: readonly [value: unknown, ...InverseArguments]
  ): Attributes | undefined {
    if (!isObject(value)) return undefined
    const taking = backOf(...back)
    return { ...identityIn(value, taking), ...givenIn(value, taking) }
  }

  /** The object by a read of itself, where one of the paths to it has one; null where it is not there. */
  async #single(plans: readonly Plan[]): Promise<Fields | null | undefined> {
    for (const { endpoint, values } of plans) {
      const name = endpoint.args?.[0] ?? ''
      const reading = /^\d+$/.test(String(values[name]))
        ? await findReading(this.#area, endpoint)
        : undefined
      // A record from elsewhere says nothing of whether it is here.
      if (
        reading === undefined ||
        pathPattern(getPath(reading.endpoint)) !== pathPattern(getPath(endpoint))
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

/** What of the object a plan changes, by the record that was read while it was planned. */
const readWith = (plan: Plan): Attributes | undefined =>
  isObject(plan.record) && plan.endpoint.changes === true
    ? shownAs(plan.record, changedBy(plan), plan.endpoint)
    : undefined

/** The same attributes of the record that the object was selected by; undefined where it has not all of them. */
const selectedAs = (record: unknown, plan: Plan): Attributes | undefined => {
  const wanted = changedBy(plan)
  if (!isObject(record) || Object.keys(wanted).length === 0) return undefined
  const now = shownAs(record, wanted, plan.endpoint)
  return Object.values(now ?? {}).includes(masked) ? undefined : now
}

/** What an update left, as its answer shows it; what that does not show, as it was sent. */
const leftBy = (plan: Plan, { value }: PlanAnswer, before: Attributes): Attributes => {
  const wanted = changedBy(plan)
  const shown = isObject(value) ? shownAs(value, wanted, plan.endpoint) : {}
  return Object.fromEntries(
    Object.entries(before ?? {}).map(([name, was]) => {
      const now = shown?.[name] ?? masked
      if (was === masked) return [name, masked]
      return [name, now === masked ? wanted[name] : now]
    }),
  )
}

/** Of a record that an object was selected by, what all plans of the run change. */
export const keepOf = (first: Plan, mask: Masking): SnapshotFilter => {
  const changed = changedBy(first)
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
  /** Whether a request may be sent, as far as its profile says. */
  readonly admits: (plan: Plan) => Promise<boolean>
  readonly header: Header
  /** What takes the run back, where what was there before is kept for that. */
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

const unknown = (): Failure =>
  new Failure('partial', 'it may have been written before, but its values differ', {
    hint: 'Check the object, and start a new run for it.',
    unknownOutcome: true,
  })

/** An answer of its own: facts are kept by it. */
const unchanged = (): PlanAnswer => ({ unchanged: true })

export class JournaledStep {
  readonly #parts: DoingParts
  readonly #snapshot: Snapshot
  /** What was there before, by place, from when an object is looked at until it is done. */
  readonly #seen = new Map<number, Facts>()

  constructor(parts: DoingParts) {
    this.#parts = parts
    this.#snapshot = new Snapshot(parts.reads, parts.instance, parts.command.area)
  }

  /** What is known of an object before it is begun. */
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
      this.#seen.set(item.n, { unread: survived(error).message })
    }
  }

  async one(item: Item, plan: Plan, send: PlanSender): Promise<StepResult> {
    if (item.how === 'read') return this.#look(item, plan)
    const { before, unread } = this.seen(item)
    this.#seen.delete(item.n)
    const asWanted = before !== undefined && hasAttributes(wantedBy(plan), before)
    if (item.how === 'look' && asWanted) return { answer: unchanged(), facts: {} }
    const sent = item.how === 'again' ? await gone(send, plan) : await send(plan)
    // What was as it is to be is sent all the same: others may change it meanwhile.
    const same = sent.unchanged !== true && asWanted
    const answer = same ? asUnchanged(sent) : sent
    const facts = toKeptAnswer(answer)
    if (answer.unchanged === true) return { answer, facts }
    if (creates(plan))
      return { answer, facts: { ...facts, before: null, after: identityIn(answer.value, plan) } }
    if (before === undefined)
      return { answer, facts: unread === undefined ? facts : { ...facts, unread } }
    const after = await this.#after(item, plan, answer, before)
    return { answer, facts: { ...facts, before, after } }
  }

  /** What may have been sent, and is never sent twice: it is only looked at. */
  async #look(item: Item, plan: Plan): Promise<StepResult> {
    const { inverse } = this.#parts
    const wanted = wantedBy(plan)
    const now =
      plan.endpoint.changes === true || plan.endpoint.leaves !== undefined
        ? await this.#snapshot.attributes(plan)
        : inverse?.presence === true && !creates(plan)
          ? await this.#snapshot.presence(inverse, this.#parts.header, item, plan)
          : undefined
    if (now === undefined || now === null) throw unknown()
    if (Object.keys(wanted).length > 0 && !hasAttributes(wanted, now)) throw unknown()
    return { answer: {}, facts: {} }
  }

  async #before(item: Item, plan: Plan): Promise<Attributes | undefined> {
    const { inverse, header, selected, stale } = this.#parts
    const known = readWith(plan) ?? selectedAs(item.before ?? selected(plan), plan)
    if (inverse === undefined || (known !== undefined && !stale)) return known
    // What may not be sent is not looked at either: it is refused as it is sent.
    if (creates(plan) || !(await this.#parts.admits(plan))) return undefined
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
    if (inverse?.presence !== true) return leftBy(plan, answer, before)
    if (getMethod(plan.endpoint) === 'DELETE') return null
    const shown = this.#snapshot.shown(answer.value, inverse, header, item, plan)
    // What cannot be read any more is done all the same.
    return shown ?? this.#snapshot.presence(inverse, header, item, plan).catch(() => ({}))
  }
}

/** The same answer about an object that the write left as it was. */
const asUnchanged = (answer: PlanAnswer): PlanAnswer => ({
  ...toKeptAnswer(answer),
  bytes: answer.bytes,
  reported: answer.reported,
  unchanged: true,
  get value() {
    return answer.value
  },
})

/** What was deleted before is gone already. */
const gone = async (send: PlanSender, plan: Plan): Promise<PlanAnswer> => {
  try {
    return await send(plan)
  } catch (error) {
    if (isMissing(error)) return unchanged()
    throw error
  }
}
