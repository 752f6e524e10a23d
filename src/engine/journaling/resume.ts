/** Resumes runs (`--resume`): restores the line of a run from its journal, with the objects that are left. */
import { toJsonFields } from '../../base/objects.js'
import { quoteWord } from '../../base/shell-words.js'
import { loadAreaEndpoints } from '../../catalogue/index.js'
import { getKindByName } from '../../catalogue/kinds.js'
import { exitCodes, usage } from '../../errors.js'
import { getRunFolder } from '../../profile/index.js'
import type { Context } from '../command/context.js'
import {
  canCommandStream,
  canNarrowSelection,
  getCommandName,
  getOtherArguments,
  getScope,
  type ScopeKind,
} from '../command/derive.js'
import { addInstanceFlags, type Globals, type InstanceGlobals } from '../command/globals.js'
import type { Command, Parent, RunOrigin } from '../command/types.js'
import { checkResumable, createNotBegunFailure, formatRunLine } from '../journal/author.js'
import { findLastOpen, isPlannedFile, resolveJournalFile } from '../journal/folder.js'
import type { Header, LineOptions } from '../journal/lines.js'
import { readWork } from '../journal/objects.js'
import {
  countOpen,
  createJournalGapFailure,
  getNextStep,
  type RunHistory,
  readRunHistory,
} from '../journal/reader.js'
import type { Raw } from '../plan/line.js'
import {
  createNamedParents,
  type Parents,
  type ParentTarget,
  TargetsWithObjects,
} from '../plan/parents.js'
import type { Item } from '../work/report.js'
import { checkResumeFlags, checkRunRequest, readRecordedFlags } from './recorded-line.js'
import { type JournalOptions, reopenRun } from './runs.js'

interface ResumeContext {
  readonly command: Command
  readonly raw: Raw
  readonly globals: Pick<Globals, 'resume' | 'select'> & InstanceGlobals
  readonly context: Context
  readonly journaling: JournalOptions
}

/** The line to run instead of the typed one. */
interface ResumedLine {
  readonly raw: Raw
  /** True if the objects are read from the journal as they are processed. */
  readonly streamed?: true
  readonly parents?: Parents
  readonly targets?: readonly ParentTarget[]
}

const reportNothingLeft = ({ context: { ui } }: ResumeContext): undefined => {
  ui.note('nothing is left to do')
  return undefined
}

/** Finds the newest unfinished run of this command; undefined if all are complete. */
const findLastRun = (
  { command, context }: ResumeContext,
  { instance, profile }: RunOrigin,
): Promise<RunHistory | undefined> => {
  const isOwnRun = (header: Header): boolean =>
    header.command === getCommandName(command) &&
    header.undoes === undefined &&
    header.instance === instance &&
    header.profile === profile
  return findLastOpen(getRunFolder(context.place.env), isOwnRun, () =>
    usage(
      `no run of "svcctl ${getCommandName(command)}" on ${instance} can be resumed`,
      'svcctl journal list names those that there are; --resume takes a file or an id, too.',
    ),
  )
}

const checkRunHeader = ({ command, globals }: ResumeContext, header: Header): LineOptions => {
  const words = getCommandName(command)
  if (header.undoes !== undefined)
    throw usage(
      `the run ${header.id} reverts ${header.undoes} and cannot be resumed`,
      `Undo the rest with: ${formatRunLine('journal undo', { ...header, id: header.undoes })}`,
    )
  if (header.command !== words)
    throw usage(
      `the run ${header.id} belongs to "svcctl ${header.command}", not to "svcctl ${words}"`,
      `Resume it with: ${addInstanceFlags(`svcctl ${header.command} --resume ${quoteWord(globals.resume ?? header.id)}`, globals)}`,
    )
  checkResumable(header)
  const { options } = header
  if (options === undefined) throw usage(`the run ${header.id} does not record its request`)
  return options
}

/** Loads the scope of a run's endpoint, if the catalogue has the endpoint. */
const loadScopeKind = async (
  { command }: ResumeContext,
  { endpoint: route }: Header,
): Promise<ScopeKind | undefined> => {
  const endpoints = await loadAreaEndpoints(command.area)
  const endpoint = Object.values(endpoints).find((one) => one.route === route)
  return endpoint === undefined ? undefined : getScope(endpoint)?.kind
}

