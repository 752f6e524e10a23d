/** Resumes the runs of commands that carry out their objects in a way of their own (`carryOut`), such as `apply`. */
import { usage } from '../../errors.js'
import type { Context } from '../command/context.js'
import { checkIdentity } from '../journal/folder.js'
import { isDone, type RunHistory } from '../journal/reader.js'
import type { Journal } from '../journal/writer.js'
import { findResumable, reportGap, resumeRunJournal } from './runs.js'

/** The run of a command that `--resume` names. */
interface NamedRun {
  readonly name: string
  readonly command: string
  /** Returns the message if there is no such run. */
  readonly none: (instance: string) => string
}

/**
 * Resumes a run of a command.
 * @param prepare checks the run and reads what belongs to it, before its journal is opened
 * @returns undefined if all of its objects are done
 * @throws Failure `usage` for a run of another command, instance or user; `conflict` if another process runs it
 */
export const resumeCommandRun = async <T>(
  { answer, place, ui }: Pick<Context, 'answer' | 'place' | 'ui'>,
  { name, command, none }: NamedRun,
  prepare: (before: RunHistory) => Promise<T>,
): Promise<
  { readonly journal: Journal; readonly past: RunHistory; readonly prepared: T } | undefined
> => {
  const before = await findResumable(place, { name, command }, none)
  if (before === undefined) return undefined
  const { header, file } = before
  if (header.command !== command)
    throw usage(
      `the run ${header.id} belongs to "svcctl ${header.command}", not to "svcctl ${command}"`,
    )
  const doubt = checkIdentity(header, await place.getOrigin())
  if (isDone(before)) return undefined
  reportGap({ answer, ui }, before)
  const prepared = await prepare(before)
  if (doubt !== undefined) await ui.confirm(`${doubt}.`, [file])
  return { ...(await resumeRunJournal(place, file)), prepared }
}
