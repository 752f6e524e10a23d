/** Expands aliases. They are read only if the first word of a line is no command. */
import { quoteWord, splitCommand } from '../../base/shell-words.js'
import { formatCount } from '../../base/text.js'
import { findArea } from '../../catalogue/index.js'
import { isSwitch } from '../../catalogue/params.js'
import { toolCommands } from '../../commands/index.js'
import { hiddenScopes } from '../../engine/command/flags.js'
import { flagSets } from '../../engine/command/global-flags.js'
import { getWordsBeforeDashes } from '../../engine/command/tokens.js'
import { choiceFlags } from '../../engine/exclusions.js'
import { Failure, usage } from '../../errors.js'
import { findAlias, readAliases } from '../../profile/store.js'
import type { Environment } from '../../profile/types.js'

const isCommand = (word: string): boolean =>
  findArea(word) !== undefined || toolCommands.some(({ area }) => area === word)

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

const globalFlags = [...Object.values(flagSets).flat(), ...hiddenScopes]

const findGlobalFlag = (token: string) => {
  const [name = ''] = token.split('=')
  return globalFlags.find(({ name: long, short }) => name === `--${long}` || name === `-${short}`)
}

/** Returns the number of tokens of a flag with its value; undefined for a flag that only the command knows. */
const countTokens = (token: string): number | undefined => {
  const flag = findGlobalFlag(token)
  if (flag === undefined)
    return globalFlags.some(({ short }) => short !== undefined && token.startsWith(`-${short}`))
      ? 1
      : undefined
  return token.includes('=') || isSwitch(flag.param) || flag.optionalValue === true ? 1 : 2
}

/**
 * Splits the arguments of a line from its flags. No argument follows a flag of the command alone: it may be its value. Everything behind `--`
 * is an argument.
 */
const splitArguments = (line: readonly string[]) => {
  const end = line.indexOf('--')
  const tokens = end < 0 ? line : line.slice(0, end)
  const behind = end < 0 ? [] : line.slice(end + 1)
  const args: string[] = []
  const flags: string[] = []
  for (let i = 0; i < tokens.length; ) {
    const token = tokens[i] ?? ''
    const count = token.startsWith('-') ? countTokens(token) : 1
    if (count === undefined)
      return { args: [...args, ...behind], flags: [...flags, ...tokens.slice(i)], behind }
    if (token.startsWith('-')) flags.push(...tokens.slice(i, i + count))
    else args.push(token)
    i += count
  }
  return { args: [...args, ...behind], flags, behind }
}

/**
 * Removes the places that no argument fills, with their flags. If the first place is the whole value of its flag, that flag becomes the last
 * word, so that the value follows.
 */
const removeOpenPlaces = (words: readonly string[], count: number): readonly string[] => {
  const isOpen = (word = ''): boolean =>
    [...word.matchAll(placeholderPattern)].some(([, place]) => Number(place) > count)
  const isFlagOfOpen = (i: number): boolean =>
    words[i]?.startsWith('-') === true && isOpen(words[i + 1])
  const first = words.indexOf(`$${count + 1}`)
  return [
    ...words.filter((word, i) => !isOpen(word) && !isFlagOfOpen(i)),
    ...(isFlagOfOpen(first - 1) ? words.slice(first - 1, first) : []),
  ]
}

/** Finds the global flag of a word, which may also contain its value or turn it off. */
const findFlagName = (word: string): string | undefined => {
  const forms = [word, word.replace(/^--no-/, '--'), /^-\w/.test(word) ? word.slice(0, 2) : word]
  return forms.map(findGlobalFlag).find((flag) => flag !== undefined)?.name
}

/**
 * Removes the flags of an alias that typed flags replace. A typed flag after the alias is later in the line and wins or adds to the alias,
 * unless a line can have only one value of it.
 */
