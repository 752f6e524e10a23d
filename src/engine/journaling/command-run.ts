/** Resumes the runs of commands that carry out their objects in a way of their own (`carryOut`), such as `apply`. */
import { type Failure, usage } from '../../errors.js'
import { getRunFolder } from '../../profile/index.js'
import type { Context, WorkspaceService } from '../command/context.js'
import { findLastOpen, resolveJournalFile } from '../journal/folder.js'
import type { Header } from '../journal/lines.js'
import { type RunHistory, readRunHistory } from '../journal/reader.js'
import { getInstanceName } from '../workspace/sandbox.js'
import { reopenRun } from './runs.js'

/** The run of a command that `--resume` names. */
interface NamedRun {
  readonly name: string
  readonly command: string
  /** Returns the message if there is no such run. */
  readonly none: (instance: string) => string
}

/**
 * Finds the run that `--resume` names: by file, by ID, or `last` for the newest unfinished one on this instance.
 * @returns undefined if all runs are complete
 */
const findRun = async (
  place: WorkspaceService,
  { name, command, none }: NamedRun,
): Promise<RunHistory | undefined> => {
  if (name !== 'last') return readRunHistory(await resolveJournalFile(place, name))
  const instance = await getInstanceName(place)
  const isOwnRun = (header: Header): boolean =>
    header.command === command && header.instance === instance
  const createNoneFailure = (): Failure => usage(none(instance))
  return findLastOpen(getRunFolder(place.env), isOwnRun, createNoneFailure)
}

/**
 * Resumes a run of a command.
 * @param prepare checks the run and reads what belongs to it, before its journal is opened
 * @returns undefined if all of its objects are done
 * @throws Failure `usage` if there is no such run, or for a run of another command; those of `reopenRun`
 */
export const resumeCommandRun = async <T>(
  context: Pick<Context, 'answer' | 'place' | 'ui'>,
  named: NamedRun,
  prepare: (before: RunHistory) => Promise<T>,
): ReturnType<typeof reopenRun<T>> => {
  const { place } = context
  const { command } = named
  const before = await findRun(place, named)
  if (before === undefined) return undefined
  const { header } = before
  if (header.command !== command)
    throw usage(
      `the run ${header.id} belongs to "svcctl ${header.command}", not to "svcctl ${command}"`,
    )
  return reopenRun(context, before, await place.getOrigin(), prepare)
}