/**
 * Groups objects by their parents.
 * @param others the arguments of the run that name no object
 */
const toParentTargets = (
  items: readonly Item[],
  column: Parent['column'],
  others: readonly string[],
): readonly ParentTarget[] => {
  const found = new TargetsWithObjects()
  for (const item of items) found.add(column, item)
  // A parent without objects is the object itself, or uses the arguments that all parents share.
  return found.targets.map(({ args, ...target }) =>
    args.join('') === '' ? target : { ...target, args: [...args, ...others] },
  )
}

/** Returns the names of the objects. An object without a name is yet to be created, or the only one of its kind. */
const getNamedObjects = (items: readonly Item[]): readonly string[] =>
  items.flatMap(({ object }) => (object === '' ? [] : [object]))

/** Returns the attributes from the objects' rows. */
const getRows = (items: readonly Item[]): Pick<Raw, 'rows'> =>
  items.some(({ row }) => row !== undefined)
    ? { rows: items.map(({ row }) => row && toJsonFields(row)) }
    : {}

const toParentLine = (
  targets: readonly ParentTarget[],
): Pick<ResumedLine, 'parents' | 'targets'> => ({
  targets,
  parents: createNamedParents(targets[0]?.kind ?? 'project'),
})

/** Merges the flags of the run with those of the line. Selection flags count only if the line selects objects again. */
const mergeFlags = async (
  { command, raw, globals }: ResumeContext,
  asked: LineOptions,
): Promise<Map<string, readonly string[]>> => {
  const all = [...(await readRecordedFlags(asked)), ...raw.flags]
  const selects = globals.select !== undefined
  return new Map(all.filter(([name]) => selects || !canNarrowSelection(command, name)))
}

/** Builds the line that processes the remaining objects. */
const buildResumedLine = async (
  resuming: ResumeContext,
  header: Header,
  asked: LineOptions,
  items: readonly Item[],
): Promise<ResumedLine> => {
  const { command, raw, journaling } = resuming
  const flags = await mergeFlags(resuming, asked)
  const again = journaling.resumed?.again === true
  const { args } = asked
  const others = header.source === 'parents' ? getOtherArguments(command, args) : args
  // Objects that were selected in several parents may have no parent recorded.
  const parents = items.every(({ parent }) => parent === undefined) ? undefined : header.parents
  if (parents !== undefined && again) return { raw: { args: raw.args, flags } }
  if (parents !== undefined)
    return { raw: { args, flags }, ...toParentLine(toParentTargets(items, parents, others)) }
  const owners = [...new Set(items.map(({ parent }) => parent))]
  const [owner] = owners
  const kind = owner === undefined ? undefined : await loadScopeKind(resuming, header)
  const { mark } = getKindByName(command.args[0]?.param?.completes) ?? {}
  const shared = owner !== undefined && kind !== undefined && owners.length === 1
  if (shared && !(again && mark !== undefined)) flags.set(kind, [owner])
  if (again) return { raw: { args: raw.args, flags } }
  if (owner === undefined || kind === undefined || shared)
    return { raw: { args: [...getNamedObjects(items), ...others], flags, ...getRows(items) } }
  if (mark !== undefined)
    return {
      raw: {
        args: [...items.map((one) => `${one.parent}${mark}${one.object}`), ...others],
        flags,
        ...getRows(items),
      },
    }
  return { raw: { args: [], flags }, ...toParentLine(toParentTargets(items, 'project', others)) }
}

/** Builds the line of an `api` call, whose objects come from the journal or are read again. */
const buildOpenLine = async (
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
  const reads = asked.args.some((arg) => arg.includes('{}'))
  const args = reads ? [...asked.args, '-'] : asked.args
  return { raw: { args, flags: await mergeFlags(resuming, asked) } }
}

/** True if the objects are read again, from standard input or by --select. */
const readsObjectsAgain = ({ command, raw, globals }: ResumeContext): boolean => {
  const others = raw.args.filter((arg) => arg !== '-')
  if (others.length > 0)
    throw usage(
      `--resume takes no objects: the journal contains them`,
      `Remove "${others[0]}". For other objects, start a new run of "svcctl ${getCommandName(command)}".`,
    )
  return raw.args.includes('-') || globals.select !== undefined
}

