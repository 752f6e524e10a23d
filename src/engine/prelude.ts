/** What is said and refused of a line before anything of it is done. */
import type { Words } from '../catalogue/words.js'
import { usage } from '../errors.js'
import type { Globals } from './command/globals.js'
import { isRepeated } from './command/repeat-flags.js'
import type { PersonService } from './command/services.js'
import type { Command } from './command/types.js'
import { checkJournal } from './keeping/wish.js'
import { checkRehearsal, isRehearsal } from './rehearsal.js'

interface Line {
  readonly command: Command
  readonly globals: Globals
  readonly person: Pick<PersonService, 'note'>
  readonly words?: Words
}

/**
 * @param early what was noted as the line was read
 * @throws Failure `usage` for flags that do not go together
 */
export const prelude = async (
  { command, globals, person, words }: Line,
  early: readonly string[],
): Promise<void> => {
  for (const text of early) person.note(text)
  checkRehearsal({ command, globals })
  checkJournal(globals)
  if (globals.web && isRepeated(globals))
    throw usage(`--web and --${globals.watch === undefined ? 'until' : 'watch'} exclude each other`)
  // What a rehearsal shows has fields of its own, and nothing is written by then.
  if (globals.fields === undefined || isRehearsal({ command, globals })) return
  const { checkFields } = await import('./records/known-fields.js')
  await checkFields(command, globals.fields, words)
}
