/** Resolves usernames to the IDs that the API requires. It searches the lists of members, and for some commands all users. */

import { crc32 } from 'node:zlib'
import { AsyncCache } from '../base/async.js'
import { type Fields, listObjects } from '../base/objects.js'
import { splitList } from '../base/text.js'
import { members } from '../catalogue/areas/members.js'
import { pickPathValues } from '../catalogue/endpoint.js'
import { getScopeType } from '../catalogue/params.js'
import { usersNamed } from '../catalogue/undocumented.js'
import type { RecordOf } from '../client/types.js'
import type { Context, InstanceService } from '../engine/command/context.js'
import type { ActionOptions, Plan } from '../engine/command/types.js'
import { Failure, recoverFrom, usage } from '../errors.js'

/** The people among whom a username is looked up: direct, all or billable members, or all users of the instance. */
type MemberScope = 'direct' | 'all' | 'billable' | 'users'

/** The lists of members of groups and projects: direct members only, or all. */
export const memberLists = {
  group: { direct: members.listOfGroup, all: members.listAllOfGroup },
  project: { direct: members.listOfProject, all: members.listAllOfProject },
} as const

const passIdHint = 'Pass the ID instead. "svcctl members list" shows the IDs of members.'
/** The hint for a name that no direct member has: the user may be a member of a group above. */
const inheritedHint =
  'Only direct members can be named here. "svcctl members list --inherited" shows all members.'

/** Lists the members of the plan's group or project that match a search for a name and the filter `where`. */
const listMembers = (
  instance: InstanceService,
  { endpoint, values }: Plan,
  among: MemberScope,
  name: string,
  where: (member: GroupMember) => boolean,
): Promise<readonly GroupMember[]> => {
  if (among === 'billable') {
    const input = { ...pickPathValues(members.billableList, values), search: name }
    return instance.readRecords(members.billableList, input, { where })
  }
  const input = { ...pickPathValues(members.listOfGroup, values), query: name }
  const kind = getScopeType(endpoint.path.id) ?? 'project'
  const list = memberLists[kind][among === 'direct' ? 'direct' : 'all']
  return instance.readRecords(list, input, { where })
}

/** A member of a group or project, as the lists of members return it. */
export type GroupMember = RecordOf<typeof members.listOfGroup>

const formatMember = ({ username, id }: GroupMember): string =>
  `${String(username)} (${String(id)})`

/** Searches the members for a name. `found` has all results, and `matches` those with exactly that username. */
const findMembers = async (
  instance: InstanceService,
  plan: Plan,
  among: MemberScope,
  name: string,
) => {
  const found: GroupMember[] = []
  const matchesUsername = (member: GroupMember): boolean => {
    found.push(member)
    return String(member.username).toLowerCase() === name.toLowerCase()
  }
  const matches = await listMembers(instance, plan, among, name, matchesUsername)
  return { found, matches }
}

/** Reads the users with a name; undefined if the instance does not return users. */
export const readUsersNamed = async (
  instance: InstanceService,
  username: string,
): Promise<readonly Fields[] | undefined> => {
  try {
    return listObjects(await instance.readRecords(usersNamed, { username }))
  } catch (error) {
    recoverFrom(error)
    return undefined
  }
}

/** Finds the ID of any user by exact username; undefined if there is none, or if the instance does not return users. */
const findUser = async (instance: InstanceService, name: string): Promise<string | undefined> => {
  const found = (await readUsersNamed(instance, name)) ?? []
  const user = found.find(({ username }) => String(username).toLowerCase() === name.toLowerCase())
  return user?.id === undefined ? undefined : String(user.id)
}

/**
 * Finds the ID of a member, or of any user, by exact username.
 * @throws Failure `not_found` if no member has the name, `usage` if several have
 */
