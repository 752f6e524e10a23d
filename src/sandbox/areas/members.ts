/** Serves the members of groups and projects, and the billable members of a group (`catalogue/reference/members.md`). */
import { capitalize } from '../../base/text.js'
import { members } from '../../catalogue/areas/members.js'
import type { CheckedOf } from '../../catalogue/endpoint.js'
import { accessLevels } from '../../catalogue/shapes/common.js'
import type { Call } from '../call.js'
import { serve } from '../handlers.js'
import { showUserSummary } from '../present/common.js'
import { badRequest, createLazyList, notFound } from '../reply.js'
import {
  addMembers,
  getMembersWithin,
  listDirect,
  listInvited,
  listWithInherited,
  type MemberSource,
  type NewMember,
  recordMemberEvent,
  removeExpired,
  removeMember,
  updateMember,
} from '../rules/members.js'
import type { GroupRecord, UserRecord } from '../state/people-and-projects.js'

// Billable members of a top-level group.

type SortOrder = NonNullable<CheckedOf<(typeof members)['billableList']>['sort']>

interface BillableMember {
  readonly user: UserRecord
  readonly type: 'group_member' | 'project_member' | 'group_invite'
  readonly level: number
  /** The time at which the first membership began. */
  readonly joined: string
}

/** Finds a top-level group. @throws Refusal if the acting user does not own it */
const findRootGroup = (call: Call, id: string | number): GroupRecord => {
  removeExpired(call)
  const group = call.requireGroup(id, { role: 'owner' })
  if (group.parent_id !== null) throw badRequest('400 Bad request - Must be a top-level group')
  return group
}

/** True if a user occupies a seat of the license, as all users do except bots and blocked users. */
const hasSeat = (user: UserRecord): boolean =>
  user.state === 'active' && !/^(project|group)_\d+_bot/.test(user.username)

const collectBillable = (call: Call, root: GroupRecord): BillableMember[] => {
  const found = new Map<number, BillableMember>()
  const gather = (type: BillableMember['type'], memberships: readonly NewMember[]): void => {
    for (const m of memberships) {
      const user = call.state.users.get(m.user_id)
      if (user === undefined || !hasSeat(user)) continue
      const known = found.get(user.id)
      found.set(user.id, {
        user,
        type: known?.type ?? type,
        level: Math.max(known?.level ?? 0, m.access_level),
        joined: known !== undefined && known.joined < m.created_at ? known.joined : m.created_at,
      })
    }
  }
  const own = getMembersWithin(call, root)
  for (const type of ['group', 'project'] as const)
    gather(
      `${type}_member`,
      own.filter((m) => m.source_type === type),
    )
  gather('group_invite', listInvited(call, root))
  return [...found.values()]
}

const orders: Readonly<Record<SortOrder, (a: BillableMember, b: BillableMember) => number>> = {
  access_level_asc: (a, b) => a.level - b.level,
  access_level_desc: (a, b) => b.level - a.level,
  last_joined: (a, b) => compareText(b.joined, a.joined),
  oldest_joined: (a, b) => compareText(a.joined, b.joined),
  name_asc: (a, b) => compareText(a.user.name, b.user.name),
  name_desc: (a, b) => compareText(b.user.name, a.user.name),
  recent_sign_in: (a, b) => compareText(b.user.last_sign_in_at, a.user.last_sign_in_at),
  oldest_sign_in: (a, b) => compareText(a.user.last_sign_in_at, b.user.last_sign_in_at),
  last_activity_on_asc: (a, b) => compareText(a.user.last_activity_on, b.user.last_activity_on),
  last_activity_on_desc: (a, b) => compareText(b.user.last_activity_on, a.user.last_activity_on),
}

/** Compares two texts; null sorts before any text. */
const compareText = (a: string | null, b: string | null): number => (a ?? '').localeCompare(b ?? '')

const createSearch = (search: string | undefined) => {
  const wanted = search?.toLowerCase() ?? ''
  return ({ user }: BillableMember): boolean =>
    [user.name, user.username, user.email].some((field) => field.toLowerCase().includes(wanted))
}

const showBillable = (call: Call, { user, type }: BillableMember) => ({
  ...showUserSummary(call, user),
  ...(user.public_email === null ? {} : { email: user.public_email }),
  last_activity_on: user.last_activity_on,
  membership_type: type as string,
  removable: type !== 'group_invite',
  created_at: user.created_at,
})

const listBillable = (call: Call, root: GroupRecord, search?: string, sort?: SortOrder) => {
  const rows = collectBillable(call, root).filter(createSearch(search))
  rows.sort((a, b) => (sort === undefined ? 0 : orders[sort](a, b)) || a.user.id - b.user.id)
  return rows.map((row) => showBillable(call, row))
}

const formatLevel = (level: number): string => {
  const name = Object.entries(accessLevels).find(([, value]) => value === level)?.[0] ?? 'unknown'
  return capitalize(name)
}

/** Lists the direct memberships of a user in the group, its subgroups and their projects. */
const getMemberships = (call: Call, root: GroupRecord, userId: number) => {
  if (!collectBillable(call, root).some(({ user }) => user.id === userId)) throw notFound('User')
  return getMembersWithin(call, root)
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
        source_members_url: call.getWebUrl(path),
        created_at: m.created_at,
        expires_at: m.expires_at,
        access_level: { string_value: formatLevel(m.access_level), integer_value: m.access_level },
      }
    })
}

const owner = 50

