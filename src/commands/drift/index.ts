/** `svcctl drift`: whether an instance is as its files declare it; a check for CI. */
import { hash, list, string } from '../../catalogue/params.js'
import type { Services } from '../../engine/command/services.js'
import { exitCodes } from '../../errors.js'
import { define, type GivenBy } from '../define.js'
import { filesArgument, planningFlags } from '../plan/flags.js'
import { madePlan } from '../plan/making.js'
import { checkLimits, endOf, failOnOf, printPlan } from '../plan/printing.js'
import { writeDrift } from './reports.js'

const flags = {
  report: {
    ...hash('write a report', {
      placeholder: 'junit|markdown|sarif> <file',
      completes: 'file',
      keys: {
        junit: string('JUnit XML'),
        markdown: string('Markdown, for a comment'),
        sarif: string('SARIF 2.1.0'),
      },
    }),
    pair: true,
  },
  ignore: list('string', 'addresses whose differences do not count', { placeholder: 'address' }),
  ...planningFlags,
} as const

const run = async (services: Services, given: GivenBy<typeof flags>): Promise<void> => {
  const { ignore = [], report } = given.flags
  const made = await services.person.progress('comparing', () =>
    madePlan(services, given, { ignore, checks: true }),
  )
  await printPlan(services, made)
  const failOn = await failOnOf(services, given)
  if (report !== undefined) await writeDrift(services, report, made, failOn)
  endOf(services, made, failOn)
  if (failOn.has('refused')) checkLimits(made, 'apply refuses this plan')
  if (made.plan.actions.length > 0) services.answer.exit(exitCodes.failed)
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
