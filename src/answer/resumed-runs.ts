/** Resumes the shards of a run (`--resume`, given several times), one after the other, with one answer. */

import type { Io } from '../base/io.js'
import { getCommandName } from '../engine/command/derive.js'
import { createExclusion } from '../engine/exclusions.js'
import { resolveJournalFile } from '../engine/journal/folder.js'
import { type RunHistory, readRunHistory } from '../engine/journal/reader.js'
import { checkShards, findMainPart, isEmptyShard } from '../engine/journaling/sharded-run.js'
import { usage } from '../errors.js'
import { chooseSharedFormat, type LineRunner, openSharedRun } from './instances.js'
import type { AskedLine } from './options.js'
import type { LineSite } from './sites.js'

const advice = 'Resume one run after the other.'

/** @throws Failure `usage` for commands and flags that belong to a single run */
const checkLine = ({ command, raw }: AskedLine): void => {
  if (command.ownResume === true)
    throw usage(`${getCommandName(command)} resumes a single run, and several are given`, advice)
  if (raw.flags.has('report')) throw createExclusion({ command, raw }, ['resume', 'report'], advice)
}

/** A shard, with its name on the line: a file, or the ID of the run. */
interface NamedShard {
  readonly name: string
  readonly past: RunHistory
}

/**
 * Finds the shards that have objects. A run that is named twice is resumed once.
 * @throws Failure `usage` if the runs are not the shards of one
 */
const findShards = async (names: readonly string[], io: Io): Promise<readonly NamedShard[]> => {
  const files = new Map<string, string>()
  for (const name of names) {
    const file = await resolveJournalFile(io, name)
    files.set(file, files.get(file) ?? name)
  }
  const shards: NamedShard[] = []
  for (const [file, name] of files) shards.push({ name, past: await readRunHistory(file) })
  const [first, ...others] = shards.map(({ past }) => past)
  if (first !== undefined && others.length > 0)
    checkShards([first, ...others], findMainPart([first, ...others]), advice)
  return shards.filter(({ past }) => !isEmptyShard(past))
}

/**
 * Resumes several runs.
 * @returns the exit code
 * @throws Failure `usage` if they are not the shards of one run; nothing is sent then
 */
export const executeResumedRuns = async (
  line: AskedLine,
  names: readonly string[],
  run: LineRunner,
): Promise<number> => {
  const { command, io } = line
  const { env } = io
  const chosen = await chooseSharedFormat(line, env)
  checkLine(line)
  const shards = await findShards(names, io)
  const instances = shards.slice(0, 1).map(({ past }) => ({ address: past.header.instance }))
  const getSource = async () => ({ instances, readAccount: async () => undefined })
  const shared = await openSharedRun({ line, run }, chosen, { env, getSource, column: 'run' })
  if (shards.length === 0) shared.notes.note('nothing is left to do')
  const sites = shards.map(
    ({ name }): LineSite => ({
      name,
      env,
      command,
      toOwnLine: (typed) => ({ ...typed, flags: new Map(typed.flags).set('resume', [name]) }),
    }),
  )
  return shared.run(sites, true)
}
