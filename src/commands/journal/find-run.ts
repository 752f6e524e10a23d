/** Finds the run for `journal show` and `journal undo`, by its ID or as the last write of this profile on its instance. */

import { existsSync } from 'node:fs'
import { lock } from '../../base/files/lock.js'
import type { Context } from '../../engine/command/context.js'
import { addInstanceFlags } from '../../engine/command/globals.js'
import type { Given } from '../../engine/command/types.js'
import { formatAuthorLine, formatRunLine } from '../../engine/journal/author.js'
import {
  checkNewest,
  findLastWrite,
  hasSent,
  isPlanned,
  type LastWrite,
  type RunEntry,
  type RunFolder,
  readJournalFolder,
  readRunEntry,
  resolveJournalFile,
  type WriteAuthor,
} from '../../engine/journal/folder.js'
import { findInverse } from '../../engine/journaling/inverse.js'
import { getInstanceName } from '../../engine/workspace/sandbox.js'
import { Failure, recoverFrom, usage } from '../../errors.js'
import { getRunFolder } from '../../profile/index.js'

const formatTime = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, 'Z')

const describeRun = ({ header, changed }: RunEntry): string =>
  `${header.id} (${header.command}, written last at ${formatTime(changed)})`

const describeAuthor = ({ instance, profile }: WriteAuthor): string =>
  profile === null ? `at ${instance} without a profile` : `with profile ${profile} at ${instance}`

/** True if a run undid another one. False if it redid a run that was undone. */
export const isUndo = ({ header: { redo, undoes } }: Pick<RunEntry, 'header'>): boolean =>
  undoes !== undefined && !redo

const isComplete = ({ counts, end }: RunEntry): boolean =>
  end === 'completed' && counts !== undefined && counts.failed + counts.unknown === 0

const hasObjects = ({ header }: RunEntry): boolean => header.endpoint !== ''

/** True if a run recorded no previous values, because of `--no-undo-record`. What it created needs none. */
const hasNoValues = ({ header: { command, endpoint, options } }: RunEntry): boolean =>
  command !== 'apply' &&
  options !== undefined &&
  options.undo_record !== true &&
  !endpoint.startsWith('POST ')

/** Finds the newest run of an author that can be undone. It is no undo itself, and was not undone. */
const findUndoableRun = (
  entries: readonly RunEntry[],
  { instance, profile }: WriteAuthor,
): RunEntry | undefined => {
  const own = entries.filter(
    ({ header }) => header.instance === instance && header.profile === profile,
  )
  const undone = new Set(own.filter(isComplete).map(({ header }) => header.undoes))
  return own.find(
    (entry) =>
      !isUndo(entry) &&
      !isPlanned(entry) &&
      hasObjects(entry) &&
      !hasNoValues(entry) &&
      existsSync(entry.file) &&
      !undone.has(entry.header.id) &&
      entry.header.irreversible === undefined &&
      (entry.counts === undefined || entry.counts.done + entry.counts.unknown > 0),
  )
}

const createRefusalWithHint = (why: string, mine: RunEntry | undefined): Failure =>
  usage(
    why,
    mine === undefined
      ? 'svcctl journal list shows the runs.'
      : `To undo a run, pass its ID: ${formatRunLine('journal undo', mine.header)}`,
  )

/** Creates the failure for an author whose runs sent nothing. */
const createNoWriteFailure = (entries: readonly RunEntry[], author: WriteAuthor): Failure => {
  const whose = describeAuthor(author)
  const none = `no journal of a run ${whose}`
  const newest = entries.find((entry) => !isPlanned(entry))
  if (newest === undefined) return usage(none, 'Every write is recorded in a journal.')
  const { instance, profile } = newest.header
  const isOwn = instance === author.instance && profile === author.profile
  const why = isOwn
    ? `no run ${whose} sent a write; the newest is ${describeRun(newest)}`
    : `${none}; the newest of all is ${describeRun(newest)} ${describeAuthor(newest.header)}`
  return createRefusalWithHint(why, undefined)
}

/** @throws Failure `conflict` if a process still writes the journal */
const checkEnded = async ({ locked, file, header }: RunEntry): Promise<void> => {
  if (!locked) return
  const createHeldFailure = (owner: string): Failure =>
    new Failure('conflict', `the run ${header.id} is still running: ${owner} writes its journal`, {
      hint: `Wait until it ends. If it has ended, delete ${file}.lock`,
    })
  const { release } = await lock(`${file}.lock`, { patience: 0, held: createHeldFailure })
  release()
}

/**
 * Chooses the run to undo or redo, from the last write. After an incomplete undo it is the run that was undone, and after an incomplete
 * redo the undo.
 * @throws Failure `usage` if the last write was an undo and is to be undone, or was none and is to be redone
 */
const chooseRun = async ({ place }: Context, run: RunEntry, redo: boolean): Promise<RunEntry> => {
  const { undoes = '' } = run.header
  if (redo && run.header.redo === true && !isComplete(run))
    return readRunEntry(await resolveJournalFile(place, undoes))
  if (redo && !isUndo(run)) throw usage(`the last write, ${describeRun(run)}, is not an undo`)
  if (redo || !isUndo(run)) return run
  if (isComplete(run))
    throw usage(
      `the last write already undid ${undoes}`,
      `To redo it, run \`${addInstanceFlags('svcctl journal undo last --redo', place.globals)}\`. To undo another run, pass its ID.`,
    )
  return readRunEntry(await resolveJournalFile(place, undoes))
}

/**
 * Finds the undos of the same run before the given one. Together they undid the run, so they are redone together.
 * @returns the newest first, up to the last other write of the author
 */
