/** Verification: checks that an instance has the written values, and that a confirmed plan still fits the instance. */

import { groupBy } from '../../base/collections.js'
import type { JsonValue } from '../../base/objects.js'
import { getMethod } from '../../catalogue/endpoint.js'
import type { Managed } from '../../catalogue/managed.js'
import { type Failure, recoverFrom } from '../../errors.js'
import type { ActionStep, DesiredPlan, PlannedAction } from '../actions.js'
import { toAddressText, toPlaceText } from '../address.js'
import {
  absentDigest,
  getAttributes,
  getCurrentValue,
  isSecretValue,
  matchesWanted,
} from '../attributes.js'
import type { InstanceView } from '../reading/index.js'
import { type CurrentItem, type CurrentKind, indexItems, type ReadableInstance } from '../state.js'
import { isSameValue, normalizeValue } from '../values.js'

/** The pauses before an item that still differs is read again, in milliseconds. */
const pauses = [600, 1400] as const

/** The functions with which items are read again. */
export interface VerifyingParts {
  readonly view: Pick<InstanceView, 'readKind' | 'forget'>
  readonly each: ReadableInstance['each']
  /** Waits for a time, or until the run is interrupted. */
  readonly sleep: (milliseconds: number) => Promise<void>
}

/** The result of reading the written items again. */
export interface VerifyResult {
  /** The actions whose changes the instance did not keep, each with the differences found. */
  readonly unkept: readonly {
    readonly action: PlannedAction
    readonly found: readonly Difference[]
  }[]
  /** The actions whose items could not be read again. */
  readonly unread: readonly { readonly action: PlannedAction; readonly failure: Failure }[]
}

/** Reads the kind in its place that an action belongs to, with the items of all `actions` of that kind. */
export const readActionKind = (
  view: Pick<InstanceView, 'readKind'>,
  { address: { scope, path }, kind }: PlannedAction,
  actions: readonly PlannedAction[],
): Promise<CurrentKind> => {
  const keys = actions.flatMap(({ address: { item } }) => item ?? [])
  return view.readKind({ scope, path }, kind, keys)
}

/** Reads the kind in its place that the actions belong to, and compares its items with the written values. */
const compareWritten = async (
  { view }: VerifyingParts,
  actions: readonly PlannedAction[],
): Promise<VerifyResult> => {
  const [first] = actions
  if (first === undefined) return nothing
  view.forget(first.address)
  const current = await readActionKind(view, first, actions)
  if (current.is === 'unreadable') return reportUnread(actions, current.failure)
  const items = current.is === 'read' ? current.items : []
  const all = actions.map((action) => ({ action, found: findDifferences(action, items) }))
  return { unkept: all.filter(({ found }) => found.length > 0), unread: [] }
}

const nothing: VerifyResult = { unkept: [], unread: [] }
const reportUnread = (actions: readonly PlannedAction[], failure: Failure): VerifyResult => ({
  unkept: [],
  unread: actions.map((action) => ({ action, failure })),
})

/** Reads the written items again, and compares them with the written values. @param actions the actions that were carried out */
export const verifyActions = async (
  parts: VerifyingParts,
  actions: readonly PlannedAction[],
): Promise<VerifyResult> => {
  const groups = groupBy(
    actions,
    ({ address, kind }) => `${toPlaceText(address).toLowerCase()}:${kind.name}`,
  )
  // Items that differ are read up to two more times, since an instance may need a moment.
  const verifyWithRetries = async (some: readonly PlannedAction[]): Promise<VerifyResult> => {
    let verified = await compareWritten(parts, some)
    for (const pause of pauses) {
      if (verified.unkept.length === 0) break
      await parts.sleep(pause)
      verified = await compareWritten(parts, some)
    }
    return verified
  }
  const all: VerifyResult[] = []
  await parts.each([...groups.values()], async (some, index) => {
    all[index] = await verifyWithRetries(some).catch((error: unknown) =>
      reportUnread(some, recoverFrom(error)),
    )
  })
  return {
    unkept: all.flatMap(({ unkept }) => unkept),
    unread: all.flatMap(({ unread }) => unread),
  }
}

// The comparison of an instance with the written values.

/** A difference between the written value and the value on the instance. */
export interface Difference {
  /** Undefined if the difference concerns the item as a whole. */
  readonly attribute: string | undefined
  readonly text: string
}

/** Joins values to one key. Numbers are written as text, since a placeholder may be either, and domains in lower case. */
const joinValues = (
  { create }: Managed,
  names: readonly string[],
  values: CurrentItem['at'] | ActionStep['values'],
): string =>
  names
    .map((name) => String(normalizeValue({ param: create?.params[name] }, values[name] ?? null)))
    .join('\0')