/**
 * Checks that the objects must be read again.
 * @throws Failure `usage` if the journal has all of them, `partial` if the journal is damaged
 */
const checkObjectsNeeded = ({ file, gap, total }: RunHistory): void => {
  if (gap !== undefined) throw createJournalGapFailure(file, gap.text)
  if (total !== undefined)
    throw usage(
      'the journal contains all objects',
      'Remove - and --select. --resume completes the run.',
    )
}

const findNamedRun = async (
  resuming: ResumeContext,
  identity: RunOrigin,
): Promise<RunHistory | undefined> => {
  const { globals, context } = resuming
  if (globals.resume === 'last') return findLastRun(resuming, identity)
  return readRunHistory(await resolveJournalFile(context.place, globals.resume ?? ''))
}

/** True if the objects of a parent are known; the list to select them from may have been refused. */
const isKnown = ({ command }: ResumeContext, { object, parent }: Item): boolean =>
  object !== '' || parent === undefined || command.args[0]?.variadic !== true

/** Reports the parents whose objects are unknown, and sets exit code 8: they cannot be resumed. */
const reportUnknown = (
  resuming: ResumeContext,
  { options }: Header,
  items: readonly Item[],
): void => {
  const { answer, ui } = resuming.context
  // A line with --select has no arguments.
  const objects = options?.args.length ? 'the names' : '--select'
  for (const item of items.filter((one) => !isKnown(resuming, one)))
    ui.note(`${item.parent}: the run did not know its objects; pass it and ${objects} again`)
  answer.setExitCode(exitCodes.partial)
}

/**
 * True if the remaining objects can be processed while they are read from the journal. Objects that several parents
 * share are planned for each parent instead.
 */
const isStreamed = (command: Command, { parents, source }: Header): boolean =>
  command.open === true
    ? parents === undefined
    : canCommandStream(command) &&
      command.args[0]?.variadic === true &&
      (parents === undefined || source === 'stdin')

const collectItems = async (items: AsyncIterable<Item>): Promise<readonly Item[]> => {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

/**
 * Resumes the run that --resume names.
 * @returns undefined if nothing is left to do
 * @throws Failure `usage` for another command, instance or user; `conflict` if another process has locked the journal
 */
export const restoreRunLine = async (resuming: ResumeContext): Promise<ResumedLine | undefined> => {
  const { command, raw, globals, context, journaling } = resuming
  checkResumeFlags(command, raw)
  const again = readsObjectsAgain(resuming)
  const identity = await context.place.getOrigin()
  const before = await findNamedRun(resuming, identity)
  if (before === undefined) return reportNothingLeft(resuming)
  if (isPlannedFile(before.file)) throw createNotBegunFailure(before.header)
  checkRunHeader(resuming, before.header)
  const reopened = await reopenRun(context, before, identity, async () => {
    if (again) checkObjectsNeeded(before)
    await checkRunRequest(before.header)
  })
  if (reopened === undefined) return reportNothingLeft(resuming)
  const { journal, past } = reopened
  const { header, states } = past
  const streamed = isStreamed(command, header)
  const damaged = past.gap !== undefined
  const getStep = (n: number) => getNextStep(states.get(n) ?? 'queued', header.endpoint, damaged)
  const readRemaining = () => readWork(journal, undefined, getStep)
  const all = streamed ? [] : await collectItems(readRemaining())
  const items = all.filter((item) => isKnown(resuming, item))
  if (items.length < all.length) reportUnknown(resuming, header, all)
  const options = checkRunHeader(resuming, header)
  Object.assign(journaling, {
    raw,
    resumed: { journal, past, again, getStep, readRemaining },
    parents: header.parents,
  })
  const open = streamed ? countOpen(past.counts) : items.length
  // If the input was cut, it is unknown whether objects are left.
  if (open === 0 && !again)
    return past.total === undefined ? undefined : reportNothingLeft(resuming)
  if (command.open === true && streamed) return buildOpenLine(resuming, header, options, again)
  if (streamed && globals.select === undefined)
    return { raw: { args: raw.args, flags: await mergeFlags(resuming, options) }, streamed }
  return buildResumedLine(resuming, header, options, items)
}
