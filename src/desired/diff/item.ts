/** One item: what has to be done that it becomes what is wanted. */

import type { Change } from '../actions.js'
import { type Address, addressText } from '../address.js'
import { attributesOf, familyOf } from '../attributes.js'
import type { CurrentItem, DesiredItem } from '../state.js'
import { diffAttributes, numberOf, sayOverridden } from './attributes.js'
import { isKeyed, pairKey, takeInKey, titledWhereNew } from './deploy-keys.js'
import { asMeant, isOff, isSingle, wantsSingle, whyImpossible } from './facts.js'
import { itemAddress, paired } from './matching.js'
import {
  alsoSent,
  atNumber,
  changeOf,
  draft,
  identityValue,
  placeValues,
  propose,
  removal,
  stepOf,
  updateStep,
} from './steps.js'
import type { AttributeDiff, DiffContext, Pairing } from './types.js'

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

/** Reports what cannot be read back, and is not sent: nobody knows whether it is as desired. */
const sayUnknown = (
  c: DiffContext,
  address: Address,
  left: readonly AttributeDiff[],
  also: ReadonlySet<string>,
): void => {
  const [first] = left
  if (first === undefined) return
  const when = left.every(({ name }) => also.has(name))
    ? 'it is sent when another attribute changes'
    : left.every(({ secret }) => secret !== undefined)
      ? 'it is sent when its value changes'
      : 'the instance does not return it'
  const names = listed(left.map(({ name }) => name))
  c.diff.say('unknown', address, `${names} cannot be read back: ${when}`, first.origin)
}

const renaming = (c: DiffContext, desired: DesiredItem, item: CurrentItem): readonly Change[] => {
  const { identity: wanted, origin } = desired
  if (c.kind.renames !== true || item.identity === wanted || typeof wanted !== 'string') return []
  return [{ attribute: c.kind.identity ?? 'name', now: item.identity, wanted, origin }]
}

/** The diff of an item that exists. */
export const updateItem = async (
  c: DiffContext,
  desired: DesiredItem,
  item: CurrentItem,
): Promise<void> => {
  const address = itemAddress(c.desired, desired.identity)
  const all = await diffAttributes(c, address, desired, item)
  const isOf = (verdict: AttributeDiff['verdict']) => all.filter((one) => one.verdict === verdict)
  const changes = [...renaming(c, desired, item), ...isOf('differs').map(changeOf)]
  const also = alsoSent(c, desired, item)
  const { update, renames } = c.kind
  let isSent = false
  if (changes.length > 0 && update !== undefined) {
    const resent = all.filter(
      ({ name, secret, verdict }) =>
        secret !== undefined && verdict !== 'differs' && also.has(name),
    )
    const identity = renames === true ? desired.identity : item.identity
    const made = draft(c, 'update', address, desired.origin, {
      before: item,
      changes: [...changes, ...resent.map(changeOf)],
      step: updateStep(c, update, item, desired, all, identity),
    })
    isSent = propose(c, made, desired)
  } else if (isOf('fixed').length === 0) c.diff.same++
  for (const { name, shown, origin } of isOf('fixed')) {
    const text = `can only be set on creation; the value is ${JSON.stringify(shown.now)}`
    c.diff.say('impossible', { ...address, attribute: name }, text, origin)
  }
  sayOverridden(c, address, desired)
  const unknown = isOf('unknown').filter(({ name }) => !(isSent && also.has(name)))
  sayUnknown(c, address, unknown, also)
}

/** What creation cannot do without. */
const lacking = (c: DiffContext, all: readonly AttributeDiff[]): readonly string[] =>
  [...attributesOf(c.kind).values()]
    .filter(({ required, name }) => required && !all.some((one) => one.name === name))
    .map(({ name }) => name)

/** The number that the name of an item stands for; null where its kind has none, undefined where nobody knows it. */
const numberOfItem = async (
  c: DiffContext,
  { identity, origin }: DesiredItem,
): Promise<number | null | undefined> =>
  c.kind.by === undefined ? null : numberOf(c, c.kind.by, identity, origin)

