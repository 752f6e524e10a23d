/** `--dry-run`: which runs write nothing, and what cannot stand beside it. */

import { usage } from '../errors.js'
import { rehearsable } from './command/derive/index.js'
import type { RunOptions } from './options.js'

type Asked = Pick<RunOptions, 'command' | 'globals'>

/** Whether nothing is written; a command whose API tries it out by itself sends what it is given. */
export const isRehearsal = ({ command, globals }: Asked): boolean =>
  globals.dryRun && rehearsable(command)

/** Whether everything is sent. */
export const sendsAll = (asked: Asked): boolean => !asked.globals.curl && !isRehearsal(asked)

/** Flags that are about what is written, or how often. */
const refused = new Set(['curl', 'journal', 'resume', 'until', 'watch'])

/** @throws Failure `usage` where another flag says the contrary of `--dry-run` */
export const checkRehearsal = (asked: Asked): void => {
  if (!isRehearsal(asked)) return
  for (const [name, value] of Object.entries(asked.globals))
    if (refused.has(name) && value !== undefined && value !== false)
      throw usage(`--dry-run and --${name} exclude each other`)
}
