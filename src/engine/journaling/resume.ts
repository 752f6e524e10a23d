/** `--resume`: the line of a run as its journal has it, and the objects that are left of it. */
import { jsonFields } from '../../base/objects.js'
import { quoteWord } from '../../base/shell-words.js'
import { listAreas } from '../../catalogue/index.js'
import { kindNamed } from '../../catalogue/kinds.js'
import { exitCodes, usage } from '../../errors.js'
import {
  getCommandName,
  getScope,
  isOfSelection,
  type ScopeKind,
  streams,
} from '../command/derive.js'
import type { Globals } from '../command/globals.js'
import type { Services } from '../command/services.js'
import type { Command, Parent, RunOrigin } from '../command/types.js'
import {
  checkIdentity,
  checkResumable,
  isPlannedFile,
  resolveJournalFile,
} from '../journal/folder.js'
import type { Header, LineOptions } from '../journal/lines.js'
import { gapFailure, getNextStep, isDone, type RunHistory, readPast } from '../journal/reader.js'
import { readWork } from '../journal/work.js'
import type { Raw } from '../plan/line.js'
import {
  namedParents,
  type Parents,
  type ParentTarget,
  TargetsWithObjects,
  targetIn,
} from '../plan/parents.js'
import type { Item } from '../work/report.js'
import { checkResuming, flagsAsked } from './asked-line.js'
import type { JournalOptions } from './runs.js'
import { lastRun, takeUpJournal, tellGap } from './runs.js'

interface ResumeContext {
  readonly command: Command
  readonly raw: Raw
  readonly globals: Pick<Globals, 'resume' | 'select'>
  readonly services: Services
  readonly journaling: JournalOptions
}

/** The line to run in place of the one that was typed. */
interface ResumedLine {
  readonly raw: Raw
  /** The objects come from the journal. */
  readonly streamed?: true
  readonly parents?: Parents
  readonly targets?: readonly ParentTarget[]
}

const nothingLeft = ({ services: { ui } }: ResumeContext): undefined => {
  ui.note('nothing is left to do')
  return undefined
}

/** The newest run of this command that is not done; undefined where all are. */
const last = (
  { command, services }: ResumeContext,
  { instance, profile }: RunOrigin,
): Promise<RunHistory | undefined> => {
  const own = (header: Header): boolean =>
    header.command === getCommandName(command) &&
    header.undoes === undefined &&
    header.instance === instance &&
    header.profile === profile
  return lastRun(services.place, own, () =>
    usage(
      `no run of "svcctl ${getCommandName(command)}" on ${instance} can be resumed`,
      'svcctl journal list names those that there are; --resume takes a file or an id, too.',
    ),
  )
}

const checkHeader = ({ command, globals }: ResumeContext, header: Header): LineOptions => {
  const words = getCommandName(command)
  if (header.undoes !== undefined)
    throw usage(
      `the run ${header.id} reverts ${header.undoes} and cannot be resumed`,
      `Undo the rest with: svcctl journal undo ${header.undoes}`,
    )
  if (header.command !== words)
    throw usage(
      `the run ${header.id} belongs to "svcctl ${header.command}", not to "svcctl ${words}"`,
      `Resume it with: svcctl ${header.command} --resume ${quoteWord(globals.resume ?? header.id)}`,
    )
  checkResumable(header)
  const { options } = header
  if (options === undefined) throw usage(`the run ${header.id} does not record its request`)
  return options
}

/** The endpoint of a run, where the catalogue has it. */
const scopeIn = async (
  { command }: ResumeContext,
  { endpoint: route }: Header,
): Promise<ScopeKind | undefined> => {
  const endpoints =
    (await listAreas()
      .find(({ name }) => name === command.area)
      ?.load()) ?? {}
  const endpoint = Object.values(endpoints).find((one) => one.route === route)
  return endpoint === undefined ? undefined : getScope(endpoint)?.kind
}

