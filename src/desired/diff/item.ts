/** One item: what has to be done that it becomes what is wanted. */

import { isJsonList, isObject, objects } from '../../base/objects.js'
import { type Address, addressText } from '../address.js'
import { approversOf, attributesOf, familyOf } from '../attributes.js'
import { type CurrentItem, type DesiredItem, plainValueOf, withValue } from '../state.js'
import { checkAccepted, diffAttributes, numberOf, sayOverridden } from './attributes.js'
import { claimShared } from './claims.js'
import {
  type AttributeDiff,
  type DiffContext,
  type ItemMatch,
  itemAddress,
  paired,
  type StandingApprovers,
  type WithKind,
} from './context.js'
import { isKeyed, pairKey, takeInKey, titledWhereNew } from './deploy-keys.js'
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
  whyImpossible,
} from './steps.js'
import { checkTogether } from './together.js'

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

/** Who is declared to approve, of a rule that stays as it is. */
const standingApprovers = (
  { kind }: WithKind,
  address: Address,
  all: readonly AttributeDiff[],
  { record }: CurrentItem,
): readonly StandingApprovers[] => {
  const name = approversOf(kind)
  const { wanted, origin } = all.find((diff) => diff.name === name) ?? {}
  if (name === undefined || origin === undefined || !isJsonList(wanted)) return []
  const users = wanted.map(Number)
  const shown = record[kind.eligible ?? '']
  const may = Array.isArray(shown) ? objects(shown).map(({ id }) => Number(id)) : users
  const ineligible = users.filter((user) => !may.includes(user))
  return [{ address: { ...address, attribute: name }, users, ineligible, origin }]
}

/** The diff of an item that exists. */
export const updateItem = async (
  c: DiffContext,
  desired: DesiredItem,
  item: CurrentItem,
): Promise<void> => {
  const { update, renames, identity: key = 'name' } = c.kind
  const { identity: wanted, origin } = desired
  const address = itemAddress(c.desired, wanted)
  const all = await diffAttributes(c, address, desired, item)
  checkTogether(c, address, all, item)
  const isOf = (verdict: AttributeDiff['verdict']) => all.filter((one) => one.verdict === verdict)
  const isRenamed = renames === true && item.identity !== wanted && typeof wanted === 'string'
  if (isRenamed) checkName(c, desired)
  const name = isRenamed ? [{ attribute: key, now: item.identity, wanted, origin }] : []
  const changes = [...name, ...isOf('differs').map(changeOf)]
  const also = alsoSent(c, desired, item)
  let isSent = false
  if (changes.length > 0 && update !== undefined) {
    // A secret that goes along is told of.
    const resent = all.filter(
      (one) => one.secret !== undefined && one.verdict !== 'differs' && also.has(one.name),
    )
    const identity = renames === true ? wanted : item.identity
    const made = draft(c, 'update', address, origin, {
      before: item,
      changes: [...changes, ...resent.map(changeOf)],
      step: updateStep(c, update, item, desired, all, identity),
    })
    isSent = propose(c, made, desired)
  } else if (isOf('fixed').length === 0) c.diff.same++
  if (!isSent) c.diff.standing.push(...standingApprovers(c, address, all, item))
  for (const fixed of isOf('fixed')) {
    const text = `can only be set on creation; the value is ${JSON.stringify(fixed.shown.now)}`
    c.diff.say('impossible', { ...address, attribute: fixed.name }, text, fixed.origin)
  }
  sayOverridden(c, address, desired)
  const unknown = isOf('unknown').filter((one) => !(isSent && also.has(one.name)))
  sayUnknown(c, address, unknown, also)
}

/** Reports a name that the instance refuses, of an item that is new or gets it. */
const checkName = (c: DiffContext, { identity, origin }: DesiredItem): void => {
  const { identity: name = '', label, by, create, update } = c.kind
  if (label !== undefined || by !== undefined) return
  const param = create?.params[name] ?? update?.params[name] ?? create?.path[name]
  checkAccepted(c, name, param, { value: String(identity), origin })
}

/** The number that the name of an item stands for; null where its kind has none, undefined where nobody knows it. */
const numberOfItem = async (c: DiffContext, { identity, origin }: DesiredItem) =>
  c.kind.by === undefined ? null : numberOf(c, c.kind.by, identity, origin)

/** An item that exists elsewhere, or cannot be made. */
const enableItem = async (c: DiffContext, desired: DesiredItem): Promise<void> => {
  const { origin } = desired
  const address = itemAddress(c.desired, desired.identity)
  const { enable, read } = c.kind
  if (enable === undefined) {
    const made = draft(c, 'create', address, origin, { step: stepOf(read, {}) })
    const why = whyImpossible(c, made, desired) ?? 'the object does not exist'
    return c.diff.say('impossible', address, why, origin)
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
  checkName(c, desired)
  const all = (await diffAttributes(c, address, desired, undefined)).filter(
    ({ wanted }) => wanted !== null,
  )
  checkTogether(c, address, all, undefined)
  const missing = [...attributesOf(c.kind).values()].flatMap(({ required, name }) =>
    required && !all.some((one) => one.name === name) ? [name] : [],
  )
  if (missing.length > 0) {
    const text = `${addressText(address)} does not exist yet, and creating it requires ${listed(missing)}`
    return c.mistakes.add(origin, text)
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
  sayOverridden(c, address, desired)
  const made = { changes: all.map(changeOf), step: stepOf(create, leading, all) }
  propose(c, draft(c, 'create', address, origin, made), desired)
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

// What the fact of a kind says of which item is meant, and of what is wanted of it.

/** Whether an item is the one of its sort, whatever it is called. */
export const isSingle = ({ kind: { single } }: WithKind, { record }: CurrentItem): boolean =>
  single !== undefined && record[single.field] === single.value

export const wantsSingle = ({ kind: { single } }: WithKind, desired: DesiredItem): boolean =>
  single !== undefined && plainValueOf(desired, single.field) === single.value

/** The item as it is wanted, where files leave something to be understood. */
const asMeant = (c: WithKind, desired: DesiredItem, item: CurrentItem | undefined): DesiredItem => {
  const { pair } = c.kind
  if (item !== undefined && wantsSingle(c, desired)) return { ...desired, identity: item.identity }
  if (pair === undefined) return desired
  const { shown, hidden, unless } = pair
  const value = plainValueOf(desired, shown)
  const isUnset = value === null || value === ''
  const isAutomatic = (plainValueOf(desired, unless) ?? item?.attributes[unless]) === true
  if (isAutomatic || (isUnset && !isObject(item?.record[shown]))) {
    const others = [...desired.attributes].filter(([name]) => name !== shown && name !== hidden)
    return { ...desired, attributes: new Map(others) }
  }
  // A certificate that is taken away takes its key along.
  return isUnset ? withValue(desired, hidden, '') : desired
}

/** Whether an item that is not there is as it is wanted all the same. */
const isOff = ({ kind: { onlyIf } }: WithKind, desired: DesiredItem): boolean =>
  onlyIf?.off !== undefined &&
  Object.entries(onlyIf.off).every(([name, value]) => plainValueOf(desired, name) === value)

/** The current item that a desired one means. */
const pairOf = (c: DiffContext, desired: DesiredItem): ItemMatch => {
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
  if (!isGone) claimShared(c, given, item, wantsSingle(c, given))
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
