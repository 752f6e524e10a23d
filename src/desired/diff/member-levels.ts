/** Computes the access levels that members have after a plan, and refuses plans that would lock the user or all owners out. */

import { groupBy } from '../../base/collections.js'
import type { JsonValue } from '../../base/objects.js'
import { groupMembers, type Managed, projectMembers } from '../../catalogue/managed.js'
import type { Draft } from '../actions.js'
import { listParentGroups, type ManagedPlace, type Reference, toPlaceText } from '../address.js'
import type { Mistakes } from '../files/nodes.js'
import { inheritedMembers } from '../reading/names.js'
import type { CurrentKind } from '../state.js'
import type { DiffContext, DiffOptions, DiffView } from './context.js'

/** Returns the number of an access level; 0 for no level. */
export const toAccessLevel = (value: JsonValue | undefined): number =>
  typeof value === 'number' ? value : 0

/** Returns a place and the groups above it, the nearest first; members of these groups are members of the place. */
export const listPlaceAndParents = (place: ManagedPlace): readonly ManagedPlace[] => [
  place,
  ...listParentGroups(place.path)
    .toReversed()
    .map((path): ManagedPlace => ({ scope: 'group', path })),
]

/** Returns the group that contains a place; undefined if there is none. */
export const getParentGroup = (place: ManagedPlace): ManagedPlace | undefined =>
  listPlaceAndParents(place)[1]

/** True if an identity is spared: it belongs to another object, as the bot of a token does, and counts toward no limit. */
export const isSparedIdentity = ({ spared }: Pick<Managed, 'spared'>, identity: string): boolean =>
  spared?.test(identity) === true

/** True if a draft is about a spared identity. */
export const isSparedDraft = ({ kind, before, address: { item = '' } }: Draft): boolean =>
  isSparedIdentity(kind, before?.identity ?? item)

/** Reads all members of a place, including those inherited from the groups above it. */
export const readAllMembers = (view: DiffView, place: ManagedPlace): Promise<CurrentKind> =>
  view.readKind(place, inheritedMembers[place.scope === 'group' ? 'group' : 'project'])

/** True if a user owns the namespace of a project. */
export const isNamespaceOwner = (
  { options, place, view }: DiffContext,
  user: Reference,
): boolean => {
  const isPersonal = place.scope === 'project' && options.about?.(place.path)?.namespace === 'user'
  const username = typeof user === 'number' ? view.names.name('user', user, place) : user
  const [namespace = ''] = place.path.split('/')
  return isPersonal && namespace.toLowerCase() === username?.toLowerCase()
}

// The effect of drafts on memberships: the user, the former level and the planned one.

export const ownerLevel = 50

/** The effect of a draft on a membership. */
export interface PlannedMembership {
  readonly draft: Draft
  readonly user: number
  /** The former level; 0 for none. */
  readonly before: number
  readonly after: number
}

/** Returns the effect on a membership of a draft whose kind has users as items. */
export const toPlannedMembership = (draft: Draft): PlannedMembership => {
  const { before, verb, step } = draft
  const former = toAccessLevel(before?.attributes.access_level)
  const wanted = step.values.access_level
  return {
    draft,
    user: Number(step.values.user_id),
    before: former,
    after: verb === 'delete' ? 0 : typeof wanted === 'number' ? wanted : former,
  }
}

/** True if a draft takes the ownership of a group from a user. */
export const isOwnershipLoss = ({ draft, before, after }: PlannedMembership): boolean =>
  draft.address.scope === 'group' && before >= ownerLevel && after < ownerLevel

/** Lists the effects of drafts whose items are users, including bots. */
export const listMemberships = (drafts: readonly Draft[]): readonly PlannedMembership[] =>
  drafts.filter(({ kind }) => kind.by === 'user').map(toPlannedMembership)

const getMembershipKey = (place: ManagedPlace, user: number): string =>
  `${user} ${toPlaceText(place).toLowerCase()}`

const findLevel = (current: CurrentKind, user: number): number =>
  current.is === 'read'
    ? toAccessLevel(current.items.find(({ record }) => record.id === user)?.attributes.access_level)
    : 0

/** Computes the levels that users have in places after a plan. */
export class PlannedLevels {
  /** The planned memberships, by user and place. */
  readonly #planned: Map<string, PlannedMembership>

  constructor(
    private readonly view: DiffView,
    all: readonly PlannedMembership[],
  ) {
    this.#planned = new Map(all.map((one) => [getMembershipKey(one.draft.address, one.user), one]))
  }

