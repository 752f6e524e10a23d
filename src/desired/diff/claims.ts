/** Claims on things that several items or places share: a deploy key has one title, a domain one project. */

import { quoteText } from '../../base/text.js'
import { comparePlaces } from '../actions.js'
import { placeText, toAddressText } from '../address.js'
import { getAttributes } from '../attributes.js'
import type { Mistakes } from '../files/nodes.js'
import { type CurrentItem, type DesiredItem, formatOrigin, getPlainValue } from '../state.js'
import { compareTexts, normalizeValue, toCanonical } from '../values.js'
import { type DiffContext, getCurrentAddress, getItemAddress, type SharedClaim } from './context.js'
import { claimOfKey, isKeyed } from './deploy-keys.js'

/** An item that is in one place at a time. */
const inOnePlace: SharedClaim['rule'] = {
  text: 'it belongs to one project',
  hint: 'Remove one of them. To move it, set it to null where it is now.',
}

const createUniqueRule = (what: string): SharedClaim['rule'] => ({
  text: `only one can have this ${what}`,
  hint: 'Change or remove one of them.',
})

type ItemClaim = Pick<SharedClaim, 'thing' | 'rule' | 'origin'>

/** Lists the claims that an item makes by its attributes, with the values of the files or else of the instance. */
const listItemClaims = (
  { kind, place }: DiffContext,
  desired: DesiredItem | undefined,
  item: CurrentItem | undefined,
): readonly ItemClaim[] => {
  const here = `${placeText(place)}:${kind.name}`.toLowerCase()
  return [kind.also, kind.first].flatMap((name): readonly ItemClaim[] => {
    if (name === undefined) return []
    const wanted = desired && getPlainValue(desired, name)
    const value = wanted ?? item?.attributes[name]
    const isClaimed = name === kind.first ? value === true : value !== undefined && value !== null
    if (value === undefined || !isClaimed) return []
    const text = toCanonical(normalizeValue({ param: getAttributes(kind).get(name)?.param }, value))
    const origin = wanted === undefined ? undefined : desired?.attributes.get(name)?.origin
    const shown = name === kind.first ? `value of ${name}` : name
    return [{ thing: `${here} ${name} ${text}`, rule: createUniqueRule(shown), origin }]
  })
}

/** Adds what files claim for an item. @param isSingle whether they want it to be the one of its sort */
export const claimShared = (
  c: DiffContext,
  desired: DesiredItem,
  item: CurrentItem | undefined,
  isSingle: boolean,
): void => {
  const { kind, place, diff } = c
  const { identity, origin } = desired
  const says = String(identity)
  const address = getItemAddress(c.desired, identity)
  for (const claim of listItemClaims(c, desired, item))
    diff.claims.push({ ...claim, says, address })
  const thing = `${kind.name} ${says.toLowerCase()}`
  if (kind.alone === true)
    diff.claims.push({ thing, says: place.path, rule: inOnePlace, address, origin })
  if (isSingle && item === undefined && kind.single !== undefined) {
    const { value, text } = kind.single
    const rule = { ...createUniqueRule(value), text: `it is ${text}, of which there is one` }
    diff.claims.push({ thing: `${placeText(place)} ${value}`, says, rule, address, origin })
  }
  const claim = isKeyed(c) ? claimOfKey(c, desired, item) : undefined
  if (claim !== undefined) diff.claims.push({ ...claim, address })
}

/** Adds what current items hold that no file speaks of, and that stay. */
export const claimUndeclared = (c: DiffContext, claimed: ReadonlySet<CurrentItem>): void => {
  for (const item of c.items.filter((one) => !claimed.has(one)))
    for (const claim of listItemClaims(c, undefined, item))
      c.diff.claims.push({ ...claim, says: item.identity, address: getCurrentAddress(c, item) })
}

/** Reports what files say otherwise of one thing, each with where the other is said. */
export const checkClaims = (all: readonly SharedClaim[], mistakes: Mistakes): void => {
  const inOrder = all.toSorted(
    ({ address: a }, { address: b }) =>
      comparePlaces(a, b) || compareTexts(toAddressText(a), toAddressText(b)),
  )
  const first = new Map<string, SharedClaim>()
  for (const claim of inOrder) {
    const known = first.get(claim.thing) ?? claim
    first.set(claim.thing, known)
    // Where the instance has one of them, the other is what is wrong.
    const [one, other] = claim.origin === undefined ? [known, claim] : [claim, known]
    if (one.origin === undefined || one.says === other.says) continue
    const where = other.origin === undefined ? 'the instance' : formatOrigin(other.origin)
    const text = `${toAddressText(one.address)}: ${one.rule.text}, and ${where} says ${quoteText(other.says)}`
    mistakes.add(one.origin, text, one.rule.hint)
  }
}
