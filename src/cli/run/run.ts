/** What a command does when nobody wrote it by hand: plan, then list or perform. */
import type { Given } from '../../commands/described.js'
import type { Services } from '../../commands/services.js'

/** The default action. */
export const runDerived = async ({ instance }: Services, given: Given): Promise<void> => {
  if (given.coming !== undefined) return instance.many({ given })
  const plans = await instance.plans(given)
  const [only] = plans
  if (only?.endpoint.returns.kind === 'many') await instance.list(only)
  else await instance.many(plans)
}
