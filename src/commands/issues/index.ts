/** `issues promote` (`catalogue/reference/issues.md`): a note whose quick action makes an issue an epic. */

import { issues } from '../../catalogue/areas/issues.js'
import { usage } from '../../errors.js'
import { define, type GivenBy } from '../define.js'
import type { Services } from '../services.js'

const action = '/promote'

/** Whether a note holds the quick action at the start of a line. */
export const promotes = (body: string): boolean => /^\/promote(?!\S)/m.test(body)

const run = async (
  { instance }: Services,
  given: GivenBy<Record<never, never>, typeof issues.promote>,
): Promise<void> => {
  const body = given.flags.body ?? given.input?.body
  if (body !== undefined && !promotes(String(body)))
    throw usage(
      'the note does not promote the issue: it needs /promote at the start of a line',
      'Leave --body out for a note that is just that.',
    )
  const bare = body === undefined && given.extra.body === undefined
  await instance.many(
    { given, override: bare ? { body: action } : {} },
    {
      done: 'promoted',
    },
  )
}

export const promote = define({
  of: [issues.promote],
  streams: true,
  description: ['Without --body the note is just /promote.'],
  fills: ['body'],
  examples: [
    'issues promote 3 --project platform/app --yes',
    'issues promote platform/app#1 --body /promote --yes',
  ],
  run,
})
