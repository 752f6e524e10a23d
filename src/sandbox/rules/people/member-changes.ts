/** Adds members and changes memberships (`catalogue/reference/members.md`). */
import { accessLevels, givenLevels } from '../../../catalogue/shapes/common.js'
import type { Call } from '../../call.js'
import {
  badRequest,
  conflict,
  forbidden,
  invalid,
  missing,
  notFound,
  type Refusal,
} from '../../reply.js'
import type { MemberRecord, UserRecord } from '../../state/people-and-projects.js'
import { inherited, type MemberSource, tellProject } from './memberships.js'

interface Adding {
  readonly user_id: string
  readonly access_level: number
  readonly expires_at?: string
}
interface Updating {
  readonly user_id: number
  readonly access_level?: number
  readonly expires_at?: string
}

const owner = accessLevels.owner

/** Levels that may be given. */
const levelsOf = (place: MemberSource): readonly number[] =>
  givenLevels[place.kind].map((name) => accessLevels[name])

const sourceOf = (place: MemberSource) =>
  place.kind === 'group'
    ? ({ source_type: 'group', source_id: place.group.id } as const)
    : ({ source_type: 'project', source_id: place.project.id } as const)

const recordOf = (call: Call, place: MemberSource, userId: number): MemberRecord | undefined => {
  const { source_type, source_id } = sourceOf(place)
  return call.state.members.find(
    (m) => m.source_type === source_type && m.source_id === source_id && m.user_id === userId,
  )
}

/** What is wrong with a level or an end, as a refusal; undefined when nothing is. */
const fault = (
  call: Call,
  place: MemberSource,
  userId: number,
  { access_level, expires_at }: Omit<Updating, 'user_id'>,
): Refusal | undefined => {
  if (access_level !== undefined && !levelsOf(place).includes(access_level))
    return badRequest({ access_level: ['is not included in the list'] })
  const above = inherited(call, place)
    .filter((m) => m.user_id === userId)
    .sort((a, b) => b.access_level - a.access_level)[0]
  if (access_level !== undefined && above !== undefined && access_level < above.access_level) {
    const group = call.state.groups.get(above.source_id)?.full_name
    const level = Object.entries(accessLevels).find(([, n]) => n === above.access_level)?.[0]
    return badRequest({
      access_level: [
        `should be greater than or equal to ${level} inherited membership from group ${group}`,
      ],
    })
  }
  if (expires_at !== undefined && expires_at !== '' && expires_at < call.clock.day())
    return badRequest({ expires_at: ['cannot be a date in the past'] })
  return undefined
}

/** Whether a project is a user's own: what they may there is no membership. */
const isNamespaceOwner = (place: MemberSource, userId: number): boolean =>
  place.kind === 'project' &&
  place.project.namespace_kind === 'user' &&
  place.project.namespace_id === userId

/** Why a user cannot be added; undefined when nothing stands in the way. */
const obstacle = (
  call: Call,
  place: MemberSource,
  user: UserRecord | undefined,
  input: Adding,
): Refusal | undefined => {
  if (user === undefined) return notFound('User')
  if (isNamespaceOwner(place, user.id) || recordOf(call, place, user.id) !== undefined)
    return conflict('Member already exists')
  return fault(call, place, user.id, input)
}

const insert = (call: Call, place: MemberSource, user: UserRecord, input: Adding): MemberRecord => {
  const added = call.state.members.add({
    ...sourceOf(place),
    user_id: user.id,
    access_level: input.access_level,
    created_at: call.clock.iso(),
    expires_at: input.expires_at === undefined || input.expires_at === '' ? null : input.expires_at,
  })
  tellProject(call, 'joined', user, added)
  return added
}

const reason = ({ body }: Refusal): string => {
  const { message } = body as { message: string | Record<string, string[]> }
  if (typeof message === 'string') return message
  return Object.entries(message)
    .map(([field, texts]) => `${field} ${texts.join(', ')}`)
    .join('; ')
}

/**
 * Adds one user, or several whose IDs are joined by commas. One: the membership, or a refusal.
 * Several: `{"status": "success"}`, or what went wrong by username; the others are added.
 */
export const addMembers = (call: Call, place: MemberSource, input: Adding) => {
  const ids = input.user_id.split(',').map((id) => id.trim())
  if (ids.some((id) => !/^\d+$/.test(id))) throw invalid('user_id is invalid')
  const [only] = ids
  if (ids.length === 1) {
    const user = call.state.users.get(Number(only))
    const refusal = obstacle(call, place, user, input)
    if (user === undefined || refusal !== undefined) throw refusal ?? notFound('User')
    return insert(call, place, user, input)
  }
  const failures: Record<string, string> = {}
  for (const id of ids) {
    const user = call.state.users.get(Number(id))
    const refusal = obstacle(call, place, user, input)
    if (user !== undefined && refusal === undefined) insert(call, place, user, input)
    else failures[user?.username ?? id] = reason(refusal ?? notFound('User'))
  }
  return Object.keys(failures).length === 0
    ? { status: 'success' }
    : { status: 'error', message: failures }
}

/** The record of a direct membership. A personal project's owner has none and stays: 403. */
const existing = (call: Call, place: MemberSource, userId: number): MemberRecord => {
  const record = recordOf(call, place, userId)
  if (record === undefined && isNamespaceOwner(place, userId))
    throw forbidden('The project lies in the namespace of this user, who stays its owner')
  if (record === undefined) throw notFound()
  return record
}

/** Whether a group would be without an owner if this membership were another. */
const isLastOwner = (call: Call, record: MemberRecord): boolean => {
  const owners = call.state.members.filter(
    (m) =>
      m.source_type === 'group' && m.source_id === record.source_id && m.access_level === owner,
  )
  return record.source_type === 'group' && owners.length === 1 && owners[0] === record
}

/** Changes level or end of a direct membership. The last owner of a group stays one: 403. */
export const updateMember = (call: Call, place: MemberSource, input: Updating): MemberRecord => {
  const record = existing(call, place, input.user_id)
  const { access_level, expires_at } = input
  if (access_level === undefined && expires_at === undefined) throw missing('access_level')
  const refusal = fault(call, place, input.user_id, input)
  if (refusal !== undefined) throw refusal
  if (isLastOwner(call, record) && (access_level ?? owner) < owner) throw forbidden()
  call.state.members.change(record.id, {
    access_level,
    updated_at: call.clock.iso(),
    expires_at: expires_at === '' ? null : expires_at,
  })
  return record
}

/** Ends a direct membership; those above and below stay. The last owner of a group stays one: 403. */
export const removeMember = (call: Call, place: MemberSource, userId: number): void => {
  const record = existing(call, place, userId)
  const user = call.state.users.get(userId)
  if (isLastOwner(call, record)) throw forbidden()
  call.unmodified(record)
  call.state.members.remove(record.id)
  if (user !== undefined) tellProject(call, 'left', user, record)
}
