/** Users by name where an ID is meant: looked up among the members that the documents' lists have. */

import { type Fields, objects } from '../../base/objects.js'
import { members } from '../../catalogue/areas/members.js'
import { Failure, usage } from '../../errors.js'
import type { Context, Given, Plan } from '../types.js'

/** Which members a name is looked for among. */
export type Among = 'direct' | 'all' | 'billable'

const give = 'Give the ID instead: svcctl members list shows those of members.'

/** The list of the group or project that a command is about. */
const listOf = ({ endpoint, values }: Plan, among: Among, name: string) => {
  const { id } = values
  if (among === 'billable') return { endpoint: members.billableList, values: { id, search: name } }
  const group = endpoint.path.id?.type === 'group'
  const [direct, all] = group
    ? [members.listOfGroup, members.listAllOfGroup]
    : [members.listOfProject, members.listAllOfProject]
  return { endpoint: among === 'all' ? all : direct, values: { id, query: name } }
}

const shownAs = (user: Fields): string => `${String(user.username)} (${String(user.id)})`

/**
 * The ID of a member by exact username.
 * @throws Failure `not_found` where no member is called so, `usage` where several are
 */
export const lookUp = async (
  ctx: Context,
  plan: Plan,
  among: Among,
  name: string,
): Promise<string> => {
  const found = objects(await ctx.gather(listOf(plan, among, name)))
  const matches = found.filter((user) => String(user.username).toLowerCase() === name.toLowerCase())
  const ids = [...new Set(matches.map((user) => String(user.id)))]
  const [id, ...others] = ids
  if (id !== undefined && others.length === 0) return id
  const near = (id === undefined ? found : matches).slice(0, 5).map(shownAs).join(', ')
  const scope = `${plan.endpoint.path.id?.type ?? 'group'} ${String(plan.values.id)}`
  if (id !== undefined)
    throw usage(
      `several members of ${scope} are called "${ctx.safe(name)}": ${ctx.safe(near)}`,
      give,
    )
  throw new Failure(
    'not_found',
    `${scope} has no ${among === 'billable' ? 'billable ' : ''}member called "${ctx.safe(name)}"${near === '' ? '' : `; there is ${ctx.safe(near)}`}`,
    { hint: `${give} Users who are no members cannot be looked up by name.` },
  )
}

const isId = (user: string): boolean => /^-?\d+$/.test(user)

const needsSending = (ctx: Context, name: string): void => {
  if (ctx.globals.curl)
    throw usage(`--curl sends nothing, so that "${name}" cannot be looked up`, give)
}

/**
 * A plan whose list of users has IDs where usernames were given, with or without `@`: of members, those
 * of groups above included.
 * @throws Failure as `lookUp`
 */
export const withListedUsers = async (
  ctx: Context,
  plan: Plan,
  attribute: string,
): Promise<Plan> => {
  const listed = plan.values[attribute]
  if (!Array.isArray(listed)) return plan
  const idOf = async (user: string): Promise<number> => {
    if (isId(user)) return Number(user)
    needsSending(ctx, user)
    return Number(await lookUp(ctx, plan, 'all', user.replace(/^@/, '')))
  }
  const ids = await Promise.all(listed.map((user) => idOf(String(user))))
  return { ...plan, values: { ...plan.values, [attribute]: ids } }
}

const usersIn = ({ args }: Given): readonly string[] =>
  args.flatMap((text) => text.split(',').map((part) => part.trim())).filter((user) => user !== '')

/** Plans that call their users as they were given. */
export const asGiven = (plans: readonly Plan[], given: Given): readonly Plan[] => {
  const users = usersIn(given)
  return plans.map((plan, i) => {
    const label = users[i]
    return label === undefined ? plan : { ...plan, label }
  })
}

/**
 * What was given, with users as IDs; IDs stay as they are, names may begin with `@`.
 * @param override stand-ins that planning needs, so that it asks nobody
 * @throws Failure `not_found` for a name of no member, `usage` when nothing may be sent
 */
export const withUserIds = async (
  ctx: Context,
  given: Given,
  among: Among,
  override: Readonly<Record<string, unknown>> = {},
): Promise<Given> => {
  const users = usersIn(given)
  const names = [...new Set(users.filter((user) => !isId(user)))]
  const [first] = names
  if (first === undefined) return { ...given, args: users }
  needsSending(ctx, first)
  const plan = await ctx.plan({ ...given, args: ['0'] }, override)
  const ids = new Map<string, string>()
  await ctx.each(names, async (name) => {
    ids.set(name, await lookUp(ctx, plan, among, name.replace(/^@/, '')))
  })
  return { ...given, args: users.map((user) => ids.get(user) ?? user) }
}