const removeReplaced = (
  words: readonly string[],
  before: readonly string[],
  after: readonly string[],
): readonly string[] => {
  const later = getWordsBeforeDashes(after).map(findFlagName)
  const typed = new Set([
    ...before.map(findFlagName),
    ...later.filter((name) => name !== undefined && choiceFlags.has(name)),
  ])
  const kept: string[] = []
  for (let i = 0; i < words.length; ) {
    const word = words[i] ?? ''
    const count = word.startsWith('-') ? (countTokens(word) ?? 1) : 1
    const flag = words.slice(i, i + count)
    const hasPlace = flag.some((one) => one.search(placeholderPattern) >= 0)
    const name = findFlagName(word)
    if (name === undefined || !typed.has(name) || hasPlace) kept.push(...flag)
    i += count
  }
  return kept
}

/** True if the next word of a line can be the value of a word: a flag that is no switch and has no value yet. */
const takesNext = (word: string): boolean =>
  word.startsWith('--') && !word.includes('=') && countTokens(word) !== 1

/** Separates arguments that begin with a dash, which must stand behind `--`. The value of a flag is joined to it instead. */
const separateDashed = (words: readonly string[], isDashed: (word: string) => boolean) => {
  const line: string[] = []
  const dashed: string[] = []
  for (const word of words) {
    const before = line.at(-1) ?? ''
    if (!isDashed(word)) line.push(word)
    else if (takesNext(before)) line.splice(-1, 1, `${before}=${word}`)
    else dashed.push(word)
  }
  return { line, dashed }
}

/**
 * Fills the placeholders of an alias with the arguments of a line, and appends the other arguments.
 * @param isPartial true for a line that asks for help or is still typed, which may lack arguments
 * @throws Failure `usage` if an argument is missing
 */
const fillAlias = (
  name: string,
  words: readonly string[],
  tokens: readonly string[],
  isPartial: boolean,
): readonly string[] => {
  const used = words.flatMap((word) =>
    [...word.matchAll(placeholderPattern)].map(([, place]) => place),
  )
  if (used.length === 0) return [...words, ...tokens]
  const needed = Math.max(0, ...used.map((place) => (place === '@' ? 0 : Number(place))))
  const { args, flags, behind } = splitArguments(tokens)
  if (args.length < needed && !isPartial)
    throw usage(
      `the alias ${name} needs ${formatCount(needed, 'argument')}`,
      `It stands for: ${words.map(quoteWord).join(' ')}`,
    )
  const others = args.slice(needed)
  const filled = removeOpenPlaces(words, args.length).flatMap((word) =>
    word === '$@'
      ? others
      : [
          word.replace(placeholderPattern, (_, place: string) =>
            place === '@' ? others.join(' ') : (args[Number(place) - 1] ?? ''),
          ),
        ],
  )
  const { line, dashed } = separateDashed(
    [...filled, ...(used.includes('@') ? [] : others)],
    (word) => word.startsWith('-') && behind.includes(word),
  )
  return [...line, ...flags, ...(dashed.length === 0 ? [] : ['--', ...dashed])]
}

const asksForHelp = (tokens: readonly string[]): boolean =>
  tokens[0] === 'help' || tokens.some((token) => token === '--help' || token === '-h')

/**
 * Expands the alias at a position of the line; returns undefined if there is no such alias.
 * @param isTyping true for a line that is completed
 */
export const expandAlias = (
  tokens: readonly string[],
  at: number,
  env: Environment,
  isTyping = false,
): readonly string[] | undefined => {
  const words = splitAlias(tokens[at] ?? '', env)
  if (words === undefined) return undefined
  const isPartial = isTyping || asksForHelp(tokens)
  const [before, after] = [tokens.slice(0, at), tokens.slice(at + 1)]
  const kept = removeReplaced(words, before, after)
  return [...before, ...fillAlias(tokens[at] ?? '', kept, after, isPartial)]
}

/** Returns the aliases by name, without those that a command hides; none if they cannot be read. */
export const listAliases = (env: Environment): Readonly<Record<string, string>> => {
  try {
    const all = Object.entries(readAliases(env))
    return Object.fromEntries(all.filter(([name]) => !isCommand(name)))
  } catch (error) {
    if (error instanceof Failure) return {}
    throw error
  }
}
