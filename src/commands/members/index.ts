/** `members add`, `members update`, `members remove`, `members billable remove` (`catalogue/reference/members.md`). */

import { type Fields, isObject, textOf } from '../../base/objects.js'
import { members } from '../../catalogue/areas/members.js'
import { pathIn } from '../../catalogue/path-in.js'
import { Failure, survived } from '../../errors.js'
import { define } from '../define.js'
import { checkChanges, missing, standIns, updateFilled } from '../fill.js'
import type { InstanceService, Loss, Services } from '../services.js'
import type { Given, Plan } from '../types.js'
import { lookUp, plansOfUsers, usersOf } from './usernames.js'

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
  services: Services,
  plan: Plan,
  users: readonly string[],
  answer: Fields,
): Promise<Fields> => {
  if (!isObject(answer.message)) return answer
  const entries = Object.entries(answer.message).map(async ([name, reason]) => {
    const known = users.includes(name) || /^\d+$/.test(name)
    const id = known ? name : await lookUp(services, plan, 'all', name).catch(() => name)
    return [id, reason] as const
  })
  return { ...answer, message: Object.fromEntries(await Promise.all(entries)) }
}

const asUser = (plan: Plan, user: string): Plan => ({
  ...plan,
  object: user,
  label: `user ${user}`,
  values: { ...plan.values, user_id: Number(user) },
})

/** One request for all users; what came of each is told as if each had been asked for alone. */
const addSeveral = async (
  services: Services,
  plan: Plan,
  users: readonly string[],
): Promise<void> => {
  const { instance } = services
  const failures = new Map<string, Failure | undefined>()
  const add = async (some: readonly string[]): Promise<readonly Added[]> => {
    const values = { ...plan.values, user_id: some.join(',') }
    const { data } = await instance.send({ ...plan, values })
    return outcomesOf(some, await byId(services, plan, some, isObject(data) ? data : {}))
  }
  await instance.many(
    users.map((user) => asUser(plan, user)),
    {
      done: 'added',
      together: async (plans) => {
        const some = plans.flatMap(({ object }) => object ?? [])
        const added = await add(some).catch((error: unknown) => {
          const failure = survived(error)
          return some.map((user) => ({ user, failure }))
        })
        for (const { user, failure } of added) failures.set(user, failure)
      },
      run: async ({ object = '' }) => {
        const failure = failures.get(object)
        if (failure !== undefined) throw failure
        return {}
      },
    },
  )
}

const runAdd = async (services: Services, given: Given): Promise<void> => {
  const plans = await plansOfUsers(services, given, 'all')
  const users = plans.flatMap(({ values }) => [...new Set(String(values.user_id).split(','))])
  const [plan] = plans
  // What is only tried is shown as the one request that it would be.
  if (plan === undefined || users.length === 1 || services.place.globals.dryRun)
    return services.instance.many(plans, { done: 'added' })
  await addSeveral(services, plan, users)
}

export const add = define({
  description: [
    'Several users go as one request, with an outcome each. Those who are members above may be given by username.',
  ],
  examples: [
    'members add 6 --access-level developer --project platform/app',
    'members add 5 8 --access-level reporter --expires-at 2027-06-30 --group web',
  ],
  run: runAdd,
})

const filling = {
  command: 'members update',
  reads: members.getOfGroup,
  required: ['access_level'],
} as const
/** The membership as it is, of the same group or project. */
const fillingOf = ({ endpoint }: Plan) =>
  endpoint.path.id?.type === 'group' ? filling : { ...filling, reads: members.getOfProject }

/** The API requires the access level: where it is to stay, it is read first. */
const runUpdate = async (services: Services, given: Given): Promise<void> => {
  const open = missing(given, filling)
  const users = await usersOf(services, given, 'direct', standIns(open))
  const each = (plan: Plan): Plan => {
    checkChanges([plan], open, filling)
    return plan
  }
  if ('given' in users) return updateFilled(services.instance, { ...users, each }, open, fillingOf)
  checkChanges(users, open, filling)
  await updateFilled(services.instance, users, open, fillingOf)
}

export const get = define({
  description: ['Members may be given by username.'],
  examples: [
    'members get 8 --project platform/app',
    'members get ben 3 --group platform --inherited --fields id,username,access_level',
  ],
  streams: true,
  run: async (services, given) => {
    // --inherited has an endpoint of its own.
    const among = ({ endpoint }: Plan) => (endpoint.when === undefined ? 'direct' : 'all')
    await services.instance.many(await usersOf(services, given, among))
  },
})

export const billableMemberships = define({
  description: ['The member may be given by username.'],
  examples: [
    'members billable memberships 4 --group platform',
    'members billable memberships ben --group platform -o json',
  ],
  run: async (services, given) => {
    for (const plan of await plansOfUsers(services, given, 'billable'))
      await services.instance.list(plan)
  },
})

export const update = define({
  description: [
    'Members may be given by username. An access level that is not given stays as it is: the membership is read first.',
  ],
  examples: [
    'members update 8 --access-level reporter --project platform/app',
    'members update dov eva --expires-at 2027-06-30 --group platform',
  ],
  streams: true,
  run: runUpdate,
})

export const remove = define({
  description: [
    'Members may be given by username. With --undo-record, journal undo adds them again as they were.',
  ],
  examples: [
    'members remove 8 --project platform/app --yes',
    'members remove dov eva --group platform --yes --undo-record',
  ],
  run: async (services, given) => {
    const plans = await plansOfUsers(services, given, 'direct')
    await services.instance.many(plans, { done: 'removed' })
  },
})

/** The memberships that go with a user; only the user where the instance does not tell them. */
const losses = async (instance: InstanceService, plan: Plan, who: string): Promise<string[]> => {
  const { billableMemberships: endpoint } = members
  const found = await instance
    .records(endpoint, pathIn(endpoint, plan.values))
    .catch((error: unknown) => {
      survived(error)
      return []
    })
  const lines = found.map(({ access_level, source_full_name }) => {
    const level = access_level ? ` (${String(access_level.string_value)})` : ''
    return `${who}: ${String(source_full_name)}${level}`
  })
  return lines.length === 0 ? [who] : lines
}

const runRemove = async (services: Services, given: Given): Promise<void> => {
  const { instance, person } = services
  const users = await usersOf(services, given, 'billable')
  const of = async (plans: readonly Plan[]): Promise<string[]> => {
    const who = await person.naming(plans)
    const all = plans.map((plan, i) => losses(instance, plan, who[i] ?? ''))
    return (await Promise.all(all)).flat()
  }
  const loses: Loss =
    'given' in users
      ? { each: async (plan) => (await of([plan])).join('; ') }
      : { details: () => of(users) }
  await instance.many(users, { loses, done: 'removed' })
}

export const billableRemove = define({
  description: ['The confirmation names every membership that goes.'],
  examples: [
    'members billable remove 6 --group platform --yes',
    'members billable remove dov chi --group platform --yes',
  ],
  streams: true,
  run: runRemove,
})