/** An item that exists elsewhere, or cannot be made. */
const enableItem = async (c: DiffContext, desired: DesiredItem): Promise<void> => {
  const { origin } = desired
  const address = itemAddress(c.desired, desired.identity)
  const { enable, read } = c.kind
  if (enable === undefined) {
    const made = draft(c, 'create', address, origin, { step: stepOf(read, {}) })
    const why = whyImpossible(c, made, desired) ?? 'the object does not exist'
    c.diff.say('impossible', address, why, origin)
    return
  }
  const number = await numberOfItem(c, desired)
  if (typeof number !== 'number') return
  const step = stepOf(enable, { ...atNumber(c, number), ...placeValues(c) })
  propose(c, draft(c, 'enable', address, origin, { step }), desired)
}

/** The diff of an item that does not exist. */
const createItem = async (c: DiffContext, desired: DesiredItem): Promise<void> => {
  const { identity, origin } = desired
  const address = itemAddress(c.desired, identity)
  const { create } = c.kind
  if (create === undefined) return enableItem(c, desired)
  const all = (await diffAttributes(c, address, desired, undefined)).filter(
    ({ wanted }) => wanted !== null,
  )
  const missing = lacking(c, all)
  if (missing.length > 0) {
    const text = `${addressText(address)} does not exist yet, and creating it requires ${listed(missing)}`
    c.mistakes.add(origin, text)
    return
  }
  const number = await numberOfItem(c, desired)
  if (number === undefined) return
  // Placeholders that the identity itself fills, or its number.
  const at = Object.entries(c.kind.at ?? {}).filter(([, field]) => field === c.kind.identity)
  const named = Object.fromEntries(at.map(([name]) => [name, String(identity)]))
  const leading = {
    ...identityValue(c, create, identity),
    ...(number === null ? named : atNumber(c, number)),
    ...placeValues(c),
  }
  const changes = all.map(changeOf)
  const step = stepOf(create, leading, all)
  sayOverridden(c, address, desired)
  propose(c, draft(c, 'create', address, origin, { changes, step }), desired)
}

/** @returns whether the family of an item is known, by which its attributes are; if not, it is reported */
const hasFamily = ({ kind, desired: { place }, mistakes }: DiffContext, desired: DesiredItem) => {
  const { families } = kind
  const { identity, family, origin } = desired
  if (families === undefined || familyOf(kind, String(identity), family?.value)) return true
  const address = addressText(itemAddress({ place, kind }, identity))
  const names = families.map(({ name }) => name).join(', ')
  mistakes.add(origin, `${address} has no known family; set family:`, `Families are ${names}.`)
  return false
}

/** The current item that a desired one means. */
const pairOf = (c: DiffContext, desired: DesiredItem): Pairing => {
  if (isKeyed(c)) return pairKey(c, desired)
  return wantsSingle(c, desired) && desired.gone === undefined
    ? { item: c.items.find((item) => isSingle(c, item)) }
    : paired(c, desired)
}

/** Adds the diff of one desired item. @returns the current item that it means */
export const diffItem = async (
  c: DiffContext,
  given: DesiredItem,
): Promise<CurrentItem | undefined> => {
  const pairing = pairOf(c, given)
  if (pairing === 'mistaken') return undefined
  const { item } = pairing
  const desired = isKeyed(c) ? titledWhereNew(given, item) : asMeant(c, given, item)
  const isGone = desired.gone !== undefined
  if (item === undefined) {
    if (isGone || isOff(c, desired)) c.diff.same++
    else if (hasFamily(c, desired) && !(isKeyed(c) && (await takeInKey(c, desired))))
      await createItem(c, desired)
  } else if (isGone) {
    const made = removal(c, item, desired.origin)
    if (made !== undefined) propose(c, made, desired)
  } else await updateItem(c, desired, item)
  return item
}
