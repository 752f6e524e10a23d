/** Compares the items of one kind in one place, and deletes the items that an exact set does not list. */

import { X509Certificate } from 'node:crypto'
import { dayLength, toDay } from '../../base/dates.js'
import { type Fields, isObject, type JsonValue, type JsonValues } from '../../base/objects.js'
import { formatCount } from '../../base/text.js'
import { type Draft, isDelete } from '../actions.js'
import { isNumericPath, toAddressText, toGlobPattern } from '../address.js'
import { computeSetDigest } from '../attributes.js'
import { Mistakes } from '../files/nodes.js'
import { isSelected } from '../selection.js'
import type { CurrentItem, DesiredItem, DesiredKind, DesiredValue, SourcedValue } from '../state.js'
import { claimName, claimUndeclared } from './claims.js'
import {
  type DiffContext,
  type DiffOptions,
  type DiffView,
  getCurrentAddress,
  getItemAddress,
  isItemSelected,
  KindDiff,
} from './context.js'
import { isKeyed, reportLeftovers } from './deploy-keys.js'
import { declaresSingle, diffExistingItem, diffItem, isSingle } from './item-diff.js'
import { isNamespaceOwner, isSparedIdentity, ownerLevel, toAccessLevel } from './member-levels.js'
import { addIfPossible, createRemoval, getNumberValues } from './steps.js'

/** Returns the numbers of users or runners that drafts add, where the key of an item is a name or such a number. */
const listAddedNumbers = (c: DiffContext, drafts: readonly Draft[]): readonly JsonValue[] => {
  const [name = ''] = c.kind.by === undefined ? [] : Object.keys(getNumberValues(c, 0))
  return drafts.flatMap((one) => (isDelete(one) ? [] : (one.step.values[name] ?? [])))
}

/** Adds the diff of the desired items. @returns the current items that they describe */
const diffItems = async (c: DiffContext): Promise<Set<CurrentItem>> => {
  const claimed = new Set<CurrentItem>()
  const added = new Set<JsonValue>()
  const { diff } = c
  for (const desired of c.desired.items) {
    const address = getItemAddress(c.desired, desired.identity)
    const [drafts, findings, same] = [diff.drafts.length, diff.findings.length, diff.same]
    const item = await diffItem(c, desired)
    const numbers = item === undefined ? listAddedNumbers(c, diff.drafts.slice(drafts)) : []
    const isAdded = numbers.some((one) => added.has(one))
    for (const one of numbers) added.add(one)
    const isTwice = isAdded || (item !== undefined && claimed.has(item))
    if (isTwice)
      c.mistakes.add(
        desired.origin,
        `${toAddressText(address)} is declared twice, under different names`,
      )
    // An item that is replaced counts as declared, too.
    for (const one of [item, ...diff.drafts.slice(drafts).map(({ before }) => before)])
      if (one !== undefined) claimed.add(one)
    if (!isTwice && isItemSelected(c.options, address, desired)) continue
    diff.drafts.length = drafts
    diff.findings.length = findings
    diff.same = same
  }
  return claimed
}

/** True if an item can never leave its set, or only if a file names it. */
const isKept = (c: DiffContext, { identity }: CurrentItem): boolean =>
  isSparedIdentity(c.kind, identity) || (c.kind.by === 'user' && isNamespaceOwner(c, identity))

/** True if an exact set keeps an item that it does not list. */
const isSpared = (c: DiffContext, item: CurrentItem): boolean =>
  isKept(c, item) || isSingle(c, item)

/** Deletes the items that an exact set does not list, except for those that the kind spares. */
const deleteUnlisted = (c: DiffContext, claimed: Set<CurrentItem>): void => {
  const { exact } = c.desired
  if (exact?.value !== true) return
  for (const item of c.items) {
    if (
      claimed.has(item) ||
      isSpared(c, item) ||
      !isSelected(c.options, getCurrentAddress(c, item))
    )
      continue
    const made = createRemoval(c, item, exact.origin)
    if (made !== undefined && addIfPossible(c, made)) claimed.add(item)
  }
}

