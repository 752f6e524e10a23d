/** Implements `issues promote`: a note with the quick action `/promote` turns an issue into an epic (`catalogue/reference/issues.md`). */

import { issues } from '../catalogue/areas/issues.js'
import type { Context } from '../engine/command/context.js'
import type { Plan } from '../engine/command/types.js'
import type { Rows } from '../engine/rows.js'
import { usage } from '../errors.js'
import { type Arguments, define } from './define.js'

const action = '/promote'

/** True if a note contains `/promote` at the start of a line, where the instance looks for it. */
export const hasQuickAction = (body: string): boolean => /^\/promote(?!\S)/m.test(body)

/** @throws Failure `usage` for a note that would not promote the issue */
const checkPromotes = (body: unknown): void => {
  if (hasQuickAction(String(body))) return
  throw usage(
    'the note does not promote the issue: it must contain /promote at the start of a line',
    'Omit --body to send only /promote.',
  )
}

async function* sendPromotion(
  context: Context,
  given: Arguments<Record<never, never>, typeof issues.promote>,
): Rows {
  const body = given.flags.body ?? given.input?.body
  if (body !== undefined) checkPromotes(body)
  const bare = body === undefined && given.extra.body === undefined
  const checkRow = (plan: Plan): Plan => {
    if (plan.row?.body !== undefined) checkPromotes(plan.row.body)
    return plan
  }
  const preset = bare ? { body: action } : {}
  yield* context.write(await context.planActions(given, { preset, complete: checkRow }), {
    done: 'promoted',
  })
}

export const promote = define({
  of: [issues.promote],
  description: ['Without --body, the note contains only /promote.'],
  fills: ['body'],
  rows: sendPromotion,
})
