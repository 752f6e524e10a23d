/** Reads the plan that a person confirmed, from a plan file or a journal, and records the plan of a new run. */

import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { JsonValues } from '../../base/objects.js'
import { exportFormerState } from '../../desired/applying/previous.js'
import { matchConfirmedPlan, type PlanMatch } from '../../desired/applying/verify.js'
import {
  type PlanAction,
  type PlanDocument,
  readPlan,
  readStoredPlan,
  toPlanDocument,
} from '../../desired/planfile.js'
import { hashBytes } from '../../desired/values.js'
import type { Context } from '../../engine/command/context.js'
import {
  createJournalId,
  findLastOpen,
  getPlanFile,
  readJournalFolder,
  resolveJournalFile,
} from '../../engine/journal/folder.js'
import type { Header } from '../../engine/journal/lines.js'
import {
  getNextStep,
  isDone,
  type RunHistory,
  readRunHistory,
} from '../../engine/journal/reader.js'
import { createFailedLine } from '../../engine/journal/run-record.js'
import type { Journal } from '../../engine/journal/writer.js'
import { buildResumeLine, createRunJournal, reopenRun } from '../../engine/journaling/runs.js'
import { getInstanceName } from '../../engine/workspace/sandbox.js'
import { Failure, getErrorCode, getReason, usage } from '../../errors.js'
import { getRunFolder } from '../../profile/index.js'
import { type PlanGiven, planningFlags } from '../plan/flags.js'
import type { MadePlan } from '../plan/make.js'
import { readPlanBytes } from '../plan/printing.js'
import { readKeptPlan, writeBeside } from './kept-plan.js'

export interface ConfirmedPlan {
  /** The name of the plan in messages. */
  readonly file: string
  readonly document: PlanDocument
  /** The line that creates the plan again. */
  readonly given: PlanGiven
  /** For a resumed run, the IDs of the actions that are not done yet, with their digests. */
  readonly open?: ReadonlyMap<string, string>
}

/** Returns the confirmed actions that are not done yet. */
const getOpenActions = ({ document: { actions }, open }: ConfirmedPlan): readonly PlanAction[] =>
  open === undefined ? actions : actions.filter(({ id }) => open.has(id))

const readPlanIfPresent = (path: string): Buffer | undefined => {
  try {
    return readPlanBytes(path)
  } catch (error) {
    if (['ENOENT', 'EISDIR'].includes(getErrorCode(error))) return undefined
    throw usage(`${path} cannot be read: ${getReason(error)}`)
  }
}

/** The flags that select what a plan covers, each with the corresponding part of a plan file. */
const selectionFlags = [
  ['project', 'projects'],
  ['group', 'groups'],
  ['only', 'only'],
  ['except', 'except'],
  ['ignore', 'ignore'],
  ['with-archived', 'withArchived'],
  ['missing', 'missing'],
] as const

/** Creates the line that makes a plan again, from its files and selection and the options of the current line. */
const createReplanLine = ({ inputs, selection }: PlanDocument, given: PlanGiven): PlanGiven => {
  const texts = selectionFlags.flatMap(([flag, part]) =>
    selection[part] === undefined ? [] : [[flag, selection[part]] as const],
  )
  return { ...given, args: inputs, flags: { ...given.flags, ...Object.fromEntries(texts) } }
}

const checkAlone = ({ args, flags }: PlanGiven, file: string): void => {
  if (args.length > 1) throw usage(`${file} is a plan and cannot be combined with other files`)
  const stray = selectionFlags.find(([name]) => flags[name] !== undefined)
  if (stray !== undefined)
    throw usage(
      `--${stray[0]} cannot be used with a plan file: ${file} already contains its options`,
    )
}

