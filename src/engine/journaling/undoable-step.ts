/**
 * Sends one object of a run, and finds its state before and after, from which undo restores it: the attributes that the run changes,
 * or the object itself if the run creates or deletes it. `journaled-run.ts` records both.
 */

import { type Fields, isObject } from '../../base/objects.js'
import { masked } from '../../base/secrets/names.js'
import { type Endpoint, getMethod } from '../../catalogue/endpoint.js'
import { Failure, isMissing, recoverFrom } from '../../errors.js'
import type { InstanceService } from '../command/context.js'
import { UnchangedAnswer } from '../command/outcomes.js'
import { isCreation } from '../command/reversal.js'
import type { Command, Plan } from '../command/types.js'
import { isAsSent } from '../instance/caller.js'
import type { Attributes, Header } from '../journal/lines.js'
import type { SnapshotFilter } from '../journal/objects.js'
import type { AttributeMask, OutcomeFacts } from '../journal/run-record.js'
import type { PlanAnswer } from '../rows.js'
import type { Item } from '../work/report.js'
import { findRestoredState, getIdentityFields, type Inverse } from './inverse.js'
import {
  type CachedRead,
  getChangedFields,
  getShownAttributes,
  getWantedFields,
  StateReader,
} from './state-reader.js'

/** True if a plan adds an object that its argument names, such as a user to a project: it exists once or not at all. */
const isNamedCreation = (plan: Plan): boolean =>
  isCreation(plan.endpoint) && plan.values[plan.endpoint.args?.[0] ?? ''] !== undefined

/** True if the attributes have the wanted values. */
const hasAttributes = (wanted: Fields, now: Attributes, { params }: Endpoint): boolean =>
  now !== null &&
  Object.keys(wanted).length > 0 &&
  Object.entries(wanted).every(
    ([name, sent]) => now[name] !== masked && isAsSent(sent, now[name], params[name]),
  )

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

/** Returns the fields that identify a created object, and those that were sent as its record shows them. */
const getCreatedFields = (plan: Plan, { value }: PlanAnswer): Attributes => {
  const sent = isObject(value)
    ? getShownAttributes(value, getWantedFields(plan), plan.endpoint)
    : {}
  const shown = Object.entries(sent ?? {}).filter(([, now]) => now !== masked)
  return { ...Object.fromEntries(shown), ...getIdentityFields(value, plan) }
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
  readonly facts: OutcomeFacts
}

type PlanSender = (plan: Plan) => Promise<PlanAnswer>

const createUnknownFailure = (why: string): Failure =>
  new Failure('partial', `it may have been written before, ${why}`, {
    hint: 'Check the object, and start a new run for it.',
    unknownOutcome: true,
    unverifiable: true,
  })

/** True if the attributes of an object show whether its request was sent. */
const hasAttributeState = ({ endpoint: { changes, leaves } }: Plan): boolean =>
  changes === true || leaves !== undefined

/** Creates an answer. Each object needs one of its own, because facts are stored by answer. */
const createUnchangedAnswer = (): PlanAnswer => ({ unchanged: true })

/** Sends the objects of a run one by one, and finds the state of each before and after. */
export class UndoableStep {
  readonly #state: StateReader
  /** The facts about the previous state, by number, from reading an object until it is done. */
  readonly #seen = new Map<number, OutcomeFacts>()

  constructor(private readonly parts: StepParts) {
    this.#state = new StateReader(parts.readOnce, parts.instance, parts.command.area)
  }

  /** Returns the known facts about an object before it is begun. */
  getSeen({ n }: Item): OutcomeFacts {
    return this.#seen.get(n) ?? {}
  }

