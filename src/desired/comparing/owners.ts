/** What no plan may do to members: take the token's own user away, or the last owner of a group. */

import type { ManagedPlace } from '../address.js'
import { placeText } from '../address.js'
import { above, allMembers, levelOf } from './kinds/members.js'
import { memberships, owner, type PlannedMembership } from './memberships.js'
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

const within = (place: ManagedPlace, group: ManagedPlace): boolean =>
  place.scope === 'group' &&
  (place.path.toLowerCase() === group.path.toLowerCase() ||
    place.path.toLowerCase().startsWith(`${group.path.toLowerCase()}/`))

/** Users who own a group after all is done; undefined where that cannot be read. */
const ownersAfter = async (
  group: ManagedPlace,
  all: readonly PlannedMembership[],
  sight: ComparingSight,
): Promise<ReadonlySet<number> | undefined> => {
  const here = all.filter(({ draft }) => within(group, draft.address))
  const [some] = all
  if (some === undefined) return undefined
  const seen = await allMembers(sight, some.draft.kind, group)
  if (seen.is !== 'read') return undefined
  const falling = new Set(here.filter((m) => m.after < owner).map(({ user }) => user))
  const owners = seen.items
    .filter(({ attributes }) => levelOf(attributes.access_level) >= owner)
    .map(({ record }) => Number(record.id))
  const parent = above(group)
  const inherited = parent === undefined ? undefined : await ownersAfter(parent, all, sight)
  return new Set([
    ...owners.filter((user) => !falling.has(user)),
    ...here.filter((m) => m.after >= owner).map(({ user }) => user),
    ...(inherited ?? []),
  ])
}

/** Never the last owner of a group. */
const lastOwners = async (
  all: readonly PlannedMembership[],
  sight: ComparingSight,
): Promise<readonly Mistake[]> => {
  const mistakes: Mistake[] = []
  const done = new Set<string>()
  for (const one of all) {
    const { scope, path } = one.draft.address
    if (scope !== 'group' || one.before < owner || one.after >= owner) continue
    if (done.has(path.toLowerCase())) continue
    done.add(path.toLowerCase())
    const left = await ownersAfter({ scope, path }, groupOnes(all), sight)
    if (left !== undefined && left.size > 0) continue
    const text =
      left === undefined
        ? `whether the group ${path} would still have an owner cannot be read`
        : `the group ${path} would be left without an owner`
    mistakes.push(said(one, text, 'Leave it an owner; no flag lifts this.'))
  }
  return mistakes
}

const groupOnes = (all: readonly PlannedMembership[]): readonly PlannedMembership[] =>
  all.filter(({ draft }) => draft.address.scope === 'group')

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
