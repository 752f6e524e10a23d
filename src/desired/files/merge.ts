/** Merges levels into the desired state: the more specific level takes precedence, and records what it overrides. */

import { groupBy } from '../../base/collections.js'
import { isJsonList, isObject, type JsonValue } from '../../base/objects.js'
import { openHeld } from '../../base/secrets/redact.js'
import { suggestSimilar } from '../../base/suggest.js'
import { quoteText } from '../../base/text.js'
import type { Managed, Referent } from '../../catalogue/managed.js'
import { type ManagedPlace, toAddressText } from '../address.js'
import { getAttributes, selectFamily } from '../attributes.js'
import {
  type DesiredItem,
  type DesiredKind,
  type DesiredValue,
  formatOrigin,
  getPlainValue,
  type Origin,
  type SourcedValue,
} from '../state.js'
import {
  applyListDelta,
  combineListDeltas,
  normalizeValue,
  subtractMembers,
  toCanonical,
} from '../values.js'
import type { DeclaredKind, DeclaredKinds, DeclaredLevel } from './levels.js'
import type { Mistakes } from './nodes.js'

/** The desired state of a kind, wherever it applies. */
export type MergedKind = Omit<DesiredKind, 'place'>

type LevelContent = Pick<DeclaredLevel, 'inherit' | 'kinds'>

// Levels of equal rank are merged into one. Equal values unite; if values differ, a more specific level has to decide.

const toComparisonText = (value: unknown): string => JSON.stringify(value)

/** True if two declarations are equal: lists in any order count as equal, secrets that are written out never do. */
const isSame = (a: unknown, b: unknown): boolean => {
  if (!isObject(a) || !isObject(b)) return toComparisonText(a) === toComparisonText(b)
  if (isObject(a.source) && 'literal' in a.source) return false
  if (!Array.isArray(a.value) || !Array.isArray(b.value))
    return toComparisonText(a) === toComparisonText(b)
  return (
    toComparisonText(a.value.map(toComparisonText).sort()) ===
    toComparisonText(b.value.map(toComparisonText).sort())
  )
}

/** Combines two changes of a list; returns undefined if one removes a member that the other adds. */
const combineChanges = (a: DesiredValue, b: DesiredValue): DesiredValue | undefined => {
  if (a.is !== 'change' || b.is !== 'change') return undefined
  const hasCommonMember = (some: readonly JsonValue[], others: readonly JsonValue[]) =>
    subtractMembers(some, others, undefined).length < some.length
  const isContradiction = hasCommonMember(a.add, b.remove) || hasCommonMember(a.remove, b.add)
  return isContradiction ? undefined : combineListDeltas(a, b, undefined)
}

/** Merges the values of two levels of equal rank; if they differ, the first one records its rival. */
const mergeSourced = <T>(
  a: SourcedValue<T> | undefined,
  b: SourcedValue<T> | undefined,
  join: (a: T, b: T) => T | undefined = () => undefined,
): SourcedValue<T> | undefined => {
  if (a === undefined || b === undefined || isSame(a.value, b.value)) return a ?? b
  const value = join(a.value, b.value)
  return value === undefined ? { ...a, rival: a.rival ?? b.origin } : { ...a, value }
}

/** Merges two maps; `join` combines the values of keys that both have. */
const mergeMaps = <T>(
  a: ReadonlyMap<string, T>,
  b: ReadonlyMap<string, T>,
  join: (a: T, b: T) => T | undefined,
): Map<string, T> => {
  const all = new Map(a)
  for (const [key, one] of b) {
    const known = all.get(key)
    all.set(key, (known === undefined ? undefined : join(known, one)) ?? one)
  }
  return all
}

const mergeEqualItems = (a: DesiredItem, b: DesiredItem): DesiredItem => {
  const isRival = (a.gone === undefined) !== (b.gone === undefined)
  return {
    ...a,
    // A more specific level decides whether the item must exist, and may then use its attributes.
    gone: isRival ? undefined : a.gone,
    rival: a.rival ?? (isRival ? b.origin : undefined),
    inherit: mergeSourced(a.inherit, b.inherit),
    attributes: mergeMaps(a.attributes, b.attributes, (one, other) =>
      mergeSourced(one, other, combineChanges),
    ),
    previously: mergeSourced(a.previously, b.previously),
    family: mergeSourced(a.family, b.family),
  }
}

