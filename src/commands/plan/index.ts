/** `svcctl plan`: what files want of an instance, held against what it has. Nothing is ever written. */
import { string } from '../../catalogue/params.js'
import type { Services } from '../../engine/command/services.js'
import { usage } from '../../errors.js'
import { define, type GivenBy } from '../define.js'
import { explained } from './explain.js'
import { filesArgument, planningFlags } from './flags.js'
import { secretsOf } from './instance.js'
import { inLittleMemory, madePlan } from './making.js'
import { checkOut, shownPlan, writePlan } from './printing.js'

const flags = {
  out: string('write the plan to this file, for apply', {
    completes: 'file',
    placeholder: 'plan.json',
  }),
  explain: string('show where each value of an address comes from', { placeholder: 'address' }),
  against: string('show what the files change since the merge base with a git commit', {
    placeholder: 'ref',
  }),
  ...planningFlags,
} as const
type Mine = GivenBy<typeof flags>

const run = async (services: Services, given: Mine): Promise<void> => {
  const { against, out, explain, secrets } = given.flags
  if (explain !== undefined) {
    const stray = out === undefined ? (against === undefined ? undefined : 'against') : 'out'
    if (stray !== undefined) throw usage(`--explain makes no plan: give it without --${stray}`)
    return explained(services, given, explain)
  }
  if (out !== undefined) await checkOut(services.place, out)
  const { policy } = await secretsOf(services, secrets)
  await inLittleMemory(async (look) => {
    const made = await services.person.progress('comparing', () =>
      madePlan(services, given, { against, secrets: policy, look }),
    )
    if (out !== undefined) await writePlan(services.place, out, made)
    await shownPlan(services, given, 'plan', made)
  })
}

export const plan = define({
  summary: 'Show what files would change of an instance',
  description: [
    'Files of YAML or JSON declare what an instance is to be; the plan is every request that would make it so, and nothing that is so already. Only reads are sent. --out keeps the plan for svcctl apply; -o json prints the same object.',
    'Exit 0: a plan was made, with or without changes; 2: something is wrong in the files, or a name is not known; 8: something could not be read, and the rest is planned, or --fail-on names what was found.',
  ],
  args: [filesArgument],
  flags,
  looks: true,
  examples: [
    'plan svcctl.yml',
    'plan svcctl.yml -P platform/app --only approval_rules --out plan.json',
    "plan svcctl.yml --explain 'projects/platform/app:approval_rules/Security'",
    'plan svcctl.yml -o json',
  ],
  run,
})
