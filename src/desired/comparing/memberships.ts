/** Drafts about members: whose they are, and which level users have, and are left with. */
import { groupMembers, projectMembers } from '../../catalogue/managed/members.js'
import { type ManagedPlace, placeText } from '../address.js'
import type { SeenKind } from '../seen.js'
import { above, allMembers, levelOf } from './kinds/members.js'
import type { ComparingSight, Draft } from './types.js'

export const owner = 50

/** What a draft makes of a membership. */
export interface PlannedMembership {
  readonly draft: Draft
  readonly user: number
  /** 0 where there is none. */
  readonly before: number
  readonly after: number
}

/** What a draft of a kind whose items are users makes of a membership. */
export const planOfMembership = (draft: Draft): PlannedMembership => {
  const { before, verb, step } = draft
  const was = levelOf(before?.attributes.access_level)
  const wanted = step.values.access_level
  return {
    draft,
    user: Number(step.values.user_id),
    before: was,
    after: verb === 'delete' ? 0 : typeof wanted === 'number' ? wanted : was,
  }
}

/** Drafts of kinds whose items are users. */
export const memberships = (drafts: readonly Draft[]): readonly PlannedMembership[] =>
  drafts.filter(({ kind }) => kind.by === 'user').map(planOfMembership)

/** A place, and the groups above it, the nearest first. */
const lineOf = (place: ManagedPlace): readonly ManagedPlace[] => {
  const group = above(place)
  return [place, ...(group === undefined ? [] : lineOf(group))]
}

const keyOf = (place: ManagedPlace, user: number): string =>
  `${user} ${placeText(place).toLowerCase()}`

const levelIn = (seen: SeenKind, user: number): number =>
  seen.is === 'read'
    ? levelOf(seen.items.find(({ record }) => record.id === user)?.attributes.access_level)
    : 0

/** The levels that users have in places once a plan is done. */
export class LevelsAfter {
  readonly #sight: ComparingSight
  /** What becomes of memberships, by user and place. */
  readonly #planned: Map<string, PlannedMembership>

  constructor(sight: ComparingSight, all: readonly PlannedMembership[]) {
    this.#sight = sight
    this.#planned = new Map(all.map((one) => [keyOf(one.draft.address, one.user), one]))
  }

  /** It is not done: the level stays. */
  drop({ draft, user }: PlannedMembership): void {
    this.#planned.delete(keyOf(draft.address, user))
  }

  /** Whether the plan changes anything of a user there, or above. */
  changes(place: ManagedPlace, user: number): boolean {
    return lineOf(place).some((one) => this.#planned.has(keyOf(one, user)))
  }

  /** The level of a user in a place, also by the groups above it; 0 of one who is no member. */
  async of(place: ManagedPlace, user: number): Promise<number> {
    const now = levelIn(await allMembers(this.#sight, place), user)
    if (!this.changes(place, user)) return now
    let [direct, after] = [0, 0]
    for (const one of lineOf(place)) {
      const kind = one.scope === 'group' ? groupMembers : projectMembers
      const level = levelIn(await this.#sight.see(one, kind), user)
      direct = Math.max(direct, level)
      after = Math.max(after, this.#planned.get(keyOf(one, user))?.after ?? level)
    }
    // What no direct membership explains stays whatever becomes of those.
    return now > direct ? now : after
  }
}
