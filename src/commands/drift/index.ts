/** `svcctl drift`: whether an instance is as its files declare it; a check for CI. */

import type { Services } from '../../engine/command/services.js'
import { exitCodes } from '../../errors.js'
import { define } from '../define.js'
import { filesArgument, type PlanGiven, planningFlags } from '../plan/flags.js'
import { readSecrets } from '../plan/instance.js'
import { inLittleMemory, madePlan } from '../plan/making.js'
import { shownPlan } from '../plan/printing.js'

/** Those of a plan; no secret differs unless somebody asks. */
const flags = {
  ...planningFlags,
  secrets: { ...planningFlags.secrets, default: 'never' },
} as const

const run = async (services: Services, given: PlanGiven): Promise<void> => {
  const { secrets } = given.flags
  const policy = secrets === 'never' ? undefined : (await readSecrets(services, secrets)).policy
  await inLittleMemory(async (look) => {
    const made = await services.ui.progress('comparing', () =>
      madePlan(services, given, { checks: true, secrets: policy, look }),
    )
    await shownPlan(services, given, 'drift', made)
    if (made.plan.actions.length > 0) services.answer.exit(exitCodes.failed)
  })
}

export const drift = define({
  summary: 'Detect drift from the declared state',
  description: [
    'Creates a plan without secrets and writes nothing. Warns about certificates that expire within 30 days.',
    'Exit code 0: no drift; 1: drift; 2: invalid files; 8: some objects could not be read, or a finding that --fail-on names. Impossible and unknown changes are listed but count only with --fail-on.',
  ],
  args: [filesArgument],
  flags,
  readOnly: true,
  examples: [
    'drift svcctl.yml',
    "drift svcctl.yml --ignore 'site:settings' --report junit drift.xml",
    'drift svcctl.yml --report markdown drift.md --quiet',
  ],
  run,
})
