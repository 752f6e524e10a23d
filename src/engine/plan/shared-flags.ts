/** Flags of commands that have the name of one of everybody's: whose a text is. */
import { lists } from '../command/derive/index.js'
import { repeatFlags, sortFlags } from '../command/globals.js'
import { ownOrders } from '../command/list-flags.js'
import type { Command, Flag } from '../command/types.js'
import type { Raw } from './line.js'

const shared = new Set([...repeatFlags, ...sortFlags].map(({ name }) => name))

/** The own flags of a command that share their name. */
const sharedBy = ({ flags }: Command): readonly Flag[] =>
  flags.filter(({ name }) => shared.has(name))

const orders = new Set(sortFlags.map(({ name }) => name))

/** Whether a text is a value of the API's own parameter. */
const isOwn = (command: Command, flag: Flag, text: string): boolean =>
  !(orders.has(flag.name) && lists(command)) || ownOrders(flag).includes(text)

/** The line with those texts of the shared flags alone that are wanted. */
const only = (command: Command, raw: Raw, own: boolean): Raw => {
  const found = sharedBy(command).filter(({ name }) => raw.flags.has(name))
  if (found.length === 0) return raw
  const flags = new Map(raw.flags)
  for (const flag of found) {
    const texts = raw.flags.get(flag.name)?.filter((text) => isOwn(command, flag, text) === own)
    if (texts === undefined || texts.length === 0) flags.delete(flag.name)
    else flags.set(flag.name, texts)
  }
  return { ...raw, flags }
}

/** The line as the flags that everybody has are read: without what is a command's own. */
export const everybodys = (command: Command, raw: Raw): Raw => only(command, raw, false)

/** The line as a command's own flags are read: `--sort asc` is the API's, `--sort name` is not. */
export const commandsOwn = (command: Command, raw: Raw): Raw => only(command, raw, true)
