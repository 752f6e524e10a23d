/** `--dry-run`: which runs write nothing, and what cannot stand beside it. */

import type { Words } from '../catalogue/words.js'
import { usage } from '../errors.js'
import { rehearsable } from './command/derive/index.js'
import type { Globals } from './command/globals.js'
import { isRepeated } from './command/many-flags.js'
import type { UiService } from './command/services.js'
import type { Command } from './command/types.js'
import { checkJournal } from './journaling/options.js'
import type { RunOptions } from './options.js'

// What is said and refused of a line before anything of it is done.

interface Line {
  readonly command: Command
  readonly globals: Globals
  readonly ui: Pick<UiService, 'note'>
  readonly words?: Words
}

/**
 * @param early what was noted as the line was read
 * @throws Failure `usage` for flags that do not go together
 */
export const preflight = async (
  { command, globals, ui, words }: Line,
  early: readonly string[],
): Promise<void> => {
  for (const text of early) ui.note(text)
  checkRehearsal({ command, globals })
  checkJournal(globals)
  if (globals.web && isRepeated(globals))
    throw usage(
      `--web and --${globals.watch === undefined ? 'wait-until' : 'watch'} exclude each other`,
    )
  // What a rehearsal shows has fields of its own, and nothing is written by then.
  if (globals.fields === undefined || isRehearsal({ command, globals })) return
  const { checkFields } = await import('./records/known-fields.js')
  await checkFields(command, globals.fields, words)
}

type Asked = Pick<RunOptions, 'command' | 'globals'>

/** Whether nothing is written; a command whose API tries it out by itself sends what it is given. */
export const isRehearsal = ({ command, globals }: Asked): boolean =>
  globals.dryRun && rehearsable(command)

/** Whether everything is sent. */
export const sendsAll = (asked: Asked): boolean => !asked.globals.curl && !isRehearsal(asked)

/** Flags that are about what is written, or how often. */
const refused = new Set(['curl', 'journal', 'resume', 'wait-until', 'watch'])

/** @throws Failure `usage` where another flag says the contrary of `--dry-run` */
const checkRehearsal = (asked: Asked): void => {
  if (!isRehearsal(asked)) return
  for (const [name, value] of Object.entries(asked.globals))
    if (refused.has(name) && value !== undefined && value !== false)
      throw usage(`--dry-run and --${name} exclude each other`)
}
