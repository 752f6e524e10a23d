/** Compares one desired item with the current one, and proposes the action that makes them equal. */

import { isJsonList, isObject, listObjects } from '../../base/objects.js'
import { joinWords } from '../../base/text.js'
import { type Address, toAddressText } from '../address.js'
import { findApproversAttribute, getAttributes, selectFamily } from '../attributes.js'
import { type CurrentItem, type DesiredItem, getPlainValue, withValue } from '../state.js'
import { checkAccepted, diffAttributes, reportOverridden, resolveNumber } from './attributes.js'
import { claimNamed, claimShared } from './claims.js'
import { checkCombinations } from './combinations.js'
import {
  type AttributeDiff,
  type DiffContext,
  getItemAddress,
  type ItemMatch,
  matchCurrentItem,
  type UnchangedApprovers,
  type WithKind,
} from './context.js'
import { addKnownKey, addTitleIfNew, isKeyed, matchKey } from './deploy-keys.js'
import {
  addIfPossible,
  buildStep,
  buildUpdateStep,
  createDraft,
  createRemoval,
  explainImpossible,
  getIdentityValue,
  getNumberValues,
  getPlaceValues,
  listAlsoSent,
  toChange,
} from './steps.js'

/** Reports attributes that cannot be read back and are not sent: they may differ from the files. */
const reportUnknown = (
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
  const names = joinWords(
    left.map(({ name }) => name),
    'and',
  )
  c.diff.addFinding('unknown', address, `${names} cannot be read back: ${when}`, first.origin)
}

/** Returns the declared approvers of a rule that the plan leaves unchanged. */
const listUnchangedApprovers = (
  { kind }: WithKind,
  address: Address,
  all: readonly AttributeDiff[],
  { record }: CurrentItem,
): readonly UnchangedApprovers[] => {
  const name = findApproversAttribute(kind)
  const { wanted, origin } = all.find((diff) => diff.name === name) ?? {}
  if (name === undefined || origin === undefined || !isJsonList(wanted)) return []
  const users = wanted.map(Number)
  const shown = record[kind.eligible ?? '']
  const eligible = Array.isArray(shown) ? listObjects(shown).map(({ id }) => Number(id)) : users
  const ineligible = users.filter((user) => !eligible.includes(user))
  return [{ address: { ...address, attribute: name }, users, ineligible, origin }]
}

/** Adds the diff of an item that exists. */
export const diffExistingItem = async (
  c: DiffContext,
  desired: DesiredItem,
  item: CurrentItem,
): Promise<void> => {
  const { update, renames, identity: key = 'name' } = c.kind
  const { identity: wanted, origin } = desired
  const address = getItemAddress(c.desired, wanted)
  const all = await diffAttributes(c, address, desired, item)
  checkCombinations(c, address, all, item)
  const filterByVerdict = (verdict: AttributeDiff['verdict']) =>
    all.filter((one) => one.verdict === verdict)
  const isRenamed = renames === true && item.identity !== wanted && typeof wanted === 'string'
  if (isRenamed) checkNewName(c, desired)
  const name = isRenamed ? [{ attribute: key, now: item.identity, wanted, origin }] : []
  const changes = [...name, ...filterByVerdict('differs').map(toChange)]
  const also = listAlsoSent(c, desired, item)
  let isSent = false
  if (changes.length > 0 && update !== undefined) {
    // Secrets that are sent along are shown as changes.
    const resent = all.filter(
      (one) => one.secret !== undefined && one.verdict !== 'differs' && also.has(one.name),
    )
    const identity = renames === true ? wanted : item.identity
    const made = createDraft(c, 'update', address, origin, {
      before: item,
      changes: [...changes, ...resent.map(toChange)],
      step: buildUpdateStep(c, update, item, desired, all, identity),
    })
    isSent = addIfPossible(c, made, desired)
  } else if (filterByVerdict('fixed').length === 0) c.diff.same++
  if (!isSent) c.diff.standing.push(...listUnchangedApprovers(c, address, all, item))
  for (const fixed of filterByVerdict('fixed')) {
    const text = `can only be set on creation; the value is ${JSON.stringify(fixed.shown.now)}`
    c.diff.addFinding('impossible', { ...address, attribute: fixed.name }, text, fixed.origin)
  }
  reportOverridden(c, address, desired)
  const unknown = filterByVerdict('unknown').filter((one) => !(isSent && also.has(one.name)))
  reportUnknown(c, address, unknown, also)
}

