/** Creates, finds and resumes the journals of runs, and builds the line that resumes one. */

import { resolvePath } from '../../base/io.js'
import { quoteWord } from '../../base/shell-words.js'
import { exitCodes } from '../../errors.js'
import { createWaitOptions, getRunFolder } from '../../profile/index.js'
import type { Context, UiService, WorkspaceService } from '../command/context.js'
import { type Globals, reachingFlags, toFlagWords } from '../command/globals.js'
import type { RunOrigin } from '../command/types.js'
import { checkIdentity } from '../journal/author.js'
import { beginRun, moveToLastPlace, pruneJournals } from '../journal/begin-run.js'
import { listRunNames } from '../journal/folder.js'
import type { Header } from '../journal/lines.js'
import { isDone, type ResumeStep, type RunHistory } from '../journal/reader.js'
import { type Journal, resumeJournal } from '../journal/writer.js'
import type { Raw } from '../plan/line.js'
import type { Item } from '../work/report.js'
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

/** The services of a line that begin a run. */
interface RunServices {
  readonly place: Pick<WorkspaceService, 'clock' | 'cwd' | 'env'>
  readonly ui: Pick<UiService, 'note'>
}

/**
 * Creates the journal of a run: the named file, or a new file in the folder of runs, where it removes the oldest.
 * @param named the value of `--journal`
 * @throws Failure `usage` if it cannot be created, `conflict` if another process has locked it
 */
export const createRunJournal = async (
  services: RunServices,
  named: string | undefined,
  header: Header,
): Promise<Journal> => {
  const { clock, cwd, env } = services.place
  const folder = getRunFolder(env)
  const journal = await beginRun(
    folder,
    header,
    { ...createWaitOptions(services), clock: clock.timers },
    named && resolvePath(named, cwd),
  )
  if (named === undefined) await pruneJournals(folder, clock.now().getTime()).catch(() => [])
  return journal
}

/**
 * Resumes a journal and makes it the last run.
 * @throws Failure `usage` if it cannot be read, `conflict` if another process has locked it
 */
const resumeRunJournal = async (
  { place, ui }: Pick<Context, 'place' | 'ui'>,
  file: string,
): Promise<{ readonly journal: Journal; readonly past: RunHistory }> => {
  const taken = await resumeJournal(file, place.clock.timers)
  const { profile } = await place.session()
  const author = { instance: await getInstanceName(place), profile: profile?.name ?? null }
  // If the reference cannot be written, the run keeps its earlier position.
  const waiting = createWaitOptions({ ui, place })
  await moveToLastPlace(getRunFolder(place.env), taken.journal, author, waiting).catch(() => {})
  return taken
}

/** True if no run began after this one, so that `last` names it. */
export const isLastRun = async (
  { env }: Pick<WorkspaceService, 'env'>,
  { id }: Header,
): Promise<boolean> => {
  const names = await listRunNames(getRunFolder(env)).catch(() => [])
  return names.find(({ seq }) => seq !== undefined)?.id === id
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
 * Resumes a run that has been found: compares who began it, and confirms it if that cannot be compared.
 * @param prepare checks the run and reads what belongs to it, before its journal is opened
 * @returns undefined if nothing is left to do
 * @throws Failure `usage` for a run of another instance or user; `conflict` if another process runs it
 */
export const reopenRun = async <T>(
  { answer, place, ui }: Pick<Context, 'answer' | 'place' | 'ui'>,
  before: RunHistory,
  origin: RunOrigin,
  prepare: (before: RunHistory) => Promise<T>,
): Promise<
  { readonly journal: Journal; readonly past: RunHistory; readonly prepared: T } | undefined
> => {
  const doubt = checkIdentity(before.header, origin)
  if (isDone(before)) return undefined
  reportGap({ answer, ui }, before)
  const prepared = await prepare(before)
  if (doubt !== undefined) await ui.confirm(`${doubt}.`, [before.file])
  return { ...(await resumeRunJournal({ place, ui }, before.file)), prepared }
}

/** Flags that the line which resumes a run repeats. */
const repeatedFlags = [...reachingFlags, 'tolerate', 'yes', 'confirm'] as const

export type ResumeFlags = Pick<Globals, (typeof repeatedFlags)[number] | 'journal' | 'resume'>

/**
 * Builds the line that resumes a run, quoted for a shell, without the program's name.
 * @param name names the run if no flag does; `last` may be another run if one began since
 */
export const buildResumeLine = (command: string, globals: ResumeFlags, name = 'last'): string =>
  [
    command,
    ...repeatedFlags.flatMap((name) => toFlagWords(name, globals[name])).map(quoteWord),
    '--resume',
    quoteWord(globals.journal ?? globals.resume ?? name),
  ].join(' ')