/** The objects below their parents. */
const targetsFor = (items: readonly Item[], column: Parent['column']): readonly ParentTarget[] => {
  const found = new TargetsWithObjects()
  for (const { object, parent = '', row } of items)
    found.add(targetIn(column, parent), object, row && jsonFields(row))
  // One that has no objects is worked on itself, or on those that all have.
  return found.targets.map(({ args, ...target }) =>
    args.join('') === '' ? target : { ...target, args },
  )
}

/** The objects that are named; what nobody named is made, or the one that there is. */
const objectsOf = (items: readonly Item[]): readonly string[] =>
  items.flatMap(({ object }) => (object === '' ? [] : [object]))

/** The attributes that came with the objects. */
const rowsOf = (items: readonly Item[]): Pick<Raw, 'rows'> =>
  items.some(({ row }) => row !== undefined)
    ? { rows: items.map(({ row }) => row && jsonFields(row)) }
    : {}

const overParents = (
  targets: readonly ParentTarget[],
): Pick<ResumedLine, 'parents' | 'targets'> => ({
  targets,
  parents: namedParents(targets[0]?.kind ?? 'project'),
})

/** The flags of the run and those of the line; what its objects were selected from counts only where they are selected again. */
const withAsked = async (
  { command, raw, globals }: ResumeContext,
  asked: LineOptions,
): Promise<Map<string, readonly string[]>> => {
  const all = [...(await flagsAsked(asked)), ...raw.flags]
  const selects = globals.select !== undefined
  return new Map(all.filter(([name]) => selects || !isOfSelection(command, name)))
}

/** The line that does what is left. */
const lineFor = async (
  resuming: ResumeContext,
  header: Header,
  asked: LineOptions,
  items: readonly Item[],
): Promise<ResumedLine> => {
  const { command, raw, journaling } = resuming
  const flags = await withAsked(resuming, asked)
  const again = journaling.resumed?.again === true
  const { args } = asked
  // Objects that were selected in several may be known without them.
  const parents = items.every(({ parent }) => parent === undefined) ? undefined : header.parents
  if (parents !== undefined && again) return { raw: { args: raw.args, flags } }
  if (parents !== undefined)
    return { raw: { args, flags }, ...overParents(targetsFor(items, parents)) }
  const owners = [...new Set(items.map(({ parent }) => parent))]
  const [owner] = owners
  const kind = owner === undefined ? undefined : await scopeIn(resuming, header)
  const { mark } = kindNamed(command.args[0]?.param?.completes) ?? {}
  const shared = owner !== undefined && kind !== undefined && owners.length === 1
  if (shared && !(again && mark !== undefined)) flags.set(kind, [owner])
  if (again) return { raw: { args: raw.args, flags } }
  if (owner === undefined || kind === undefined || shared)
    return { raw: { args: objectsOf(items), flags, ...rowsOf(items) } }
  if (mark !== undefined)
    return {
      raw: {
        args: items.map((one) => `${one.parent}${mark}${one.object}`),
        flags,
        ...rowsOf(items),
      },
    }
  return { raw: { args: [], flags }, ...overParents(targetsFor(items, 'project')) }
}

/** The line of any call, whose objects come from the journal, or once more. */
const openLine = async (
  resuming: ResumeContext,
  { shard }: Header,
  asked: LineOptions,
  again: boolean,
): Promise<ResumedLine> => {
  if (again && shard !== undefined)
    throw usage(
      'the input of a shard of an "api" call cannot be read again',
      `Start a new run with --shard ${shard}.`,
    )
  return { raw: { args: [...asked.args, '-'], flags: await withAsked(resuming, asked) } }
}

/** Whether the input is given once more. */
const isAgain = ({ command, raw, globals }: ResumeContext): boolean => {
  const others = raw.args.filter((arg) => arg !== '-')
  if (others.length > 0)
    throw usage(
      `--resume takes no objects: the journal contains them`,
      `Remove "${others[0]}". For other objects, start a new run of "svcctl ${getCommandName(command)}".`,
    )
  return raw.args.includes('-') || globals.select !== undefined
}