/** Finds the item that an action changes: by the placeholders of its own endpoints, else by its identity. */
export const findActionItem = (
  kind: Managed,
  { values }: Pick<ActionStep, 'values'>,
  items: readonly CurrentItem[],
): CurrentItem | undefined => {
  if (kind.holds === 'one') return items[0]
  const placed = Object.keys(kind.at ?? {}).filter((name) => values[name] !== undefined)
  if (placed.length > 0) {
    const index = indexItems(items, placed.join(), ({ at }) => [joinValues(kind, placed, at)])
    return index.get(joinValues(kind, placed, values))?.[0]
  }
  const identity = kind.identity ?? ''
  const wanted = values[identity]
  if (wanted === undefined) return undefined
  const typed = { param: kind.create?.params[identity] }
  const toText = (value: JsonValue): string => String(normalizeValue(typed, value))
  const index = indexItems(items, 'identity', (item) => [toText(item.identity)])
  return index.get(toText(wanted))?.[0]
}

/** Finds the differences between the state that an action wrote and the state of the instance. */
export const findDifferences = (
  { kind, step }: Pick<PlannedAction, 'kind' | 'step'>,
  items: readonly CurrentItem[],
): readonly Difference[] => {
  const item = findActionItem(kind, step, items)
  if (getMethod(step.endpoint) === 'DELETE')
    return item === undefined ? [] : [{ attribute: undefined, text: 'the object still exists' }]
  if (item === undefined) return [{ attribute: undefined, text: 'the object does not exist' }]
  const known = getAttributes(kind)
  const documented = [...known.values()].flatMap((attribute) => {
    const { name, ref, field } = attribute
    const wanted = step.values[name]
    if (wanted === undefined || field === undefined) return []
    const kept = item.attributes[name]
    if (matchesWanted(kind, attribute, item, wanted, kept)) return []
    return [createDifference(name, ref === undefined ? '' : ' (by number)', wanted, kept)]
  })
  // An undocumented attribute is compared only if the instance shows it; a secret never is.
  const { params, path } = step.endpoint
  const further = Object.entries(step.values).flatMap(([name, wanted]) => {
    if (
      wanted === undefined ||
      known.has(name) ||
      Object.hasOwn(params, name) ||
      Object.hasOwn(path, name)
    )
      return []
    const kept = getCurrentValue(kind, item, name, undefined)
    const isJudged = kept !== undefined && !isSecretValue(undefined, name, wanted)
    const isKept = !isJudged || isSameValue({ param: undefined }, wanted, kept)
    return isKept ? [] : [createDifference(name, '', wanted, kept)]
  })
  return [...documented, ...further]
}

/** Describes an attribute whose value on the instance differs from the written one. */
const createDifference = (
  attribute: string,
  by: string,
  wanted: JsonValue,
  kept: JsonValue | undefined,
): Difference => {
  const now = kept === undefined ? 'nothing' : JSON.stringify(kept)
  const text = `the instance did not keep ${attribute}: it has ${now}${by} instead of ${JSON.stringify(wanted)}`
  return { attribute, text }
}

// The comparison of a confirmed plan with a new plan from the same files.

type ConfirmedAction = Pick<PlannedAction, 'id' | 'digest'>

/** The part of a confirmed plan that a new plan is compared with. */
interface ConfirmedActions {
  readonly actions: readonly ConfirmedAction[]
  readonly sets: DesiredPlan['sets']
}

/** An action that no longer fits, with the reason. */
interface StaleAction {
  readonly id: string
  readonly why: string
}

/** The result of comparing a confirmed plan with a new one. */
export interface PlanMatch {
  /** The confirmed actions that still fit, as the new plan has them. */
  readonly actions: readonly PlannedAction[]
  readonly stale: readonly StaleAction[]
}

const getSetAddress = ({ address: { scope, path, kind } }: PlannedAction): string =>
  toAddressText({ scope, path, kind })

const setChangedReason = 'items were added to its exact set or removed from it'

const explainStale = (
  { digest }: ConfirmedAction,
  now: PlannedAction | undefined,
): string | undefined => {
  if (now === undefined) return 'the plan for it is different now'
  if (now.digest === digest) return undefined
  if (digest === absentDigest) return 'the object exists now'
  return now.digest === absentDigest
    ? 'the object no longer exists'
    : 'the object was changed since'
}

/**
 * Compares a confirmed plan with the same plan made now.
 * @returns the actions that still fit, and the stale ones
 */
export const matchConfirmedPlan = (confirmed: ConfirmedActions, now: DesiredPlan): PlanMatch => {
  const byId = new Map(now.actions.map((action) => [action.id, action]))
  const grownSets = Object.keys(confirmed.sets).filter(
    (address) => now.sets[address] !== confirmed.sets[address],
  )
  const stale = confirmed.actions.flatMap((one): readonly StaleAction[] => {
    const action = byId.get(one.id)
    const isGrown = action !== undefined && grownSets.includes(getSetAddress(action))
    const why = explainStale(one, action) ?? (isGrown ? setChangedReason : undefined)
    return why === undefined ? [] : [{ id: one.id, why }]
  })
  const ids = new Set(confirmed.actions.map(({ id }) => id))
  const staleIds = new Set(stale.map(({ id }) => id))
  const reported = new Set(now.actions.filter(({ id }) => staleIds.has(id)).map(getSetAddress))
  const others = grownSets.filter((address) => !reported.has(address))
  return {
    actions: now.actions.filter(({ id }) => ids.has(id) && !staleIds.has(id)),
    stale: [...stale, ...others.map((id) => ({ id, why: setChangedReason }))],
  }
}
