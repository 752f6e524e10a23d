/** `mr rebase` (`catalogue/reference/mr.md`): asked for with PUT, followed through the record. */

import { isObject } from '../../base/objects.js'
import { inSeconds, poll } from '../../base/poll.js'
import { mr } from '../../catalogue/areas/mr.js'
import { boolean, integer } from '../../catalogue/params.js'
import { Failure } from '../../errors.js'
import { define, type GivenBy } from '../define.js'
import type { Context, Outcome, Plan } from '../types.js'

/** A record whose answer tells whether the rebase goes on: anything else is no sign of its end. */
const read = async (ctx: Context, plan: Plan) => {
  const { id, merge_request_iid } = plan.values
  const values = { id, merge_request_iid, include_rebase_in_progress: true }
  const whole = await ctx.call({ endpoint: mr.get, values })
  if (!isObject(whole.data) || typeof whole.data.rebase_in_progress !== 'boolean')
    throw new Failure(
      'unreachable',
      `the instance answered ${whole.status} without saying whether the rebase is in progress`,
      {
        status: whole.status,
        unknownOutcome: true,
        hint: 'The rebase was asked for; look at it with: svcctl mr get',
      },
    )
  const { rebase_in_progress: going, merge_error: error } = whole.data
  return { going, error, outcome: { bytes: whole.bytes, value: whole.data } }
}

/** Follows the rebase to its end. */
const settled = async (ctx: Context, plan: Plan, timeout: number): Promise<Outcome> => {
  const over = async () => {
    const found = await read(ctx, plan)
    return found.going ? undefined : found
  }
  const ended = await poll(over, inSeconds(timeout, ctx), ctx)
  if (ended === undefined)
    throw new Failure('failed', `the rebase was still in progress after ${timeout} s`, {
      hint: 'It goes on at the instance; look again with: svcctl mr get, or give --wait-timeout.',
    })
  if (typeof ended.error === 'string' && ended.error !== '')
    throw new Failure('failed', ended.error, {
      hint: 'Rebase the source branch locally, resolve the conflicts and push it.',
    })
  return ended.outcome
}

/** Leaving while it is waited for stops nothing: the rebase was asked for. */
const askedFor = (error: unknown, { label = '' }: Plan): unknown =>
  error instanceof Failure && error.category === 'interrupted'
    ? new Failure(
        'interrupted',
        `interrupted while waiting; the rebase of ${label} was asked for and goes on at the instance`,
        { hint: `Look again with: svcctl mr get ${label}` },
      )
    : error

const flags = {
  wait: boolean('follow the rebase to its end; a conflict is exit 1'),
  'wait-timeout': integer('seconds to follow it', { min: 1, default: 600 }),
} as const

const run = async (ctx: Context, given: GivenBy<typeof flags>): Promise<void> => {
  const timeout = given.flags['wait-timeout']
  const plans = await ctx.plans(given)
  if (given.flags.wait !== true) return ctx.perform(plans, { done: 'rebase asked for' })
  const follow = async (plan: Plan): Promise<Outcome> => {
    await ctx.call(plan)
    return settled(ctx, plan, timeout).catch((error: unknown) => {
      throw askedFor(error, plan)
    })
  }
  await ctx.progress('rebasing', () =>
    ctx.perform(plans, { run: follow, done: 'rebased', emit: { endpoint: mr.get } }),
  )
}

export const rebase = define({
  flags,
  examples: [
    'mr rebase 1 --project platform/app --wait',
    "mr rebase 'platform/app!1' 'platform/app!2' --skip-ci",
  ],
  run,
})