/** True if a file may be a plan. A plan can have any name, and a pipe could not be read a second time as declared state. */
const canBePlan = (path: string): boolean => {
  if (/\.ya?ml$/i.test(path)) return false
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Finds the plan file that a line names; undefined if the line names declared files. */
export const findConfirmedPlan = (
  { place }: Context,
  given: PlanGiven,
): ConfirmedPlan | undefined => {
  for (const file of given.args) {
    const path = resolve(place.cwd, file)
    const bytes = file !== '-' && canBePlan(path) ? readPlanIfPresent(path) : undefined
    const document = bytes === undefined ? undefined : readPlan(bytes, file)
    if (document === undefined) continue
    checkAlone(given, file)
    checkFiles(place.cwd, file, document)
    return { file, document, given: createReplanLine(document, given) }
  }
  return undefined
}

/** Creates the failure for files that changed after the plan was created. */
const createStaleFailure = (text: string, remedy = 'Create'): Failure =>
  new Failure('conflict', text, { hint: `Nothing was written. ${remedy} the plan again.` })

/** @throws Failure `conflict` for a file that changed after the plan was created */
const checkFiles = (cwd: string, plan: string, { files }: PlanDocument): void => {
  for (const { path, sha256 } of files) {
    if (path === '-')
      throw usage(
        `${plan} was created from standard input, which cannot be read again`,
        'Apply the files.',
      )
    const bytes = readPlanIfPresent(resolve(cwd, path))
    if (bytes === undefined)
      throw createStaleFailure(
        `${plan} was created from ${path}, which does not exist in ${cwd}`,
        'Run apply in the folder where you created the plan, or create',
      )
    if (hashBytes(bytes) !== sha256)
      throw createStaleFailure(`${path} changed after ${plan} was created`)
  }
}

/**
 * Serializes everything of an action that people see, with its endpoint and the paths of its files.
 * @param only the IDs that the other plan does not have, because those actions are done or new
 */
const serializeAction = (
  action: PlanAction,
  { endpoints, files }: PlanDocument,
  only: ReadonlySet<string>,
): string => {
  const at = ([file, ...place]: PlanAction['origin']) => [files[file]?.path, ...place]
  return JSON.stringify({
    ...action,
    endpoint: endpoints[action.endpoint],
    changes: action.changes.map((change) => ({ ...change, origin: at(change.origin) })),
    waits_for: action.waits_for.filter((id) => !only.has(id)),
    origin: at(action.origin),
  })
}

const getActionIds = ({ actions }: PlanDocument): ReadonlySet<string> =>
  new Set(actions.map(({ id }) => id))

const removeIds = (ids: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...ids].filter((id) => !others.has(id)))

/**
 * Compares the confirmed plan with the plan that is created now: its user, instance, files and actions.
 * @throws Failure `usage` if they differ
 */
const checkConfirmed = (confirmed: ConfirmedPlan, made: MadePlan): void => {
  const now = toPlanDocument(made)
  const { file, document } = confirmed
  const throwDifference = (what: string, was: string | null, is: string | null): never => {
    throw usage(`${file} was created ${what} ${was ?? 'nobody'}, and this is ${is ?? 'nobody'}`)
  }
  if (document.instance !== now.instance) throwDifference('for', document.instance, now.instance)
  if (document.user !== now.user) throwDifference('by', document.user, now.user)
  const known = new Map(now.files.map(({ path, sha256 }) => [path, sha256]))
  const other = document.files.find(({ path, sha256 }) => known.get(path) !== sha256)
  if (other !== undefined || now.files.length !== document.files.length)
    throw createStaleFailure(
      `${other?.path ?? 'a file'} is not the file that ${file} was created from`,
    )
  const byId = new Map(now.actions.map((action) => [action.id, action]))
  const [before, after] = [getActionIds(document), getActionIds(now)]
  const [gone, added] = [removeIds(before, after), removeIds(after, before)]
  for (const action of getOpenActions(confirmed)) {
    const again = byId.get(action.id)
    if (again === undefined || again.digest !== action.digest) continue
    if (serializeAction(again, now, added) !== serializeAction(action, document, gone))
      throw usage(
        `${file}: ${action.id} does not match the files`,
        'The plan file was changed, or another version of svcctl created it. Create the plan again.',
      )
  }
}

