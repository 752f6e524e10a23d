/**
 * Carries out a plan: the actions of a place run one after the other, places run in parallel. An action waits for its predecessors, and is
 * skipped if one of them failed.
 */

import type { JsonValues } from '../../base/objects.js'
import { type HeldText, openHeld } from '../../base/secrets/redact.js'
import { getMethod } from '../../catalogue/endpoint.js'
import { type Item, type Outcome, type Report, toOutcome } from '../../engine/work/report.js'
import type { ObjectWork, WorkRunner } from '../../engine/work/run.js'
import { Failure, isMissing, recoverFrom } from '../../errors.js'
import { canFollowWrite } from '../../http/status.js'
import { type ActionStep, type PlannedAction, ReadyQueue } from '../actions.js'
import { type Address, toPlaceText } from '../address.js'
import { computeItemDigest } from '../attributes.js'
import type { InstanceView } from '../reading/index.js'
import type { WritableInstance } from '../state.js'
import type { SecretValues } from './secrets.js'
import { findActionItem, findDifferences, readActionKind } from './verify.js'

// One action: its requests, and its outcome if the answer was lost.

/** The services that performing an action uses. */
interface PerformingParts {
  readonly instance: Pick<WritableInstance, 'send'>
  readonly view: Pick<InstanceView, 'readKind' | 'forget'>
  readonly secrets: Pick<SecretValues, 'value'>
}

/** A secret that was set. */
interface SetSecret {
  readonly address: Address
  readonly value: HeldText
}

/** The result of one action. `gone` is true if the object to delete no longer existed. */
interface ActionResult {
  readonly set: readonly SetSecret[]
  readonly gone: boolean
  /** The HTTP status of the answer. */
  readonly status?: number
}

/**
 * Reads the item again to find out whether a write was carried out, after its answer was lost, an error of the instance, or a 404 for the
 * object to delete.
 * @throws Failure if the write was not carried out; `given` if the read cannot tell
 */
const settleUnknownWrite = async (
  parts: PerformingParts,
  action: PlannedAction,
  given: Failure,
): Promise<void> => {
  const { view } = parts
  view.forget(action.address)
  const current = await readActionKind(view, action, [action]).catch((error: unknown) => {
    recoverFrom(error)
    return undefined
  })
  if (current?.is !== 'read') {
    if (isGone(action.step, given)) return
    throw given
  }
  const { items } = current
  const wrong = findDifferences(action, items)
  if (wrong.length === 0) return
  const untouched =
    computeItemDigest(action.kind, findActionItem(action.kind, action.step, items)) ===
    action.digest
  if (!untouched && wrong.every(({ attribute }) => attribute !== undefined)) throw given
  const { unknownOutcome: _, ...details } = given.details
  const text = `${given.message}; a fresh read shows that the change was not made`
  throw new Failure(given.category, text, details)
}

const isGone = ({ endpoint }: ActionStep, failure: Failure): boolean =>
  getMethod(endpoint) === 'DELETE' && isMissing(failure)

const fetchSecrets = async (
  { secrets }: PerformingParts,
  step: ActionStep,
  address: Address,
): Promise<{ readonly values: JsonValues; readonly set: readonly SetSecret[] }> => {
  const set: SetSecret[] = []
  const values: Record<string, JsonValues[string]> = { ...step.values }
  for (const [attribute, source] of Object.entries(step.secrets)) {
    const value = await secrets.value(source)
    values[attribute] = openHeld(value)
    set.push({ address: { ...address, attribute }, value })
  }
  return { values, set }
}

/** Performs an action. @throws Failure for an error of the instance or the network */
export const executeAction = async (
  parts: PerformingParts,
  action: PlannedAction,
): Promise<ActionResult> => {
  const { step, address } = action
  const { values, set } = await fetchSecrets(parts, step, address)
  try {
    const { status } = await parts.instance.send({ endpoint: step.endpoint, values })
    return { set, gone: false, status }
  } catch (error) {
    const failure = recoverFrom(error)
    const gone = isGone(step, failure)
    const { status = 0, unknownOutcome } = failure.details
    if (!gone && unknownOutcome !== true && !canFollowWrite(status)) throw failure
    await settleUnknownWrite(parts, action, failure)
    return { set, gone }
  }
}

