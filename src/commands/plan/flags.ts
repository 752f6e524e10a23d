/** The flags of commands that make a plan. */
import { boolean, list, oneOf, string } from '../../catalogue/params.js'
import type { PlanLimit, PlanLimits } from '../../desired/comparing/types.js'
import { usage } from '../../errors.js'
import { settings } from '../../profile/settings.js'
import type { GivenBy } from '../define.js'
import { selectionFlags } from './selection.js'

/** How files are read. */
export const fileFlags = {
  'allow-literal-secrets': boolean('secrets may be written out in the files'),
  'allow-outside': boolean('files may name files outside of their folder'),
  'allow-commands': boolean('secrets may come from commands, which are run'),
} as const

/** How much a plan may do. */
export const limitFlags = {
  'max-deletes': string('so many deletes at most', { placeholder: 'n|n%' }),
  'max-changes': string('so many changed projects at most', { placeholder: 'n|n%' }),
  'allow-removals': list(
    'string',
    'sets that may lose more than a quarter of their items, or half of a few',
    {
      placeholder: 'address',
    },
  ),
  'allow-empty': list('string', 'exact sets that may become empty', { placeholder: 'address' }),
} as const

export const planningFlags = {
  'fail-on': settings['fail-on'],
  ...selectionFlags,
  ...fileFlags,
  self: string('the user of the token, where the instance does not say', {
    completes: 'user',
    placeholder: 'username',
  }),
} as const

export const secretFlags = {
  secrets: oneOf(['changed', 'always', 'never'], 'which secrets are set that cannot be read back', {
    default: 'changed',
  }),
} as const

/** The files and folders that declare an instance. */
export const filesArgument = {
  name: 'file',
  required: false,
  variadic: true,
  help: 'files and folders, or - for standard input; ./svcctl by default',
  file: true,
} as const

const limitIn = (name: string, text: string | undefined): PlanLimit | undefined => {
  if (text === undefined) return undefined
  const [, digits, percent] = /^(\d{1,9})(%?)$/.exec(text) ?? []
  if (digits === undefined)
    throw usage(`--${name} takes a number or a percentage (5, 10%), not "${text}"`)
  return percent === '%' ? { percent: Number(digits) } : { count: Number(digits) }
}

/** @throws Failure `usage` for a limit that is none */
export const limitsOf = ({ flags }: GivenBy<typeof limitFlags>): PlanLimits => {
  const deletes = limitIn('max-deletes', flags['max-deletes'])
  const changes = limitIn('max-changes', flags['max-changes'])
  return {
    deletes,
    changes,
    removals: flags['allow-removals'] ?? [],
    empty: flags['allow-empty'] ?? [],
  }
}
