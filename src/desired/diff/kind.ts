/** A kind of a place: its items as they are wanted, and what of an exact set is not. */
import type { JsonValue } from '../../base/json/value.js'
import { addressText, globPattern, looksLikeId } from '../address.js'
import { digestOfSet } from '../attributes.js'
import type { Mistakes } from '../files/written.js'
import type {
  CurrentItem,
  CurrentKind,
  DesiredItem,
  DesiredKind,
  DesiredValue,
  Said,
} from '../state.js'
import { isKeyed, sayLeftovers } from './deploy-keys.js'
import { certificateWarning, isSingle, isSpared, wantsSingle } from './facts.js'
import { diffItem, updateItem } from './item.js'
import { currentAddress, itemAddress, itemMeant, meant } from './matching.js'
import { levelOf, owner } from './members.js'
import { propose, removal } from './steps.js'
import {
  type DiffContext,
  type DiffOptions,
  type DiffView,
  type Draft,
  KindDiff,
  type SetCount,
} from './types.js'

/** Adds the diff of the desired items. @returns the current items that they mean */
const diffItems = async (c: DiffContext): Promise<Set<CurrentItem>> => {
  const claimed = new Set<CurrentItem>()
  const { diff } = c
  for (const desired of c.desired.items) {
    const address = itemAddress(c.desired, desired.identity)
    const [drafts, findings, same] = [diff.drafts.length, diff.findings.length, diff.same]
    const item = await diffItem(c, desired)
    const isTwice = item !== undefined && claimed.has(item)
    if (isTwice)
      c.mistakes.add(
        desired.origin,
        `${addressText(address)} is declared twice, under different names`,
      )
    // An item that is replaced is declared as well.
    for (const one of [item, ...diff.drafts.slice(drafts).map(({ before }) => before)])
      if (one !== undefined) claimed.add(one)
    if (!isTwice && itemMeant(c.how, address, desired)) continue
    diff.drafts.length = drafts
    diff.findings.length = findings
    diff.same = same
  }
  return claimed
}

/** Deletes what an exact set does not list, but for what its kind spares. */
const deleteUnlisted = (c: DiffContext, claimed: Set<CurrentItem>): void => {
  const { exact } = c.desired
  if (exact?.value !== true) return
  for (const item of c.items) {
    if (claimed.has(item) || isSpared(c, item) || !meant(c.how, currentAddress(c, item))) continue
    const made = removal(c, item, exact.origin)
    if (made !== undefined && propose(c, made)) claimed.add(item)
  }
}

const tallied = ({ place, kind, items, desired }: DiffContext): SetCount => {
  const owned = kind.by === 'user' && kind.scope === 'group' ? items : []
  const owners = owned.filter(({ attributes }) => levelOf(attributes.access_level) >= owner)
  return {
    address: { ...place, kind: kind.name },
    before: items.length,
    exact: desired.exact?.value === true,
    owners: owners.length,
  }
}

/** Notes a delete and a create of equal attributes: it may be a new name. */
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
  if (alike) c.diff.say('note', other.address, text, other.origin)
}

const isDelete = ({ verb }: Draft): boolean => verb === 'delete'
const isCreate = ({ verb }: Draft): boolean => verb === 'create'

/** Nothing can be done to an archived project. */
const refuseArchived = ({ place, how, diff }: DiffContext): void => {
  if (place.scope !== 'project' || how.about?.(place.path)?.archived !== true) return
  const items = new Map(diff.drafts.map((one) => [one.address.item, one]))
  for (const { address, origin } of items.values())
    diff.say('impossible', address, 'the project is archived', origin)
  diff.drafts.length = 0
}

/** Notes that the one item of its sort has another name than files have for it. */
const noteSingle = (c: DiffContext): void => {
  const item = c.items.find((one) => isSingle(c, one))
  if (item === undefined) return
  for (const desired of c.desired.items.filter((one) => wantsSingle(c, one))) {
    const { identity, origin } = desired
    const text = `is ${c.kind.single?.text}, whose name is ${item.identity} here`
    if (identity !== item.identity)
      c.diff.say('note', itemAddress(c.desired, identity), text, origin)
  }
}

