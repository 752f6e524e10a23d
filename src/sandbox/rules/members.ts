/** Lists the members of groups and projects, and adds, changes and ends memberships (`catalogue/reference/members.md`). */

import { accessLevels, assignableLevels } from '../../catalogue/shapes/common.js'
import type { Call } from '../call.js'
import { badRequest, conflict, invalid, notFound, type Refusal } from '../reply.js'
import type {
  GroupRecord,
  MemberRecord,
  ProjectRecord,
  UserRecord,
} from '../state/people-and-projects.js'
import {
  getProjectGroup,
  getRoleOf,
  isCurrent,
  listFamily,
  listLineage,
  listProjectsWithin,
} from './access.js'

/** A group or project that has members. */
export type MemberSource =
  | { readonly kind: 'group'; readonly group: GroupRecord }
  | { readonly kind: 'project'; readonly project: ProjectRecord }

/** The ID of the membership of a personal project's user, which is not stored. */
export const unstored = 0

const listRecords = (
  call: Call,
  source_type: 'group' | 'project',
  source_id: number,
): MemberRecord[] =>
  call.state.members
    .filter({ source_type, source_id })
    .filter(({ expires_at }) => isCurrent(expires_at, call.clock.day()))

const maintainer = 40

/** Returns the user of a personal project as its Maintainer. */
const listNamespaceUser = (project: ProjectRecord): MemberRecord[] =>
  project.namespace_kind === 'group'
    ? []
    : [
        {
          id: unstored,
          source_type: 'project',
          source_id: project.id,
          user_id: project.namespace_id,
          access_level: maintainer,
          created_at: project.created_at,
          expires_at: null,
        },
      ]

/** Lists the direct memberships that have not expired. */
export const listDirect = (call: Call, place: MemberSource): MemberRecord[] => {
  if (place.kind === 'group') return listRecords(call, 'group', place.group.id)
  const { project } = place
  const own = listRecords(call, 'project', project.id)
  return [
    ...listNamespaceUser(project).filter((h) => !own.some((m) => m.user_id === h.user_id)),
    ...own,
  ]
}

/** Lists the memberships of the groups above a group or project. */
const listInherited = (call: Call, place: MemberSource): MemberRecord[] => {
  const above =
    place.kind === 'group'
      ? listLineage(call.state, call.state.groups.get(place.group.parent_id))
      : listLineage(call.state, getProjectGroup(call.state, place.project))
  return above.flatMap((group) => listRecords(call, 'group', group.id))
}

/** Lists direct and inherited memberships. If a user has several, the one with the highest level counts. */
export const listWithInherited = (call: Call, place: MemberSource): MemberRecord[] => {
  const best = new Map<number, MemberRecord>()
  for (const member of [...listDirect(call, place), ...listInherited(call, place)]) {
    const known = best.get(member.user_id)
    if (known === undefined || member.access_level > known.access_level)
      best.set(member.user_id, member)
  }
  return [...best.values()]
}

/** Lists all direct memberships in a group, its subgroups and their projects. */
export const getMembersWithin = (call: Call, root: GroupRecord): MemberRecord[] => [
  ...listFamily(call.state, root).flatMap((group) => listRecords(call, 'group', group.id)),
  ...listProjectsWithin(call.state, root).flatMap((project) =>
    listRecords(call, 'project', project.id),
  ),
]

/** Lists the memberships of the groups with which a group, its descendants, or their projects were shared. */
export const listInvited = (call: Call, root: GroupRecord): MemberRecord[] => {
  const groups = new Set(listFamily(call.state, root).map(({ id }) => id))
  const projects = new Set(listProjectsWithin(call.state, root).map(({ id }) => id))
  return call.state.shares
    .filter((s) => isCurrent(s.expires_at, call.clock.day()))
    .filter((s) => (s.source_type === 'group' ? groups : projects).has(s.source_id))
    .flatMap((share) =>
      listRecords(call, 'group', share.group_id).map((m) => ({
        ...m,
        access_level: Math.min(m.access_level, share.group_access),
      })),
    )
}

/** Removes the expired memberships. For those of projects, it records an event of the member. */
export const removeExpired = (call: Call): void => {
  const today = call.clock.day()
  for (const member of call.state.members.filter((m) => !isCurrent(m.expires_at, today))) {
    call.state.members.remove(member.id)
    if (member.source_type !== 'project') continue
    call.recordEvent({
      action: 'expired',
      project_id: member.source_id,
      author_id: member.user_id,
      created_at: `${member.expires_at}T00:00:00.000Z`,
    })
  }
}

/** Records that a user joined or left a project. Groups have no such events. */
export const recordMemberEvent = (
  call: Call,
  action: 'joined' | 'left',
  user: UserRecord,
  membership: Pick<MemberRecord, 'source_type' | 'source_id'>,
): void => {
  if (membership.source_type !== 'project') return
  call.recordEvent({ action, project_id: membership.source_id, author_id: user.id })
}

