/** Normalizes and hashes the values of attributes, and applies the changes that files declare for lists. */

import { createHash } from 'node:crypto'
import type { JsonValue } from '../base/objects.js'
import type { Referent } from '../catalogue/managed.js'
import { isText } from '../catalogue/params.js'
import { normalizeValue, toCanonical, type ValueType } from '../catalogue/same-value.js'
import { foldName } from './address.js'
import type { ListDelta } from './state.js'

export {
  compareTexts,
  isSameValue,
  normalizeValue,
  toCanonical,
  type ValueType,
} from '../catalogue/same-value.js'

/** Returns the SHA-256 of bytes or of a text. */
export const hashBytes = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex')

/**
 * Converts a value of the instance to its type in files: a day, a number, a boolean, a list in order. A text is not changed, since it may
 * be sent again.
 */
export const toTypedValue = (attribute: ValueType, value: JsonValue): JsonValue => {
  const { param } = attribute
  const asText = isText(param) && param.format !== 'date'
  if (value === null || param === undefined || asText) return value
  return normalizeValue(attribute, value)
}

// Changes of lists. Other members of the list stay.

/** Returns a key that is equal for equal members of a list. */
const getMemberKey = (of: Referent | undefined, member: JsonValue): string =>
  toCanonical(of !== undefined && typeof member === 'string' ? foldName(of, member) : member)

/** Returns the members of a list that are not in another. */
export const subtractMembers = (
  members: readonly JsonValue[],
  others: readonly JsonValue[],
  of: Referent | undefined,
): readonly JsonValue[] => {
  const left = new Set(others.map((other) => getMemberKey(of, other)))
  return members.filter((member) => !left.has(getMemberKey(of, member)))
}

const mergeMembers = (
  members: readonly JsonValue[],
  others: readonly JsonValue[],
  of: Referent | undefined,
): readonly JsonValue[] => [...members, ...subtractMembers(others, members, of)]

/** Applies a change to a list. */
export const applyListDelta = (
  members: readonly JsonValue[],
  { add, remove }: ListDelta,
  of: Referent | undefined,
): readonly JsonValue[] => mergeMembers(subtractMembers(members, remove, of), add, of)

/** Combines two changes into one that has the effect of both, one after the other. */
export const combineListDeltas = (
  before: ListDelta,
  next: ListDelta,
  of: Referent | undefined,
): ListDelta => ({
  is: 'change',
  add: applyListDelta(before.add, next, of),
  remove: mergeMembers(subtractMembers(before.remove, next.add, of), next.remove, of),
})