  /** Removes a planned membership that will not be carried out, so that its level stays. */
  remove({ draft, user }: PlannedMembership): void {
    this.#planned.delete(getMembershipKey(draft.address, user))
  }

  /** True if the plan changes a membership of the user in the place or in a group above it. */
  hasChange(place: ManagedPlace, user: number): boolean {
    return listPlaceAndParents(place).some((one) => this.#planned.has(getMembershipKey(one, user)))
  }

  /** Returns the level of a user in a place, including inherited ones; 0 for a user who is not a member. */
  async getLevel(place: ManagedPlace, user: number): Promise<number> {
    const now = findLevel(await readAllMembers(this.view, place), user)
    if (!this.hasChange(place, user)) return now
    let [direct, after] = [0, 0]
    for (const one of listPlaceAndParents(place)) {
      const kind = one.scope === 'group' ? groupMembers : projectMembers
      const level = findLevel(await this.view.readKind(one, kind), user)
      direct = Math.max(direct, level)
      after = Math.max(after, this.#planned.get(getMembershipKey(one, user))?.after ?? level)
    }
    // A level above all direct memberships has another source, such as an invited group, which the plan does not change.
    return now > direct ? now : after
  }
}

// Checks that a plan neither locks out the token's own user nor removes the last owner of a group.

/** Reports each change that removes the token's own user or lowers the user's level. */
const checkOwnUser = async (
  reductions: readonly PlannedMembership[],
  view: DiffView,
  options: DiffOptions,
  mistakes: Mistakes,
): Promise<void> => {
  const [first] = reductions
  if (first === undefined) return
  const self =
    options.self === undefined ? await view.self() : { id: undefined, username: options.self }
  if (self === undefined) {
    const removes = reductions.some(({ after }) => after === 0)
    const text = 'cannot read the user of this token, and the plan removes members'
    if (removes && options.checks !== true)
      mistakes.add(first.draft.origin, text, 'Name the user with --self <username>.')
    return
  }
  const { id, username } = self
  for (const { user, draft, after } of reductions) {
    if (user !== id && draft.before?.identity.toLowerCase() !== username.toLowerCase()) continue
    const what = after === 0 ? 'be removed from' : 'get a lower level in'
    mistakes.add(
      draft.origin,
      `${username} is the user of this token, and would ${what} ${toPlaceText(draft.address)}`,
      'Add the user to the files at the current level, or use the token of another user.',
    )
  }
}

/** Reports each group that would lose its last owner. */
const checkLastOwners = async (
  all: readonly PlannedMembership[],
  view: DiffView,
  mistakes: Mistakes,
): Promise<void> => {
  const ownershipLosses = groupBy(all.filter(isOwnershipLoss), ({ draft }) =>
    draft.address.path.toLowerCase(),
  )
  const levels = new PlannedLevels(view, all)
  /** True if a group still has an owner after the plan; undefined if its members cannot be read. */
  const hasOwner = async (group: ManagedPlace): Promise<boolean | undefined> => {
    const current = await readAllMembers(view, group)
    if (current.is !== 'read') return undefined
    const people = all.filter(({ draft }) => !isSparedDraft(draft))
    const owning = current.items.filter(
      ({ identity, attributes: { access_level: level } }) =>
        toAccessLevel(level) >= ownerLevel && !isSparedIdentity(groupMembers, identity),
    )
    const ids = owning.map(({ record }) => Number(record.id))
    const users = [...ids, ...people.map(({ user }) => user)]
    for (const user of new Set(users))
      if ((await levels.getLevel(group, user)) >= ownerLevel) return true
    return false
  }
  for (const [one] of ownershipLosses.values()) {
    if (one === undefined) continue
    const { path } = one.draft.address
    const left = await hasOwner({ scope: 'group', path })
    if (left === true) continue
    const text =
      left === undefined
        ? `cannot read whether the group ${path} would still have an owner`
        : `the group ${path} would be left without an owner`
    mistakes.add(one.draft.origin, text, 'Keep at least one owner. No flag lifts this limit.')
  }
}

/** Reports changes of members that no plan may make. */
export const checkMembers = async (
  drafts: readonly Draft[],
  view: DiffView,
  options: DiffOptions,
  mistakes: Mistakes,
): Promise<void> => {
  const all = listMemberships(drafts)
  const reductions = all.filter(({ before, after }) => after < before)
  await checkOwnUser(reductions, view, options, mistakes)
  await checkLastOwners(all, view, mistakes)
}
