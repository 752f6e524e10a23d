/** What a line asks for, done: once, again and again, for each of several parents, or gone on with. */
import { resolve } from 'node:path'
import type { Words } from '../catalogue/words.js'
import { Failure } from '../errors.js'
import { hasForm, streams } from './command/derive/index.js'
import type { Globals } from './command/globals.js'
import { isRepeated } from './command/repeat-flags.js'
import type { Services } from './command/services.js'
import type { Coming, Command, Given, NamedObject, Operation } from './command/types.js'
import type { Running } from './context.js'
import type { StandardInput } from './input.js'
import type { Narrow } from './keeping/shards.js'
import type { JournalWish } from './keeping/wish.js'
import { asNeutral } from './own/found.js'
import { fromStdin, givenOf } from './plan/given.js'
import type { Raw } from './plan/line.js'
import { namedParents, type Parents, type Slot, withoutParents } from './plan/parents.js'
import { RowFields } from './plan/row-fields.js'
import { besideIds, selectionList } from './targets/selected-list.js'
import type { Selection } from './targets/selection.js'
import type { Until } from './until.js'
import { watch } from './watch.js'

// The objects of a run that are taken as they come: of standard input, or of the journal that is gone on with.

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
const goesOn = ({
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
    import('./plan/given-objects.js'),
    import('./plan/piped-parents.js'),
  ])
  const owning = isOpen(command, raw) && mayOwn(await input.head())
  const found = owning ? await ownedObjects(command, input.chunks()) : input.chunks()
  if (!('below' in found))
    return { objects: namedIn(command, raw, found, running.services.person.note) }
  wish.parents = found.below
  return found
}

/** What is taken as it comes; undefined where all is read first. */
const comingOf = async (line: Line): Promise<Coming | undefined> => {
  if (!isStreamed(line)) return undefined
  const { raw, streamed, wish } = line
  if (streamed !== true || raw.args.includes('-')) return piped(line)
  return { objects: none(), below: wish.parents }
}

export interface Acting {
  readonly command: Command
  readonly raw: Raw
  readonly globals: Globals
  readonly signal: AbortSignal
  readonly stdin: () => Promise<string>
  readonly parents: Parents | undefined
  readonly slots?: readonly Slot[]
  readonly running: Running
  readonly wish: JournalWish
  readonly input: StandardInput
  /** The instance's own, where a vocabulary is in force. */
  readonly words?: Words
  /** The objects are taken as they come, or from the journal. */
  readonly streamed?: boolean
  /** What is waited for, where the rounds end by themselves. */
  readonly until?: Until
}

/** Seconds from round to round, where nobody says so. */
const defaultRound = 2

/** The line of the run that is gone on with; undefined where nothing of it is left. */
const takenUp = async (acting: Acting): Promise<Acting | undefined> => {
  const { globals, running } = acting
  if (globals.resume === undefined || acting.command.keeps === true) return acting
  const { takeUp } = await import('./keeping/resuming.js')
  const taken = await takeUp({ ...acting, ...running })
  return taken === undefined ? undefined : { ...acting, ...taken }
}

/** What of a run whose input was cut cannot be done. */
const checkWhole = ({ wish: { resumed } }: Acting): void => {
  if (resumed === undefined || resumed.again || resumed.past.total !== undefined) return
  throw new Failure(
    'partial',
    'the input of the run was cut: what had not been read of it is not done',
    {
      hint: 'Give the same input again, with - or --select: what stands in the journal is passed over.',
    },
  )
}

/** What parents are looked for by: where the verb's objects have none, those of the list they come from. */
export const spreadBy = async (command: Command, { select }: Globals): Promise<Command> => {
  const own = select === undefined || hasForm(command, 'project') || hasForm(command, 'group')
  return own ? command : ((await selectionList(command)) ?? command)
}

/** What reads the attributes of rows; those of a run that is gone on with stand in its journal. */
const rowFieldsOf = ({ command, raw, wish }: Acting): RowFields | undefined => {
  const columns = raw.flags.get('row-fields')?.flatMap((text) => text.split(','))
  const again = wish.resumed?.again
  if (columns === undefined || again === false) return undefined
  const names = columns.map((column) => column.trim()).filter((column) => column !== '')
  const rowFields = new RowFields(command, raw, names)
  wish.rowFields = rowFields.names
  return rowFields
}