const mergeEqualKinds = (a: DeclaredKind, b: DeclaredKind): DeclaredKind => ({
  ...a,
  exact: mergeSourced(a.exact, b.exact),
  inherit: mergeSourced(a.inherit, b.inherit),
  items: mergeMaps(a.items, b.items, mergeEqualItems),
})

const mergeEqualLevels = (a: LevelContent, b: LevelContent): LevelContent => ({
  inherit: mergeSourced(a.inherit, b.inherit),
  kinds: mergeMaps(a.kinds, b.kinds, mergeEqualKinds),
})

// The merge of a level over less specific ones.

const addOverridden = <T>(
  said: SourcedValue<T>,
  before: SourcedValue<T> | undefined,
): SourcedValue<T> =>
  before === undefined
    ? said
    : { ...said, over: [...(said.over ?? []), before, ...(before.over ?? [])] }

/** Applies changes to a list to the less specific declaration. Without one, they apply to the current list. */
const applyChange = (
  next: DesiredValue,
  before: DesiredValue | undefined,
  of: Referent | undefined,
): DesiredValue => {
  if (next.is !== 'change' || before === undefined) return next
  if (before.is === 'secret' || before.is === 'range') return next
  if (before.is === 'change') return combineListDeltas(before, next, of)
  const members = isJsonList(before.value) ? before.value : []
  return { is: 'value', value: applyListDelta(members, next, of) }
}

/** Merges the declaration of an item over the less specific one. */
export const mergeItem = (
  kind: Managed,
  before: DesiredItem | undefined,
  next: DesiredItem,
): DesiredItem => {
  if (next.gone !== undefined) return { ...next, attributes: new Map() }
  if (before === undefined || before.gone !== undefined || next.inherit?.value === false)
    return next
  const attributes = new Map(before.attributes)
  for (const [name, said] of next.attributes) {
    const known = attributes.get(name)
    const value = applyChange(said.value, known?.value, getAttributes(kind).get(name)?.ref)
    attributes.set(name, addOverridden({ ...said, value }, known))
  }
  const { previously = before.previously, family = before.family } = next
  return { ...next, attributes, previously, family }
}

/** Merges the declarations of a kind in one place, the least specific first. */
const mergeKind = (declared: readonly DeclaredKind[]): readonly MergedKind[] => {
  const [first] = declared
  if (first === undefined) return []
  const items = new Map<string, DesiredItem>()
  let { origin } = first
  let exact: SourcedValue<boolean> | undefined
  for (const next of declared) {
    if (next.inherit?.value === false) {
      items.clear()
      exact = undefined
    }
    origin = next.origin
    if (next.exact !== undefined) exact = addOverridden(next.exact, exact)
    for (const [key, item] of next.items) items.set(key, mergeItem(next.kind, items.get(key), item))
  }
  return [{ kind: first.kind, origin, exact, items: [...items.values()] }]
}

/** Merges the declarations for one place. @param levels the least specific first @param kinds in the order in which they are applied */
export const mergeLevels = (
  levels: readonly DeclaredLevel[],
  kinds: readonly Managed[],
): readonly MergedKind[] => {
  // Only selectors can be equally specific. Each level is unpacked once.
  const getRankKey = ({ key: { form, path, selector } }: DeclaredLevel): string =>
    form === 'selector' ? `selector ${selector?.rank}` : `${form} ${path}`
  const ranked = [...groupBy(levels, getRankKey).values()].map((same) =>
    same
      .map((level): LevelContent => ({ inherit: level.inherit, kinds: level.kinds }))
      .reduce(mergeEqualLevels),
  )
  const last = ranked.findLastIndex(({ inherit }) => inherit?.value === false)
  const applying: readonly DeclaredKinds[] = ranked.slice(Math.max(0, last)).map((one) => one.kinds)
  return kinds.flatMap((kind) =>
    mergeKind(applying.flatMap((declared) => declared.get(kind.name) ?? [])),
  )
}

// Mistakes that only several levels together show.

const isUnset = (value: DesiredValue): boolean =>
  value.is === 'secret'
    ? 'literal' in value.source && openHeld(value.source.literal) === ''
    : value.is === 'value' && (value.value === '' || value.value === null)