/** Notes a delete and a create with equal attributes, which may be a rename. */
const noteRename = (c: DiffContext): void => {
  const { drafts } = c.diff
  const [old, other] = [drafts.find(isDelete), drafts.find(isCreate)]
  const isPair = drafts.filter((one) => isDelete(one) || isCreate(one)).length === 2
  if (c.kind.renames !== true || old === undefined || other === undefined || !isPair) return
  const was = old.before?.attributes ?? {}
  const alike = other.changes.every(
    ({ attribute }) =>
      attribute === c.kind.identity ||
      JSON.stringify(was[attribute] ?? null) ===
        JSON.stringify(other.step.values[attribute] ?? null),
  )
  const { item } = old.address
  const text = `resembles ${item}, which is deleted; to rename it instead, add previously: [${item}]`
  if (alike) c.diff.addFinding('note', other.address, text, other.origin)
}

const isCreate = ({ verb }: Draft): boolean => verb === 'create'

/** Replaces the drafts of an archived project by findings, since such a project cannot be changed. */
const refuseArchived = ({ place, options, diff }: DiffContext): void => {
  if (place.scope !== 'project' || options.about?.(place.path)?.archived !== true) return
  const items = new Map(diff.drafts.map((one) => [one.address.item, one]))
  for (const { address, origin } of items.values())
    diff.addFinding('impossible', address, 'the project is archived', origin)
  diff.drafts.length = 0
}

/** Notes that the single item of its sort has another name than in the files. */
const noteSingle = (c: DiffContext): void => {
  const item = c.items.find((one) => isSingle(c, one))
  if (item === undefined) return
  for (const desired of c.desired.items.filter((one) => declaresSingle(c, one))) {
    const { identity, origin } = desired
    const text = `is ${c.kind.single?.text}, whose name is ${item.identity} here`
    if (identity !== item.identity)
      c.diff.addFinding('note', getItemAddress(c.desired, identity), text, origin)
  }
}

// Warnings for certificates that expired or expire within thirty days.

const warningDays = 30

const parseExpiry = ({ expiration, certificate: pem }: Fields): Date | undefined => {
  if (typeof expiration === 'string') return new Date(expiration)
  if (typeof pem !== 'string' || pem === '') return undefined
  try {
    return new Date(new X509Certificate(pem).validTo)
  } catch {
    return undefined
  }
}

/** Warns of an item whose certificate expires soon. */
const warnOfExpiry = (c: DiffContext, { identity, record, attributes }: CurrentItem): void => {
  const { pair } = c.kind
  const certificate = pair && record[pair.shown]
  if (!isObject(certificate) || attributes[pair?.unless ?? ''] === true) return
  const end = parseExpiry(certificate)
  const left = end && end.getTime() - c.options.now().getTime()
  const on = end === undefined ? '' : ` on ${toDay(end)}`
  const days = left === undefined ? warningDays + 1 : Math.ceil(left / dayLength)
  const isOver = certificate.expired === true || (left !== undefined && left <= 0)
  const text = isOver
    ? `its certificate expired${on}`
    : `its certificate expires${on}, in ${formatCount(days, 'day')}`
  if (isOver || days <= warningDays)
    c.diff.addFinding('warning', getItemAddress(c.desired, identity), text)
}

/** Adds the diff of a kind that could be read. @returns the items that count for limits, without those that a set would spare */
const diffSet = async (c: DiffContext): Promise<readonly CurrentItem[]> => {
  const claimed = await diffItems(c)
  const counted = c.items.filter(
    (item) => !isKept(c, item) && (claimed.has(item) || !isSingle(c, item)),
  )
  deleteUnlisted(c, claimed)
  claimUndeclared(c, claimed)
  if (isKeyed(c)) reportLeftovers(c, claimed)
  noteSingle(c)
  for (const item of c.items) warnOfExpiry(c, item)
  noteRename(c)
  refuseArchived(c)
  return counted
}

// Rules: the items that each applies to, and the attributes that several rules declare together.

/** True if a value matches a condition. A list matches if it has each of the wanted values, or the only one. */
const matchesField = (wanted: JsonValue, value: unknown): boolean => {
  if (Array.isArray(value))
    return [wanted].flat().every((one) => value.some((other) => matchesField(one, other)))
  if (Array.isArray(wanted)) return false
  if (typeof wanted !== 'string') return String(value) === String(wanted)
  return new RegExp(`^${toGlobPattern(wanted)}$`, 'is').test(String(value ?? ''))
}

