/** Decides where the objects of a line come from: arguments, standard input, a journal or `--select`. */

import type { StandardInput } from '../../base/standard-input.js'
import { type Failure, usage } from '../../errors.js'
import type { Context } from '../command/context.js'
import {
  canCommandStream,
  canListRecords,
  getSelectList,
  hasOwnNames,
  hasScopeEndpoint,
} from '../command/derive.js'
import { type Globals, isRepeated } from '../command/globals.js'
import { toOwnCommand } from '../command/load-words.js'
import type { Command, Given, ObjectStream } from '../command/types.js'
import type { JournalOptions } from '../journaling/runs.js'
import type { ShardFilter } from '../journaling/shards.js'
import { isFromStdin } from '../plan/given.js'
import type { Raw } from '../plan/line.js'
import type { Parents, ParentTarget } from '../plan/parents.js'
import type { RowFields } from '../plan/stdin/row-fields.js'
import type { Rows } from '../rows.js'

// The list of `--select`, and flags that require it.

export const createIdConflict = (): Failure =>
  usage('--select cannot be combined with IDs', 'Remove the IDs or --select.')

/** @throws Failure `usage` for a flag that requires `--select` */
export const checkSelection = (
  command: Command,
  { select, limit, allProjects, recursive }: Globals,
): void => {
  const fact = getSelectList(command)
  if (select !== undefined || fact === undefined) return
  if (limit !== undefined && !canListRecords(command)) throw usage('--limit requires --select')
  if (fact.spread === true && (allProjects || recursive === true))
    throw usage(`--${allProjects ? 'all-projects' : 'recursive'} requires --select`)
}

/** Finds the list of a verb's objects; undefined if there is none. It understands the names that the verb does. */
export const findSelectionList = async (command: Command): Promise<Command | undefined> => {
  const [area, ...words] = getSelectList(command)?.list.split(' ') ?? []
  const found = area === undefined ? undefined : await command.registry.find(area, words.join(' '))
  const { known } = command
  const list =
    found === undefined || known === undefined
      ? found
      : (await import('../command/known.js')).extendCommand(found, known)
  if (list === undefined || !hasOwnNames(command)) return list
  return toOwnCommand({ ...list, loadWords: async () => command.naming })
}

/** The parts of a line that name its objects. */
export interface ObjectsLine {
  readonly command: Command
  readonly raw: Raw
  readonly globals: Globals
  readonly parents: Parents | undefined
  /** The parents that standard input names together with their objects. */
  readonly targets?: readonly ParentTarget[]
  readonly journaling: JournalOptions
  readonly input: StandardInput
  readonly running: {
    readonly context: Pick<Context, 'answer' | 'place' | 'ui'>
    readonly endEmptyShard: () => Rows
  }
  /** True if the objects come from a journal, and then from standard input if the line is given it again. */
  readonly streamed?: boolean
}

/** The objects, parents and rows that a line reads from standard input. */
export interface LineInput extends Partial<Pick<ObjectsLine, 'parents' | 'raw' | 'targets'>> {
  /** The objects, which are processed as they arrive. */
  readonly objects?: ObjectStream | undefined
  /** The reader of the attributes in the rows of the input (`--row-fields`). */
  readonly rowFields?: RowFields | undefined
}

/** True if objects can be processed while more are still being read from standard input or by `--select`. */
export const canStreamObjects = ({
  command,
  globals,
  parents,
}: Pick<ObjectsLine, 'command' | 'globals' | 'parents'>): boolean =>
  parents === undefined &&
  !isRepeated(globals) &&
  canCommandStream(command) &&
  command.args[0]?.variadic === true &&
  !globals.curl

/** Returns the command whose scopes say which parents a line can have: the verb, or the list that it selects from. */
export const findScopeCommand = async (command: Command, { select }: Globals): Promise<Command> => {
  const own =
    select === undefined ||
    hasScopeEndpoint(command, 'project') ||
    hasScopeEndpoint(command, 'group')
  return own ? command : ((await findSelectionList(command)) ?? command)
}

/** Limits the objects of a line to those in the run's shard. Returns undefined if the shard has none. */
export const narrowToShard = async (
  { command, globals, journaling }: ObjectsLine,
  given: Given,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly given: Given; readonly narrow?: ShardFilter } | undefined> => {
  const text = globals.shard ?? journaling.resumed?.past.header.shard
  if (text === undefined) return { given }
  const several = journaling.parents !== undefined && given.stream === undefined
  const { applyShard, parseShard } = await import('../journaling/shards.js')
  const part = applyShard(command, given, parseShard(text, env), several)
  if (part.narrow !== undefined || part.given.args.length > 0 || part.given.stream !== undefined)
    return part
  return undefined
}

/** True if a line reads its objects, or their attributes, from standard input or from a journal. */
export const readsInput = ({ raw, streamed }: ObjectsLine): boolean =>
  streamed === true || isFromStdin(raw) || raw.flags.has('row-fields')
