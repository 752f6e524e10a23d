/** Finds the current item that a desired item means. */

import { addToGroup } from '../../base/group-by.js'
import { type Address, foldedName, matches, type Reference, writtenReference } from '../address.js'
import { attributesOf } from '../attributes.js'
import {
  type CurrentItem,
  type DesiredItem,
  type DesiredKind,
  itemName,
  itemText,
  plainValueOf,
} from '../state.js'
import { sameValue } from '../values.js'
import type { DiffContext, DiffOptions, Pairing } from './types.js'

/** Names of domains are the same whatever their case, as those of users are. */
const nameOf = ({ kind }: DiffContext, name: string): string =>
  kind.ignoresCase === true ? name.toLowerCase() : foldedName(kind.by, name)

type Index = ReadonlyMap<string | number, readonly CurrentItem[]>

/** Of the items of a place: sets may be large, and each desired item asks for one. */
const indexes = new WeakMap<readonly CurrentItem[], Index>()

const indexed = (c: DiffContext): Index => {
  const known = indexes.get(c.items)
  if (known !== undefined) return known
  const index = new Map<string | number, CurrentItem[]>()
  for (const item of c.items) {
    const { at, record } = item
    const name = itemName(c.kind, item)
    const names = name === undefined ? [] : [nameOf(c, name)]
    const numbers = [record.id, ...Object.values(at)].filter((n) => typeof n === 'number')
    for (const key of new Set([...names, ...numbers])) addToGroup(index, key, item)
  }
  indexes.set(c.items, index)
  return index
}

/** The items that a name or an ID names. */
export const named = (c: DiffContext, meant: Reference): readonly CurrentItem[] =>
  indexed(c).get(typeof meant === 'number' ? meant : nameOf(c, meant)) ?? []

/** What an item was called before, where exactly one of those names is still there. */
const previous = (c: DiffContext, desired: DesiredItem): Pairing => {
  const old = (desired.previously?.value ?? []).flatMap((name) => named(c, name))
  if (old.length < 2) return { item: old[0] }
  c.mistakes.add(
    desired.origin,
    `several of the previous names of ${desired.identity} still exist`,
    'Keep only one of them under previously.',
  )
  return 'mistaken'
}

/** One that has another field in common that only one item can have, unless another desired item names it. */
const also = (c: DiffContext, desired: DesiredItem): CurrentItem | undefined => {
  const name = c.kind.also
  const wanted = name === undefined ? undefined : plainValueOf(desired, name)
  if (name === undefined || wanted === undefined) return undefined
  const typed = { param: attributesOf(c.kind).get(name)?.param }
  const listed = new Set(c.desired.items.map(({ identity }) => String(identity)))
  return c.items.find(
    (item) => !listed.has(item.identity) && sameValue(typed, item.attributes[name] ?? null, wanted),
  )
}

/** The current item of a desired one: by its name, by one that it had before, or by what else tells it apart. */
export const paired = (c: DiffContext, desired: DesiredItem): Pairing => {
  const [item, another] = named(c, desired.identity)
  if (another !== undefined) {
    c.mistakes.add(
      desired.origin,
      `${c.kind.name}/${writtenReference(desired.identity)} matches several objects of that name`,
      c.kind.by === undefined ? 'Rename all but one of them.' : 'Write its ID instead of its name.',
    )
    return 'mistaken'
  }
  const before = previous(c, desired)
  if (item === undefined && c.kind.renames === true && before !== 'mistaken')
    return { item: before.item ?? also(c, desired) }
  if (before !== 'mistaken' && item !== undefined && before.item !== undefined) {
    c.mistakes.add(
      desired.origin,
      `both ${desired.identity} and ${before.item.identity}, its previous name, exist`,
      'Delete one of them, or remove previously.',
    )
    return 'mistaken'
  }
  return before === 'mistaken' ? before : { item }
}

// What of the files is meant: by --only and --except, and less what is ignored.

/** Whether an address, with all that is below it, is meant. */
export const meant = (
  { selection, ignore = [] }: Pick<DiffOptions, 'selection' | 'ignore'>,
  address: Address,
): boolean => {
  const { only = [], except = [] } = selection ?? {}
  const among = only.length === 0 || only.some((glob) => matches(glob, address))
  return among && ![...except, ...ignore].some((glob) => matches(glob, address))
}

/** Whether an item, or any of its attributes, is meant. */
export const itemMeant = (how: DiffOptions, address: Address, desired: DesiredItem): boolean =>
  meant(how, address) ||
  [...desired.attributes.keys()].some((attribute) => meant(how, { ...address, attribute }))

/** The address of a desired item. */
export const itemAddress = (
  { place, kind }: Pick<DesiredKind, 'place' | 'kind'>,
  identity: Reference,
): Address => ({
  ...place,
  kind: kind.name,
  ...(identity === ''
    ? {}
    : { item: kind.by === undefined ? String(identity) : writtenReference(identity) }),
})

/** The address of a current item: by its identity where others share its name. */
export const currentAddress = (c: DiffContext, item: CurrentItem): Address => {
  const name = itemText(c.kind, item, c.place, c.view.names)
  const own = c.kind.by !== undefined || named(c, name).length < 2
  return { ...c.place, kind: c.kind.name, item: own ? name : item.identity }
}

/** Whether any part of a kind is selected, so that it has to be read. */
export const kindMeant = (how: DiffOptions, desired: DesiredKind): boolean =>
  meant(how, { ...desired.place, kind: desired.kind.name }) ||
  desired.items.some((item) => itemMeant(how, itemAddress(desired, item.identity), item))
