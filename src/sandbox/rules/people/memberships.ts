/** Who belongs to a group or project, directly or from above (`catalogue/reference/members.md`). */

import type { Call } from '../../call.js'
import type {
  GroupRecord,
  MemberRecord,
  ProjectRecord,
  UserRecord,
} from '../../state/people-and-projects.js'
import { current, family, getProjectGroup, lineage, projectsWithin } from './access.js'

/** A group or a project, whichever members are asked of. */
export type MemberSource =
  | { readonly kind: 'group'; readonly group: GroupRecord }
  | { readonly kind: 'project'; readonly project: ProjectRecord }

/** A membership; that of a personal project's owner is no record of its own. */
export type NewMember = Omit<MemberRecord, 'id'> & { readonly id?: number }

const records = (call: Call, source_type: 'group' | 'project', source_id: number): NewMember[] =>
  call.state.members.filter(
    (m) =>
      m.source_type === source_type &&
      m.source_id === source_id &&
      current(m.expires_at, call.clock.day()),
  )

const maintainer = 40

/** Whoever's namespace a personal project stands in is a Maintainer of it. */
const holder = (project: ProjectRecord): NewMember[] =>
  project.namespace_kind === 'group'
    ? []
    : [
        {
          source_type: 'project',
          source_id: project.id,
          user_id: project.namespace_id,
          access_level: maintainer,
          created_at: project.created_at,
          expires_at: null,
        },
      ]

/** Direct memberships that have not ended. */
export const direct = (call: Call, place: MemberSource): NewMember[] => {
  if (place.kind === 'group') return records(call, 'group', place.group.id)
  const { project } = place
  const own = records(call, 'project', project.id)
  return [...holder(project).filter((h) => !own.some((m) => m.user_id === h.user_id)), ...own]
}

/** Memberships of the groups above a place. */
export const inherited = (call: Call, place: MemberSource): NewMember[] => {
  const above =
    place.kind === 'group'
      ? lineage(call.state, call.state.groups.get(place.group.parent_id))
      : lineage(call.state, getProjectGroup(call.state, place.project))
  return above.flatMap((group) => records(call, 'group', group.id))
}

/** Direct and inherited; of several of one user the one with the highest level. */
export const withInherited = (call: Call, place: MemberSource): NewMember[] => {
  const best = new Map<number, NewMember>()
  for (const member of [...direct(call, place), ...inherited(call, place)]) {
    const known = best.get(member.user_id)
    if (known === undefined || member.access_level > known.access_level)
      best.set(member.user_id, member)
  }
  return [...best.values()]
}

/** All direct memberships in a group, its subgroups and their projects. */
export const getMembersWithin = (call: Call, root: GroupRecord): NewMember[] => [
  ...family(call.state, root).flatMap((group) => records(call, 'group', group.id)),
  ...projectsWithin(call.state, root).flatMap((project) => records(call, 'project', project.id)),
]

/** Memberships of the groups that the root, what is below it, or its projects were shared with. */
export const invited = (call: Call, root: GroupRecord): NewMember[] => {
  const groups = new Set(family(call.state, root).map(({ id }) => id))
  const projects = new Set(projectsWithin(call.state, root).map(({ id }) => id))
  return call.state.shares
    .filter((s) => current(s.expires_at, call.clock.day()))
    .filter((s) => (s.source_type === 'group' ? groups : projects).has(s.source_id))
    .flatMap((share) =>
      records(call, 'group', share.group_id).map((m) => ({
        ...m,
        access_level: Math.min(m.access_level, share.group_access),
      })),
    )
}

/** Ends the memberships whose day has come; those of projects leave an event of the member. */
export const settleExpired = (call: Call): void => {
  const today = call.clock.day()
  for (const member of call.state.members.filter((m) => !current(m.expires_at, today))) {
    call.state.members.remove(member.id)
    if (member.source_type !== 'project') continue
    call.record({
      action: 'expired',
      project_id: member.source_id,
      author_id: member.user_id,
      created_at: `${member.expires_at}T00:00:00.000Z`,
    })
  }
}

/** `joined` and `left` are events of the member in a project; groups have none. */
export const tellProject = (
  call: Call,
  action: 'joined' | 'left',
  user: UserRecord,
  membership: Pick<MemberRecord, 'source_type' | 'source_id'>,
): void => {
  if (membership.source_type !== 'project') return
  call.record({ action, project_id: membership.source_id, author_id: user.id })
}