// The creation and change of memberships.

interface AddMembersInput {
  readonly user_id: string
  readonly access_level: number
  readonly expires_at?: string
}

const owner = accessLevels.owner

/** Returns the access levels that members may get. */
const getLevels = (place: MemberSource): readonly number[] =>
  assignableLevels[place.kind].map((name) => accessLevels[name])

const toSource = (place: MemberSource) =>
  place.kind === 'group'
    ? ({ source_type: 'group', source_id: place.group.id } as const)
    : ({ source_type: 'project', source_id: place.project.id } as const)

const getRecord = (call: Call, place: MemberSource, user_id: number): MemberRecord | undefined =>
  call.state.members.find({ ...toSource(place), user_id })

/** Returns a refusal if the access level or the expiry date is invalid; undefined otherwise. */
export const createFaultRefusal = (
  call: Call,
  place: MemberSource,
  userId: number,
  { access_level, expires_at }: Partial<AddMembersInput>,
): Refusal | undefined => {
  if (access_level !== undefined && !getLevels(place).includes(access_level))
    return badRequest({ access_level: ['is not included in the list'] })
  const above = listInherited(call, place)
    .filter((m) => m.user_id === userId)
    .sort((a, b) => b.access_level - a.access_level)[0]
  if (access_level !== undefined && above !== undefined && access_level < above.access_level) {
    const group = call.state.groups.get(above.source_id)?.full_name
    return badRequest({
      access_level: [
        `should be greater than or equal to ${getRoleOf(above.access_level)} inherited membership from group ${group}`,
      ],
    })
  }
  if (expires_at !== undefined && expires_at !== '' && expires_at < call.clock.day())
    return badRequest({ expires_at: ['cannot be a date in the past'] })
  return undefined
}

/** True if a project is the user's personal project, in which the user is not a stored member. */
const isNamespaceOwner = (place: MemberSource, userId: number): boolean =>
  place.kind === 'project' &&
  place.project.namespace_kind === 'user' &&
  place.project.namespace_id === userId

/** Returns a refusal if the user cannot be added; undefined otherwise. */
const createAddRefusal = (
  call: Call,
  place: MemberSource,
  user: UserRecord | undefined,
  input: AddMembersInput,
): Refusal | undefined => {
  if (user === undefined) return notFound('User')
  if (isNamespaceOwner(place, user.id) || getRecord(call, place, user.id) !== undefined)
    return conflict('Member already exists')
  return createFaultRefusal(call, place, user.id, input)
}

const addMember = (
  call: Call,
  place: MemberSource,
  user: UserRecord,
  input: AddMembersInput,
): MemberRecord => {
  const added = call.state.members.add({
    ...toSource(place),
    user_id: user.id,
    access_level: input.access_level,
    created_at: call.clock.iso(),
    expires_at: input.expires_at === undefined || input.expires_at === '' ? null : input.expires_at,
  })
  recordMemberEvent(call, 'joined', user, added)
  return added
}

const describeRefusal = ({ body }: Refusal): string => {
  const { message } = body as { message: string | Record<string, string[]> }
  if (typeof message === 'string') return message
  return Object.entries(message)
    .map(([field, texts]) => `${field} ${texts.join(', ')}`)
    .join('; ')
}

/**
 * Adds one user, or several whose IDs are separated by commas. For one user, it returns the membership or throws a refusal. For several,
 * it returns `{"status": "success"}` or the errors by username, and adds all others.
 */
export const addMembers = (call: Call, place: MemberSource, input: AddMembersInput) => {
  const ids = input.user_id.split(',').map((id) => id.trim())
  if (ids.some((id) => !/^\d+$/.test(id))) throw invalid('user_id is invalid')
  const [only] = ids
  if (ids.length === 1) {
    const user = call.state.users.get(Number(only))
    const refusal = createAddRefusal(call, place, user, input)
    if (user === undefined || refusal !== undefined) throw refusal ?? notFound('User')
    return addMember(call, place, user, input)
  }
  const failures: Record<string, string> = {}
  for (const id of ids) {
    const user = call.state.users.get(Number(id))
    const refusal = createAddRefusal(call, place, user, input)
    if (user !== undefined && refusal === undefined) addMember(call, place, user, input)
    else failures[user?.username ?? id] = describeRefusal(refusal ?? notFound('User'))
  }
  return Object.keys(failures).length === 0
    ? { status: 'success' }
    : { status: 'error', message: failures }
}

/** True if a change of this membership would leave a group without an owner. */
export const isLastOwner = (call: Call, record: MemberRecord): boolean => {
  const { source_type, source_id } = record
  const owners = call.state.members.filter({ source_type, source_id, access_level: owner })
  return source_type === 'group' && owners.length === 1 && owners[0] === record
}