/** An action as an item of the run, with its position. */
interface ActionItem extends Item {
  readonly action: PlannedAction
}

export interface ExecutionOptions
  extends PerformingParts,
    Pick<ObjectWork<ActionResult, ActionItem>, 'record'> {
  /** Carries out the actions as they become ready. */
  readonly carryOut: WorkRunner
  /** Returns the position of an action in its journal, if it differs from that in the list. */
  readonly getNumber?: (action: PlannedAction) => number | undefined
}

/** The results of an execution: the outcome of each action that was tried, by the action's ID. */
export interface ExecutionResult {
  readonly report: Report
  readonly outcomes: ReadonlyMap<string, Outcome<ActionResult>>
  /** The actions that were not tried, each with the ID of the failed action that it waits for. */
  readonly skipped: ReadonlyMap<string, string>
}

/** Creates the queue of actions. An action waits for the actions that it names, and for the one before it in its place. */
const createQueue = (actions: readonly PlannedAction[]): ReadyQueue<PlannedAction> => {
  const byId = new Map(actions.map((action) => [action.id, action]))
  const last = new Map<string, PlannedAction>()
  return new ReadyQueue(actions, (action) => {
    const place = toPlaceText(action.address).toLowerCase()
    const before = last.get(place)
    last.set(place, action)
    const named = action.waitsFor.flatMap((id) => byId.get(id) ?? [])
    return before === undefined ? named : [...named, before]
  })
}

const toDoneOutcome = (result: ActionResult): Outcome<ActionResult> => ({
  state: result.gone ? 'unchanged' : 'done',
  result,
})

const createSkipFailure = (other: string, outcome: Outcome<ActionResult> | undefined): Failure => {
  const cause = outcome !== undefined && 'failure' in outcome ? outcome.failure : undefined
  const { status } = cause?.details ?? {}
  return new Failure(cause?.category ?? 'failed', `skipped: it waits for ${other}, which failed`, {
    status,
  })
}

/**
 * Carries out actions in the order of the plan.
 * @throws an error that does not belong to one action: the journal cannot be written, or a defect
 */
export const executePlan = async (
  actions: readonly PlannedAction[],
  options: ExecutionOptions,
): Promise<ExecutionResult> => {
  const queue = createQueue(actions)
  const positions = new Map(actions.map((action, i) => [action, i + 1]))
  const outcomes = new Map<string, Outcome<ActionResult>>()
  /** The first failed predecessor of each skipped action, both by ID. */
  const skipped = new Map<string, string>()
  let wake = (): void => {}
  const yieldReady = async function* (): AsyncGenerator<ActionItem> {
    for (let left = actions.length; left > 0; left--) {
      let action = queue.take()
      for (; action === undefined; action = queue.take())
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      const n = options.getNumber?.(action) ?? positions.get(action) ?? 0
      yield { n, object: action.id, action }
    }
  }
  const perform = async (action: PlannedAction): Promise<Outcome<ActionResult>> => {
    const cause = skipped.get(action.id)
    const outcome: Outcome<ActionResult> =
      cause === undefined
        ? await executeAction(options, action).then(toDoneOutcome, toOutcome)
        : { state: 'failed', failure: createSkipFailure(cause, outcomes.get(cause)) }
    outcomes.set(action.id, outcome)
    return outcome
  }
  const endAction = (action: PlannedAction): void => {
    const outcome = outcomes.get(action.id)
    const well = outcome !== undefined && !('failure' in outcome)
    for (const { id, waitsFor } of queue.end(action))
      if (!well && waitsFor.includes(action.id) && !skipped.has(id)) skipped.set(id, action.id)
    wake()
  }
  const report = await options.carryOut<ActionResult, ActionItem>({
    items: yieldReady(),
    total: actions.length,
    record: options.record,
    work: ({ action }) => perform(action).finally(() => endAction(action)),
  })
  return { report, outcomes, skipped }
}
