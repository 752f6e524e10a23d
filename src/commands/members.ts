/** Implements `members get`, `add`, `update`, `remove`, `billable memberships` and `billable remove` (`catalogue/reference/members.md`). */

import { type Fields, getFields, isObject, toText } from '../base/objects.js'
import { members } from '../catalogue/areas/members.js'
import { pickPathValues } from '../catalogue/endpoint.js'
import type { Context, InstanceService } from '../engine/command/context.js'
import { createFillOptions } from '../engine/command/object-reader.js'
import { toCallAnswer } from '../engine/command/outcomes.js'
import type { Given, Plan } from '../engine/command/types.js'
import type { Rows } from '../engine/rows.js'
import { Failure, recoverFrom } from '../errors.js'
import type { WholeAnswer } from '../http/types.js'
import { define } from './define.js'
import { createUserResolver, lookUp } from './usernames.js'

/** Finds the reason why a user was not added; undefined if the instance reports none. */
const findReason = (messages: unknown, user: string): string | undefined => {
  if (!isObject(messages)) return undefined
  const reason = messages[user]
  return Array.isArray(reason) ? reason.map(String).join('; ') : toText(reason)
}

interface AddOutcome {
  readonly user: string
  readonly failure?: Failure
}

/**
 * Returns the outcome for each user of a request that adds several. The answer names failed users by ID or username. An error without names
 * applies to all users.
 */
export const getAddOutcomes = (users: readonly string[], answer: Fields): readonly AddOutcome[] => {
  if (answer.status !== 'error') return users.map((user) => ({ user }))
  const { message } = answer
  const named = isObject(message) ? Object.keys(message) : []
  const strange = named.filter((name) => !users.includes(name))
  const general = named.length === 0 || strange.length > 0
  return users.map((user) => {
    const reason = findReason(message, user)
    if (reason === undefined && !general) return { user }
    const others = strange.map((name) => `${name}: ${findReason(message, name) ?? 'refused'}`)
    const text = reason ?? toText(message) ?? (others.join('; ') || 'the instance rejected it')
    return { user, failure: new Failure('failed', text) }
  })
}

/** Replaces usernames in messages by IDs if they can be looked up, because instances use either. */
const resolveMessageNames = async (
  context: Context,
  plan: Plan,
  users: readonly string[],
  answer: Fields,
): Promise<Fields> => {
  if (!isObject(answer.message)) return answer
  const entries = Object.entries(answer.message).map(async ([name, reason]) => {
    const known = users.includes(name) || /^\d+$/.test(name)
    const id = known ? name : await lookUp(context, plan, 'all', name).catch(() => name)
    return [id, reason] as const
  })
  return { ...answer, message: Object.fromEntries(await Promise.all(entries)) }
}

/** Returns a single plan that adds the users of all plans. */
const joinPlans = (plans: readonly Plan[]): Plan => {
  const [first] = plans
  if (first === undefined) throw new Failure('internal', 'no users to add')
  const users = plans.map(({ values }) => String(values.user_id))
  return { ...first, values: { ...first.values, user_id: users.join(',') } }
}

/** Returns the failure for each user of a request; undefined for a user who was added. */
const readAddFailures = async (context: Context, plans: readonly Plan[], { data }: WholeAnswer) => {
  const [first] = plans
  const users = plans.map(({ values }) => String(values.user_id))
  if (first === undefined) return []
  const added = getAddOutcomes(
    users,
    await resolveMessageNames(context, first, users, getFields(data)),
  )
  return added.map(({ failure }) => failure)
}

/** Creates the resolver that labels users by ID, since the answer of the instance uses IDs. */
const createIdResolver = (context: Context) => {
  const named = createUserResolver(context, () => 'users')
  return {
    ...named,
    complete: async (plan: Plan): Promise<Plan> => {
      const done = await named.complete(plan)
      const id = String(done.values.user_id)
      return { ...done, object: id, label: `user ${id}` }
    },
  }
}

export const add = define({
  description: [
    'svcctl adds several users with one request and reports each result. You can use usernames instead of IDs.',
    'To add people from a CSV file with their own levels: members add - --row-fields access_level,expires_at < people.csv',
  ],
  rows: async function* (context, given) {
    const actions = await context.planActions(given, { ...createIdResolver(context), apart: true })
    yield* context.write(actions, {
      finish: async (plan, came) => {
        if ('failure' in came) throw came.failure
        if (!('whole' in came)) return {}
        // The instance answers 2xx for a user whom it rejects, too.
        const [failure] = await readAddFailures(context, [plan], came.whole)
        if (failure !== undefined) throw failure
        return toCallAnswer(came.whole)
      },
      merge: {
        request: joinPlans,
        parseOutcomes: (plans, whole) => readAddFailures(context, plans, whole),
      },
      done: 'added',
    })
  },
})

/** Updates members. The API requires the access level, so it is read first if the line does not set it. */
async function* updateMembers(context: Context, given: Given): Rows {
  const named = createUserResolver(context, () => 'direct')
  const filling = { area: 'members', required: ['access_level'], prepare: named.complete }
  const filled = createFillOptions(context.instance, given, filling)
  yield* context.write(await context.planActions(given, { ...named, ...filled }))
}

export const get = define({
  description: ['You can use usernames instead of IDs.'],
  // --inherited selects an endpoint that also has inherited members.
  rows: async function* (context, given) {
    const named = createUserResolver(context, ({ endpoint }) =>
      endpoint.when === undefined ? 'direct' : 'all',
    )
    yield* context.write(await context.planActions(given, named))
  },
})

export const billableMemberships = define({
  description: ['You can use a username instead of an ID.'],
  rows: (context, given) =>
    context.list(
      given,
      createUserResolver(context, () => 'billable'),
    ),
})

export const update = define({
  description: [
    'You can use usernames instead of IDs. Without --access-level, svcctl reads the membership and keeps its level.',
  ],
  rows: updateMembers,
})

export const remove = define({
  description: ['You can use usernames instead of IDs. "journal undo" restores the memberships.'],
  rows: async function* (context, given) {
    const named = createUserResolver(context, () => 'direct')
    yield* context.write(await context.planActions(given, named))
  },
})

/** Reads the memberships that removing a user removes. If the instance does not return them, it names only the user. */
const readLosses = async (
  instance: InstanceService,
  plan: Plan,
  who: string,
): Promise<string[]> => {
  const { billableMemberships: endpoint } = members
  const found = await instance
    .readRecords(endpoint, pickPathValues(endpoint, plan.values))
    .catch((error: unknown) => {
      recoverFrom(error)
      return []
    })
  const lines = found.map(({ access_level, source_full_name }) => {
    const level = access_level ? ` (${String(access_level.string_value)})` : ''
    return `${who}: ${String(source_full_name)}${level}`
  })
  return lines.length === 0 ? [who] : lines
}

async function* removeBillable(context: Context, given: Given): Rows {
  const { instance, ui } = context
  const listLosses = async (plan: Plan): Promise<readonly string[]> => {
    const [who = ''] = await ui.nameObjects([plan])
    return readLosses(instance, plan, who)
  }
  const named = createUserResolver(context, () => 'billable')
  yield* context.write(await context.planActions(given, named), {
    loses: { describePlan: listLosses },
  })
}

export const billableRemove = define({
  description: ['The confirmation lists every membership that will be removed.'],
  rows: removeBillable,
})
