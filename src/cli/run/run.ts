/** What a command does when nobody wrote it by hand: plan, then list or perform. */
import type { Context, Given } from '../../commands/types.js'

/** The default action. */
export const runDerived = async (ctx: Context, given: Given): Promise<void> => {
  const plans = await ctx.plans(given)
  const [only] = plans
  if (only?.endpoint.returns.kind === 'many') await ctx.list(only)
  else await ctx.perform(plans)
}
