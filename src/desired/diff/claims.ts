/**
 * Detects conflicts about properties that several items or places share: a deploy key has one title, and a domain belongs to one project.
 */

import { quoteText } from '../../base/text.js'
import { comparePlaces } from '../actions.js'
import { toAddressText, toPlaceText } from '../address.js'
import { getAttributes } from '../attributes.js'
import type { Mistakes } from '../files/nodes.js'
import { type CurrentItem, type DesiredItem, formatOrigin, getPlainValue } from '../state.js'
import { compareTexts, normalizeValue, toCanonical } from '../values.js'
import { type DiffContext, getCurrentAddress, getItemAddress, type SharedClaim } from './context.js'
import { createKeyClaim, isKeyed } from './deploy-keys.js'

/** The rule of an item that can be in only one place at a time. */
const inOnePlace: SharedClaim['rule'] = {
  text: 'it belongs to one project',
  hint: 'Remove one of them. To move it, set it to null where it is now.',
}

const createUniqueRule = (what: string): SharedClaim['rule'] => ({
  text: `only one can have this ${what}`,
  hint: 'Change or remove one of them.',
})

/** The rule of an item that a declaration names while a rule renames it. */
const oneNameRule: SharedClaim['rule'] = {
  text: 'a runner has one description',
  hint: 'Write the ID of a runner that the files rename.',
}

type ItemClaim = Pick<SharedClaim, 'thing' | 'rule' | 'origin'>

/** Lists the claims that an item makes by its attributes, with the values of the files or else of the instance. */
const listItemClaims = (
  { kind, place }: DiffContext,
  desired: DesiredItem | undefined,
  item: CurrentItem | undefined,
): readonly ItemClaim[] => {
  const here = `${toPlaceText(place)}:${kind.name}`.toLowerCase()
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

/** Adds the claim that the rules of the instance make about the name of an item, by which other declarations may refer to it. */
export const claimName = (
  { kind, desired: { place }, diff }: DiffContext,
  desired: DesiredItem,
): void => {
  const { name, label = '' } = kind
  const says = getPlainValue(desired, label)
  const { origin } = desired.attributes.get(label) ?? desired
  if (typeof says === 'string')
    diff.claims.push({
      thing: `${name} ${desired.identity}`,
      says,
      rule: oneNameRule,
      address: getItemAddress({ place, kind }, desired.identity),
      origin,
    })
}

/** Adds the claim of an item that is declared by a name, if that name is an attribute that can change. */
export const claimNamed = async (
  c: DiffContext,
  { identity, origin }: DesiredItem,
  item: CurrentItem | undefined,
): Promise<void> => {
  const { by, label, name } = c.kind
  if (by === undefined || label === undefined || typeof identity !== 'string') return
  const id = item?.record.id ?? (await c.view.names.number(by, identity, c.place))
  // An unknown name is reported elsewhere.
  if (id === undefined) return
  const address = getItemAddress(c.desired, identity)
  c.diff.claims.push({ thing: `${name} ${id}`, says: identity, rule: oneNameRule, address, origin })
}

/**
 * Adds the claims that files make for an item.
 * @param isSingle true if files declare it as the only item with a value, such as the primary node
 */
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
    diff.claims.push({ thing: `${toPlaceText(place)} ${value}`, says, rule, address, origin })
  }
  const claim = isKeyed(c) ? createKeyClaim(c, desired, item) : undefined
  if (claim !== undefined) diff.claims.push({ ...claim, address })
}

/** Adds the claims of current items that no file declares and that stay. */
export const claimUndeclared = (c: DiffContext, claimed: ReadonlySet<CurrentItem>): void => {
  for (const item of c.items.filter((one) => !claimed.has(one)))
    for (const claim of listItemClaims(c, undefined, item))
      c.diff.claims.push({ ...claim, says: item.identity, address: getCurrentAddress(c, item) })
}

/** Reports contradicting claims about a shared property. Each report names the position of the other claim. */
export const checkClaims = (all: readonly SharedClaim[], mistakes: Mistakes): void => {
  const inOrder = all.toSorted(
    ({ address: a }, { address: b }) =>
      comparePlaces(a, b) || compareTexts(toAddressText(a), toAddressText(b)),
  )
  const first = new Map<string, SharedClaim>()
  for (const claim of inOrder) {
    const known = first.get(claim.thing) ?? claim
    first.set(claim.thing, known)
    // A current claim of the instance has no position, so the mistake is reported at the claim of the file.
    const [one, other] = claim.origin === undefined ? [known, claim] : [claim, known]
    if (one.origin === undefined || one.says === other.says) continue
    const where = other.origin === undefined ? 'the instance' : formatOrigin(other.origin)
    const text = `${toAddressText(one.address)}: ${one.rule.text}, and ${where} says ${quoteText(other.says)}`
    mistakes.add(one.origin, text, one.rule.hint)
  }
}