/** Adds the diff of a kind that could be read. */
const diffSet = async (c: DiffContext): Promise<void> => {
  const claimed = await diffItems(c)
  deleteUnlisted(c, claimed)
  if (isKeyed(c)) sayLeftovers(c, claimed)
  noteSingle(c)
  for (const item of c.items) {
    const text = certificateWarning(c, item)
    if (text !== undefined) c.diff.say('warning', itemAddress(c.desired, item.identity), text)
  }
  noteRename(c)
  refuseArchived(c)
}

// Rules: which items each is for, and what they want together.

const alike = (wanted: JsonValue, value: unknown): boolean => {
  if (Array.isArray(wanted))
    return Array.isArray(value) && wanted.every((one) => value.some((other) => alike(one, other)))
  if (typeof wanted !== 'string') return String(value) === String(wanted)
  return new RegExp(`^${globPattern(wanted)}$`, 'is').test(String(value ?? ''))
}

/** Whether an item is one of those that a rule is for: all fields must be alike. */
const isFor = ({ match = {} }: DesiredItem, { record }: CurrentItem): boolean =>
  Object.entries(match).every(([field, wanted]) => alike(wanted, record[field]))

/** What the rules want of an item: later ones win, attribute by attribute. */
const wantedByRules = (c: DiffContext, item: CurrentItem): DesiredItem | undefined => {
  const rules = c.desired.items.filter((rule) => isFor(rule, item))
  const [first] = rules
  if (first === undefined) return undefined
  const attributes = new Map<string, Said<DesiredValue>>()
  for (const rule of rules)
    for (const [name, said] of rule.attributes) {
      const before = attributes.get(name)
      const over = before === undefined ? said.over : [...(said.over ?? []), before]
      attributes.set(name, { ...said, over })
    }
  const { match: _, ...rest } = first
  return { ...rest, identity: String(item.record.id ?? item.identity), attributes }
}

const diffRules = async (c: DiffContext): Promise<void> => {
  for (const item of c.items) {
    const desired = wantedByRules(c, item)
    if (desired !== undefined) await updateItem(c, desired, item)
  }
  for (const rule of c.desired.items) {
    const { identity, origin } = rule
    if (!c.items.some((item) => isFor(rule, item)))
      c.diff.say('note', itemAddress(c.desired, identity), 'no runner matches', origin)
  }
}

/** Says of a kind that could not be read, why. */
const sayUnread = (
  diff: KindDiff,
  how: DiffOptions,
  current: CurrentKind,
  desired: DesiredKind,
) => {
  const { place, kind, origin } = desired
  const address = { ...place, kind: kind.name }
  if (!meant({ ...how, selection: {} }, address)) return
  if (current.is === 'unsupported')
    diff.say('unsupported', address, 'the instance does not have it', origin)
  if (current.is === 'unreadable')
    diff.unread.push({ place, kind: kind.name, failure: current.failure })
}

/** The diff of a kind in its place. */
export const diffKind = async (
  view: DiffView,
  how: DiffOptions,
  desired: DesiredKind,
  mistakes: Mistakes,
): Promise<KindDiff> => {
  const { place, kind } = desired
  const diff = new KindDiff()
  const keys = desired.items.map(({ identity }) => String(identity))
  const current = await view.readKind(place, kind, keys)
  if (current.is !== 'read') {
    sayUnread(diff, how, current, desired)
    return diff
  }
  diff.read = true
  // Where it could be read, its ID is known.
  const placeId = looksLikeId(place)
    ? ((await view.names.number('group', place.path, place)) ?? '')
    : place.path
  const { items } = current
  const c: DiffContext = { view, how, place, placeId, kind, desired, items, diff, mistakes }
  await (kind.holds === 'rules' ? diffRules : diffSet)(c)
  const tally = tallied(c)
  if (tally.exact) diff.sets[addressText(tally.address)] = digestOfSet(items)
  if (diff.drafts.some(isDelete) || (tally.owners > 0 && diff.drafts.length > 0))
    diff.tallies.push(tally)
  return diff
}
