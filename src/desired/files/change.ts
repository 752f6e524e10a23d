/** `$add` and `$remove`: what is to change of a list, whatever else is in it. */
import type { JsonValue } from '../../base/json/value.js'
import { quoted } from '../../base/quoted.js'
import { didYouMean } from '../../base/suggest.js'
import type { Referent } from '../../catalogue/managed/managed.js'
import type { Attribute } from '../attributes.js'
import { foldedName } from '../references.js'
import { canonical } from '../values.js'
import type { WantedValue } from '../wishes.js'
import type { Mistakes } from './mistakes.js'
import { attributeValue } from './value.js'
import type { Written, WrittenEntry } from './written.js'

type ListDelta = Extract<WantedValue, { is: 'change' }>

/** What makes two members of a list the same. */
const keyOf = (of: Referent | undefined, member: JsonValue): string =>
  canonical(of !== undefined && typeof member === 'string' ? foldedName(of, member) : member)

const without = (
  members: readonly JsonValue[],
  others: readonly JsonValue[],
  of: Referent | undefined,
): readonly JsonValue[] => {
  const left = new Set(others.map((other) => keyOf(of, other)))
  return members.filter((member) => !left.has(keyOf(of, member)))
}

const together = (
  members: readonly JsonValue[],
  others: readonly JsonValue[],
  of: Referent | undefined,
): readonly JsonValue[] => [...members, ...without(others, members, of)]

/** A list after changes to it. */
export const changedList = (
  members: readonly JsonValue[],
  { add, remove }: ListDelta,
  of: Referent | undefined,
): readonly JsonValue[] => together(without(members, remove, of), add, of)

/** Changes after changes. */
export const changedChange = (
  before: ListDelta,
  next: ListDelta,
  of: Referent | undefined,
): ListDelta => ({
  is: 'change',
  add: changedList(before.add, next, of),
  remove: together(without(before.remove, next.add, of), next.remove, of),
})

const isChange = (written: Written): boolean =>
  written.is === 'map' && written.entries.some(({ key }) => key === '$add' || key === '$remove')

/**
 * The changes that a map says of a list.
 * @returns undefined where it is no such map; `wrong` where it is, and has mistakes, which are reported
 */
export const listChange = (
  attribute: Attribute,
  written: Written,
  mistakes: Mistakes,
): ListDelta | 'wrong' | undefined => {
  if (written.is !== 'map') return undefined
  if (attribute.param.type !== 'list') {
    if (!isChange(written)) return undefined
    mistakes.add(written.origin, `${attribute.name} is no list, so nothing can be added or removed`)
    return 'wrong'
  }
  const parts = written.entries.map(
    (entry) => [entry.key, part(attribute, entry, mistakes)] as const,
  )
  if (parts.length === 0)
    mistakes.add(written.origin, `${attribute.name} takes a list, or $add and $remove`)
  if (parts.length === 0 || parts.some(([, members]) => members === undefined)) return 'wrong'
  const members = new Map(parts)
  const [add, remove] = [members.get('$add') ?? [], members.get('$remove') ?? []]
  const of = attribute.ref
  if (without(add, remove, of).length < add.length) {
    mistakes.add(written.origin, `${attribute.name} is to be added to and rid of the same member`)
    return 'wrong'
  }
  return { is: 'change', add, remove }
}

const part = (
  attribute: Attribute,
  { key, origin, value }: WrittenEntry,
  mistakes: Mistakes,
): readonly JsonValue[] | undefined => {
  if (key !== '$add' && key !== '$remove') {
    mistakes.add(
      origin,
      `${attribute.name} takes a list, or $add and $remove, not ${quoted(key)}`,
      didYouMean(key, ['$add', '$remove']),
    )
    return undefined
  }
  const members = attributeValue(attribute, value, mistakes)
  return Array.isArray(members) ? members : undefined
}