/** Reports a new name that the instance would refuse. */
const checkNewName = (c: DiffContext, { identity, origin }: DesiredItem): void => {
  const { identity: name = '', label, by, create, update } = c.kind
  if (label !== undefined || by !== undefined) return
  const param = create?.params[name] ?? update?.params[name] ?? create?.path[name]
  checkAccepted(c, name, param, { value: String(identity), origin })
}

/**
 * Resolves the ID of the object that an item names; null if the kind identifies items otherwise, undefined (with a mistake) if the name is
 * unknown.
 */
const resolveItemNumber = async (c: DiffContext, { identity, origin }: DesiredItem) =>
  c.kind.by === undefined ? null : resolveNumber(c, c.kind.by, identity, origin)

/** Plans to enable an item that exists elsewhere. If its kind can be neither enabled nor created, reports the missing item. */
const planEnabling = async (c: DiffContext, desired: DesiredItem): Promise<void> => {
  const { origin } = desired
  const address = getItemAddress(c.desired, desired.identity)
  const { enable, read } = c.kind
  if (enable === undefined) {
    const made = createDraft(c, 'create', address, origin, { step: buildStep(read, {}) })
    const why = explainImpossible(c, made, desired) ?? 'the object does not exist'
    return c.diff.addFinding('impossible', address, why, origin)
  }
  const number = await resolveItemNumber(c, desired)
  if (typeof number !== 'number') return
  const step = buildStep(enable, { ...getNumberValues(c, number), ...getPlaceValues(c) })
  addIfPossible(c, createDraft(c, 'enable', address, origin, { step }), desired)
}

/** Adds the diff of an item that does not exist. */
const diffMissingItem = async (c: DiffContext, desired: DesiredItem): Promise<void> => {
  const { identity, origin } = desired
  const address = getItemAddress(c.desired, identity)
  const { create } = c.kind
  if (create === undefined) return planEnabling(c, desired)
  checkNewName(c, desired)
  const all = (await diffAttributes(c, address, desired, undefined)).filter(
    ({ wanted }) => wanted !== null,
  )
  checkCombinations(c, address, all, undefined)
  const missing = [...getAttributes(c.kind).values()].flatMap(({ required, name }) =>
    required && !all.some((one) => one.name === name) ? [name] : [],
  )
  if (missing.length > 0) {
    if (c.options.restores === true)
      return c.diff.addFinding('impossible', address, 'the object no longer exists', origin)
    const text = `${toAddressText(address)} does not exist yet, and creating it requires ${joinWords(missing, 'and')}`
    return c.mistakes.add(origin, text)
  }
  const number = await resolveItemNumber(c, desired)
  if (number === undefined) return
  // The placeholders that the identity or its number fills.
  const at = Object.entries(c.kind.at ?? {}).filter(([, field]) => field === c.kind.identity)
  const named = Object.fromEntries(at.map(([name]) => [name, String(identity)]))
  const leading = {
    ...getIdentityValue(c, create, identity),
    ...(number === null ? named : getNumberValues(c, number)),
    ...getPlaceValues(c),
  }
  reportOverridden(c, address, desired)
  const made = { changes: all.map(toChange), step: buildStep(create, leading, all) }
  addIfPossible(c, createDraft(c, 'create', address, origin, made), desired)
}

