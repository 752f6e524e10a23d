/** No member is less in a place than in the groups above it, as the plan leaves those. */
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

/** Levels are read again only where somebody is added, or lowered. */
const mayFall = ({ draft: { verb }, before, after }: PlannedMembership): boolean =>
  verb === 'create' || after < before

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

  /** The level that the groups above give a member, where it is asked for. */
  async of(one: PlannedMembership): Promise<number> {
    const { draft, user } = one
    const groups = groupsAbove(draft.address)
    const [nearest] = groups
    if (nearest === undefined) return 0
    const planned = groups.some((group) => this.#planned.has(keyOf(group, user)))
    if (!planned && !mayFall(one)) return 0
    const now = levelIn(await allMembers(this.#sight, draft.kind, nearest), user)
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
  const depths = new Map<number, PlannedMembership[]>()
  for (const one of all) {
    const { scope, path } = one.draft.address
    const depth = scope === 'project' ? Number.POSITIVE_INFINITY : path.split('/').length
    const known = depths.get(depth)
    if (known === undefined) depths.set(depth, [one])
    else known.push(one)
  }
  return [...depths].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, ones]) => ones)
}

interface Possible {
  readonly drafts: readonly Draft[]
  readonly findings: readonly PlanFinding[]
  readonly dropped: ReadonlySet<Draft>
}

/** Drafts without those that would make somebody less than the groups above do, which are told of. */
export const aboveFloors = async (
  drafts: readonly Draft[],
  sight: ComparingSight,
  { about }: Pick<ComparingOptions, 'about'>,
): Promise<Possible> => {
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
  const left = dropped.size === 0 ? drafts : drafts.filter((draft) => !dropped.has(draft))
  return { drafts: left, findings, dropped }
}
