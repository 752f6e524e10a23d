/** One action: its requests, and what became of them where no answer says it. */
import type { JsonValues } from '../../base/json/value.js'
import { type HeldText, openHeld } from '../../base/secrets/held.js'
import { methodOf } from '../../catalogue/endpoint.js'
import { Failure, isMissing, survived } from '../../errors.js'
import type { ActionStep, PlannedAction } from '../actions.js'
import type { Address } from '../address.js'
import { digestOf } from '../digest.js'
import type { WritableInstance } from '../instance.js'

import type { InstanceSight } from '../reading/sight.js'
import type { SeenItem } from '../seen.js'
import { differences, itemOf } from './agreement.js'
import type { SecretValues } from './secrets.js'

/** What an action needs. */
export interface PerformingParts {
  readonly instance: Pick<WritableInstance, 'send'>
  readonly sight: Pick<InstanceSight, 'see' | 'forget'>
  readonly secrets: Pick<SecretValues, 'value'>
}

/** A secret that was set. */
interface SetSecret {
  readonly address: Address
  readonly value: HeldText
}

/** What one action came to: `gone` where what it deletes was not there any more. */
export interface Performed {
  readonly set: readonly SetSecret[]
  readonly gone: boolean
  /** Of the answer. */
  readonly status?: number
}

/** The items of an action's kind, read anew; undefined where they cannot be. */
const freshOf = async (
  { sight }: Pick<PerformingParts, 'sight'>,
  { address, kind }: PlannedAction,
): Promise<readonly SeenItem[] | undefined> => {
  const { scope, path, item } = address
  sight.forget({ scope, path })
  const seen = await sight.see({ scope, path }, kind, item === undefined ? [] : [item])
  return seen.is === 'read' ? seen.items : undefined
}

/**
 * A write whose answer was lost, settled by reading.
 * @throws Failure: still unknown where it cannot be told
 */
const settled = async (
  parts: PerformingParts,
  action: PlannedAction,
  lost: Failure,
): Promise<void> => {
  const items = await freshOf(parts, action).catch((error: unknown) => {
    survived(error)
    return undefined
  })
  if (items === undefined) throw lost
  const wrong = differences(action, items)
  if (wrong.length === 0) return
  const untouched = digestOf(action.kind, itemOf(action.kind, action.step, items)) === action.digest
  if (!untouched && wrong.every(({ attribute }) => attribute !== undefined)) throw lost
  const { unknownOutcome: _, ...details } = lost.details
  throw new Failure(lost.category, `${lost.message}; the instance was read, and it was not done`, {
    ...details,
  })
}

const isGone = ({ endpoint }: ActionStep, failure: Failure): boolean =>
  methodOf(endpoint) === 'DELETE' && isMissing(failure)

const withSecrets = async (
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

/**
 * Does an action.
 * @throws Failure for what the instance, or the way there, made of it
 */
export const perform = async (
  parts: PerformingParts,
  action: PlannedAction,
): Promise<Performed> => {
  const { step, address } = action
  const { values, set } = await withSecrets(parts, step, address)
  try {
    const { status } = await parts.instance.send({ endpoint: step.endpoint, values })
    return { set, gone: false, status }
  } catch (error) {
    const failure = survived(error)
    if (isGone(step, failure)) return { set, gone: true }
    if (failure.details.unknownOutcome !== true) throw failure
    await settled(parts, action, failure)
    return { set, gone: false }
  }
}
