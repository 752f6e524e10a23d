/** Declares the flags of `plan`, `apply`, `drift` and `export`, and parses their selection and limits. */

import { boolean, list, oneOf, string } from '../../catalogue/params.js'
import type { PlanLimit, PlanLimits } from '../../desired/diff/context.js'
import type { SelectionOptions } from '../../desired/selection.js'
import type { WorkspaceService } from '../../engine/command/context.js'
import { globalFlagRows } from '../../engine/command/global-flags.js'
import { usage } from '../../errors.js'
import { settings } from '../../profile/settings.js'
import { type Arguments, reportFlag } from '../define.js'

/** The flags that select a part of the instance. The environment and git remotes never set them. */
const selectionFlags = {
  project: {
    ...list('string', 'only these projects (full paths or IDs)', { completes: 'project' }),
    short: 'P',
  },
  group: {
    ...list('string', 'only these groups and everything below them (full paths or IDs)', {
      completes: 'group',
    }),
    short: 'G',
  },
  only: list('string', 'only these kinds and addresses (* is a wildcard)', {
    placeholder: 'address',
  }),
  except: list('string', 'leave out these kinds and addresses', {
    placeholder: 'address',
  }),
  // The global flag, because these commands have no form for a project.
  'with-archived': globalFlagRows['with-archived'].param,
  missing: oneOf(['skip'], 'only report named projects and groups that do not exist'),
} as const

/**
 * Parses the selection of a line.
 * @throws Failure `usage` for a flag without a value
 */
export const parseSelection = (
  { flags }: Arguments<typeof selectionFlags>,
  { globals }: Pick<WorkspaceService, 'globals'>,
): SelectionOptions => {
  const given = {
    projects: flags.project,
    groups: flags.group,
    only: flags.only,
    except: flags.except,
  }
  const selected = Object.entries(given).filter(([, values]) => values !== undefined)
  const empty = selected.find(([, values]) => values?.length === 0)
  if (empty !== undefined) throw usage(`--${empty[0].replace(/s$/, '')} needs a value`)
  return {
    ...Object.fromEntries(selected),
    // The global parser reads this flag for every command.
    ...(globals.withArchived ? { withArchived: true } : {}),
    missing: flags.missing,
  }
}

// The flags of commands that create a plan.

/** The flags for reading files. */
const fileFlags = {
  'allow-literal-secrets': boolean('allow secrets as plain text in files'),
  'allow-outside': boolean('allow references to files outside of the folder'),
  'allow-commands': boolean('allow secrets from commands, and run these'),
} as const

/** The flags that plan, apply and drift share, with the same meaning. */
export const planningFlags = {
  'fail-on': settings['fail-on'],
  report: reportFlag(['junit', 'markdown', 'sarif']),
  ignore: list('string', 'addresses to ignore', { placeholder: 'address' }),
  ...selectionFlags,
  ...fileFlags,
  self: string('user of the token, if the instance does not report it', {
    completes: 'user',
    placeholder: 'username',
  }),
  'max-deletes': string('maximum number of deletes', { placeholder: 'n|n%' }),
  'max-changes': string('maximum number of changed projects', { placeholder: 'n|n%' }),
  'allow-removals': list(
    'string',
    'sets that may lose more than a quarter of their items (half of small sets)',
    { placeholder: 'address' },
  ),
  'allow-empty': list('string', 'exact sets that may become empty', { placeholder: 'address' }),
  secrets: oneOf(['changed', 'always', 'never'], 'which write-only secrets to set', {
    default: 'changed',
  }),
} as const

/** The arguments and flags of `plan`, `drift` or `apply`. `apply` has no `--note`. */
export type PlanGiven = Arguments<typeof planningFlags> & {
  readonly flags: { readonly note?: boolean }
}

// The flags of each command.

const noteFlag = {
  note: boolean('keep one note with the result on the merge request of the CI job'),
} as const

export const planFlags = {
  out: string('write the plan to this file for apply', {
    completes: 'file',
    placeholder: 'plan.json',
    writes: true,
  }),
  explain: string('show where each value of an address comes from', { placeholder: 'address' }),
  against: string('show only changes since the merge base with this git commit', {
    placeholder: 'ref',
  }),
  ...noteFlag,
  ...planningFlags,
} as const
export type PlanLine = Arguments<typeof planFlags>

export const applyFlags = {
  ...planningFlags,
  verify: {
    ...boolean('verify the changes by reading the objects again', { default: true }),
    refusal: 'do not verify the changes',
  },
  stale: oneOf(['skip'], 'skip actions of a plan file that no longer apply'),
} as const
export type ApplyLine = Arguments<typeof applyFlags>

export const exportFlags = {
  to: string('folder (one file per project and group), file, or - for standard output', {
    default: '-',
    completes: 'file',
    placeholder: 'folder|file|-',
    writes: true,
  }),
  ...selectionFlags,
  exact: boolean('mark all sets as exact, so that apply deletes unlisted items'),
  'with-operational': boolean('include operational state, such as whether runners are active'),
  'all-settings': { ...boolean('include undocumented settings'), aliases: ['all'] },
  factor: boolean('move values that all projects of a group share to the group'),
} as const
export type ExportLine = Arguments<typeof exportFlags>

/** The flags of `drift`. Secrets are not compared unless `--secrets` is set. */
export const driftFlags = {
  ...noteFlag,
  ...planningFlags,
  secrets: { ...planningFlags.secrets, default: 'never' },
} as const

const parseLimit = (name: string, text: string | undefined): PlanLimit | undefined => {
  if (text === undefined) return undefined
  const [, digits, percent] = /^(\d{1,9})(%?)$/.exec(text) ?? []
  if (digits === undefined)
    throw usage(`--${name} must be a number or a percentage (5, 10%), not "${text}"`)
  return percent === '%' ? { percent: Number(digits) } : { count: Number(digits) }
}

/** @throws Failure `usage` for an invalid limit */
export const parseLimits = ({ flags }: PlanGiven): PlanLimits => {
  const deletes = parseLimit('max-deletes', flags['max-deletes'])
  const changes = parseLimit('max-changes', flags['max-changes'])
  return {
    deletes,
    changes,
    removals: flags['allow-removals'] ?? [],
    empty: flags['allow-empty'] ?? [],
  }
}
