/** Expands aliases, which are looked up only if the first word is no command. */
import { splitCommand } from '../../base/shell-words.js'
import { areas } from '../../catalogue/index.js'
import { toolCommands } from '../../commands/index.js'
import { Failure, usage } from '../../errors.js'
import { findAlias, readAliases } from '../../profile/store.js'
import type { Environment } from '../../profile/types.js'

const isCommand = (word: string): boolean =>
  areas.some(({ name, alias }) => name === word || alias === word) ||
  toolCommands.some(({ area }) => area === word)

/**
 * Splits the words that an alias stands for; undefined where there is none of that name.
 * @throws Failure `usage` for one that does not stand for a command
 */
const splitAlias = (name: string, env: Environment): readonly string[] | undefined => {
  const line = findAlias(env, name)
  if (line === undefined) return undefined
  const words = splitCommand(line)
  const [first = ''] = words
  if (isCommand(first)) return words
  throw usage(
    `the alias ${name} begins with "${first}", which is not a command`,
    `Set it again: svcctl alias set ${name} '<area> <verb> …'`,
  )
}

/** Expands the alias at a position of the line; undefined if there is none of that name. */
export const expandAlias = (
  tokens: readonly string[],
  at: number,
  env: Environment,
): readonly string[] | undefined => {
  const words = splitAlias(tokens[at] ?? '', env)
  return words === undefined
    ? undefined
    : [...tokens.slice(0, at), ...words, ...tokens.slice(at + 1)]
}

/** Returns the aliases; none if they cannot be read. */
export const listAliases = (env: Environment): Readonly<Record<string, string>> => {
  try {
    return readAliases(env)
  } catch (error) {
    if (error instanceof Failure) return {}
    throw error
  }
}
