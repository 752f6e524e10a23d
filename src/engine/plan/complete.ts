/** Requests made complete, one object at a time: what is wrong with one is what became of it. */

import { isObjectFailure } from '../../errors.js'
import type { Plan } from '../command/described.js'
import type { Operation } from '../command/types.js'

/**
 * Completes a plan; one that cannot be completed is not sent. Where all are made before the first is sent, none is then; of
 * several projects or groups each is for itself.
 */
export const completing =
  ({ complete, planFirst }: Pick<Operation, 'complete' | 'planFirst'>) =>
  async (plan: Plan): Promise<Plan> => {
    if (complete === undefined || plan.refused !== undefined) return plan
    try {
      return await complete(plan)
    } catch (error) {
      const ofAll = planFirst === true && plan.parent === undefined
      if (ofAll || !isObjectFailure(error)) throw error
      return { ...plan, refused: error }
    }
  }