/** Reports attributes that do not belong to the family of an item. */
const checkFamily = (kind: Managed, item: DesiredItem, mistakes: Mistakes): undefined => {
  const { identity, origin, family: said, attributes } = item
  const family = selectFamily(kind, String(identity), said?.value)
  const name = quoteText(String(identity))
  if (family === undefined) {
    const near = suggestSimilar(String(identity), kind.families?.flatMap((one) => one.slugs) ?? [])
    const hint = [near, 'Set family: to declare its attributes.'].filter(Boolean).join(' ')
    return mistakes.add(origin, `${name} needs family:, because its attributes are unknown`, hint)
  }
  if (said !== undefined && said.value !== family.name)
    mistakes.add(origin, `${name} belongs to the family ${family.name}, not ${said.value}`)
  const known = getAttributes(kind, family)
  for (const [key, { origin: at, value }] of attributes) {
    // An undocumented attribute may belong to any family.
    if (!getAttributes(kind).has(key)) continue
    const attribute = known.get(key)
    const text = `${key} is not an attribute of ${name}, whose family is ${family.name}`
    if (attribute === undefined)
      mistakes.add(at, text, `Its attributes are ${[...known.keys()].join(', ')}.`)
    else if (attribute.required && isUnset(value))
      mistakes.add(at, `${key} cannot be unset: the family ${family.name} requires it`)
  }
}

/** Reports items with different names in files that mean the same object. */
const checkLabels = ({ kind, items }: MergedKind, mistakes: Mistakes): void => {
  const attribute =
    kind.label === undefined ? undefined : getAttributes(kind).get(kind.identity ?? '')
  if (attribute === undefined) return
  const first = new Map<string, DesiredItem>()
  for (const item of items) {
    const given = item.attributes.get(attribute.name)
    const value = getPlainValue(item, attribute.name)
    if (given === undefined || value === undefined) continue
    const key = toCanonical(normalizeValue(attribute, value))
    const other = first.get(key)
    first.set(key, other ?? item)
    if (other !== undefined)
      mistakes.add(
        given.origin,
        `${quoteText(String(item.identity))} has the same ${attribute.name} as ${quoteText(String(other.identity))}`,
        'Both names mean the same object. Remove one.',
      )
  }
}

/** Reports a previous name that is also the name of a declared item: the rename is done already, or it is a mistake. */
const checkNames = ({ items }: MergedKind, mistakes: Mistakes): void => {
  const declared = new Map(items.map((item) => [String(item.identity), item]))
  for (const item of items)
    for (const name of item.previously?.value ?? []) {
      const other = declared.get(name)
      if (other !== undefined && other !== item)
        mistakes.add(
          item.origin,
          `previously contains ${quoteText(name)}, which is declared at ${formatOrigin(other.origin)}`,
          'If the rename is done, remove previously.',
        )
    }
}

/** Reports mistakes in the merged declarations of a kind. */
export const checkMerged = (merged: MergedKind, mistakes: Mistakes): void => {
  const { kind, items } = merged
  for (const item of kind.families === undefined ? [] : items)
    if (item.gone === undefined) checkFamily(kind, item, mistakes)
  checkLabels(merged, mistakes)
  checkNames(merged, mistakes)
}

/** Reports contradictions between levels of equal rank that no more specific level resolves. */
export const checkRivals = (place: ManagedPlace, merged: MergedKind, mistakes: Mistakes): void => {
  const reportRival = (
    what: string,
    origin: Origin,
    rival: Origin | undefined,
    attribute?: string,
  ) => {
    if (rival === undefined) return
    const item = what === '' ? undefined : what
    const address = toAddressText({ ...place, kind: merged.kind.name, item, attribute })
    mistakes.add(
      origin,
      `${address} has another value at ${formatOrigin(rival)}, under a key of the same rank`,
      'Use a more specific key for one of them.',
    )
  }
  if (merged.exact !== undefined) reportRival('$exact', merged.exact.origin, merged.exact.rival)
  for (const item of merged.items) {
    const name = String(item.identity)
    reportRival(name, item.origin, item.rival)
    const { attributes, previously, family } = item
    const words = Object.entries({ previously, family })
    for (const [attribute, said] of [...attributes, ...words])
      if (said !== undefined) reportRival(name, said.origin, said.rival, attribute)
  }
}
