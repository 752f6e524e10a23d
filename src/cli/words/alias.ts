/** Expands aliases. They are read only if the first word of a line is no command. */
import { quoteWord, splitCommand } from '../../base/shell-words.js'
import { listAreas } from '../../catalogue/index.js'
import { toolCommands } from '../../commands/index.js'
import { Failure, usage } from '../../errors.js'
import { findAlias, readAliases } from '../../profile/store.js'
import type { Environment } from '../../profile/types.js'

const isCommand = (word: string): boolean =>
  listAreas().some(({ name, alias }) => name === word || alias === word) ||
  toolCommands.some(({ area }) => area === word)

/**
 * Returns the words that an alias stands for; undefined if there is no such alias.
 * @throws Failure `usage` if the alias does not begin with a command
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

/** Matches the placeholders for arguments in an alias. */
const placeholderPattern = /\$([1-9@])/g

/**
 * Fills the placeholders of an alias with the arguments of a line, and appends the other arguments.
 * @throws Failure `usage` if an argument is missing
 */
const fillAlias = (
  name: string,
  words: readonly string[],
  args: readonly string[],
): readonly string[] => {
  const used = words.flatMap((word) =>
    [...word.matchAll(placeholderPattern)].map(([, place]) => place),
  )
  if (used.length === 0) return [...words, ...args]
  const needed = Math.max(0, ...used.map((place) => (place === '@' ? 0 : Number(place))))
  const flags = args.findIndex((arg) => arg.startsWith('-'))
  const given = flags < 0 ? args : args.slice(0, flags)
  if (given.length < needed)
    throw usage(
      `the alias ${name} needs ${needed} argument${needed === 1 ? '' : 's'}`,
      `It stands for: ${words.map(quoteWord).join(' ')}`,
    )
  const others = given.slice(needed)
  const filled = words.flatMap((word) =>
    word === '$@'
      ? others
      : [
          word.replace(placeholderPattern, (_, place: string) =>
            place === '@' ? others.join(' ') : (given[Number(place) - 1] ?? ''),
          ),
        ],
  )
  return [...filled, ...(used.includes('@') ? [] : others), ...args.slice(given.length)]
}

/** Expands the alias at a position of the line; returns undefined if there is no such alias. */
export const expandAlias = (
  tokens: readonly string[],
  at: number,
  env: Environment,
): readonly string[] | undefined => {
  const words = splitAlias(tokens[at] ?? '', env)
  if (words === undefined) return undefined
  return [...tokens.slice(0, at), ...fillAlias(tokens[at] ?? '', words, tokens.slice(at + 1))]
}

/** Returns all aliases by name; none if they cannot be read. */
export const listAliases = (env: Environment): Readonly<Record<string, string>> => {
  try {
    return readAliases(env)
  } catch (error) {
    if (error instanceof Failure) return {}
    throw error
  }
}
