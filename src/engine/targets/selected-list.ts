/** Which list `--select` of a verb chooses from, and what cannot stand beside it. */

import type { Words } from '../../catalogue/words.js'
import { type Failure, usage } from '../../errors.js'
import { getSelects, lists } from '../command/derive/index.js'
import type { Globals } from '../command/globals.js'
import type { Command } from '../command/types.js'

export const besideIds = (): Failure =>
  usage('--select cannot be combined with IDs', 'Remove the IDs or --select.')

/** @throws Failure `usage` for a flag that only says something of a selection */
export const checkSelection = (
  command: Command,
  { select, limit, allProjects, recursive }: Globals,
): void => {
  const fact = getSelects(command)
  if (select !== undefined || fact === undefined) return
  if (limit !== undefined && !lists(command)) throw usage('--limit requires --select')
  if (fact.spread === true && (allProjects || recursive === true))
    throw usage(`--${allProjects ? 'all-projects' : 'recursive'} requires --select`)
}

/**
 * The list of a verb's objects; undefined where there is none.
 * @param own the instance's words, by which it may be asked for more
 */
export const selectionList = async (
  command: Command,
  own?: Words,
): Promise<Command | undefined> => {
  const [area, ...words] = getSelects(command)?.list.split(' ') ?? []
  const list = area === undefined ? undefined : await command.registry.named(area, words.join(' '))
  if (list === undefined || own === undefined) return list
  const { commandIn } = await import('../own/command.js')
  return commandIn(list, own, [])
}
