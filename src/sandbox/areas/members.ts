/** Serves the members of groups and projects, and the billable members of a group (`catalogue/reference/members.md`). */
import { capitalize } from '../../base/text.js'
import { members } from '../../catalogue/areas/members.js'
import type { CheckedOf } from '../../catalogue/endpoint.js'
import type { Call } from '../call.js'
import { serve } from '../handlers.js'
import { showUserSummary } from '../present/common.js'
import { badRequest, forbidden, missing, notFound } from '../reply.js'
import { resource } from '../resource.js'
import { getRoleOf } from '../rules/access.js'
import { containsText } from '../rules/filters.js'
import {
  addMembers,
  createFaultRefusal,
  getMembersWithin,
  isLastOwner,
  listDirect,
  listInvited,
  listWithInherited,
  type MemberSource,
  recordMemberEvent,
  removeExpired,
  unstored,
} from '../rules/members.js'
import type { GroupRecord, MemberRecord, UserRecord } from '../state/people-and-projects.js'

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
  const gather = (type: BillableMember['type'], memberships: readonly MemberRecord[]): void => {
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

/** Lists the direct memberships of a user in the group, its subgroups and their projects. */
const listMemberships = (call: Call, root: GroupRecord, userId: number) => {
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
        id: m.id,
        source_id: m.source_id,
        source_full_name: group?.full_name ?? project?.name_with_namespace ?? '',
        source_members_url: call.getWebUrl(path),
        created_at: m.created_at,
        expires_at: m.expires_at,
        access_level: {
          string_value: capitalize(getRoleOf(m.access_level) ?? 'unknown'),
          integer_value: m.access_level,
        },
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
    call.state.members.remove(membership.id)
    recordMemberEvent(call, 'left', user, membership)
  }
}

// Members of groups and projects.

/** Creates the function that finds a group or project in which the acting user has a role. */
const createFinder =
  (kind: MemberSource['kind'], role?: 'owner' | 'maintainer') =>
  (call: Call, { id }: { readonly id: string | number }): MemberSource => {
    removeExpired(call)
    return kind === 'group'
      ? { kind, group: call.requireGroup(id, { role }) }
      : { kind, project: call.requireProject(id, { role }) }
  }
const managers = {
  group: createFinder('group', 'owner'),
  project: createFinder('project', 'maintainer'),
}

/** Presents a member in a list. */
const showMember = (call: Call, member: MemberRecord, place: MemberSource) => {
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

const showSingleMember = (call: Call, member: MemberRecord, place: MemberSource) => ({
  ...showMember(call, member, place),
  created_at: member.created_at,
})

/** Declares the members of groups or projects: only direct ones, or also inherited ones. */
const createMembers = (kind: MemberSource['kind'], list: typeof listDirect) =>
  resource({
    table: 'members',
    parent: createFinder(kind),
    managed: managers[kind],
    all: list,
    key: ['user_id', 'user_id'],
    filters: members.listOfGroup.params,
    tests: {
      query: (text, { user_id }, call) => {
        const user = call.state.users.get(user_id)
        return containsText(text, [user?.name, user?.username])
      },
      user_ids: (ids, { user_id }) => ids.length === 0 || ids.includes(user_id),
    },
    present: showSingleMember,
    presentListed: showMember,
    changes: members.updateOfGroup.params,
    refuse: (_, { id }) => {
      if (id === unstored)
        throw forbidden('The project lies in the namespace of this user, who stays its owner')
    },
    accept: (call, given, place, member) => {
      const { access_level, expires_at } = given
      if (access_level === undefined && expires_at === undefined) throw missing('access_level')
      const refusal = member && createFaultRefusal(call, place, member.user_id, given)
      if (refusal !== undefined) throw refusal
      if (member && isLastOwner(call, member) && (access_level ?? owner) < owner) throw forbidden()
      return { access_level, expires_at: expires_at === '' ? null : expires_at }
    },
    // Inherited memberships, and those in subgroups, stay.
    remove: (call, member) => {
      const user = call.state.users.get(member.user_id)
      if (isLastOwner(call, member)) throw forbidden()
      call.state.members.remove(member.id)
      if (user !== undefined) recordMemberEvent(call, 'left', user, member)
    },
  })

const ofGroup = createMembers('group', listDirect)
const ofProject = createMembers('project', listDirect)
const allOfGroup = createMembers('group', listWithInherited)
const allOfProject = createMembers('project', listWithInherited)

const createAdding =
  (kind: MemberSource['kind']) =>
  (call: Call, input: CheckedOf<(typeof members)['addToGroup']>) => {
    const place = managers[kind](call, input)
    const added = addMembers(call, place, input)
    return 'status' in added ? added : showSingleMember(call, added, place)
  }

export const served = serve(members, {
  listOfGroup: ofGroup.list,
  listOfProject: ofProject.list,
  listAllOfGroup: allOfGroup.list,
  listAllOfProject: allOfProject.list,
  getOfGroup: ofGroup.get,
  getOfProject: ofProject.get,
  getAllOfGroup: allOfGroup.get,
  getAllOfProject: allOfProject.get,
  addToGroup: createAdding('group'),
  addToProject: createAdding('project'),
  updateOfGroup: ofGroup.update,
  updateOfProject: ofProject.update,
  removeFromGroup: ofGroup.delete,
  removeFromProject: ofProject.delete,
  billableList: (call, { id, search, sort }) =>
    listBillable(call, findRootGroup(call, id), search, sort),
  billableMemberships: (call, { id, user_id }) =>
    listMemberships(call, findRootGroup(call, id), user_id),
  billableRemove: (call, { id, user_id }) => removeBillable(call, findRootGroup(call, id), user_id),
})
