/** The run that is meant where none is named: the last write of this profile at its instance, by the order in which runs began. */

import { existsSync } from 'node:fs'
import { lock } from '../../base/files/lock.js'
import type { Context } from '../../engine/command/context.js'
import type { Given } from '../../engine/command/types.js'
import {
  checkNewest,
  findLastWrite,
  isPlanned,
  type LastWrite,
  type RunEntry,
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

/** True if a run undid another one, rather than redoing what was undone. */
export const isUndo = ({ header: { redo, undoes } }: Pick<RunEntry, 'header'>): boolean =>
  undoes !== undefined && !redo

const isWhole = ({ counts, end }: RunEntry): boolean =>
  end === 'completed' && counts !== undefined && counts.failed + counts.unknown === 0

const hasObjects = ({ header }: RunEntry): boolean => header.endpoint !== ''

/** Finds the newest run of an author that can be undone: no undo, and none that was undone. */
const findProposal = (
  entries: readonly RunEntry[],
  { instance, profile }: WriteAuthor,
): RunEntry | undefined => {
  const own = entries.filter(
    ({ header }) => header.instance === instance && header.profile === profile,
  )
  const undone = new Set(own.filter(isWhole).map(({ header }) => header.undoes))
  return own.find(
    (entry) =>
      !isUndo(entry) &&
      !isPlanned(entry) &&
      hasObjects(entry) &&
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
      : `To undo a run, pass its ID: svcctl journal undo ${mine.header.id}`,
  )

const createNoRunFailure = (entries: readonly RunEntry[], author: WriteAuthor): Failure => {
  const none = `no journal of a run ${describeAuthor(author)}`
  const any = entries.find((entry) => !isPlanned(entry))
  if (any === undefined) return usage(none, 'Every write is recorded in a journal.')
  return createRefusalWithHint(
    `${none}; the newest of all is ${describeRun(any)} ${describeAuthor(any.header)}`,
    findProposal(entries, author),
  )
}

/** @throws Failure `conflict` where a process still writes the journal */
const checkEnded = async ({ locked, file, header }: RunEntry): Promise<void> => {
  if (!locked) return
  const held = (owner: string): Failure =>
    new Failure('conflict', `the run ${header.id} is still running: ${owner} writes its journal`, {
      hint: `Wait until it ends. If it has ended, delete ${file}.lock`,
    })
  const { release } = await lock(`${file}.lock`, { patience: 0, held })
  release()
}

/**
 * Chooses the run that undoing, or redoing, the last write is about: after an undo that left something, the run that it undid.
 * @throws Failure `usage` where it is the other way round
 */
const chooseRun = async ({ place }: Context, run: RunEntry, redo: boolean): Promise<RunEntry> => {
  const { undoes = '' } = run.header
  if (redo && !isUndo(run)) throw usage(`the last write, ${describeRun(run)}, is not an undo`)
  if (redo || !isUndo(run)) return run
  if (isWhole(run))
    throw usage(
      `the last write already undid ${undoes}`,
      'To redo it, run `svcctl journal undo last --redo`. To undo another run, pass its ID.',
    )
  return readRunEntry(await resolveJournalFile(place, undoes))
}

/** @throws Failure `usage` where nothing takes the run back, or does it again */
const checkReversible = async (run: RunEntry, redo: boolean): Promise<void> => {
  const { header, file } = run
  if (!existsSync(file)) throw usage(`it no longer has a journal: ${file}`)
  if (!hasObjects(run)) throw usage('it recorded its requests, and no previous values')
  if (header.command === 'apply') (await import('../apply/undoing.js')).checkFormer(file, header.id)
  else await findInverse(header, redo)
}

/** True if the line says which profile, or which instance, is meant. */
const isNamed = ({ place: { env, globals } }: Context): boolean =>
  globals.sandbox ||
  [globals.profile, globals.baseUrl, env.SVC_PROFILE, env.SVC_BASE_URL].some(Boolean)

const readAuthor = async ({ place }: Context): Promise<WriteAuthor> => {
  const { profile } = await place.session()
  return { instance: await getInstanceName(place), profile: profile?.name ?? null }
}

/** Describes the later writes of others at the same instance. Fails (exit 2) if there are any and the line names no profile. */
const tellSince = (
  context: Context,
  { run, since }: LastWrite,
  author: WriteAuthor,
): readonly string[] => {
  const [other] = since
  if (run !== undefined && other !== undefined && !isNamed(context))
    throw usage(
      `there was a write ${describeAuthor(other.header)} after ${describeRun(run)}: ${describeRun(other)}`,
      `Choose one: -p <profile>, or svcctl journal undo ${run.header.id}`,
    )
  return since
    .filter(({ header }) => header.instance === author.instance)
    .map((entry) => `${describeRun(entry)} ${describeAuthor(entry.header)}`)
}

/**
 * Finds the run that wrote last with this profile at this instance.
 * @param redo redoes what the last undo reverted
 * @throws Failure `usage` where there is none, it is not clear whose is meant, or it cannot be undone; `conflict` where it is still
 * running
 */
export const findRunToUndo = async (
  context: Context,
  redo: boolean,
): Promise<{ readonly file: string; readonly since: readonly string[] }> => {
  const author = await readAuthor(context)
  const journals = await readJournalFolder(getRunFolder(context.place.env))
  const last = await findLastWrite(journals, author)
  const { run } = last
  if (run === undefined) throw createNoRunFailure(journals.entries, author)
  const since = tellSince(context, last, author)
  await checkEnded(run)
  const wanted = await chooseRun(context, run, redo)
  try {
    await checkReversible(wanted, redo)
  } catch (error) {
    const others = journals.entries.filter(({ file }) => file !== run.file)
    const why = `the last write was ${describeRun(run)}: ${recoverFrom(error).message}`
    throw createRefusalWithHint(why, findProposal(others, author))
  }
  return { file: wanted.file, since }
}

/** Returns the file of the run that began last, of any user. */
export const findLastRunFile = async ({ place }: Context): Promise<string> => {
  const journals = await readJournalFolder(getRunFolder(place.env))
  const newest = journals.entries.find((entry) => !isPlanned(entry))
  checkNewest(journals, newest)
  if (newest !== undefined) return newest.file
  throw usage('no journals yet', 'Every write is recorded in a journal.')
}

/**
 * Returns the run that a line names.
 * @throws Failure `usage`, with the newest run, where it names none
 */
export const nameRun = async (
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
  const { id, undoes } = newest.header
  const undone = verb === 'undo' && isUndo(newest)
  throw usage(
    `journal ${verb} requires a run`,
    undone
      ? `The newest one undid ${undoes}. To redo that: svcctl journal undo last --redo`
      : `The newest one is ${describeRun(newest)}: svcctl journal ${verb} ${id}`,
  )
}
