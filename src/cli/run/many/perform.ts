/** Running the plans of a command: one object's answer, or several objects with an outcome each. */

import { writes } from '../../../catalogue/endpoint.js'
import type { Context, Emit, Outcome, Perform, Plan } from '../../../commands/types.js'
import { Failure } from '../../../errors.js'
import { showsNothing } from '../answer/outcome.js'
import { callOf, doneOf, doneText, objectOf } from './each.js'
import { several, showSeveral, unfinished, unprinted, verdict } from './several.js'

/** Asks once for all plans together when they destroy something. */
const confirmAll = async (ctx: Context, plans: readonly Plan[]): Promise<void> => {
  const [first] = plans
  const loss = first?.endpoint.destructive
  if (first === undefined || loss === undefined) return
  await ctx.confirm(loss, () => ctx.naming(plans))
}

const emitOf = (plan: Plan, options: Perform): Emit => ({
  ...(plan.endpoint.columns === undefined ? {} : { columns: plan.endpoint.columns }),
  ...options.emit,
})

const single = async (ctx: Context, plan: Plan, options: Perform): Promise<void> => {
  const outcome = await (options.run ?? callOf(ctx))(plan)
  try {
    await showOne(ctx, plan, outcome, options)
    await ctx.flush()
  } catch (error) {
    if (!writes(plan.endpoint) || !(error instanceof Failure)) throw error
    throw unprinted(error, `${objectOf(plan)}: ${doneOf(plan, options)} before that`)
  }
}

const showOne = async (
  ctx: Context,
  plan: Plan,
  outcome: Outcome,
  options: Perform,
): Promise<void> => {
  if (outcome.unchanged === true) {
    ctx.note(plan.endpoint.unchanged ?? `${objectOf(plan)}: already so, nothing changed`)
    return
  }
  if (showsNothing(outcome)) ctx.note(`${objectOf(plan)}: ${doneText(plan, outcome, options)}`)
  else await ctx.printAnswer(plan, outcome, emitOf(plan, options))
}

/** Confirms, runs and shows plans; throws what the run as a whole came to. */
export const performAll = async (
  ctx: Context,
  plans: readonly Plan[],
  options: Perform = {},
): Promise<void> => {
  const [only] = plans
  if (ctx.globals.curl) {
    for (const plan of plans) await ctx.showCurl(plan)
    return
  }
  if (options.confirmed !== true) await confirmAll(ctx, plans)
  if (plans.length === 1 && only !== undefined && options.list !== true)
    return single(ctx, only, options)
  if (only === undefined) return
  const { results, known, stop, ended, cause } = several(ctx, plans, options)
  let lost: unknown
  try {
    await showSeveral(ctx, plans, known, options)
  } catch (error) {
    lost = error
    stop()
  }
  await ended
  const failure = writes(only.endpoint) ? unfinished(results, lost) : undefined
  if (failure !== undefined) throw failure
  if (lost !== undefined) throw lost
  const came = verdict(results, cause())
  if (came !== undefined) throw came
}
