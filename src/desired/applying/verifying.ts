/** Whether an instance has what was written: each object is read once more. */
import { shelvesOf } from '../../base/shelves.js'
import { type Failure, survived } from '../../errors.js'
import type { PlannedAction } from '../actions.js'
import { type ManagedPlace, placeText } from '../address.js'
import type { ReadableInstance } from '../instance.js'
import type { InstanceSight } from '../reading/sight.js'
import { type Difference, differences } from './agreement.js'

/** What was written is read again after so long where it looks otherwise, in milliseconds. */
const pauses = [600, 1400] as const

export interface VerifyingParts {
  readonly sight: Pick<InstanceSight, 'see' | 'forget'>
  readonly each: ReadableInstance['each']
  /** Waits, unless interrupted. */
  readonly sleep: (milliseconds: number) => Promise<void>
}

/** What reading once more found. */
export interface Verified {
  /** What the instance did not keep. */
  readonly unkept: readonly {
    readonly action: PlannedAction
    readonly found: readonly Difference[]
  }[]
  /** What could not be read once more. */
  readonly unread: readonly { readonly action: PlannedAction; readonly failure: Failure }[]
}

/** The actions on one kind of one place. */
interface Touched {
  readonly place: ManagedPlace
  readonly actions: readonly PlannedAction[]
}

const touched = (actions: readonly PlannedAction[]): readonly Touched[] => {
  const groups = shelvesOf(
    actions,
    ({ address, kind }) => `${placeText(address).toLowerCase()}:${kind.name}`,
  )
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const { scope, path } = first.address
    return [{ place: { scope, path }, actions: group }]
  })
}

const lookAt = async (
  { sight }: VerifyingParts,
  { place, actions }: Touched,
): Promise<Verified> => {
  const [first] = actions
  if (first === undefined) return { unkept: [], unread: [] }
  sight.forget(place)
  const keys = actions.flatMap(({ address: { item } }) => (item === undefined ? [] : [item]))
  const seen = await sight.see(place, first.kind, keys)
  if (seen.is === 'unreadable')
    return { unkept: [], unread: actions.map((action) => ({ action, failure: seen.failure })) }
  const items = seen.is === 'read' ? seen.items : []
  const all = actions.map((action) => ({ action, found: differences(action, items) }))
  return { unkept: all.filter(({ found }) => found.length > 0), unread: [] }
}

/** What looks otherwise is looked at twice more: an instance may take a moment. */
const verifyOne = async (parts: VerifyingParts, one: Touched): Promise<Verified> => {
  let verified = await lookAt(parts, one)
  for (const pause of pauses) {
    if (verified.unkept.length === 0) break
    await parts.sleep(pause)
    verified = await lookAt(parts, one)
  }
  return verified
}

/**
 * Reads what actions wrote, and holds it against them.
 * @param actions those that were done
 */
export const verify = async (
  parts: VerifyingParts,
  actions: readonly PlannedAction[],
): Promise<Verified> => {
  const groups = touched(actions)
  const all: Verified[] = []
  await parts.each(groups, async (one, index) => {
    all[index] = await verifyOne(parts, one).catch((error: unknown) => {
      const failure = survived(error)
      return { unkept: [], unread: one.actions.map((action) => ({ action, failure })) }
    })
  })
  return {
    unkept: all.flatMap(({ unkept }) => unkept),
    unread: all.flatMap(({ unread }) => unread),
  }
}
