/** No member is less in a place than in the groups above it, as the plan leaves those. */
import { shelvesOf } from '../../base/shelves.js'
import type { PlanFinding } from '../actions.js'
import { sideBySide } from '../reading/once.js'
import { above } from './kinds/members.js'
import { LevelsAfter, memberships, type PlannedMembership } from './memberships.js'
import type { ComparingOptions, ComparingSight, Draft } from './types.js'

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
  const levels = new LevelsAfter(sight, all)
  const dropped = new Set<Draft>()
  const findings: PlanFinding[] = []
  const check = async (one: PlannedMembership): Promise<void> => {
    const { address, origin, verb } = one.draft
    const group = above(address)
    // Also where only the end changes: the level is sent with it, and refused.
    const floor = verb === 'delete' || group === undefined ? 0 : await levels.of(group, one.user)
    if (one.after >= floor) return
    levels.drop(one)
    dropped.add(one.draft)
    const text = `is a member of ${group?.path} at level ${floor}, and cannot be less here`
    findings.push({ is: 'impossible', address, text, origin })
  }
  for (const ones of inTurn(all)) await sideBySide(ones, check)
  return { findings, dropped }
}
