/** What is said at several levels → what is wanted: the more specific wins, and says what it overrode. */

import { groupBy } from '../../base/group-by.js'
import type { JsonValue } from '../../base/json/value.js'
import { quoteText } from '../../base/quoted.js'
import { openHeld } from '../../base/secrets/held.js'
import { nearest } from '../../base/suggest.js'
import type { IntegrationFamily } from '../../catalogue/integration-families.js'
import type { Managed, Referent } from '../../catalogue/managed/managed.js'
import { addressText, type ManagedPlace } from '../address.js'
import { attributesOf } from '../attributes.js'
import { canonical, normalised } from '../values.js'
import {
  type Origin,
  originText,
  type SaidOnce,
  type Stated,
  type WantedValue,
  type Wish,
  type WishedItem,
} from '../wishes.js'
import { changedChange, changedList } from './change.js'
import { type DeclaredItem, type DeclaredKind, type DeclaredLevel, united } from './levels.js'
import type { Mistakes } from './written.js'

/** What is wanted of a kind, wherever it is wanted. */
export type MergedKind = Omit<Wish, 'place'>

type Wishes = ReadonlyMap<string, Stated<WantedValue>>

const over = <T>(said: SaidOnce<T>, before: Stated<T> | undefined): Stated<T> => ({
  ...said,
  over: [...(said.over ?? []), ...(before === undefined ? [] : [before, ...before.over])],
})

const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value)

/** Changes to a list change what is said less specifically, or else what the instance has. */
const changed = (
  next: WantedValue,
  before: WantedValue | undefined,
  of: Referent | undefined,
): WantedValue => {
  if (next.is !== 'change' || before === undefined) return next
  if (before.is === 'secret' || before.is === 'range') return next
  if (before.is === 'change') return changedChange(before, next, of)
  const members = isList(before.value) ? before.value : []
  return { is: 'value', value: changedList(members, next, of) }
}

const mergeAttributes = (
  kind: Managed,
  before: Wishes,
  next: ReadonlyMap<string, SaidOnce<WantedValue>>,
): Wishes => {
  const merged = new Map(before)
  for (const [name, said] of next) {
    const of = attributesOf(kind).get(name)?.ref
    const known = merged.get(name)
    const value = changed(said.value, known?.value, of)
    merged.set(name, over({ ...said, value }, known))
  }
  return merged
}

const none: Wishes = new Map()

const mergeItem = (
  kind: Managed,
  before: WishedItem | undefined,
  next: DeclaredItem,
): WishedItem => {
  const { identity, origin, match } = next
  const named = { identity, origin, match, rival: next.rival }
  if (next.gone !== undefined) return { ...named, gone: true, attributes: none, other: none }
  const base = before?.gone === true || next.inherit?.value === false ? undefined : before
  return {
    ...named,
    gone: false,
    attributes: mergeAttributes(kind, base?.attributes ?? none, next.attributes),
    other: mergeAttributes(kind, base?.other ?? none, next.other),
    previously: next.previously ?? base?.previously,
    family: next.family ?? base?.family,
  }
}

/** A kind of one place, from the levels that say something of it, the least specific first. */
const mergeKind = (
  declared: readonly (DeclaredKind & { readonly cuts: boolean })[],
): MergedKind | undefined => {
  const [first] = declared
  if (first === undefined) return undefined
  let { origin } = first
  let exact: Stated<boolean> | undefined
  const items = new Map<string, WishedItem>()
  for (const next of declared) {
    if (next.cuts) {
      items.clear()
      exact = undefined
    }
    origin = next.origin
    if (next.exact !== undefined) exact = over(next.exact, exact)
    for (const [key, item] of next.items) items.set(key, mergeItem(next.kind, items.get(key), item))
  }
  return { kind: first.kind, origin, exact, items: [...items.values()] }
}

/** How specific a level is; only selectors can be so alike. */
const rankOf = ({ form, path, selector }: DeclaredLevel): string =>
  form === 'selector' ? `selector ${selector?.rank}` : `${form} ${path}`

/**
 * What levels together want of the kinds of one place.
 * @param levels the least specific first
 * @param kinds in the order in which they are wanted
 */
export const mergeLevels = (
  levels: readonly DeclaredLevel[],
  kinds: readonly Managed[],
): readonly MergedKind[] => {
  const ranked = [...groupBy(levels, rankOf).values()].flatMap(united)
  const last = ranked.findLastIndex(({ inherit }) => inherit?.value === false)
  // Each is unpacked once.
  const left = ranked.slice(Math.max(0, last)).map((level) => level.kinds)
  return kinds.flatMap((kind) => {
    const said = left.flatMap((declared) => {
      const one = declared.get(kind.name)
      return one?.kind === kind ? [{ ...one, cuts: one.inherit?.value === false }] : []
    })
    return mergeKind(said) ?? []
  })
}

// What can be wrong only in what several levels say together.