/**
 * Finds the actions of a plan that are still to be done, and those that have become stale.
 * @throws Failure `usage` if the plan differs from the confirmed one
 */
export const compareWithConfirmed = (confirmed: ConfirmedPlan, made: MadePlan): PlanMatch => {
  checkConfirmed(confirmed, made)
  const { plan } = made
  if (confirmed.open === undefined) return matchConfirmedPlan(confirmed.document, plan)
  const left = new Set(plan.actions.map(({ id }) => id))
  return matchConfirmedPlan(
    { actions: getOpenActions(confirmed).filter(({ id }) => left.has(id)), sets: {} },
    plan,
  )
}

// The journal of an apply. The confirmed plan is stored next to it, so that the run can be resumed.

const command = 'apply'

/** A run with its journal. */
export interface ApplyRun {
  /** The journal; undefined if the run has none. */
  readonly journal: Journal | undefined
  /** The number of each action in the journal, by the ID of the action. */
  readonly places: ReadonlyMap<string, number>
}

/** A resumed run with its confirmed plan. */
export interface ResumedRun extends ApplyRun {
  readonly confirmed: ConfirmedPlan
}

/** The facts about a run that undoes another one. */
export interface UndoFacts {
  readonly undoes: Pick<Header, 'undoes' | 'redo'>
  /** The failures of objects that changed since the undone run, by their actions. They stay open, so that the undo can be repeated. */
  readonly conflicts: ReadonlyMap<string, Failure>
}

const createHeader = async (
  context: Context,
  id: string,
  undoes: UndoFacts['undoes'],
): Promise<Header> => ({
  ...undoes,
  run: 1,
  id,
  began: context.place.clock.now().toISOString(),
  command,
  endpoint: command,
  input: {},
  source: 'arguments',
  ...(await context.place.getOrigin()),
})

const toApplyRun = (
  journal: Journal | undefined,
  { actions }: { readonly actions: readonly { readonly id: string }[] },
): ApplyRun => ({ journal, places: new Map(actions.map(({ id }, i) => [id, i + 1])) })

/** Returns the flags of a line that must be stored, because the plan does not contain them. */
const getKeptFlags = ({ flags }: PlanGiven): JsonValues =>
  Object.fromEntries(
    Object.entries(flags).filter(
      ([name]) => name.startsWith('allow-') || ['self', 'secrets'].includes(name),
    ),
  )

/** Creates the run of a confirmed plan with its journal, before any request is sent. */
export const createApplyRun = async (
  context: Context,
  given: PlanGiven,
  made: MadePlan,
  { undoes, conflicts }: UndoFacts = { undoes: {}, conflicts: new Map() },
): Promise<ApplyRun> => {
  const { place } = context
  const { plan, view } = made
  if (place.globals.journal === 'none') return toApplyRun(undefined, plan)
  const document = toPlanDocument(made)
  const header = await createHeader(context, createJournalId(command, place.clock.now()), undoes)
  const journal = await createRunJournal(context, place.globals.journal, header)
  const kept = { kept: 1, cwd: place.cwd, flags: getKeptFlags(given), plan: document }
  const exportFormer = (): Promise<string> => exportFormerState(view, plan.actions)
  try {
    await writeBeside(journal, exportFormer, `${JSON.stringify(kept)}\n`)
  } catch (error) {
    await journal.discard()
    throw usage(
      `cannot store the confirmed plan as ${getPlanFile(journal.file)} next to the journal: ${getReason(error)}`,
      'Pass another file with --journal.',
    )
  }
  const objects = [...document.actions.map(({ id }) => id), ...conflicts.keys()]
  for (const [i, object] of objects.entries()) journal.add({ n: i + 1, object, state: 'queued' })
  await journal.append({ input: 'complete', total: objects.length })
  for (const [i, [object, failure]] of [...conflicts].entries()) {
    const item = { n: document.actions.length + i + 1, object }
    await journal.append(createFailedLine(item, 'failed', failure))
  }
  return toApplyRun(journal, document)
}

