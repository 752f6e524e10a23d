/** The values of attributes as files say them, and lists that change. */

import type { JsonValue } from '../base/objects.js'
import type { Referent } from '../catalogue/managed.js'
import { isText } from '../catalogue/params.js'
import { canonical, normalised, type ValueType } from '../catalogue/same-value.js'
import { foldedName } from './address.js'
import type { ListDelta } from './state.js'

export {
  byText,
  canonical,
  normalised,
  sameValue,
  type ValueType,
} from '../catalogue/same-value.js'

/**
 * A value that an instance shows as files would say it: a day, a number, a boolean, a list in order; text
 * stays as it is, since it may be sent again.
 */
export const typed = (attribute: ValueType, value: JsonValue): JsonValue => {
  const { param } = attribute
  const asText = isText(param) && param.format !== 'date'
  if (value === null || param === undefined || asText) return value
  return normalised(attribute, value)
}

// Lists that change, whatever else is in them.

/** What makes two members of a list the same. */
const memberKey = (of: Referent | undefined, member: JsonValue): string =>
  canonical(of !== undefined && typeof member === 'string' ? foldedName(of, member) : member)

/** Members of a list that are not in another. */
export const withoutMembers = (
  members: readonly JsonValue[],
  others: readonly JsonValue[],
  of: Referent | undefined,
): readonly JsonValue[] => {
  const left = new Set(others.map((other) => memberKey(of, other)))
  return members.filter((member) => !left.has(memberKey(of, member)))
}

const joinedMembers = (
  members: readonly JsonValue[],
  others: readonly JsonValue[],
  of: Referent | undefined,
): readonly JsonValue[] => [...members, ...withoutMembers(others, members, of)]

/** A list after changes to it. */
export const changedList = (
  members: readonly JsonValue[],
  { add, remove }: ListDelta,
  of: Referent | undefined,
): readonly JsonValue[] => joinedMembers(withoutMembers(members, remove, of), add, of)

/** Changes after changes. */
export const changedChange = (
  before: ListDelta,
  next: ListDelta,
  of: Referent | undefined,
): ListDelta => ({
  is: 'change',
  add: changedList(before.add, next, of),
  remove: joinedMembers(withoutMembers(before.remove, next.add, of), next.remove, of),
})
