/** `approvals rules create|update` (`catalogue/reference/approvals.md`): approvers that are not listed are removed. */

import { type Fields, objects } from '../../base/objects.js'
import { approvals } from '../../catalogue/areas/approvals.js'
import { boolean, list } from '../../catalogue/params.js'
import { Failure } from '../../errors.js'
import { define, type GivenBy } from '../define.js'
import { filled, missing, plansToFill, readRecord, showReading } from '../fill.js'
import { withListedUsers } from '../members/usernames.js'
import type { Context, Plan } from '../types.js'

const filling = {
  command: 'approvals rules update',
  reads: approvals.rulesGet,
  required: ['name', 'approvals_required'],
} as const

/** The attribute that lists approvers, where the record has them, and how they are called. */
const kinds = [
  { attribute: 'user_ids', field: 'users', what: 'user', name: 'username' },
  { attribute: 'group_ids', field: 'groups', what: 'group', name: 'full_path' },
] as const

const listed = (value: unknown): readonly number[] =>
  value === undefined ? [] : (Array.isArray(value) ? value : [value]).map(Number)

/** Who approves by the record and would no longer, in words; a list not given lists nobody. */
export const removed = (values: Fields, record: Fields): string[] =>
  kinds.flatMap(({ attribute, field, what, name }) => {
    const kept = new Set(listed(values[attribute]))
    return objects(record[field])
      .filter((one) => !kept.has(Number(one.id)))
      .map((one) => `${what} ${String(one[name] ?? one.id)} (${String(one.id)})`)
  })

/** The approvers given, and those that the record has besides. */
export const withPresent = (values: Fields, record: Fields): Fields => {
  const both = kinds.flatMap(({ attribute, field }) => {
    const present = objects(record[field]).map((one) => Number(one.id))
    const all = [...new Set([...present, ...listed(values[attribute])])]
    return all.length === 0 ? [] : [[attribute, all] as const]
  })
  return { ...values, ...Object.fromEntries(both) }
}

interface Complete {
  readonly plan: Plan
  readonly lost: readonly string[]
  /** The record could not be read. */
  readonly failure?: Failure
}

const complete = async (
  ctx: Context,
  plan: Plan,
  open: readonly string[],
  keep: boolean,
): Promise<Complete> => {
  try {
    const record = await readRecord(ctx, plan, filling)
    const whole = filled(plan, open, record)
    if (keep) return { plan: { ...whole, values: withPresent(whole.values, record) }, lost: [] }
    const rule = `rule ${String(record.name ?? plan.label)}`
    return { plan: whole, lost: removed(plan.values, record).map((who) => `${who} from ${rule}`) }
  } catch (failure) {
    if (!(failure instanceof Failure) || failure.category === 'interrupted') throw failure
    return { plan, lost: [], failure }
  }
}

const confirmLoss = async (ctx: Context, lost: readonly string[]): Promise<void> => {
  if (lost.length === 0) return
  // Where nobody is asked, they are named all the same.
  if (!ctx.interactive) for (const who of lost) ctx.note(`removes ${ctx.safe(who)}`)
  await ctx.confirm('Approvers who are not listed are removed; --keep keeps them.', lost)
}

/** In place of the API's IDs: names are looked up among the members of the project. */
const approvers = {
  'user-ids': {
    ...list('string', 'users who may approve, by ID or username'),
    parameter: 'user_ids',
  },
} as const

const flags = {
  ...approvers,
  keep: boolean('keep the present approvers, and add those given'),
} as const

const listedBy = (ctx: Context, plans: readonly Plan[]): Promise<Plan[]> =>
  Promise.all(plans.map((plan) => withListedUsers(ctx, plan, 'user_ids')))

export const rulesCreate = define({
  flags: approvers,
  examples: [
    'approvals rules create --name QA --approvals-required 1 --user-ids dov,3 --project platform/app',
    'approvals rules create --name Docs --approvals-required 0 --group-ids 1 --project platform/app',
  ],
  run: async (ctx, given) => ctx.perform(await listedBy(ctx, await ctx.plans(given))),
})

const run = async (ctx: Context, given: GivenBy<typeof flags>): Promise<void> => {
  const open = missing(given, filling)
  const keep = given.flags.keep === true
  const plans = await listedBy(ctx, await plansToFill(ctx, given, filling))
  if (ctx.globals.curl)
    return open.length > 0 || keep ? showReading(ctx, plans, filling) : ctx.perform(plans)
  const whole = await Promise.all(plans.map((plan) => complete(ctx, plan, open, keep)))
  await confirmLoss(
    ctx,
    whole.flatMap((one) => one.lost),
  )
  const failures = new Map(whole.map(({ plan, failure }) => [plan, failure]))
  await ctx.perform([...failures.keys()], {
    run: async (plan) => {
      const failure = failures.get(plan)
      if (failure !== undefined) throw failure
      const { bytes, data } = await ctx.call(plan)
      return { bytes, value: data }
    },
  })
}

export const rulesUpdate = define({
  description: [
    'A name or number of approvals that is not given stays as it is: the rule is read first.',
    'Approvers who are not listed are removed; who that is, is shown and asked about. --keep keeps them.',
  ],
  flags,
  fills: filling.required,
  examples: [
    'approvals rules update 2 --approvals-required 2 --keep --project platform/app',
    'approvals rules update 2 --user-ids gus --keep --project platform/app',
  ],
  run,
})
