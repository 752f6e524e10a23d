/** Whether a plan still fits: made again from the files, it is held against what was agreed to. */
import type { DesiredPlan, PlannedAction } from '../actions.js'
import { addressText } from '../address.js'
import { absent } from '../digest.js'

/** What was agreed to of an action. */
interface AgreedAction {
  readonly id: string
  readonly digest: string
}

/** What was agreed to. */
export interface AgreedPlan {
  readonly actions: readonly AgreedAction[]
  readonly sets: Readonly<Record<string, string>>
}

/** An action that no longer fits, with why. */
interface StaleAction {
  readonly id: string
  readonly why: string
}

export interface Fitting {
  /** Those that were agreed to and still fit, as they are made now. */
  readonly actions: readonly PlannedAction[]
  readonly stale: readonly StaleAction[]
}

/** The set that an action is about. */
const setOf = ({ address: { scope, path, kind } }: PlannedAction): string =>
  addressText({ scope, path, kind })

const grown = 'items came into its exact set, or went'

const whyStale = ({ digest }: AgreedAction, now: PlannedAction | undefined): string | undefined => {
  if (now === undefined) return 'there is nothing to do any more, or something else'
  if (now.digest === digest) return undefined
  if (digest === absent) return 'it is there now'
  return now.digest === absent ? 'it is not there any more' : 'it was changed since'
}

/**
 * Holds a plan that was agreed to against the same plan made now.
 * @returns the actions that go on, and those that do not fit any more
 */
export const fitting = (agreed: AgreedPlan, now: DesiredPlan): Fitting => {
  const byId = new Map(now.actions.map((action) => [action.id, action]))
  const otherSets = new Set(
    Object.entries(agreed.sets).flatMap(([address, digest]) =>
      now.sets[address] === digest ? [] : [address],
    ),
  )
  const actions: PlannedAction[] = []
  const stale: StaleAction[] = []
  for (const one of agreed.actions) {
    const action = byId.get(one.id)
    const why = whyStale(one, action)
    if (why !== undefined) stale.push({ id: one.id, why })
    else if (action !== undefined && otherSets.has(setOf(action)))
      stale.push({ id: one.id, why: grown })
    else if (action !== undefined) actions.push(action)
  }
  const left = new Set(actions.map(({ id }) => id))
  const out = new Set(stale.map(({ id }) => id))
  const told = new Set(now.actions.filter(({ id }) => out.has(id)).map(setOf))
  for (const address of otherSets) if (!told.has(address)) stale.push({ id: address, why: grown })
  return {
    actions: now.actions.filter(({ id }) => left.has(id)),
    stale,
  }
}
