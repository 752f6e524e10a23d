/** What is said at several levels → what is wanted: the more specific wins, and says what it overrode. */
import type { JsonValue } from '../../base/json/value.js'
import { shelvesOf } from '../../base/shelves.js'
import type { Managed, Referent } from '../../catalogue/managed/managed.js'
import { attributesOf } from '../attributes.js'
import type { SaidOnce, Stated, WantedValue, Wish, WishedItem } from '../wishes.js'
import { changedChange, changedList } from './change.js'
import type { DeclaredItem, DeclaredKind, DeclaredLevel } from './declared.js'
import { united } from './peers.js'

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
  const ranked = [...shelvesOf(levels, rankOf).values()].flatMap(united)
  const last = ranked.findLastIndex(({ inherit }) => inherit?.value === false)
  const left = ranked.slice(Math.max(0, last))
  return kinds.flatMap((kind) => {
    const said = left.flatMap(({ kinds: declared }) => {
      const one = declared.get(kind.name)
      return one?.kind === kind ? [{ ...one, cuts: one.inherit?.value === false }] : []
    })
    return mergeKind(said) ?? []
  })
}