/** Ends all memberships of a user in the group, its subgroups and their projects. */
const removeBillable = (call: Call, root: GroupRecord, userId: number): undefined => {
  const user = call.state.users.get(userId)
  const all = getMembersWithin(call, root)
  const own = all.filter((m) => m.user_id === userId)
  if (user === undefined || own.length === 0) throw notFound('User')
  const owners = all.filter(
    (m) => m.source_type === 'group' && m.source_id === root.id && m.access_level === owner,
  )
  if (owners.length > 0 && owners.every((m) => m.user_id === userId))
    throw badRequest('The last owner of a group cannot be removed')
  for (const membership of own) call.checkUnmodified(membership)
  for (const membership of own) {
    if (membership.id !== undefined) call.state.members.remove(membership.id)
    recordMemberEvent(call, 'left', user, membership)
  }
}

// Members of groups and projects.

type Members = typeof members
type Filters = Pick<CheckedOf<Members['listOfGroup']>, 'query' | 'user_ids'>

interface Input {
  readonly id: string | number
}

const toGroup =
  (role?: 'owner') =>
  (call: Call, { id }: Input): MemberSource => {
    removeExpired(call)
    return { kind: 'group', group: call.requireGroup(id, { role }) }
  }
const toProject =
  (role?: 'maintainer') =>
  (call: Call, { id }: Input): MemberSource => {
    removeExpired(call)
    return { kind: 'project', project: call.requireProject(id, { role }) }
  }
/** Functions that find the group or project: for users who may see it, and for users who may change its members. */
const [ofGroup, ownGroup] = [toGroup(), toGroup('owner')]
const [ofProject, ownProject] = [toProject(), toProject('maintainer')]

/** Presents a member in a list. */
const showMember = (call: Call, place: MemberSource, member: NewMember) => {
  const user = call.state.users.get(member.user_id)
  if (user === undefined) throw notFound('User')
  const owns = place.kind === 'group' && call.getGroupLevel(place.group) >= owner
  return {
    ...showUserSummary(call, user),
    access_level: member.access_level,
    expires_at: member.expires_at === null ? null : `${member.expires_at}T00:00:00.000Z`,
    ...(user.public_email === null ? {} : { email: user.public_email }),
    ...(owns ? { group_saml_identity: null } : {}),
  }
}

const showSingleMember = (call: Call, place: MemberSource, member: NewMember) => ({
  ...showMember(call, place, member),
  created_at: member.created_at,
})

const listMembers = (
  call: Call,
  place: MemberSource,
  rows: readonly NewMember[],
  { query = '', user_ids = [] }: Filters,
) => {
  const wanted = query.toLowerCase()
  const shown = rows.filter((m) => {
    const user = call.state.users.get(m.user_id)
    const names = [user?.name ?? '', user?.username ?? '']
    return (
      (user_ids.length === 0 || user_ids.includes(m.user_id)) &&
      names.some((name) => name.toLowerCase().includes(wanted))
    )
  })
  return createLazyList(shown, (member) => showMember(call, place, member))
}

const findMember = (
  call: Call,
  place: MemberSource,
  rows: readonly NewMember[],
  userId: number,
) => {
  const member = rows.find((m) => m.user_id === userId)
  if (member === undefined) throw notFound()
  return showSingleMember(call, place, member)
}

/** A function that lists the memberships of a group or project, either only direct ones or also inherited ones. */
type Rows = typeof listDirect
type Place = typeof ofGroup

const toList = (place: Place, rows: Rows) => (call: Call, input: Input & Filters) => {
  const at = place(call, input)
  return listMembers(call, at, rows(call, at), input)
}

const toGet =
  (place: Place, rows: Rows) => (call: Call, input: Input & { readonly user_id: number }) => {
    const at = place(call, input)
    return findMember(call, at, rows(call, at), input.user_id)
  }

const toAdd = (place: Place) => (call: Call, input: CheckedOf<Members['addToGroup']>) => {
  const at = place(call, input)
  const added = addMembers(call, at, input)
  return 'status' in added ? added : showSingleMember(call, at, added)
}

const toUpdate = (place: Place) => (call: Call, input: CheckedOf<Members['updateOfGroup']>) => {
  const at = place(call, input)
  return showSingleMember(call, at, updateMember(call, at, input))
}

const toRemove =
  (place: Place) =>
  (call: Call, input: Input & { readonly user_id: number }): undefined =>
    removeMember(call, place(call, input), input.user_id)

export const served = serve(members, {
  listOfGroup: toList(ofGroup, listDirect),
  listOfProject: toList(ofProject, listDirect),
  listAllOfGroup: toList(ofGroup, listWithInherited),
  listAllOfProject: toList(ofProject, listWithInherited),
  getOfGroup: toGet(ofGroup, listDirect),
  getOfProject: toGet(ofProject, listDirect),
  getAllOfGroup: toGet(ofGroup, listWithInherited),
  getAllOfProject: toGet(ofProject, listWithInherited),
  addToGroup: toAdd(ownGroup),
  addToProject: toAdd(ownProject),
  updateOfGroup: toUpdate(ownGroup),
  updateOfProject: toUpdate(ownProject),
  removeFromGroup: toRemove(ownGroup),
  removeFromProject: toRemove(ownProject),
  billableList: (call, { id, search, sort }) =>
    listBillable(call, findRootGroup(call, id), search, sort),
  billableMemberships: (call, { id, user_id }) =>
    getMemberships(call, findRootGroup(call, id), user_id),
  billableRemove: (call, { id, user_id }) => removeBillable(call, findRootGroup(call, id), user_id),
})
