/** `svcctl plan`: what files want of an instance, held against what it has. Nothing is ever written. */
import { string } from '../../catalogue/params.js'
import type { Services } from '../../engine/command/services.js'
import { usage } from '../../errors.js'
import { define, type GivenBy } from '../define.js'
import { explained } from './explain.js'
import { filesArgument, planningFlags } from './flags.js'
import { readSecrets } from './instance.js'
import { inLittleMemory, madePlan } from './making.js'
import { checkOut, shownPlan, writePlan } from './printing.js'

const flags = {
  out: string('write the plan to this file for apply', {
    completes: 'file',
    placeholder: 'plan.json',
  }),
  explain: string('show where each value of an address comes from', { placeholder: 'address' }),
  against: string('show only changes since the merge base with this git commit', {
    placeholder: 'ref',
  }),
  ...planningFlags,
} as const
type Mine = GivenBy<typeof flags>

const run = async (services: Services, given: Mine): Promise<void> => {
  const { against, out, explain, secrets } = given.flags
  if (explain !== undefined) {
    const stray = out === undefined ? (against === undefined ? undefined : 'against') : 'out'
    if (stray !== undefined)
      throw usage(`--explain creates no plan and cannot be combined with --${stray}`)
    return explained(services, given, explain)
  }
  if (out !== undefined) await checkOut(services.place, out)
  const { policy } = await readSecrets(services, secrets)
  await inLittleMemory(async (look) => {
    const made = await services.ui.progress('comparing', () =>
      madePlan(services, given, { against, secrets: policy, look }),
    )
    if (out !== undefined) await writePlan(services.place, out, made)
    await shownPlan(services, given, 'plan', made)
  })
}

export const plan = define({
  summary: 'Show what the files would change',
  description: [
    'YAML or JSON files declare the state of an instance. The plan lists every request that is needed to reach that state. svcctl only reads from the instance. --out saves the plan for "svcctl apply", and -o json prints it.',
    'Exit code 0: plan created, with or without changes; 2: invalid files or an unknown name; 8: some objects could not be read, or a finding that --fail-on names.',
  ],
  args: [filesArgument],
  flags,
  readOnly: true,
  examples: [
    'plan svcctl.yml',
    'plan svcctl.yml -P platform/app --only approval_rules --out plan.json',
    "plan svcctl.yml --explain 'projects/platform/app:approval_rules/Security'",
    'plan svcctl.yml -o json',
  ],
  run,
})