/** True if the family of an item, which determines its attributes, is known; otherwise a mistake is reported. */
const checkFamilyKnown = (
  { kind, desired: { place }, mistakes }: DiffContext,
  desired: DesiredItem,
) => {
  const { families } = kind
  const { identity, family, origin } = desired
  if (families === undefined || selectFamily(kind, String(identity), family?.value)) return true
  const address = toAddressText(getItemAddress({ place, kind }, identity))
  const names = families.map(({ name }) => name).join(', ')
  mistakes.add(origin, `${address} has no known family; set family:`, `Families are ${names}.`)
  return false
}

// Special rules of a kind: which current item is meant, and which attributes the files imply.

/** True if an item is the only one with the `single` value of its kind, such as the primary node, whatever its name. */
export const isSingle = ({ kind: { single } }: WithKind, { record }: CurrentItem): boolean =>
  single !== undefined && record[single.field] === single.value

/** True if a declaration has the `single` value of its kind. */
export const declaresSingle = ({ kind: { single } }: WithKind, desired: DesiredItem): boolean =>
  single !== undefined && getPlainValue(desired, single.field) === single.value

/**
 * Completes a desired item: a single item takes the identity of the existing one; a certificate and its key are dropped while certificates
 * are automatic, and removed together.
 */
const completeDesired = (
  c: WithKind,
  desired: DesiredItem,
  item: CurrentItem | undefined,
): DesiredItem => {
  const { pair } = c.kind
  if (item !== undefined && declaresSingle(c, desired))
    return { ...desired, identity: item.identity }
  if (pair === undefined) return desired
  const { shown, hidden, unless } = pair
  const value = getPlainValue(desired, shown)
  const isUnset = value === null || value === ''
  const isAutomatic = (getPlainValue(desired, unless) ?? item?.attributes[unless]) === true
  if (isAutomatic || (isUnset && !isObject(item?.record[shown]))) {
    const others = [...desired.attributes].filter(([name]) => name !== shown && name !== hidden)
    return { ...desired, attributes: new Map(others) }
  }
  // Removing a certificate also removes its private key.
  return isUnset ? withValue(desired, hidden, '') : desired
}

/** True if the absence of an item already means what the files declare. */
const isAbsenceDesired = ({ kind: { onlyIf } }: WithKind, desired: DesiredItem): boolean =>
  onlyIf?.off !== undefined &&
  Object.entries(onlyIf.off).every(([name, value]) => getPlainValue(desired, name) === value)

/** Finds the current item that a desired one describes. */
const matchItem = (c: DiffContext, desired: DesiredItem): ItemMatch => {
  if (isKeyed(c)) return matchKey(c, desired)
  return declaresSingle(c, desired) && desired.gone === undefined
    ? { item: c.items.find((item) => isSingle(c, item)) }
    : matchCurrentItem(c, desired)
}

/** Adds the diff of one desired item. @returns the current item that it describes */
export const diffItem = async (
  c: DiffContext,
  given: DesiredItem,
): Promise<CurrentItem | undefined> => {
  const pairing = matchItem(c, given)
  if (pairing === 'mistaken') return undefined
  const { item } = pairing
  const desired = isKeyed(c) ? addTitleIfNew(given, item) : completeDesired(c, given, item)
  const isGone = desired.gone !== undefined
  await claimNamed(c, given, item)
  if (!isGone) claimShared(c, given, item, declaresSingle(c, given))
  if (item === undefined) {
    if (isGone || isAbsenceDesired(c, desired)) c.diff.same++
    else if (checkFamilyKnown(c, desired) && !(isKeyed(c) && (await addKnownKey(c, desired))))
      await diffMissingItem(c, desired)
  } else if (isGone) {
    const made = createRemoval(c, item, desired.origin)
    if (made !== undefined) addIfPossible(c, made, desired)
  } else await diffExistingItem(c, desired, item)
  return item
}