const findEarlierUndos = async (
  { entries }: RunFolder,
  { file, header }: RunEntry,
): Promise<readonly RunEntry[]> => {
  const found: RunEntry[] = []
  if (header.undoes === undefined) return found
  const older = entries.slice(entries.findIndex((entry) => entry.file === file) + 1)
  for (const entry of older) {
    const { instance, profile, undoes } = entry.header
    if (instance !== header.instance || profile !== header.profile) continue
    if (!(await hasSent(entry))) continue
    if (!isUndo(entry) || undoes !== header.undoes) break
    found.push(entry)
  }
  return found
}

/** @throws Failure `usage` if the run cannot be undone or redone */
const checkReversible = async (run: RunEntry, redo: boolean): Promise<void> => {
  const { header, file } = run
  if (!existsSync(file)) throw usage(`it no longer has a journal: ${file}`)
  if (!hasObjects(run)) throw usage('it recorded its requests, and no previous values')
  if (header.command === 'apply') (await import('../apply/undoing.js')).checkFormer(file, header.id)
  else await findInverse(header, redo)
}

/** True if the line names the profile or the instance. */
const hasInstanceName = ({ place: { env, globals } }: Context): boolean =>
  globals.sandbox ||
  [globals.profile, globals.baseUrl, env.SVC_PROFILE, env.SVC_BASE_URL].some(Boolean)

const readAuthor = async ({ place }: Context): Promise<WriteAuthor> => {
  const { profile } = await place.session()
  return { instance: await getInstanceName(place), profile: profile?.name ?? null }
}

/** Describes later writes of other profiles on the same instance. Fails (exit 2) if there are any and the line names no profile. */
const describeLaterWrites = (
  context: Context,
  { run, since }: LastWrite,
  author: WriteAuthor,
): readonly string[] => {
  const [other] = since
  if (run !== undefined && other !== undefined && !hasInstanceName(context))
    throw usage(
      `there was a write ${describeAuthor(other.header)} after ${describeRun(run)}: ${describeRun(other)}`,
      `Choose one: -p <profile>, or ${formatRunLine('journal undo', run.header)}`,
    )
  return since
    .filter(({ header }) => header.instance === author.instance)
    .map((entry) => `${describeRun(entry)} ${describeAuthor(entry.header)}`)
}

/** A run to undo or redo. */
export interface FoundRun {
  /** The file of its journal. */
  readonly file: string
  /** The journals of earlier undos that are redone with it, the newest first. */
  readonly earlier: readonly string[]
  /** Descriptions of later writes of other profiles. */
  readonly since: readonly string[]
}

/**
 * Finds the last run of this profile on its instance.
 * @param redo true to redo what the last undo reverted
 * @throws Failure `usage` if there is no such run, if the profile is ambiguous, or if the run cannot be undone; `conflict` if it is
 * still running
 */
export const findRunToUndo = async (context: Context, redo: boolean): Promise<FoundRun> => {
  const author = await readAuthor(context)
  const journals = await readJournalFolder(getRunFolder(context.place.env))
  const last = await findLastWrite(journals, author)
  const { run } = last
  if (run === undefined) throw createNoWriteFailure(journals.entries, author)
  const since = describeLaterWrites(context, last, author)
  await checkEnded(run)
  const wanted = await chooseRun(context, run, redo)
  try {
    await checkReversible(wanted, redo)
  } catch (error) {
    const others = journals.entries.filter(({ file }) => file !== run.file)
    const { message, details } = recoverFrom(error)
    const why = `the last write was ${describeRun(run)}: ${message}`
    throw details.hint === undefined
      ? createRefusalWithHint(why, findUndoableRun(others, author))
      : usage(why, details.hint)
  }
  const earlier = redo ? await findEarlierUndos(journals, wanted) : []
  return { file: wanted.file, earlier: earlier.map(({ file }) => file), since }
}

/** Returns the journal file of the newest run, of any profile. */
export const findLastRunFile = async ({ place }: Context): Promise<string> => {
  const journals = await readJournalFolder(getRunFolder(place.env))
  const newest = journals.entries.find((entry) => !isPlanned(entry))
  checkNewest(journals, newest)
  if (newest !== undefined) return newest.file
  throw usage('no journals yet', 'Every write is recorded in a journal.')
}

/**
 * Returns the name of the run in a line.
 * @throws Failure `usage` if it has none. The message names the newest run.
 */
export const requireRunName = async (
  { place }: Context,
  { args: [name = ''] }: Pick<Given, 'args'>,
  verb: 'show' | 'undo',
): Promise<string> => {
  if (name !== '') return name
  const { entries } = await readJournalFolder(getRunFolder(place.env))
  const newest = entries.find((entry) => !isPlanned(entry))
  if (newest === undefined)
    throw usage(
      `journal ${verb} requires a run`,
      `There are no journals yet. Later, for example: svcctl journal ${verb} last`,
    )
  throw usage(`journal ${verb} requires a run`, suggestRun(entries, newest, verb))
}

/** Names the run for `journal show` or `journal undo`: the newest, or the newest that can be undone. */
const suggestRun = (
  entries: readonly RunEntry[],
  newest: RunEntry,
  verb: 'show' | 'undo',
): string => {
  const { id, undoes } = newest.header
  if (verb === 'show') return `The newest one is ${describeRun(newest)}: svcctl journal show ${id}`
  if (isUndo(newest))
    return `The newest one undid ${undoes}. To redo that: ${formatAuthorLine('journal undo last --redo', newest.header)}`
  const found = findUndoableRun(entries, newest.header)
  if (found === undefined) return 'svcctl journal list shows the runs.'
  const which = found === newest ? 'newest one' : 'newest one that can be undone'
  return `The ${which} is ${describeRun(found)}: ${formatRunLine('journal undo', found.header)}`
}
