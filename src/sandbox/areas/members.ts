/** Members of groups and projects, and billable members (`catalogue/reference/members.md`). */
import type { members } from '../../catalogue/areas/members.js'
import type { CheckedOf } from '../../catalogue/inferred.js'
import type { Call } from '../call.js'
import type { Handlers } from '../handlers.js'
import { userSummary } from '../present/common.js'
import { lazily, notFound } from '../reply.js'
import { listBillable, membershipsOf, removeBillable, rootGroup } from '../rules/people/billable.js'
import { addMembers, removeMember, updateMember } from '../rules/people/member-changes.js'
import {
  direct,
  type MemberSource,
  type Membership,
  settleExpired,
  withInherited,
} from '../rules/people/memberships.js'

type Members = typeof members
type Filters = Pick<CheckedOf<Members['listOfGroup']>, 'query' | 'user_ids'>

const ofGroup = (call: Call, id: string | number, needs: { role?: 'owner' } = {}): MemberSource => {
  settleExpired(call)
  return { kind: 'group', group: call.group(id, needs) }
}
const ofProject = (
  call: Call,
  id: string | number,
  needs: { role?: 'maintainer' } = {},
): MemberSource => {
  settleExpired(call)
  return { kind: 'project', project: call.project(id, needs) }
}

const owner = 50

/** As lists show a member. */
const present = (call: Call, place: MemberSource, member: Membership) => {
  const user = call.state.users.get(member.user_id)
  if (user === undefined) throw notFound('User')
  const owns = place.kind === 'group' && call.groupLevel(place.group) >= owner
  return {
    ...userSummary(call, user),
    access_level: member.access_level,
    expires_at: member.expires_at === null ? null : `${member.expires_at}T00:00:00.000Z`,
    ...(user.public_email === null ? {} : { email: user.public_email }),
    ...(owns ? { group_saml_identity: null } : {}),
  }
}

const alone = (call: Call, place: MemberSource, member: Membership) => ({
  ...present(call, place, member),
  created_at: member.created_at,
})

const listed = (
  call: Call,
  place: MemberSource,
  rows: readonly Membership[],
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
  return lazily(shown, (member) => present(call, place, member))
}

const single = (call: Call, place: MemberSource, rows: readonly Membership[], userId: number) => {
  const member = rows.find((m) => m.user_id === userId)
  if (member === undefined) throw notFound()
  return alone(call, place, member)
}

const add = (call: Call, place: MemberSource, input: Parameters<typeof addMembers>[2]) => {
  const added = addMembers(call, place, input)
  return 'status' in added ? added : alone(call, place, added)
}

const update = (call: Call, place: MemberSource, input: Parameters<typeof updateMember>[2]) =>
  alone(call, place, updateMember(call, place, input))

export const handlers: Handlers<Members> = {
  listOfGroup: (call, input) => {
    const place = ofGroup(call, input.id)
    return listed(call, place, direct(call, place), input)
  },
  listOfProject: (call, input) => {
    const place = ofProject(call, input.id)
    return listed(call, place, direct(call, place), input)
  },
  listAllOfGroup: (call, input) => {
    const place = ofGroup(call, input.id)
    return listed(call, place, withInherited(call, place), input)
  },
  listAllOfProject: (call, input) => {
    const place = ofProject(call, input.id)
    return listed(call, place, withInherited(call, place), input)
  },
  getOfGroup: (call, { id, user_id }) => {
    const place = ofGroup(call, id)
    return single(call, place, direct(call, place), user_id)
  },
  getOfProject: (call, { id, user_id }) => {
    const place = ofProject(call, id)
    return single(call, place, direct(call, place), user_id)
  },
  getAllOfGroup: (call, { id, user_id }) => {
    const place = ofGroup(call, id)
    return single(call, place, withInherited(call, place), user_id)
  },
  getAllOfProject: (call, { id, user_id }) => {
    const place = ofProject(call, id)
    return single(call, place, withInherited(call, place), user_id)
  },
  addToGroup: (call, input) => add(call, ofGroup(call, input.id, { role: 'owner' }), input),
  addToProject: (call, input) =>
    add(call, ofProject(call, input.id, { role: 'maintainer' }), input),
  updateOfGroup: (call, input) => update(call, ofGroup(call, input.id, { role: 'owner' }), input),
  updateOfProject: (call, input) =>
    update(call, ofProject(call, input.id, { role: 'maintainer' }), input),
  removeFromGroup: (call, { id, user_id }) => {
    removeMember(call, ofGroup(call, id, { role: 'owner' }), user_id)
    return undefined
  },
  removeFromProject: (call, { id, user_id }) => {
    removeMember(call, ofProject(call, id, { role: 'maintainer' }), user_id)
    return undefined
  },
  billableList: (call, { id, search, sort }) =>
    listBillable(call, rootGroup(call, id), search, sort),
  billableMemberships: (call, { id, user_id }) => membershipsOf(call, rootGroup(call, id), user_id),
  billableRemove: (call, { id, user_id }) => {
    removeBillable(call, rootGroup(call, id), user_id)
    return undefined
  },
}
