/** `check policy`: rules over lists of the instance, or of a snapshot. */
import { define } from '../../define.js'
import { policyFlags } from './schema.js'

export const policy = define({
  summary: 'Check lists of the instance against rules of a file',
  description: [
    'A rule names a list, and what must not be there (where) or what must hold for each record (each). "svcctl help snapshots" explains the file, and "svcctl explain --policy-schema" prints its schema.',
    'With --from, the rules are checked on a snapshot. A project or group without records counts in a list that is grouped by it.',
    `Exit codes: 0 no findings of the severity of --fail-on, 1 findings, 8 something could not be read; with -o nagios 0, 2 and 3. What cannot be read is never fine.`,
  ],
  args: [
    {
      name: 'policy',
      required: true,
      variadic: true,
      file: true,
      help: 'policy files or folders, or - for standard input',
    },
  ],
  flags: policyFlags,
  readOnly: true,
  snapshots: true,
  examples: [
    'check policy policy.yml',
    'check policy policy.yml --from snapshot --fail-on warning',
    'check policy policy.yml -o prometheus',
  ],
  run: async (services, given) => (await import('./run.js')).runPolicy(services, given),
})
