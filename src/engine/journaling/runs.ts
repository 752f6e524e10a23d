/** Creates, finds and resumes the journals of runs, and builds the line that resumes one. */

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
import { type ResumeStep, type RunHistory, readRunHistory } from '../journal/reader.js'
import { type Journal, resumeJournal } from '../journal/writer.js'
import type { Raw } from '../plan/line.js'
import type { Item, JournalPlace } from '../work/report.js'
import { getInstanceName } from '../workspace/sandbox.js'

// A resumed run: its journal and the objects that are left.

export interface UnfinishedRun {
  readonly journal: Journal
  readonly past: RunHistory
  /** True if the input was cut and is read again. */
  readonly again: boolean
  /** Returns the next step for the object with a number. */
  readonly getStep: (n: number) => ResumeStep
  /** Yields the objects that are left, in their order. */
  readonly readRemaining: () => AsyncIterable<Item>
}

/** The source of a run's objects. */
type Source = 'arguments' | 'parents' | 'select' | 'stdin'

/** The journal options of a line. Parsing the line completes them, and so does the journal of a resumed run. */
export interface JournalOptions {
  source: Source
  /** True if the line is for several objects, even if only one is found. */
  several: boolean
  /** The typed words. */
  raw: Raw
  /** The column that names the parents, if there are several. */
  parents?: 'project' | 'group' | 'of'
  /** The run that is resumed. */
  resumed?: UnfinishedRun
  /** The attributes that rows set, by API name. */
  rowFields?: readonly string[]
  /** The SHA-256 of the files that the line names, by path, as they were read. */
  readonly digests: Map<string, string>
  /** The names that the line has in the place of IDs, by the IDs. */
  readonly names: Record<string, string>
}

/**
 * Creates the journal of a run: the named file, or a new file in the folder of runs, where it removes the oldest.
 * @param named the value of `--journal`
 * @throws Failure `usage` if it cannot be created, `conflict` if another process has locked it
 */
export const createRunJournal = async (
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
 * Resumes a journal and makes it the last run.
 * @throws Failure `usage` if it cannot be read, `conflict` if another process has locked it
 */
export const resumeRunJournal = async (
  place: Pick<WorkspaceService, 'env' | 'session' | 'globals'>,
  file: string,
): Promise<{ readonly journal: Journal; readonly past: RunHistory }> => {
  const taken = await resumeJournal(file)
  const { profile } = await place.session()
  const author = { instance: await getInstanceName(place), profile: profile?.name ?? null }
  // If the reference cannot be written, the run keeps its earlier position.
  await moveToLastPlace(getRunFolder(place.env), taken.journal, author).catch(() => {})
  return taken
}

/**
 * Finds the newest unfinished run that `which` accepts; undefined if all are complete.
 * @throws Failure that of `none` if `which` accepts no run; `partial` if a newer run cannot be read
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
  // The run that is meant may be an unreadable one.
  checkNewest(journals, undefined)
  throw none()
}

/** Reports the damage of a journal, and sets exit code 8. */
export const reportGap = (
  { answer, ui }: Pick<Context, 'answer' | 'ui'>,
  { file, gap }: Pick<RunHistory, 'file' | 'gap'>,
): void => {
  if (gap === undefined) return
  ui.warn(`the journal ${file} is damaged: ${gap.text}`)
  answer.setExitCode(exitCodes.partial)
}

/**
 * Finds the run of a command that `--resume` names: by file, by ID, or `last` for the newest unfinished one on this
 * instance.
 * @param none returns the message if there is no such run
 * @returns undefined if all runs are complete
 * @throws Failure `usage` if there is none, and those of `readRunHistory`
 */
export const findResumable = async (
  place: WorkspaceService,
  { name, command }: { readonly name: string; readonly command: string },
  none: (instance: string) => string,
): Promise<RunHistory | undefined> => {
  if (name !== 'last') {
    return readRunHistory(await resolveJournalFile(place, name))
  }
  const instance = await getInstanceName(place)
  const isOwnRun = (header: Header): boolean =>
    header.command === command && header.instance === instance
  return findUnfinishedRun(place, isOwnRun, () => usage(none(instance)))
}

/** Flags that the line which resumes a run repeats. */
const repeatedFlags = [...reachingFlags, 'tolerate', 'yes', 'confirm'] as const

export type ResumeFlags = Pick<Globals, (typeof repeatedFlags)[number] | 'journal' | 'resume'>

/** Builds the line that resumes a run, quoted for a shell, without the program's name. */
export const buildResumeLine = (command: string, globals: ResumeFlags): string =>
  [
    command,
    ...repeatedFlags.flatMap((name) => toFlagWords(name, globals[name])).map(quoteWord),
    '--resume',
    quoteWord(globals.journal ?? globals.resume ?? 'last'),
  ].join(' ')

/** Returns the journal of a run and the line that resumes it, for the note at the end; undefined without a journal. */
export const getJournalPlace = (
  journal: Journal | undefined,
  command: string,
  globals: ResumeFlags,
): JournalPlace | undefined =>
  journal === undefined
    ? undefined
    : { file: journal.file, resumeLine: buildResumeLine(command, globals) }
