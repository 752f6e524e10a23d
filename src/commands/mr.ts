/** Implements `mr rebase`, which requests a rebase, and waits for its end with `--wait` (`catalogue/reference/mr.md`). */

import { getTimeAfter, poll } from '../base/async.js'
import { toText } from '../base/objects.js'
import { quoteWord } from '../base/shell-words.js'
import { mr } from '../catalogue/areas/mr.js'
import { pickPathValues } from '../catalogue/endpoint.js'
import { getProperties } from '../catalogue/fields.js'
import { boolean, seconds } from '../catalogue/params.js'
import type { Context } from '../engine/command/context.js'
import { addInstanceFlags } from '../engine/command/globals.js'
import { type InterruptNote, toCallAnswer, withInterruptNote } from '../engine/command/outcomes.js'
import type { Plan, ReceivedAnswer } from '../engine/command/types.js'
import type { PlanAnswer, Rows } from '../engine/rows.js'
import { Failure } from '../errors.js'
import { shouldShowChanges } from './answers.js'
import { type Arguments, define } from './define.js'

/** Returns the line that shows the merge request of a plan. */
const formatGetLine = ({ place }: Context, { values }: Plan): string => {
  const reference = `${String(values.id)}!${String(values.merge_request_iid)}`
  return addInstanceFlags(`svcctl mr get ${quoteWord(reference)}`, place.globals)
}

/** Reads whether the rebase is in progress. An answer without that field is a failure, not the end of the rebase. */
const readRebase = async (context: Context, plan: Plan) => {
  const input = { ...pickPathValues(mr.get, plan.values), include_rebase_in_progress: true }
  const whole = await context.instance.call(mr.get, input)
  const { data, status } = whole
  const going = data?.rebase_in_progress
  if (typeof going !== 'boolean')
    throw new Failure(
      'unreachable',
      `the instance answered ${status} without reporting whether the rebase is in progress`,
      {
        status,
        unknownOutcome: true,
        hint: `The rebase was requested. Check it with: ${formatGetLine(context, plan)}`,
      },
    )
  return { going, error: toText(data?.merge_error), outcome: toCallAnswer(whole) }
}

/** Waits until the rebase ends. */
const waitForRebase = async (
  context: Context,
  plan: Plan,
  timeout: number,
): Promise<PlanAnswer> => {
  const { clock } = context.place
  const readEndedRebase = async () => {
    const found = await readRebase(context, plan)
    return found.going ? undefined : found
  }
  const ended = await poll(readEndedRebase, getTimeAfter(timeout, clock), clock)
  if (ended === undefined)
    throw new Failure('failed', `the rebase was still in progress after ${timeout} s`, {
      hint: `The rebase continues on the instance. Pass a longer --wait-timeout, or check it with: ${formatGetLine(context, plan)}`,
    })
  if (ended.error !== undefined)
    throw new Failure('failed', ended.error, {
      hint: 'Rebase the source branch locally, resolve the conflicts and push it.',
    })
  return ended.outcome
}

/** Describes an interruption while waiting. The rebase itself continues on the instance. */
const describeInterruption = (context: Context, plan: Plan): InterruptNote => ({
  text: `while waiting; the rebase of ${plan.label ?? ''} continues on the instance`,
  hint: `Check it with: ${formatGetLine(context, plan)}`,
})

const flags = {
  wait: boolean('wait until the rebase ends; exit 1 on a conflict'),
  'wait-timeout': seconds('seconds to wait', { min: 1, default: 600 }),
} as const

const rebasedColumns = [
  'reference',
  'sha',
  'merge_status',
  'head_pipeline.id',
  'head_pipeline.status',
] as const

async function* requestRebase(context: Context, given: Arguments<typeof flags>): Rows {
  const actions = await context.planActions(given)
  if (given.flags.wait !== true) return yield* context.write(actions, { done: 'rebase requested' })
  const timeout = given.flags['wait-timeout']
  const shown = context.ui.beginProgress('rebasing')
  try {
    yield* context.write(actions, {
      finish: async (plan: Plan, answer: ReceivedAnswer) => {
        if ('failure' in answer) throw answer.failure
        return withInterruptNote(describeInterruption(context, plan), () =>
          waitForRebase(context, plan, timeout),
        )
      },
      done: 'rebased',
      // People see only the columns that a rebase changes. Programs get the complete record.
      view: {
        endpoint: mr.get,
        ...(shouldShowChanges(context) ? { columns: rebasedColumns } : {}),
      },
    })
  } finally {
    await shown.end()
  }
}

export const rebase = define({
  flags,
  // With --wait, the command shows the merge request.
  shows: Object.keys(getProperties(mr.get.returns.shape) ?? {}),
  rows: requestRebase,
})
