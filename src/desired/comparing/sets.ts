/** A kind of a place: its items as they are wanted, and what of an exact set is not. */
import { addressText, looksLikeId, type ManagedPlace, type Reference } from '../address.js'
import { digestOfSet } from '../attributes.js'
import type { SeenItem, SeenKind } from '../instance.js'
import type { DesiredItem, DesiredKind } from '../state.js'
import { compareItem, possible, removal, saying } from './item.js'
import { hooksOf } from './kinds/index.js'
import { levelOf, owner } from './members.js'
import { itemAddress, itemMeant, meant, seenAddress } from './pairing.js'
import {
  type Compared,
  type Comparing,
  type ComparingOptions,
  type ComparingSight,
  type Draft,
  found,
  joined,
  type KindHooks,
  type Mistake,
  nothing,
  type SetCount,
  type Upshot,
} from './types.js'

/** What the files say of items, each once. */
const compareItems = async (
  c: Comparing,
): Promise<{ readonly found: Upshot; readonly claimed: Set<SeenItem> }> => {
  const claimed = new Set<SeenItem>()
  const parts: Upshot[] = []
  for (const desired of c.desired.items) {
    const address = itemAddress(c.desired, desired.identity)
    const compared = await compareItem(c, desired)
    if (compared.item !== undefined && claimed.has(compared.item)) {
      c.mistaken(desired.origin, `${addressText(address)} is declared twice, under another name`)
      continue
    }
    if (compared.item !== undefined) claimed.add(compared.item)
    // What is replaced is spoken of, too.
    for (const { before } of compared.found.drafts) if (before !== undefined) claimed.add(before)
    if (itemMeant(c.how, address, desired)) parts.push(compared.found)
  }
  return { found: joined(parts), claimed }
}

/** What an exact set does not list is deleted, but for what its kind spares. */
const unlisted = async (c: Comparing, claimed: ReadonlySet<SeenItem>): Promise<Upshot> => {
  const { exact } = c.desired
  if (exact?.value !== true) return nothing
  const parts: Upshot[] = []
  for (const item of c.items) {
    const address = seenAddress(c, item)
    if (claimed.has(item) || c.hooks.spares?.(c, item) === true || !meant(c.how, address)) continue
    const [made] = removal(c, item, exact.origin).drafts
    if (made !== undefined) parts.push(await possible(c, made))
  }
  return joined(parts)
}

const isGroup = ({ kind }: Comparing): boolean => kind.by === 'user' && kind.scope === 'group'
const isOwner = ({ attributes }: SeenItem): boolean => levelOf(attributes.access_level) >= owner

const tallied = (c: Comparing, drafts: readonly Draft[]): SetCount => {
  const count = (...verbs: readonly Draft['verb'][]): number =>
    drafts.filter(({ verb }) => verbs.includes(verb)).length
  return {
    address: { ...c.place, kind: c.kind.name },
    before: c.items.length,
    deletes: count('delete'),
    creates: count('create', 'enable'),
    exact: c.desired.exact?.value === true,
    owners: isGroup(c) ? c.items.filter(isOwner).length : 0,
  }
}

/** A delete and a create of equal attributes may be a new name. */
const renameNote = (c: Comparing, drafts: readonly Draft[]): Upshot => {
  if (c.kind.renames !== true) return nothing
  const gone = drafts.filter(({ verb }) => verb === 'delete')
  const come = drafts.filter(({ verb }) => verb === 'create')
  const [old] = gone
  const [other] = come
  if (old === undefined || other === undefined || gone.length + come.length > 2) return nothing
  const was = old.before?.attributes ?? {}
  const alike = other.changes.every(
    ({ attribute }) =>
      attribute === c.kind.identity ||
      JSON.stringify(was[attribute] ?? null) ===
        JSON.stringify(other.step.values[attribute] ?? null),
  )
  if (!alike) return nothing
  const text = `like ${old.address.item}, which is deleted: with previously: [${old.address.item}] it would be renamed`
  return found({ findings: [saying('note', other.address, text, other.origin)] })
}

const archived = (c: Comparing, all: Upshot): Upshot => {
  if (c.place.scope !== 'project' || c.how.about?.(c.place.path)?.archived !== true) return all
  return {
    ...all,
    drafts: [],
    findings: [
      ...all.findings,
      ...[...new Map(all.drafts.map((one) => [one.address.item, one])).values()].map(
        ({ address, origin }) => saying('impossible', address, 'the project is archived', origin),
      ),
    ],
  }
}

/** The diff of a kind that could be read. */
const compareSet = async (c: Comparing): Promise<Upshot> => {
  const { found: wanted, claimed } = await compareItems(c)
  const rest = await unlisted(c, claimed)
  for (const { before } of rest.drafts) if (before !== undefined) claimed.add(before)
  const all = joined([wanted, rest, c.hooks.rest?.(c, claimed) ?? nothing])
  return archived(c, joined([all, renameNote(c, all.drafts)]))
}

/** The keys of a kind that the instance has no list of. */
const keysOf = ({ items }: DesiredKind): readonly string[] =>
  items.map(({ identity }: DesiredItem) => String(identity))

const empty: Compared = {
  ...nothing,
  unread: [],
  sets: {},
  tallies: [],
  mistakes: [],
  read: 0,
}

const unread = (how: ComparingOptions, seen: SeenKind, desired: DesiredKind): Compared => {
  const address = { ...desired.place, kind: desired.kind.name }
  if (!meant({ ...how, selection: {} }, address)) return empty
  if (seen.is === 'unsupported')
    return {
      ...empty,
      findings: [saying('unsupported', address, 'the instance does not have it', desired.origin)],
    }
  if (seen.is === 'read') return empty
  return {
    ...empty,
    unread: [{ place: desired.place, kind: desired.kind.name, failure: seen.failure }],
  }
}

/** Where it could be read, its ID is known. */
const placeIdOf = async ({ names }: ComparingSight, place: ManagedPlace): Promise<Reference> =>
  looksLikeId(place) ? ((await names.number('group', place.path, place)) ?? '') : place.path

/** The diff of a kind in its place. */
export const diffKind = async (
  sight: ComparingSight,
  how: ComparingOptions,
  desired: DesiredKind,
): Promise<Compared> => {
  const { place, kind } = desired
  const seen = await sight.see(place, kind, keysOf(desired))
  if (seen.is !== 'read') return unread(how, seen, desired)
  const mistakes: Mistake[] = []
  const hooks: KindHooks = hooksOf(kind)
  const c: Comparing = {
    sight,
    how,
    place,
    placeId: await placeIdOf(sight, place),
    kind,
    hooks,
    desired,
    items: seen.items,
    mistaken: (origin, text, hint) => {
      mistakes.push({ origin, text, hint })
    },
  }
  const all = await (hooks.compare ?? compareSet)(c)
  const tally = tallied(c, all.drafts)
  const exact = desired.exact?.value === true
  return {
    ...all,
    unread: [],
    sets: exact ? { [addressText(tally.address)]: digestOfSet(c.items) } : {},
    tallies: tally.deletes > 0 || (tally.owners > 0 && all.drafts.length > 0) ? [tally] : [],
    mistakes,
    read: 1,
  }
}