export const lookUp = async (
  { answer, instance }: Context,
  plan: Plan,
  among: MemberScope,
  name: string,
): Promise<string> => {
  const { found, matches } = await findMembers(instance, plan, among, name)
  const ids = [...new Set(matches.map(({ id }) => String(id)))]
  const [id, ...others] = ids
  if (id !== undefined && others.length === 0) return id
  const user = among === 'users' && id === undefined ? await findUser(instance, name) : undefined
  if (user !== undefined) return user
  const near = (id === undefined ? found : matches).slice(0, 5).map(formatMember).join(', ')
  const scope = `${getScopeType(plan.endpoint.path.id) ?? 'group'} ${String(plan.values.id)}`
  const { safe } = answer.text
  if (id !== undefined)
    throw usage(`several members of ${scope} are called "${safe(name)}": ${safe(near)}`, passIdHint)
  if (among === 'users')
    throw new Failure(
      'not_found',
      `unknown user "${safe(name)}"${near === '' ? '' : `; members of ${scope}: ${safe(near)}`}`,
      { hint: 'Check the username, or pass the ID. Some instances do not let you look up users.' },
    )
  throw new Failure(
    'not_found',
    `${scope} has no ${among === 'billable' ? 'billable ' : ''}member named "${safe(name)}"${near === '' ? '' : `; there is ${safe(near)}`}`,
    { hint: among === 'direct' ? inheritedHint : passIdHint },
  )
}

/** True if a text is a user ID. */
export const isId = (user: string): boolean => /^-?\d+$/.test(user)

/** Removes the leading `@` of a username. */
export const stripAt = (user: string): string => user.replace(/^@/, '')

/**
 * Replaces the usernames in a list of users by IDs. Members of parent groups are found, too.
 * @throws Failure as `lookUp`
 */
export const withListedUsers = async (context: Context, plan: Plan): Promise<Plan> => {
  const listed = plan.values.user_ids
  if (!Array.isArray(listed)) return plan
  const resolveUserId = async (user: string): Promise<number | string> => {
    if (isId(user)) return Number(user)
    return toNumericId(await lookUp(context, plan, 'all', stripAt(user)))
  }
  const ids = await Promise.all(listed.map((user) => resolveUserId(String(user))))
  return { ...plan, values: { ...plan.values, user_ids: ids } }
}

/** Converts an ID to a number, as the API expects it. Any other text stays as it is. */
const toNumericId = (id: string): number | string => (isId(id) ? Number(id) : id)

/** Returns the name of the parameter that takes the ID of a user. */
const getUserParameter = ({ endpoint }: Plan): string => endpoint.args?.[0] ?? 'user_id'

/**
 * Creates the options that resolve users by name, with or without `@`. A text may name several, separated by commas. Outcomes show each
 * user as the person wrote it.
 * @param among returns the people among whom the users of a plan are looked up
 */
export const createUserResolver = (
  context: Context,
  among: (plan: Plan) => MemberScope,
): Pick<ActionOptions, 'planFirst' | 'reads' | 'split' | 'createPlaceholder'> & {
  readonly complete: (plan: Plan) => Promise<Plan>
} => {
  const known = new AsyncCache<string, string>()
  // The digests of the rows of each user, by the place of the membership: rows may be many.
  const rows = new Map<string, Map<number, number>>()
  /** @throws Failure `usage` if an earlier row named the same user, and has other values */
  const checkRow = (plan: Plan): Plan => {
    const { endpoint, label = '', row, values } = plan
    const user = Number(values[getUserParameter(plan)])
    // With --curl, a placeholder stands for every user.
    if (row === undefined || Number.isNaN(user)) return plan
    const where = `${endpoint.route} ${String(values.id)}`
    const here = rows.get(where) ?? new Map<number, number>()
    rows.set(where, here)
    const digest = crc32(JSON.stringify(row))
    const first = here.get(user) ?? digest
    here.set(user, first)
    if (first === digest) return plan
    throw usage(`another row for the user ${context.answer.text.safe(label)} has different values`)
  }
  return {
    split: splitList,
    createPlaceholder: (user) => (isId(user) ? user : '0'),
    complete: async (plan) => {
      const { label = '' } = plan
      if (isId(label) || label === '') return checkRow(plan)
      const where = `${plan.endpoint.route} ${String(plan.values.id)} ${stripAt(label)}`
      const id = await known.of(where, () => lookUp(context, plan, among(plan), stripAt(label)))
      return checkRow({
        ...plan,
        values: { ...plan.values, [getUserParameter(plan)]: toNumericId(id) },
      })
    },
    reads: true,
    planFirst: true,
  }
}
