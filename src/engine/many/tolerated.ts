/** `--tolerate`: refusals that are noted, and count as no failures. */

import { Failure } from '../../errors.js'
import type { Plan } from '../command/described.js'
import type { PlanAnswer } from '../command/services.js'
import { isTolerated, type Tolerating } from '../command/tolerated.js'

/** What became of an object that refused so. */
interface Noted extends PlanAnswer {
  readonly tolerated: Failure
}

/** Why an object is as it was; undefined where nothing was tolerated of it. */
export const toleratedIn = (answer: PlanAnswer | undefined): Failure | undefined =>
  answer !== undefined && 'tolerated' in answer && answer.tolerated instanceof Failure
    ? answer.tolerated
    : undefined

/** Work on one object after which it is as it was where it was refused so. */
export const tolerant =
  (globals: Tolerating, work: (plan: Plan) => Promise<PlanAnswer>) =>
  async (plan: Plan): Promise<PlanAnswer | Noted> => {
    try {
      return await work(plan)
    } catch (error) {
      if (!(error instanceof Failure) || !isTolerated(globals, error)) throw error
      return { unchanged: true, tolerated: error }
    }
  }
