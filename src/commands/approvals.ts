/** `approvals rules update` (API document 2, "Approvals"): approvers that are not listed are removed. */
import { approvals } from '../catalogue/areas/approvals.js'
import { boolean } from '../catalogue/endpoint.js'
import { usage } from '../errors.js'
import { filled, missing, plansToFill, readRecord, showReading } from './fill.js'
import { type Json, objects } from './json.js'
import type { Context, Given, Plan, Special } from './types.js'

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
  (Array.isArray(value) ? value : [value]).map(Number)

/** Who approves by the record and would no longer, in words. */
export const removed = (values: Json, record: Json): string[] =>
  kinds.flatMap(({ attribute, field, what, name }) => {
    if (values[attribute] === undefined) return []
    const kept = new Set(listed(values[attribute]))
    return objects(record[field])
      .filter((one) => !kept.has(Number(one.id)))
      .map((one) => `${what} ${String(one[name] ?? one.id)} (${String(one.id)})`)
  })

/** The approvers given, and those that the record has besides. */
export const withPresent = (values: Json, record: Json): Json => {
  const more = kinds.flatMap(({ attribute, field }) => {
    if (values[attribute] === undefined) return []
    const present = objects(record[field]).map((one) => Number(one.id))
    return [[attribute, [...new Set([...present, ...listed(values[attribute])])]] as const]
  })
  return { ...values, ...Object.fromEntries(more) }
}

const complete = async (
  ctx: Context,
  plan: Plan,
  open: readonly string[],
  keep: boolean,
): Promise<{ plan: Plan; lost: string[] }> => {
  const record = await readRecord(ctx, plan, filling)
  const whole = filled(plan, open, record)
  if (keep) return { plan: { ...whole, values: withPresent(whole.values, record) }, lost: [] }
  const rule = `rule ${String(record.name ?? plan.label)}`
  return { plan: whole, lost: removed(plan.values, record).map((who) => `${who} from ${rule}`) }
}

const run = async (ctx: Context, given: Given): Promise<void> => {
  const open = missing(given, filling)
  const keep = given.flags.keep === true
  const plans = await plansToFill(ctx, given, filling)
  const lists = plans.some(({ values }) => kinds.some((k) => values[k.attribute] !== undefined))
  if (keep && !lists)
    throw usage('--keep adds to the approvers given: give --user-ids or --group-ids')
  if (ctx.globals.curl)
    return open.length > 0 || keep
      ? showReading(ctx, plans, filling)
      : ctx.perform(plans, { confirmed: true })
  if (open.length === 0 && !lists) return ctx.perform(plans)
  const whole = await Promise.all(plans.map((plan) => complete(ctx, plan, open, keep)))
  const lost = whole.flatMap((one) => one.lost)
  if (lost.length > 0) await ctx.confirm('Approvers who are not listed are removed.', lost)
  await ctx.perform(
    whole.map((one) => one.plan),
    { confirmed: true, done: 'changed' },
  )
}

export const rulesUpdate: Special = {
  description: [
    'A name or number of approvals that is not given stays as it is: the rule is read first.',
    'Approvers who are not listed are removed; who that is, is shown and asked about.',
  ],
  flags: { keep: boolean('add the approvers given to the present ones') },
  examples: [
    'approvals rules update 2 --approvals-required 2 --project platform/app',
    'approvals rules update 2 --user-ids 4 --keep --project platform/app',
  ],
  run,
}
