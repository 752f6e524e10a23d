/** Billable members of a top-level group (`catalogue/reference/members.md`). */
import type { members } from '../../../catalogue/areas/members.js'
import type { CheckedOf } from '../../../catalogue/inferred.js'
import { accessLevels } from '../../../catalogue/shapes/common.js'
import type { Call } from '../../call.js'
import { userSummary } from '../../present/common.js'
import { badRequest, notFound } from '../../reply.js'
import type { GroupRecord, UserRecord } from '../../state/people-and-projects.js'
import { invited, type Membership, settleExpired, tellProject, within } from './memberships.js'

type Sort = NonNullable<CheckedOf<(typeof members)['billableList']>['sort']>

interface Billable {
  readonly user: UserRecord
  readonly type: 'group_member' | 'project_member' | 'group_invite'
  readonly level: number
  /** When the first of the memberships began. */
  readonly joined: string
}

/** A top-level group whose owner asks. */
export const rootGroup = (call: Call, id: string | number): GroupRecord => {
  settleExpired(call)
  const group = call.group(id, { role: 'owner' })
  if (group.parent_id !== null) throw badRequest('400 Bad request - Must be a top-level group')
  return group
}

/** Bots and blocked users take no seat. */
const takesSeat = (user: UserRecord): boolean =>
  user.state === 'active' && !/^(project|group)_\d+_bot/.test(user.username)

const gather = (
  call: Call,
  into: Map<number, Billable>,
  memberships: readonly Membership[],
  typeOf: (m: Membership) => Billable['type'],
): void => {
  for (const m of memberships) {
    const user = call.state.users.get(m.user_id)
    if (user === undefined || !takesSeat(user)) continue
    const known = into.get(user.id)
    into.set(user.id, {
      user,
      type: known?.type ?? typeOf(m),
      level: Math.max(known?.level ?? 0, m.access_level),
      joined: known !== undefined && known.joined < m.created_at ? known.joined : m.created_at,
    })
  }
}

const everyone = (call: Call, root: GroupRecord): Billable[] => {
  const found = new Map<number, Billable>()
  const own = within(call, root)
  gather(
    call,
    found,
    own.filter((m) => m.source_type === 'group'),
    () => 'group_member',
  )
  gather(
    call,
    found,
    own.filter((m) => m.source_type === 'project'),
    () => 'project_member',
  )
  gather(call, found, invited(call, root), () => 'group_invite')
  return [...found.values()]
}

const orders: Readonly<Record<Sort, (a: Billable, b: Billable) => number>> = {
  access_level_asc: (a, b) => a.level - b.level,
  access_level_desc: (a, b) => b.level - a.level,
  last_joined: (a, b) => text(b.joined, a.joined),
  oldest_joined: (a, b) => text(a.joined, b.joined),
  name_asc: (a, b) => text(a.user.name, b.user.name),
  name_desc: (a, b) => text(b.user.name, a.user.name),
  recent_sign_in: (a, b) => text(b.user.last_sign_in_at, a.user.last_sign_in_at),
  oldest_sign_in: (a, b) => text(a.user.last_sign_in_at, b.user.last_sign_in_at),
  last_activity_on_asc: (a, b) => text(a.user.last_activity_on, b.user.last_activity_on),
  last_activity_on_desc: (a, b) => text(b.user.last_activity_on, a.user.last_activity_on),
}

/** What is not known sorts lowest. */
const text = (a: string | null, b: string | null): number => (a ?? '').localeCompare(b ?? '')

const searched = (search: string | undefined) => {
  const wanted = search?.toLowerCase() ?? ''
  return ({ user }: Billable): boolean =>
    [user.name, user.username, user.email].some((field) => field.toLowerCase().includes(wanted))
}

const present = (call: Call, { user, type }: Billable) => ({
  ...userSummary(call, user),
  ...(user.public_email === null ? {} : { email: user.public_email }),
  last_activity_on: user.last_activity_on,
  membership_type: type as string,
  removable: type !== 'group_invite',
  created_at: user.created_at,
})

export const listBillable = (call: Call, root: GroupRecord, search?: string, sort?: Sort) => {
  const rows = everyone(call, root).filter(searched(search))
  rows.sort((a, b) => (sort === undefined ? 0 : orders[sort](a, b)) || a.user.id - b.user.id)
  return rows.map((row) => present(call, row))
}

const levelName = (level: number): string => {
  const name = Object.entries(accessLevels).find(([, value]) => value === level)?.[0] ?? 'unknown'
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** The direct memberships of one user within the group and all below it. */
export const membershipsOf = (call: Call, root: GroupRecord, userId: number) => {
  if (!everyone(call, root).some(({ user }) => user.id === userId)) throw notFound('User')
  return within(call, root)
    .filter((m) => m.user_id === userId)
    .map((m) => {
      const group = m.source_type === 'group' ? call.state.groups.get(m.source_id) : undefined
      const project = m.source_type === 'project' ? call.findProject(m.source_id) : undefined
      const path =
        group === undefined
          ? `${project?.path_with_namespace}/-/project_members`
          : `groups/${group.full_path}/-/group_members`
      return {
        id: m.id ?? 0,
        source_id: m.source_id,
        source_full_name: group?.full_name ?? project?.name_with_namespace ?? '',
        source_members_url: call.url(path),
        created_at: m.created_at,
        expires_at: m.expires_at,
        access_level: { string_value: levelName(m.access_level), integer_value: m.access_level },
      }
    })
}

const owner = 50

/** Ends every membership of a user in the group, its subgroups and their projects. */
export const removeBillable = (call: Call, root: GroupRecord, userId: number): void => {
  const user = call.state.users.get(userId)
  const all = within(call, root)
  const own = all.filter((m) => m.user_id === userId)
  if (user === undefined || own.length === 0) throw notFound('User')
  const owners = all.filter(
    (m) => m.source_type === 'group' && m.source_id === root.id && m.access_level === owner,
  )
  if (owners.length > 0 && owners.every((m) => m.user_id === userId))
    throw badRequest('The last owner of a group cannot be removed')
  for (const membership of own) call.unmodified(membership)
  for (const membership of own) {
    if (membership.id !== undefined) call.state.members.remove(membership.id)
    tellProject(call, 'left', user, membership)
  }
}
