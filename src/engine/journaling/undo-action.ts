/** Chooses what undo does with an object: it restores only what is as the run left it. */
import { isDeepStrictEqual } from 'node:util'
import type { Params } from '../../catalogue/params.js'
import { isAsSent } from '../instance/caller.js'
import type { Attributes } from '../journal/lines.js'
import type { UndoableItem } from '../work/report.js'

/** The action of undo for an object. */
type UndoAction =
  /** The object is as the run left it. */
  | 'write'
  /** The object is as it was before the run. */
  | 'unchanged'
  /** Somebody changed the object since. */
  | 'conflict'

/**
 * True if an object has the given state.
 * @param isEqual compares an attribute with its present value
 */
const matchesState = (
  now: Attributes,
  wanted: Attributes,
  isEqual: (value: unknown, present: unknown, name: string) => boolean,
): boolean =>
  wanted === null || now === null
    ? wanted === now
    : Object.entries(wanted).every(([name, value]) => isEqual(value, now[name], name))

/**
 * Chooses what undo does with an object.
 * @param now the current attributes; null if the object does not exist
 * @param params the declarations of the attributes
 */
export const chooseUndoAction = (
  { before, after }: Pick<UndoableItem, 'before' | 'after'>,
  now: Attributes,
  params: Params = {},
): UndoAction => {
  const isSame = (value: unknown, present: unknown): boolean =>
    isDeepStrictEqual(present ?? null, value ?? null)
  if (matchesState(now, before, isSame)) return 'unchanged'
  // The state after the run may be known from what was sent. An attribute that the instance does not show counts as unchanged.
  const isAsLeft = (value: unknown, present: unknown, name: string): boolean =>
    present === undefined || isSame(value, present) || isAsSent(value, present, params[name])
  return matchesState(now, after, isAsLeft) ? 'write' : 'conflict'
}