  /**
   * Reads an object before it is begun. An object that cannot be read is changed all the same, but cannot be undone.
   */
  async readBefore(item: Item, plan: Plan): Promise<void> {
    if (item.resumeBy === 'verifying' || plan.refused !== undefined || this.#seen.has(item.n))
      return
    if (plan.reverts !== undefined) {
      const { before, after } = plan.reverts
      this.#seen.set(item.n, { before: after, after: before })
      return
    }
    try {
      const before = await this.#findBefore(item, plan)
      if (before === undefined) return
      const isChanged = before !== null && this.parts.inverse?.isPresence !== true
      const after = isChanged ? getResultingAttributes(plan, {}, before) : undefined
      this.#seen.set(item.n, { before, after })
    } catch (error) {
      this.#seen.set(item.n, { unread: recoverFrom(error).message })
    }
  }

  /**
   * Sends the request of an object.
   * @returns the answer, and the state before and after as far as they are known
   * @throws Failure `partial` if it may have been sent before, and the object is not as wanted
   */
  async sendOne(item: Item, plan: Plan, send: PlanSender): Promise<StepResult> {
    if (item.resumeBy === 'verifying') return this.#verifySent(item, plan, send)
    const seen = this.getSeen(item)
    const isAsWanted =
      seen.before !== undefined && hasAttributes(getWantedFields(plan), seen.before, plan.endpoint)
    if (item.resumeBy === 'comparing' && isAsWanted)
      return { answer: createUnchangedAnswer(), facts: {} }
    const sending = item.resumeBy === 'repeating' ? sendAgain(send, plan) : send(plan)
    const sent = await sending
      .catch((error: unknown) => {
        throw this.#addUnverifiable(plan, error)
      })
      .finally(() => this.#seen.delete(item.n))
    // A write is sent even if nothing would change, because another client may change the object meanwhile.
    const answer = isAsWanted && sent.unchanged !== true ? new UnchangedAnswer(sent) : sent
    return this.#describeSent(item, plan, answer, seen)
  }

  /** Adds the facts that the journal records to the answer of an object's request. */
  async #describeSent(
    item: Item,
    plan: Plan,
    answer: PlanAnswer,
    seen: OutcomeFacts,
  ): Promise<StepResult> {
    const states = answer.unchanged === true ? {} : await this.#findStates(item, plan, answer, seen)
    const { status, requestId } = answer
    return { answer, facts: { status, requestId, ...states } }
  }

  /** Finds the states of an object before and after its request, or the reason why they are not known. */
  async #findStates(
    item: Item,
    plan: Plan,
    answer: PlanAnswer,
    seen: OutcomeFacts,
  ): Promise<OutcomeFacts> {
    if (plan.reverts !== undefined) return findRestoredState(plan, plan.reverts, answer)
    if (isCreation(plan.endpoint)) return { before: null, after: getCreatedFields(plan, answer) }
    const { before, unread } = seen
    if (before === undefined) return unread === undefined ? {} : { unread }
    return { before, after: await this.#findAfter(item, plan, answer, before) }
  }

  /**
   * Verifies by its state that the request of an object was sent, as it must not be sent twice. An object that the request adds and that
   * does not exist shows that the request was not carried out.
   */
  async #verifySent(item: Item, plan: Plan, send: PlanSender): Promise<StepResult> {
    const wanted = getWantedFields(plan)
    const now = await this.#readNow(item, plan)
    if (now === undefined) throw createUnknownFailure('and no request shows whether it was')
    if (now === null) return this.#describeSent(item, plan, await send(plan), {})
    if (Object.keys(wanted).length > 0 && !hasAttributes(wanted, now, plan.endpoint))
      throw createUnknownFailure('but its values differ')
    return { answer: {}, facts: {} }
  }

  /** Adds to an error that no request shows whether the write was carried out, if it must not be sent twice. */
  #addUnverifiable(plan: Plan, error: unknown): unknown {
    if (!(error instanceof Failure) || error.details.unknownOutcome !== true) return error
    const isRepeatable = !['POST', 'PATCH'].includes(getMethod(plan.endpoint))
    return isRepeatable || hasAttributeState(plan) || this.#getPresence(plan) !== undefined
      ? error
      : error.with({ unverifiable: true })
  }

  /** Returns the inverse of a plan if the presence of its object shows whether its request was sent. */
  #getPresence(plan: Plan): Inverse | undefined {
    const { inverse } = this.parts
    const isNamed = !isCreation(plan.endpoint) || isNamedCreation(plan)
    return inverse?.isPresence === true && isNamed ? inverse : undefined
  }

  /** Reads the present state of an object; undefined if nothing shows whether its request was sent. */
  async #readNow(item: Item, plan: Plan): Promise<Attributes | undefined> {
    if (hasAttributeState(plan)) return this.#state.readAttributes(plan)
    const inverse = this.#getPresence(plan)
    if (inverse === undefined) return undefined
    return this.#state.readPresence({ inverse, header: this.parts.header, item, plan })
  }

  async #findBefore(item: Item, plan: Plan): Promise<Attributes | undefined> {
    const { inverse, header, getSelected, isStale } = this.parts
    if (inverse?.isPresence === true && plan.record !== undefined)
      return this.#state.getFromAnswer(plan.record, { inverse, header, item, plan })
    const known =
      getPlannedAttributes(plan) ?? getSelectedAttributes(item.before ?? getSelected(plan), plan)
    if (inverse === undefined || (known !== undefined && !isStale)) return known
    // A request that is not allowed needs no read: it is refused when it is sent.
    if (isCreation(plan.endpoint) || !(await this.parts.canWrite(plan))) return undefined
    return inverse.isPresence
      ? this.#state.readPresence({ inverse, header, item, plan })
      : this.#state.readAttributes(plan)
  }

  async #findAfter(
    item: Item,
    plan: Plan,
    answer: PlanAnswer,
    before: Attributes,
  ): Promise<Attributes> {
    const { inverse, header } = this.parts
    if (inverse?.isPresence !== true) return getResultingAttributes(plan, answer, before)
    if (getMethod(plan.endpoint) === 'DELETE') return null
    const shown = this.#state.getFromAnswer(answer.value, { inverse, header, item, plan })
    // The write succeeded even if the object cannot be read any more.
    return shown ?? this.#state.readPresence({ inverse, header, item, plan }).catch(() => ({}))
  }
}

/** Repeats a deletion. An object that does not exist any more, or whose name no longer exists, counts as unchanged. */
const sendAgain = async (send: PlanSender, plan: Plan): Promise<PlanAnswer> => {
  try {
    return await send(plan)
  } catch (error) {
    if (isMissing(error) || plan.refused?.category === 'not_found') return createUnchangedAnswer()
    throw error
  }
}
