/** Journals of runs: what a line says of one, how they are made and found again, and the line that goes on with one. */

import { resolve } from 'node:path'
import { quoteWord } from '../../base/shell-words.js'
import { exitCodes, type Failure, usage } from '../../errors.js'
import { getRunFolder } from '../../profile/index.js'
import type { Context, WorkspaceService } from '../command/context.js'
import { type Globals, reachingFlags, toFlagWords } from '../command/globals.js'
import { beginRun, moveToLastPlace, pruneJournals } from '../journal/begin-run.js'
import {
  checkNewest,
  findLastOpen,
  isPlanned,
  readJournalFolder,
  resolveJournalFile,
} from '../journal/folder.js'
import type { Header } from '../journal/lines.js'
import { type ResumeStep, type RunHistory, readPast } from '../journal/reader.js'
import { type Journal, resumeJournal } from '../journal/writer.js'
import type { Raw } from '../plan/line.js'
import type { Item, JournalPlace } from '../work/report.js'
import { getInstanceName } from '../workspace/sandbox.js'

// A run that is gone on with: its journal, and which of its objects are left.

export interface UnfinishedRun {
  readonly journal: Journal
  readonly past: RunHistory
  /** The input was cut, and is given once more. */
  readonly again: boolean
  /** Returns what is to be done with the object in a place. */
  readonly next: (n: number) => ResumeStep
  /** The objects that something is to be done with, in their order. */
  readonly left: () => AsyncIterable<Item>
}

/** The source of the objects of a run. */
type Source = 'arguments' | 'parents' | 'select' | 'stdin'

/** The options of a run's journal: completed while the line is understood, and by the journal that is resumed. */
export interface JournalOptions {
  source: Source
  /** True if the line is one for several objects, however many there are in the end. */
  several: boolean
  /** The line itself. */
  raw: Raw
  /** The column that names the parents, where there are several. */
  parents?: 'project' | 'group' | 'of'
  /** The run that is gone on with. */
  resumed?: UnfinishedRun
  /** The attributes that rows say, by the API's names. */
  rowFields?: readonly string[]
  /** SHA-256 of the files that the line names, as they were read, by their paths. */
  readonly digests: Map<string, string>
  /** The names that the line has in the place of IDs, by the IDs. */
  readonly names: Record<string, string>
}

// Journals, made and taken up.

/**
 * Makes the journal of a run: the file that was named, or one of the folder of runs, of which the oldest go.
 * @param named what `--journal` says
 * @throws Failure `usage` where it cannot be made, `conflict` where another process has it
 */
export const makeJournal = async (
  place: Pick<WorkspaceService, 'clock' | 'cwd' | 'env'>,
  named: string | undefined,
  header: Header,
): Promise<Journal> => {
  const { clock, cwd, env } = place
  const folder = getRunFolder(env)
  const journal = await beginRun(folder, header, named && resolve(cwd, named))
  if (named === undefined) await pruneJournals(folder, clock.now().getTime()).catch(() => [])
  return journal
}

/**
 * Goes on with a journal, which is the last run from then on.
 * @throws Failure `usage` where it cannot be read, `conflict` where another process has it
 */
export const takeUpJournal = async (
  place: Pick<WorkspaceService, 'env' | 'session' | 'globals'>,
  file: string,
): Promise<{ readonly journal: Journal; readonly past: RunHistory }> => {
  const taken = await resumeJournal(file)
  const { profile } = await place.session()
  const author = { instance: await getInstanceName(place), profile: profile?.name ?? null }
  // What cannot be written beside it stays where it was among the runs.
  await moveToLastPlace(getRunFolder(place.env), taken.journal, author).catch(() => {})
  return taken
}

/**
 * Finds the newest run that is not done, of those that `which` takes; undefined if all are done.
 * @throws Failure what `none` says, where there is no such run at all; `partial` where one cannot be read, which may be
 * it
 */
export const findUnfinishedRun = async (
  { env }: Pick<WorkspaceService, 'env'>,
  which: (header: Header) => boolean,
  none: () => Failure,
): Promise<RunHistory | undefined> => {
  const folder = getRunFolder(env)
  const open = await findLastOpen(folder, which)
  if (open !== undefined) return open
  const journals = await readJournalFolder(folder)
  if (journals.entries.some((entry) => !isPlanned(entry) && which(entry.header))) return undefined
  // The one that is meant may be among those that cannot be read.
  checkNewest(journals, undefined)
  throw none()
}

/** Says what a journal does not say any more, which is exit 8. */
export const tellGap = (
  { answer, ui }: Pick<Context, 'answer' | 'ui'>,
  { file, gap }: Pick<RunHistory, 'file' | 'gap'>,
): void => {
  if (gap === undefined) return
  ui.warn(`the journal ${file} is damaged: ${gap.text}`)
  answer.exit(exitCodes.partial)
}

/**
 * Finds the run of a command that `--resume` names: by its file, its id, or `last`, which is the newest at this instance
 * that is not done.
 * @param none says that there is no such run at all
 * @returns undefined where all are done
 * @throws Failure `usage` where there is none, and what `readPast` throws
 */
export const findResumable = async (
  place: WorkspaceService,
  { name, command }: { readonly name: string; readonly command: string },
  none: (instance: string) => string,
): Promise<RunHistory | undefined> => {
  if (name !== 'last') {
    return readPast(await resolveJournalFile(place, name))
  }
  const instance = await getInstanceName(place)
  const own = (header: Header): boolean =>
    header.command === command && header.instance === instance
  return findUnfinishedRun(place, own, () => usage(none(instance)))
}

/** Flags of a run that the line which resumes it repeats. */
const repeatedFlags = [...reachingFlags, 'tolerate', 'yes', 'confirm'] as const

export type ResumeFlags = Pick<Globals, (typeof repeatedFlags)[number] | 'journal' | 'resume'>

/** Builds the line that resumes a run, as a shell takes it, after the name of the program. */
export const buildResumeLine = (command: string, globals: ResumeFlags): string =>
  [
    command,
    ...repeatedFlags.flatMap((name) => toFlagWords(name, globals[name])).map(quoteWord),
    '--resume',
    quoteWord(globals.journal ?? globals.resume ?? 'last'),
  ].join(' ')

/** Returns the file of a run's journal and the line that resumes it, for the note that closes a run; undefined without a journal. */
export const getJournalPlace = (
  journal: Journal | undefined,
  command: string,
  globals: ResumeFlags,
): JournalPlace | undefined =>
  journal === undefined
    ? undefined
    : { file: journal.file, again: buildResumeLine(command, globals) }