/** Notes that the last apply to this instance did not finish, because a new plan does not complete its remaining actions. */
export const noteUnfinished = async ({ ui, place }: Context): Promise<void> => {
  const instance = await getInstanceName(place)
  const { entries } = await readJournalFolder(getRunFolder(place.env))
  const last = entries.find(
    ({ header }) => header.command === command && header.instance === instance,
  )
  // A run without a plan was ended before it sent anything.
  if (last === undefined || !existsSync(getPlanFile(last.file))) return
  const past = await readRunHistory(last.file).catch(() => undefined)
  if (past === undefined || isDone(past)) return
  // Only another undo can do the rest of a complete undo.
  if (past.header.undoes !== undefined && past.end === 'completed') return
  const { journal: _, ...globals } = place.globals
  const again = buildResumeLine(command, globals)
  ui.note(`the last apply to ${instance} did not finish; run svcctl ${again} to complete it`)
}

/** The flags that define the plan, which the journal contains. Flags for reports may be given again. */
const planDefiningFlags = new Set(
  Object.keys({ ...planningFlags, stale: true }).filter(
    (name) => !['fail-on', 'report', 'secrets'].includes(name),
  ),
)

const checkLine = ({ args, flags }: PlanGiven): void => {
  const [arg] = args
  if (arg !== undefined)
    throw usage(`--resume takes no files; remove "${arg}"`, 'The journal contains the plan.')
  const stray = Object.entries(flags).find(
    ([name, value]) => value !== undefined && planDefiningFlags.has(name),
  )
  if (stray !== undefined)
    throw usage(`--resume and --${stray[0]} exclude each other`, 'The journal defines the run.')
}

/**
 * Finds the run that --resume names: by file, by ID, or `last` for the newest unfinished one on this instance.
 * @returns undefined if all runs are complete
 */
const findRun = async (place: Context['place'], name: string): Promise<RunHistory | undefined> => {
  if (name !== 'last') return readRunHistory(await resolveJournalFile(place, name))
  const instance = await getInstanceName(place)
  let isNewest = true
  const isOwnRun = (header: Header, file: string): boolean => {
    if (header.command !== command || header.instance !== instance) return false
    // A run without a plan was ended before it sent anything, and a later run has replaced it.
    const counts = isNewest || existsSync(getPlanFile(file))
    isNewest = false
    return counts
  }
  return findLastOpen(getRunFolder(place.env), isOwnRun, () =>
    usage(`no apply to ${instance} can be resumed`),
  )
}

/**
 * Loads the run that --resume names.
 * @returns undefined if all of its actions are done
 * @throws Failure `usage` for another instance, another user or changed files; `conflict` if another process runs it
 */
export const loadResumedRun = async (
  context: Context,
  given: PlanGiven,
  name: string,
): Promise<ResumedRun | undefined> => {
  checkLine(given)
  const { place } = context
  const before = await findRun(place, name)
  if (before === undefined) return undefined
  const { header } = before
  if (header.command !== command)
    throw usage(
      `the run ${header.id} belongs to "svcctl ${header.command}", not to "svcctl ${command}"`,
    )
  const resumed = await reopenRun(context, before, await place.getOrigin(), async () => {
    const path = getPlanFile(before.file)
    const kept = await readKeptPlan(path)
    const document = readStoredPlan(kept.plan, path)
    checkFiles(kept.cwd, header.id, document)
    return { kept, document }
  })
  if (resumed === undefined) return undefined
  const { journal, past } = resumed
  const { kept, document } = resumed.prepared
  const { endpoint } = past.header
  const open = document.actions.filter(
    (_, i) => getNextStep(past.states.get(i + 1) ?? 'queued', endpoint) !== 'skip',
  )
  const confirmed = {
    file: past.file,
    document,
    given: createReplanLine(document, { ...given, flags: { ...given.flags, ...kept.flags } }),
    open: new Map(open.map(({ id, digest }) => [id, digest])),
  }
  return { ...toApplyRun(journal, document), confirmed }
}
