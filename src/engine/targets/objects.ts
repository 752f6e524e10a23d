/** The objects that a line means: its arguments, those of standard input, of a journal, or those that `--select` finds. */

import { usage } from '../../errors.js'
import { hasForm, streams } from '../command/derive/index.js'
import type { Globals } from '../command/globals.js'
import { isRepeated } from '../command/many-flags.js'
import type { Services } from '../command/services.js'
import type { Command, Given, NamedObject, ObjectStream } from '../command/types.js'
import type { StandardInput } from '../input.js'
import type { JournalOptions } from '../journaling/options.js'
import type { Narrow } from '../journaling/shards.js'
import { fromStdin } from '../plan/given.js'
import type { Raw } from '../plan/line.js'
import { readObjects } from '../plan/objects.js'
import { namedParents, type Parents, type ParentTarget } from '../plan/parents.js'
import { mayOwn, ownedObjects, ownedSlots, readsParents } from '../plan/piped-parents.js'
import { pipedStream } from '../plan/piped-reader.js'
import { RowFields, unusedColumns } from '../plan/row-fields.js'
import type { TakeNote } from '../plan/values.js'
import { besideIds, selectionList } from './selected-list.js'
import type { Selection } from './selection.js'

// The objects of a command as standard input names them, one after the other.

/**
 * They, as they come.
 * @throws Failure `usage` where nothing is named
 */
async function* namedIn(
  command: Command,
  raw: Raw,
  chunks: AsyncIterable<string>,
  note: TakeNote,
): AsyncGenerator<NamedObject> {
  const project = raw.flags.get('project')?.at(-1)
  let any = false
  const kind = await readObjects(command.args[0], command.naming)
  const tap = kind && unusedColumns(command, note, kind)
  for await (const some of pipedStream(chunks, kind, project, tap)) {
    any = true
    for (const text of some) yield { text }
  }
  if (!any) throw usage('standard input contains no objects')
}

/** What says of which objects a line is. */
export interface ObjectsLine {
  readonly command: Command
  readonly raw: Raw
  readonly globals: Globals
  readonly parents: Parents | undefined
  /** Those that came with their objects. */
  readonly slots?: readonly ParentTarget[]
  readonly journaling: JournalOptions
  readonly input: StandardInput
  readonly running: { readonly services: Pick<Services, 'ui'> }
  /** The objects come from the journal, and perhaps once more from where they came before. */
  readonly streamed?: boolean
}

/** Whether the objects of a run are taken as they come, and handed over so by `--select`. */
const goesOn = ({
  command,
  globals,
  parents,
}: Pick<ObjectsLine, 'command' | 'globals' | 'parents'>): boolean =>
  parents === undefined &&
  !isRepeated(globals) &&
  // What the rows say is checked whole before anything is sent.
  globals.rowFields === undefined &&
  streams(command) &&
  command.args[0]?.variadic === true &&
  !globals.curl

const isStreamed = (line: ObjectsLine): boolean => {
  const { globals, raw, streamed } = line
  if (streamed === true) return true
  const alone = raw.args.length === 1 && raw.args[0] === '-'
  return alone && globals.select === undefined && goesOn(line)
}

async function* none(): AsyncGenerator<NamedObject> {}

/** Those of standard input, each with its parent where it brings one along. */
const piped = async ({
  command,
  raw,
  input,
  running,
  journaling,
}: ObjectsLine): Promise<ObjectStream> => {
  const owning = readsParents(command, raw) && mayOwn(await input.head())
  const found = owning ? await ownedObjects(command, input.chunks()) : input.chunks()
  if (!('below' in found))
    return { objects: namedIn(command, raw, found, running.services.ui.note) }
  journaling.parents = found.below
  return found
}

/** What is taken as it comes; undefined where all is read first. */
export const openObjectStream = async (line: ObjectsLine): Promise<ObjectStream | undefined> => {
  if (!isStreamed(line)) return undefined
  const { raw, streamed, journaling } = line
  if (streamed !== true || raw.args.includes('-')) return piped(line)
  return { objects: none(), below: journaling.parents }
}

/** What parents are looked for by: where the verb's objects have none, those of the list they come from. */
export const spreadBy = async (command: Command, { select }: Globals): Promise<Command> => {
  const own = select === undefined || hasForm(command, 'project') || hasForm(command, 'group')
  return own ? command : ((await selectionList(command)) ?? command)
}

/** What reads the attributes of rows; those of a run that is gone on with stand in its journal. */
export const getRowFields = ({ command, raw, journaling }: ObjectsLine): RowFields | undefined => {
  const columns = raw.flags.get('row-fields')?.flatMap((text) => text.split(','))
  const again = journaling.resumed?.again
  if (columns === undefined || again === false) return undefined
  const names = columns.map((column) => column.trim()).filter((column) => column !== '')
  const rowFields = new RowFields(command, raw, names)
  journaling.rowFields = rowFields.names
  return rowFields
}

/** Parents that come with their objects from standard input. */
export const pipedParents = async (
  { command, raw, input, parents, globals }: ObjectsLine,
  rowFields: RowFields | undefined,
) => {
  if (parents !== undefined || !fromStdin(raw)) return undefined
  if (globals.select !== undefined) throw besideIds()
  if (!readsParents(command, raw) || !mayOwn(await input.head())) return undefined
  const slots = await ownedSlots(command, raw, input.text, rowFields)
  const [first] = slots ?? []
  if (slots === undefined || first === undefined) return undefined
  return { slots, raw: { ...raw, args: [] }, parents: namedParents(first) }
}

/** What was asked, or what of it is in the part that this run is about. */
export const inPart = async (
  { command, globals, running, journaling }: ObjectsLine,
  given: Given,
): Promise<{ readonly given: Given; readonly narrow?: Narrow } | undefined> => {
  const text = globals.shard ?? journaling.resumed?.past.header.asked?.shard
  if (text === undefined) return { given }
  const several = journaling.parents !== undefined && given.coming === undefined
  const { narrowed } = await import('../journaling/shards.js')
  const part = narrowed(command, given, text, several)
  if (part.narrow !== undefined || part.given.args.length > 0 || part.given.coming !== undefined)
    return part
  running.services.ui.note(`no objects in shard ${text}: nothing to do`)
  return undefined
}

/** What was asked, with the objects that `--select` finds; undefined where it finds none. */
export const selectedBy = (
  line: ObjectsLine,
  selection: Selection | undefined,
  asked: Given,
): Promise<Given | undefined> | Given => {
  if (selection === undefined) return asked
  return goesOn(line) ? selection.coming(asked) : selection.of(asked)
}
