/** Creates the failures for mistakes on the command line, with hints about what was probably meant. */
import { getExtensionFault } from '../../catalogue/index.js'
import { getInnerParams, takesPairs } from '../../catalogue/params.js'
import { getWordsBeforeDashes } from '../../engine/command/tokens.js'
import type { Flag } from '../../engine/command/types.js'
import { isWord } from '../../engine/plan/line.js'
import { type Failure, usage } from '../../errors.js'

/** An area or group with its verbs, for messages. */
export interface VerbList {
  /** Its name: `geo`, `geo nodes`. */
  readonly called: string
  readonly verbs: readonly string[]
}

/** Returns the name of a long flag with a single dash, as other tools write it: `-limit`, `-limit=3`. */
export const findSingleDash = (token: string): string | undefined =>
  /^-([a-z][a-z-]{2,})(?:=|$)/.exec(token)?.[1]

/** Creates the failure for a long flag with a single dash. */
export const createSingleDashFailure = (name: string): Failure =>
  usage(`unknown option '-${name}'`, `Write --${name}, with two dashes.`)

/**
 * Returns Commander's message without its suggestion. The text after `=` is removed, because it may be a secret for
 * another flag. Commander takes `-var` for `-v -ar`, and complains about the rest: the whole word is named instead.
 */
const getComplaint = (message: string, tokens: readonly string[]): string => {
  const text = (message.split('\n(')[0] ?? '').replace(/(unknown option '-[^'=]*)=.*'/s, "$1'")
  const [, rest] = /^unknown option '-([^-'][^']*)'$/.exec(text) ?? []
  if (rest === undefined) return text
  const typed = tokens
    .map((token) => token.split('=')[0] ?? '')
    .find((token) => /^-[^-]/.test(token) && token.endsWith(rest))
  return typed === undefined ? text : `unknown option '${typed}'`
}

/** Creates the failure for a first word that is neither an area nor a command. */
export const createUnknownAreaFailure = (word: string): Failure =>
  usage(
    `unknown command "${word}"`,
    getExtensionFault() ?? 'Run "svcctl --help" for a list of commands.',
  )

/** Creates the failure for a word that is no verb of its area or group. */
export const createUnknownVerbFailure = ({ called, verbs }: VerbList, word: string): Failure =>
  usage(
    `${called} has no verb "${word}"; it has ${verbs.join(', ')}`,
    getExtensionFault() ?? `Run "svcctl ${called} --help".`,
  )

/** Creates the failure for flags after an area without a verb. */
export const createMissingVerbFailure = (
  { called, verbs }: VerbList,
  tokens: readonly string[],
): Failure => {
  const first = tokens.find((token) => token.startsWith('-')) ?? ''
  return usage(
    `"${called}" needs a verb before ${first.replace(/=.*/s, '')}: ${verbs.join(', ')}`,
    `Run "svcctl ${called} --help".`,
  )
}

/** Creates the failure for a line that has flags and no command. */
export const createMissingCommandFailure = (): Failure =>
  usage('unknown command', 'Run "svcctl --help" for a list of commands.')

/** Creates the failure for a line whose command follows `--`. */
export const createDashedCommandFailure = (): Failure =>
  usage('-- stands before the command', 'Put the words of the command before --.')

/**
 * Creates the failure for a flag that must stand after the command.
 * @param among the words around it
 */
export const createMisplacedFlagFailure = (among: readonly string[], message: string): Failure =>
  usage(
    getComplaint(message, among),
    among.some(isWord)
      ? 'Put flags after the command. "svcctl help flags" lists the flags that can stand anywhere.'
      : 'Run "svcctl --help" for a list of commands, or "svcctl help flags" for their common flags.',
  )

/** Creates the failure for a flag that stands before a command that does not take it. */
export const createUnknownOptionFailure = (called: string, flag: string): Failure =>
  usage(`unknown option '--${flag}'`, `Run "svcctl ${called} --help".`)

/**
 * Refuses a flag of the form `KEY=FILE` that is typed as two words: `--report junit lint.xml`. The second word would be
 * an argument, and so the name of a file to read.
 * @param tokens the command's part of the line
 * @throws Failure `usage` with the corrected words
 */
export const checkPairs = (flags: readonly Flag[], tokens: readonly string[]): void => {
  const words = getWordsBeforeDashes(tokens)
  const meant = words.flatMap((word, i) => {
    const [name = '', ...rest] = word.split('=')
    const flag = flags.find((one) => takesPairs(one.param) && `--${one.name}` === name)
    const [key = '', value = ''] =
      rest.length > 0 ? [rest.join('='), words[i + 1]] : words.slice(i + 1)
    if (flag === undefined || !Object.hasOwn(getInnerParams(flag.param) ?? {}, key)) return []
    return `${name} ${key}=${isWord(value) && value !== '' ? value : 'FILE'}`
  })
  if (meant.length === 0) return
  const [flag = ''] = meant[0]?.split(' ') ?? []
  throw usage(
    `${flag} takes one word, KIND=FILE`,
    `Write ${meant.join(' ')}. The file after = is written, not read.`,
  )
}

/**
 * Creates the failure for wrong flags or arguments of a command.
 * @param tokens the command's part of the line
 */
export const createInvalidUseFailure = (
  called: string,
  tokens: readonly string[],
  message: string,
): Failure => {
  // Commander treats a negative number as an argument, but `-1h` as an unknown option.
  const [, negative] = /^unknown option '(-\d[^']*)'/.exec(message) ?? []
  const hint =
    negative === undefined
      ? `Run "svcctl ${called} --help".`
      : `Put a value that starts with a dash after "--": … -- ${negative}`
  return usage(
    getComplaint(message, tokens).replace(/^(too many arguments) for '[^']*'/, '$1'),
    hint,
  )
}
