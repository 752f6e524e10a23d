/** `svcctl drift`: whether an instance is as its files declare it; a check for CI. */

import type { Services } from '../../engine/command/services.js'
import { exitCodes } from '../../errors.js'
import { define } from '../define.js'
import { filesArgument, type PlanGiven, planningFlags } from '../plan/flags.js'
import { secretsOf } from '../plan/instance.js'
import { inLittleMemory, madePlan } from '../plan/making.js'
import { shownPlan } from '../plan/printing.js'

/** Those of a plan; no secret differs unless somebody asks. */
const flags = {
  ...planningFlags,
  secrets: { ...planningFlags.secrets, default: 'never' },
} as const

const run = async (services: Services, given: PlanGiven): Promise<void> => {
  const { secrets } = given.flags
  const policy = secrets === 'never' ? undefined : (await secretsOf(services, secrets)).policy
  await inLittleMemory(async (look) => {
    const made = await services.person.progress('comparing', () =>
      madePlan(services, given, { checks: true, secrets: policy, look }),
    )
    await shownPlan(services, given, 'drift', made)
    if (made.plan.actions.length > 0) services.answer.exit(exitCodes.failed)
  })
}

export const drift = define({
  summary: 'Check whether an instance is as files declare it',
  description: [
    'The plan, as a check: it needs no secret, and writes nothing. Certificates that end within 30 days are warned of.',
    'Exit 0: nothing to change; what is impossible or unknown is listed and counts only with --fail-on; 1: something differs, and only that; 2: something is wrong in the files; 8: something could not be read or --fail-on names it, also where others differ.',
  ],
  args: [filesArgument],
  flags,
  looks: true,
  examples: [
    'drift svcctl.yml',
    "drift svcctl.yml --ignore 'site:settings' --report junit drift.xml",
    'drift svcctl.yml --report markdown drift.md --quiet',
  ],
  run,
})