/** @throws Failure for input that is given again where all of it, or nobody knows what of it, stands in the journal */
const checkAgain = ({ file, gap, total }: RunHistory): void => {
  if (gap !== undefined) throw gapFailure(file, gap.text)
  if (total !== undefined)
    throw usage(
      'the journal contains all objects',
      'Remove - and --select. --resume completes the run.',
    )
}

const found = async (
  resuming: ResumeContext,
  identity: RunOrigin,
): Promise<RunHistory | undefined> => {
  const { globals, services } = resuming
  if (globals.resume === 'last') return last(resuming, identity)
  return readPast(await resolveJournalFile(services.place, globals.resume ?? ''))
}

/** Whether it was known what of a parent was meant: the list that it was to be selected from may have been refused. */
const isKnown = ({ command }: ResumeContext, { object, parent }: Item): boolean =>
  object !== '' || parent === undefined || command.args[0]?.variadic !== true

/** What is not known cannot be gone on with, and is not done. */
const tellUnknown = (resuming: ResumeContext, items: readonly Item[]): void => {
  const { answer, ui } = resuming.services
  for (const item of items.filter((one) => !isKnown(resuming, one)))
    ui.note(`${item.parent}: the run did not know its objects; pass it and --select again`)
  answer.exit(exitCodes.partial)
}

/** Objects that came with their parents are taken as they came; what several parents share, or nobody named, is planned in each. */
const isStreamed = (command: Command, { parents, source }: Header): boolean =>
  command.open === true
    ? parents === undefined
    : streams(command) && command.args.length > 0 && (parents === undefined || source === 'stdin')

/**
 * Takes a run up where it was left.
 * @returns undefined where nothing is left to be done
 * @throws Failure `usage` for another command, instance or user; `conflict` where another process has it
 */
export const takeUp = async (resuming: ResumeContext): Promise<ResumedLine | undefined> => {
  const { command, raw, globals, services, journaling } = resuming
  checkResuming(command, raw)
  const again = isAgain(resuming)
  const identity = await services.place.identity()
  const before = await found(resuming, identity)
  if (before === undefined) return nothingLeft(resuming)
  const { id } = before.header
  if (isPlannedFile(before.file))
    throw usage(`the run ${id} has not begun`, `Carry it out with: svcctl journal run ${id}`)
  checkHeader(resuming, before.header)
  const doubt = checkIdentity(before.header, identity)
  if (isDone(before)) return nothingLeft(resuming)
  tellGap(services, before)
  if (again) checkAgain(before)
  if (doubt !== undefined) await services.ui.confirm(`${doubt}.`, [before.file])
  const { journal, past } = await takeUpJournal(services.place, before.file)
  const { header, states } = past
  const streamed = isStreamed(command, header)
  const damaged = past.gap !== undefined
  const next = (n: number) => getNextStep(states.get(n) ?? 'queued', header.endpoint, damaged)
  const left = () => readWork(journal, undefined, next)
  const all: Item[] = []
  if (!streamed) for await (const item of left()) all.push(item)
  const items = all.filter((item) => isKnown(resuming, item))
  if (items.length < all.length) tellUnknown(resuming, all)
  const asked = checkHeader(resuming, header)
  Object.assign(journaling, {
    raw,
    several: true,
    resumed: { journal, past, again, next, left },
    parents: header.parents,
  })
  const { counts } = past
  const open = streamed ? counts.failed + counts.unknown + counts.not_tried : items.length
  // Of an input that was cut nobody knows what is left.
  if (open === 0 && !again) return past.total === undefined ? undefined : nothingLeft(resuming)
  if (command.open === true && streamed) return openLine(resuming, header, asked, again)
  if (streamed && globals.select === undefined)
    return { raw: { args: raw.args, flags: await withAsked(resuming, asked) }, streamed }
  return lineFor(resuming, header, asked, items)
}