/** Parents that come with their objects from standard input. */
const pipedParents = async (
  { command, raw, stdin, input, parents, globals }: Acting,
  rowFields: RowFields | undefined,
) => {
  if (parents !== undefined || !fromStdin(raw)) return undefined
  if (globals.select !== undefined) throw besideIds()
  const { isOpen, mayOwn, ownedSlots } = await import('./plan/piped-parents.js')
  if (!isOpen(command, raw) || !mayOwn(await input.head())) return undefined
  const slots = await ownedSlots(command, raw, stdin, rowFields)
  const [first] = slots ?? []
  if (slots === undefined || first === undefined) return undefined
  return { slots, raw: { ...raw, args: [] }, parents: namedParents(first) }
}

/** What was asked, or what of it is in the part that this run is about. */
const inPart = async (
  { command, globals, running, wish }: Acting,
  given: Given,
): Promise<{ readonly given: Given; readonly narrow?: Narrow } | undefined> => {
  const text = globals.shard ?? wish.resumed?.past.header.asked?.shard
  if (text === undefined) return { given }
  const { narrowed } = await import('./keeping/shards.js')
  const several = wish.parents !== undefined && given.coming === undefined
  const part = narrowed(command, given, text, several)
  if (part.narrow !== undefined || part.given.args.length > 0 || part.given.coming !== undefined)
    return part
  running.services.person.note(`none of them is in part ${text}: nothing to do`)
  return undefined
}

/** What was asked, with the objects that `--select` finds; undefined where it finds none. */
const selectedBy = (
  acting: Acting,
  selection: Selection | undefined,
  asked: Given,
): Promise<Given | undefined> | Given => {
  if (selection === undefined) return asked
  return goesOn(acting) ? selection.coming(asked) : selection.of(asked)
}

/** Keeps the digest of what was read of a file: it may be another when the journal is made. */
const digesting =
  ({ digests }: JournalWish) =>
  async (path: string, bytes: Uint8Array): Promise<void> => {
    const { createHash } = await import('node:crypto')
    digests.set(resolve(path), createHash('sha256').update(bytes).digest('hex'))
  }
/** What a command does; one that says nothing does what its endpoints alone make of it. */
const operationOf = async (
  { operation }: Command,
  services: Services,
  given: Given,
): Promise<Operation> => (operation === undefined ? {} : operation(services, given))

/** The same for each of several parents. */
const actOver = async (
  all: Acting & { readonly parents: Parents },
  given: Given,
  selection: Selection | undefined,
): Promise<void> => {
  const { command, running } = all
  const { runOverParents } = await import('./targets/index.js')
  const operation = await operationOf(command, running.services, { ...given, several: true })
  const part = await inPart(all, given)
  if (part === undefined) return
  const { narrow } = part
  const selecting = selection === undefined ? {} : { selection }
  await runOverParents({ ...all, ...selecting, ...(narrow && { narrow }), given, operation })
  checkWhole(all)
}

/** What the line asks for, done: once, again and again, or for each of several parents. */
export const act = async (acting: Acting): Promise<void> => {
  const taken = await takenUp(acting)
  if (taken === undefined) return checkWhole(acting)
  const coming = await comingOf(taken)
  const rowFields = rowFieldsOf(taken)
  const all = { ...taken, ...(coming === undefined ? await pipedParents(taken, rowFields) : {}) }
  const { command, raw, globals, stdin, parents, running, wish } = all
  const { services, rounds, printing } = running
  const { person } = services
  const [slot] = all.slots ?? []
  if (slot !== undefined) wish.parents = slot.parent.column
  const said = await givenOf(command, parents === undefined ? raw : withoutParents(raw), {
    project: parents && '',
    env: process.env,
    stdin,
    coming,
    rowFields,
    note: (text) => person.note(text),
    warn: (text) => person.warn(text),
    read: digesting(wish),
    signal: all.signal,
  })
  const asked = await asNeutral(said, raw, command, all.words)
  const selection = await running.selection(asked)
  if (parents !== undefined) return actOver({ ...all, parents }, asked, selection)
  const { watch: seconds = defaultRound, curl } = globals
  const selected = await selectedBy(all, selection, asked)
  const part = selected === undefined ? undefined : await inPart(all, selected)
  if (part === undefined) return
  const { given } = part
  const round = async (): Promise<void> => {
    if (command.run !== undefined) return command.run(services, given)
    const { coming: own } = given
    const operation = await operationOf(command, services, given)
    await running.perform(given, operation, own === undefined ? undefined : { coming: own })
  }
  if (!isRepeated(globals) || curl) await round()
  else await watch(services, { seconds, rounds, printing, until: all.until }, round)
  checkWhole(all)
}
