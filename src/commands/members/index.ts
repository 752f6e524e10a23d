/** `members add`, `members update`, `members billable remove` (`catalogue/reference/members.md`). */

import { type Fields, isObject, objects, textOf } from '../../base/objects.js'
import { members } from '../../catalogue/areas/members.js'
import { Failure } from '../../errors.js'
import { filled, missing, plansToFill, readRecord, showReading } from '../fill.js'
import type { Context, Given, Plan, Special } from '../types.js'
import { asGiven, lookUp, withUserIds } from './usernames.js'

/** Why a user was not added, from the messages by user; undefined where the instance has none. */
const reasonOf = (messages: unknown, user: string): string | undefined => {
  if (!isObject(messages)) return undefined
  const reason = messages[user]
  return Array.isArray(reason) ? reason.map(String).join('; ') : textOf(reason)
}

interface Added {
  readonly user: string
  readonly failure?: Failure
}

/**
 * What became of each of several users added at once: the answer names those that failed, by ID or
 * by name. An error that names none of them is every user's.
 */
export const outcomesOf = (users: readonly string[], answer: Fields): readonly Added[] => {
  if (answer.status !== 'error') return users.map((user) => ({ user }))
  const { message } = answer
  const named = isObject(message) ? Object.keys(message) : []
  const strange = named.filter((name) => !users.includes(name))
  const general = named.length === 0 || strange.length > 0
  return users.map((user) => {
    const reason = reasonOf(message, user)
    if (reason === undefined && !general) return { user }
    const others = strange.map((name) => `${name}: ${reasonOf(message, name) ?? 'refused'}`)
    const text = reason ?? textOf(message) ?? (others.join('; ') || 'the instance refused')
    return { user, failure: new Failure('failed', text) }
  })
}

/** Instances name users by ID or by username: names become IDs where they can be looked up. */
const byId = async (
  ctx: Context,
  plan: Plan,
  users: readonly string[],
  answer: Fields,
): Promise<Fields> => {
  if (!isObject(answer.message)) return answer
  const entries = Object.entries(answer.message).map(async ([name, reason]) => {
    const known = users.includes(name) || /^\d+$/.test(name)
    const id = known ? name : await lookUp(ctx, plan, 'all', name).catch(() => name)
    return [id, reason] as const
  })
  return { ...answer, message: Object.fromEntries(await Promise.all(entries)) }
}

/** One request for all users; what came of each is told as if each had been asked for alone. */
const addSeveral = async (ctx: Context, plan: Plan, users: readonly string[]): Promise<void> => {
  const { data } = await ctx.call(plan)
  const added = outcomesOf(users, await byId(ctx, plan, users, isObject(data) ? data : {}))
  const failures = new Map(added.map(({ user, failure }) => [`user ${user}`, failure]))
  const plans = added.map(({ user }) => ({
    ...plan,
    label: `user ${user}`,
    values: { ...plan.values, user_id: Number(user) },
  }))
  await ctx.perform(plans, {
    done: 'added',
    run: async ({ label = '' }) => {
      const failure = failures.get(label)
      if (failure !== undefined) throw failure
      return {}
    },
  })
}

const runAdd = async (ctx: Context, given: Given): Promise<void> => {
  const resolved = await withUserIds(ctx, given, 'all')
  const plan = await ctx.plan(resolved)
  const users = [...new Set(String(plan.values.user_id).split(','))]
  if (users.length === 1 || ctx.globals.curl) return ctx.perform([plan], { done: 'added' })
  await addSeveral(ctx, plan, users)
}

export const add: Special = {
  description: [
    'Several users go as one request, with an outcome each. Those who are members above may be given by username.',
  ],
  examples: [
    'members add 6 --access-level developer --project platform/app',
    'members add 5 8 --access-level reporter --expires-at 2027-06-30 --group web',
  ],
  run: runAdd,
}

const filling = {
  command: 'members update',
  reads: members.getOfGroup,
  required: ['access_level'],
} as const
/** The membership as it is, of the same group or project. */
const fillingOf = ({ endpoint }: Plan) =>
  endpoint.path.id?.type === 'group' ? filling : { ...filling, reads: members.getOfProject }

/** The API requires the access level: where it is to stay, it is read first. */
const runUpdate = async (ctx: Context, given: Given): Promise<void> => {
  const open = missing(given, filling)
  const standIns = Object.fromEntries(open.map((name) => [name, '']))
  const resolved = await withUserIds(ctx, given, 'direct', standIns)
  const plans = asGiven(await plansToFill(ctx, resolved, filling), given)
  const [first] = plans
  if (open.length === 0 || first === undefined) return ctx.perform(plans)
  if (ctx.globals.curl) return showReading(ctx, plans, fillingOf(first))
  await ctx.perform(plans, {
    run: async (plan) => {
      const whole = filled(plan, open, await readRecord(ctx, plan, fillingOf(plan)))
      const answer = await ctx.call(whole)
      return { bytes: answer.bytes, value: answer.data }
    },
  })
}

export const get: Special = {
  description: ['Members may be given by username.'],
  examples: [
    'members get 8 --project platform/app',
    'members get ben 3 --group platform --inherited --fields id,username,access_level',
  ],
  run: async (ctx, given) => {
    const among = given.flags.inherited === true ? 'all' : 'direct'
    const plans = await ctx.plans(await withUserIds(ctx, given, among))
    await ctx.perform(asGiven(plans, given))
  },
}

export const billableMemberships: Special = {
  description: ['The member may be given by username.'],
  examples: [
    'members billable memberships 4 --group platform',
    'members billable memberships ben --group platform -o json',
  ],
  run: async (ctx, given) => {
    await ctx.list(await ctx.plan(await withUserIds(ctx, given, 'billable')))
  },
}

export const update: Special = {
  description: [
    'Members may be given by username. An access level that is not given stays as it is: the membership is read first.',
  ],
  examples: [
    'members update 8 --access-level reporter --project platform/app',
    'members update dov eva --expires-at 2027-06-30 --group platform',
  ],
  run: runUpdate,
}

/** The memberships that go with a user; only the user where the instance does not tell them. */
const losses = async (ctx: Context, plan: Plan, who: string): Promise<string[]> => {
  const { id, user_id } = plan.values
  const ask = { endpoint: members.billableMemberships, values: { id, user_id } }
  const found = await ctx.gather(ask).catch((error: unknown) => {
    if (error instanceof Failure && error.category !== 'interrupted') return []
    throw error
  })
  const lines = objects(found).map((one) => {
    const level = isObject(one.access_level) ? ` (${String(one.access_level.string_value)})` : ''
    return `${who}: ${String(one.source_full_name)}${level}`
  })
  return lines.length === 0 ? [who] : lines
}

const runRemove = async (ctx: Context, given: Given): Promise<void> => {
  const plans = asGiven(await ctx.plans(await withUserIds(ctx, given, 'billable')), given)
  if (!ctx.globals.curl)
    await ctx.confirm(members.billableRemove.destructive ?? '', async () => {
      const who = await ctx.naming(plans)
      const all = plans.map((plan, i) => losses(ctx, plan, who[i] ?? ''))
      return (await Promise.all(all)).flat()
    })
  await ctx.perform(plans, { confirmed: true, done: 'removed' })
}

export const billableRemove: Special = {
  description: ['The confirmation names every membership that goes.'],
  examples: [
    'members billable remove 6 --group platform --yes',
    'members billable remove dov chi --group platform --yes',
  ],
  run: runRemove,
}
