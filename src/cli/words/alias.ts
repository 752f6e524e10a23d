/** Expands aliases, which are looked up only if the first word is no command. */
import { quoteWord, splitCommand } from '../../base/shell-words.js'
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

/** The places of arguments in the line of an alias. */
const placeholder = /\$([1-9@])/g

/**
 * Puts the arguments of a line in the places that an alias has for them; all others follow.
 * @throws Failure `usage` where one is missing
 */
const fillAlias = (
  name: string,
  words: readonly string[],
  args: readonly string[],
): readonly string[] => {
  const used = words.flatMap((word) => [...word.matchAll(placeholder)].map(([, place]) => place))
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
          word.replace(placeholder, (_, place: string) =>
            place === '@' ? others.join(' ') : (given[Number(place) - 1] ?? ''),
          ),
        ],
  )
  return [...filled, ...(used.includes('@') ? [] : others), ...args.slice(given.length)]
}

/** Expands the alias at a position of the line; undefined if there is none of that name. */
export const expandAlias = (
  tokens: readonly string[],
  at: number,
  env: Environment,
): readonly string[] | undefined => {
  const words = splitAlias(tokens[at] ?? '', env)
  if (words === undefined) return undefined
  return [...tokens.slice(0, at), ...fillAlias(tokens[at] ?? '', words, tokens.slice(at + 1))]
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