/** True if a rule applies to an item: all fields of the rule must match. */
const appliesTo = ({ match = {} }: DesiredItem, { record }: CurrentItem): boolean =>
  Object.entries(match).every(([field, wanted]) => matchesField(wanted, record[field]))

/** Merges what the rules that apply to an item declare: later rules win, attribute by attribute. Returns undefined if no rule applies. */
const mergeRules = (c: DiffContext, item: CurrentItem): DesiredItem | undefined => {
  const rules = c.desired.items.filter((rule) => appliesTo(rule, item))
  const [first] = rules
  if (first === undefined) return undefined
  const attributes = new Map<string, SourcedValue<DesiredValue>>()
  for (const rule of rules)
    for (const [name, declared] of rule.attributes) {
      const before = attributes.get(name)
      const over = before === undefined ? declared.over : [...(declared.over ?? []), before]
      attributes.set(name, { ...declared, over })
    }
  const { match: _, ...rest } = first
  return { ...rest, identity: String(item.record.id ?? item.identity), attributes }
}

/**
 * Reports rules that would change an item again in the next plan: what this plan changes decides which rules apply.
 * @param values the values that this plan sends
 */
const checkSettled = async (
  c: DiffContext,
  item: CurrentItem,
  values: JsonValues,
): Promise<void> => {
  const attributes = { ...item.attributes }
  for (const [name, value] of Object.entries(values))
    if (value !== undefined) attributes[name] = value
  const after = { ...item, record: { ...item.record, ...attributes }, attributes }
  const next = mergeRules(c, after)
  if (next === undefined) return
  const diff = new KindDiff()
  await diffExistingItem({ ...c, diff, mistakes: new Mistakes() }, next, after)
  for (const { attribute, origin } of diff.drafts.flatMap(({ changes }) => changes))
    c.mistakes.add(
      origin,
      `the next plan would change ${attribute}, since this plan changes what the rules match`,
      'Match runners by fields that no rule sets, such as id.',
    )
}

const diffRules = async (c: DiffContext): Promise<readonly CurrentItem[]> => {
  for (const item of c.items) {
    const desired = mergeRules(c, item)
    if (desired === undefined) continue
    const { length } = c.diff.drafts
    await diffExistingItem(c, desired, item)
    for (const { step } of c.diff.drafts.slice(length)) await checkSettled(c, item, step.values)
    claimName(c, desired)
  }
  for (const rule of c.desired.items) {
    const { identity, origin } = rule
    if (!c.items.some((item) => appliesTo(rule, item)))
      c.diff.addFinding('note', getItemAddress(c.desired, identity), 'no runner matches', origin)
  }
  return c.items
}

/** Compares a kind in its place. */
export const diffKind = async (
  view: DiffView,
  options: DiffOptions,
  desired: DesiredKind,
  mistakes: Mistakes,
): Promise<KindDiff> => {
  const { place, kind, origin } = desired
  const diff = new KindDiff()
  const keys = desired.items.map(({ identity }) => String(identity))
  const address = { ...place, kind: kind.name }
  const current = await view.readKind(place, kind, keys)
  if (current.is !== 'read') {
    // An unread kind is reported if any part of it is selected.
    if (!isSelected({ ignore: options.ignore }, address)) return diff
    if (current.is === 'unreadable')
      diff.unread.push({ place, kind: kind.name, failure: current.failure })
    else diff.addFinding('unsupported', address, 'the instance does not have it', origin)
    return diff
  }
  diff.read = true
  // The ID is known, since the place could be read.
  const placeId = isNumericPath(place)
    ? ((await view.names.number('group', place.path, place)) ?? '')
    : place.path
  const { items } = current
  const c: DiffContext = {
    view,
    options,
    place,
    placeId,
    kind,
    desired,
    items,
    diff,
    mistakes,
  }
  const counted = await (kind.holds === 'rules' ? diffRules : diffSet)(c)
  const exact = desired.exact?.value === true
  if (exact) diff.sets[toAddressText(address)] = computeSetDigest(items)
  const isOwned = kind.by === 'user' && kind.scope === 'group'
  const owning = counted.filter(
    ({ attributes }) => toAccessLevel(attributes.access_level) >= ownerLevel,
  )
  const owners = isOwned ? owning.length : 0
  if (diff.drafts.some(isDelete) || (owners > 0 && diff.drafts.length > 0))
    diff.setCounts.push({ address, before: counted.length, exact, owners })
  return diff
}
