/** The objects of a run that are taken as they come: of standard input, or of the journal that is gone on with. */
import { streams } from '../../commands/derive/index.js'
import type { Globals } from '../../commands/globals.js'
import { isRepeated } from '../../commands/repeat-flags.js'
import type { Services } from '../../commands/services.js'
import type { Coming, Command, NamedObject } from '../../commands/types.js'
import type { Parents } from '../plan/parents.js'
import type { Raw } from '../words/line.js'
import type { StandardInput } from './input.js'
import type { JournalWish } from './many/journal/wish.js'

interface Line {
  readonly command: Command
  readonly raw: Raw
  readonly globals: Globals
  readonly parents: Parents | undefined
  readonly wish: JournalWish
  readonly input: StandardInput
  readonly running: { readonly services: Pick<Services, 'person'> }
  /** The objects come from the journal, and perhaps once more from where they came before. */
  readonly streamed?: boolean
}

/** Whether the objects of a run are taken as they come, and handed over so by `--select`. */
export const goesOn = ({
  command,
  globals,
  parents,
}: Pick<Line, 'command' | 'globals' | 'parents'>): boolean =>
  parents === undefined &&
  !isRepeated(globals) &&
  // What the rows say is checked whole before anything is sent.
  globals.rowFields === undefined &&
  streams(command) &&
  command.args[0]?.variadic === true &&
  !globals.curl

const isStreamed = (line: Line): boolean => {
  const { globals, raw, streamed } = line
  if (streamed === true) return true
  const alone = raw.args.length === 1 && raw.args[0] === '-'
  return alone && globals.select === undefined && goesOn(line)
}

async function* none(): AsyncGenerator<NamedObject> {}

/** Those of standard input, each with its parent where it brings one along. */
const piped = async ({ command, raw, input, running, wish }: Line): Promise<Coming> => {
  const [{ namedIn }, { isOpen, mayOwn, ownedObjects }] = await Promise.all([
    import('../plan/given-objects.js'),
    import('../plan/piped-parents.js'),
  ])
  const owning = isOpen(command, raw) && mayOwn(await input.head())
  const found = owning ? await ownedObjects(command, input.chunks()) : input.chunks()
  if (!('below' in found))
    return { objects: namedIn(command, raw, found, running.services.person.note) }
  wish.parents = found.below
  return found
}

/** What is taken as it comes; undefined where all is read first. */
export const comingOf = async (line: Line): Promise<Coming | undefined> => {
  if (!isStreamed(line)) return undefined
  const { raw, streamed, wish } = line
  if (streamed !== true || raw.args.includes('-')) return piped(line)
  return { objects: none(), below: wish.parents }
}
