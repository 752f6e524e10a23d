/** What no plan may do to members: take the token's own user away, or the last owner of a group. */

import { shelvesOf } from '../../base/shelves.js'
import type { ManagedPlace } from '../address.js'
import { placeText } from '../address.js'
import { allMembers, levelOf } from './kinds/members.js'
import { LevelsAfter, memberships, owner, type PlannedMembership } from './memberships.js'
import type { ComparingOptions, ComparingSight, Draft, Mistake } from './types.js'

const said = ({ draft }: PlannedMembership, text: string, hint?: string): Mistake => ({
  origin: draft.origin,
  text,
  hint,
})

/** Never the token's own user. */
const ownUser = async (
  falling: readonly PlannedMembership[],
  sight: ComparingSight,
  how: ComparingOptions,
): Promise<readonly Mistake[]> => {
  const [first] = falling
  if (first === undefined) return []
  const self = how.self === undefined ? await sight.self() : { id: undefined, username: how.self }
  if (self === undefined) {
    const removes = falling.filter(({ after }) => after === 0)
    if (removes.length === 0 || how.checks === true) return []
    const text = 'whose token this is cannot be read, and members are to be removed'
    return [said(first, text, 'Say who it is with --self <username>.')]
  }
  const { id, username } = self
  return falling
    .filter(
      ({ user, draft }) =>
        user === id || draft.before?.identity.toLowerCase() === username.toLowerCase(),
    )
    .map((one) => {
      const what = one.after === 0 ? 'removed from' : 'lowered in'
      const text = `${username} is the token's own user, and would be ${what} ${placeText(one.draft.address)}`
      return said(one, text, 'Add the user to the files as it is, or use the token of another.')
    })
}

/** Whether a group is left with an owner; undefined where that cannot be read. */
const hasOwner = async (
  group: ManagedPlace,
  all: readonly PlannedMembership[],
  sight: ComparingSight,
): Promise<boolean | undefined> => {
  const seen = await allMembers(sight, group)
  if (seen.is !== 'read') return undefined
  const levels = new LevelsAfter(sight, all)
  const now = seen.items.flatMap(({ attributes, record }) =>
    levelOf(attributes.access_level) >= owner ? [Number(record.id)] : [],
  )
  for (const user of new Set([...now, ...all.map((one) => one.user)]))
    if ((await levels.of(group, user)) >= owner) return true
  return false
}

/** Never the last owner of a group. */
const lastOwners = async (
  all: readonly PlannedMembership[],
  sight: ComparingSight,
): Promise<readonly Mistake[]> => {
  const fallen = all.filter(
    ({ draft, before, after }) =>
      draft.address.scope === 'group' && before >= owner && after < owner,
  )
  const groups = shelvesOf(fallen, ({ draft }) => draft.address.path.toLowerCase())
  const mistakes: Mistake[] = []
  for (const [one] of groups.values()) {
    if (one === undefined) continue
    const { path } = one.draft.address
    const left = await hasOwner({ scope: 'group', path }, all, sight)
    if (left === true) continue
    const text =
      left === undefined
        ? `whether the group ${path} would still have an owner cannot be read`
        : `the group ${path} would be left without an owner`
    mistakes.push(said(one, text, 'Leave it an owner; no flag lifts this.'))
  }
  return mistakes
}

/** What is wrong with what a plan would do to members. */
export const memberMistakes = async (
  drafts: readonly Draft[],
  sight: ComparingSight,
  how: ComparingOptions,
): Promise<readonly Mistake[]> => {
  const all = memberships(drafts)
  const falling = all.filter(({ before, after }) => after < before)
  return [...(await ownUser(falling, sight, how)), ...(await lastOwners(all, sight))]
}