/** The family that an item's own name says, or that is said beside it. */
const familyOfItem = (
  kind: Managed,
  { identity, family }: Pick<WishedItem, 'identity' | 'family'>,
): IntegrationFamily | undefined =>
  kind.families?.find(({ slugs }) => slugs.includes(String(identity))) ??
  kind.families?.find(({ name }) => name === family?.value)

const checkItem = (kind: Managed, item: WishedItem, mistakes: Mistakes): void => {
  const family = familyOfItem(kind, item)
  const name = quoteText(String(item.identity))
  if (family === undefined) {
    const slugs = kind.families?.flatMap((one) => one.slugs) ?? []
    const near = nearest(String(item.identity), slugs)
    const hint = `With family: it says which attributes it takes.`
    mistakes.add(
      item.origin,
      `${name} needs family: its attributes are not known`,
      near === undefined ? hint : `Did you mean ${near}? ${hint}`,
    )
    return
  }
  if (item.family !== undefined && item.family.value !== family.name)
    mistakes.add(item.origin, `${name} is of the family ${family.name}, not ${item.family.value}`)
  checkAttributes(kind, item, family, mistakes)
}

const isEmpty = (value: WantedValue): boolean =>
  value.is === 'secret'
    ? 'literal' in value.source && openHeld(value.source.literal) === ''
    : value.is === 'value' && (value.value === '' || value.value === null)

const checkAttributes = (
  kind: Managed,
  item: WishedItem,
  family: IntegrationFamily,
  mistakes: Mistakes,
): void => {
  const known = attributesOf(kind, family)
  for (const [name, { origin, value }] of item.attributes) {
    const attribute = known.get(name)
    if (attribute === undefined)
      mistakes.add(
        origin,
        `${name} is no attribute of ${quoteText(String(item.identity))}, whose family is ${family.name}`,
        `It takes ${[...known.keys()].join(', ')}.`,
      )
    else if (attribute.required && isEmpty(value))
      mistakes.add(origin, `${name} cannot be unset: the family ${family.name} requires it`)
  }
}

const checkFamilies = ({ kind, items }: MergedKind, mistakes: Mistakes): void => {
  if (kind.families === undefined) return
  for (const item of items) if (!item.gone) checkItem(kind, item, mistakes)
}

/** Two items that files call by different names, and that are the same. */
const checkLabels = ({ kind, items }: MergedKind, mistakes: Mistakes): void => {
  const attribute =
    kind.label === undefined ? undefined : attributesOf(kind).get(kind.identity ?? '')
  if (attribute === undefined) return
  const first = new Map<string, WishedItem>()
  for (const item of items) {
    const said = item.attributes.get(attribute.name)
    if (said?.value.is !== 'value') continue
    const key = canonical(normalised(attribute, said.value.value))
    const other = first.get(key)
    first.set(key, other ?? item)
    if (other !== undefined)
      mistakes.add(
        said.origin,
        `${quoteText(String(item.identity))} has the same ${attribute.name} as ${quoteText(String(other.identity))}`,
        'It is one, whatever it is called.',
      )
  }
}

/** A name that an item had before is nobody's now: with a declared item of that name the rename is done, or none. */
const checkNames = ({ items }: MergedKind, mistakes: Mistakes): void => {
  const declared = new Map(items.map((item) => [String(item.identity), item]))
  for (const item of items)
    for (const name of item.previously?.value ?? []) {
      const other = declared.get(name)
      if (other !== undefined && other !== item)
        mistakes.add(
          item.origin,
          `previously names ${quoteText(name)}, which is declared at ${originText(other.origin)}`,
          'Where the rename is done, leave previously out.',
        )
    }
}

/** Whether anything can be wrong with a kind that no level by itself shows. */
export const isCheckedTogether = (kind: Managed): boolean =>
  kind.families !== undefined ||
  kind.renames === true ||
  (kind.holds === 'set' && kind.label !== undefined)

/** Reports what is wrong in all that is wanted of a kind. */
export const checkMerged = (merged: MergedKind, mistakes: Mistakes): void => {
  checkFamilies(merged, mistakes)
  checkLabels(merged, mistakes)
  checkNames(merged, mistakes)
}

/** Reports what levels of equal rank say otherwise of a place, and nothing more specific says. */
export const checkRivals = (place: ManagedPlace, merged: MergedKind, mistakes: Mistakes): void => {
  const report = (what: string, origin: Origin, rival: Origin | undefined, attribute?: string) => {
    if (rival === undefined) return
    const item = what === '' ? undefined : what
    const address = addressText({ ...place, kind: merged.kind.name, item, attribute })
    mistakes.add(
      origin,
      `${address} is said otherwise at ${originText(rival)}, by a key that is no more specific`,
      'Say it at a more specific key, or make one of the two so.',
    )
  }
  if (merged.exact !== undefined) report('$exact', merged.exact.origin, merged.exact.rival)
  for (const item of merged.items) {
    const name = String(item.identity)
    report(name, item.origin, item.rival)
    const { attributes, other, previously, family } = item
    const words = Object.entries({ previously, family })
    for (const [attribute, said] of [...attributes, ...other, ...words])
      if (said !== undefined) report(name, said.origin, said.rival, attribute)
  }
}
