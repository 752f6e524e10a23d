/** No member is less in a place than in the groups above it, as the plan leaves those. */
import { shelvesOf } from '../../base/shelves.js'
import { groupMembers } from '../../catalogue/managed/members.js'
import type { PlanFinding } from '../actions.js'
import type { ManagedPlace } from '../address.js'
import { sideBySide } from '../reading/once.js'
import type { SeenKind } from '../seen.js'
import { above, allMembers, levelOf } from './kinds/members.js'
import { memberships, type PlannedMembership } from './memberships.js'
import type { ComparingOptions, ComparingSight, Draft } from './types.js'

/** The groups above a place, the nearest first. */
const groupsAbove = (place: ManagedPlace): readonly ManagedPlace[] => {
  const group = above(place)
  return group === undefined ? [] : [group, ...groupsAbove(group)]
}

const keyOf = ({ path }: ManagedPlace, user: number): string => `${user} ${path.toLowerCase()}`

const levelIn = (seen: SeenKind, user: number): number =>
  seen.is === 'read'
    ? levelOf(seen.items.find(({ record }) => record.id === user)?.attributes.access_level)
    : 0

class Floors {
  readonly #sight: ComparingSight
  /** What becomes of members of groups, by group and user. */
  readonly #planned = new Map<string, PlannedMembership>()

  constructor(sight: ComparingSight, all: readonly PlannedMembership[]) {
    this.#sight = sight
    for (const one of all)
      if (one.draft.address.scope === 'group')
        this.#planned.set(keyOf(one.draft.address, one.user), one)
  }

  /** It is not done: the level stays. */
  drop({ draft, user }: PlannedMembership): void {
    if (draft.address.scope === 'group') this.#planned.delete(keyOf(draft.address, user))
  }

  /**
   * The level that the groups above give a member. It is read for whatever changes: with the end of a membership
   * its level is sent as well, and refused.
   */
  async of({ draft, user }: PlannedMembership): Promise<number> {
    const groups = groupsAbove(draft.address)
    const [nearest] = groups
    if (nearest === undefined) return 0
    const now = levelIn(await allMembers(this.#sight, draft.kind, nearest), user)
    const planned = groups.some((group) => this.#planned.has(keyOf(group, user)))
    return planned ? this.#after(groups, user, now) : now
  }

  async #after(groups: readonly ManagedPlace[], user: number, now: number): Promise<number> {
    let [direct, after] = [0, 0]
    for (const group of groups) {
      const level = levelIn(await this.#sight.see(group, groupMembers), user)
      direct = Math.max(direct, level)
      after = Math.max(after, this.#planned.get(keyOf(group, user))?.after ?? level)
    }
    // What no direct membership explains stays whatever becomes of those.
    return now > direct ? now : after
  }
}

/** Those that say nothing of each other's floors: groups of one depth, the outer ones first, and projects. */
const inTurn = (all: readonly PlannedMembership[]): readonly (readonly PlannedMembership[])[] => {
  const depths = shelvesOf(all, ({ draft: { address } }) =>
    address.scope === 'project' ? Number.POSITIVE_INFINITY : address.path.split('/').length,
  )
  return [...depths].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, ones]) => ones)
}

interface BelowFloors {
  readonly findings: readonly PlanFinding[]
  readonly dropped: ReadonlySet<Draft>
}

/** The drafts that would make somebody less than the groups above do, and what is said of them. */
export const belowFloors = async (
  drafts: readonly Draft[],
  sight: ComparingSight,
  { about }: Pick<ComparingOptions, 'about'>,
): Promise<BelowFloors> => {
  // Nobody is above what is a person's own.
  const all = memberships(drafts).filter(
    ({ draft: { address } }) => about?.(address.path)?.namespace !== 'user',
  )
  const floors = new Floors(sight, all)
  const dropped = new Set<Draft>()
  const findings: PlanFinding[] = []
  const check = async (one: PlannedMembership): Promise<void> => {
    const { address, origin, verb } = one.draft
    const floor = verb === 'delete' ? 0 : await floors.of(one)
    if (one.after >= floor) return
    floors.drop(one)
    dropped.add(one.draft)
    const text = `is a member of ${above(address)?.path} at level ${floor}, and cannot be less here`
    findings.push({ is: 'impossible', address, text, origin })
  }
  for (const ones of inTurn(all)) await sideBySide(ones, check)
  return { findings, dropped }
}
