/** Words the errors of a command line, with what was probably meant. */
import { getInnerParams, takesPairs } from '../../catalogue/params.js'
import type { Flag } from '../../engine/command/types.js'
import { getWordsBeforeDashes } from '../../engine/command/words.js'
import { isWord } from '../../engine/plan/line.js'
import { type Failure, usage } from '../../errors.js'

/** An area or group as messages call it, and its verbs. */
export interface Verbs {
  /** Its words: `geo`, `geo nodes`. */
  readonly called: string
  readonly verbs: readonly string[]
}

/** Returns a complaint without its suggestion. The text after `=` may be a secret that was meant for another flag. */
const getComplaint = (message: string): string =>
  (message.split('\n(')[0] ?? '').replace(/(unknown option '-[^'=]*)=.*'/s, "$1'")

/** Creates the failure for a first word that is no area and no command. */
export const createUnknownAreaFailure = (word: string): Failure =>
  usage(`unknown command "${word}"`, 'Run "svcctl --help" for a list of commands.')

/** A word is no verb of its area or group. */
export const createUnknownVerbFailure = ({ called, verbs }: Verbs, word: string): Failure =>
  usage(
    `${called} has no verb "${word}"; it has ${verbs.join(', ')}`,
    `Run "svcctl ${called} --help".`,
  )

/** Creates the failure for flags after an area with no verb before them. */
export const createMissingVerbFailure = (
  { called, verbs }: Verbs,
  tokens: readonly string[],
): Failure => {
  const first = tokens.find((token) => token.startsWith('-')) ?? ''
  return usage(
    `"${called}" needs a verb before ${first.replace(/=.*/s, '')}: ${verbs.join(', ')}`,
    `Run "svcctl ${called} --help".`,
  )
}

/** Creates the failure for a line with flags and no command. */
export const createMissingCommandFailure = (): Failure =>
  usage('unknown command', 'Run "svcctl --help" for a list of commands.')

/**
 * Creates the failure for a flag that stands before the command and cannot stand there.
 * @param among the words around it
 */
export const createMisplacedFlagFailure = (among: readonly string[], message: string): Failure =>
  usage(
    getComplaint(message),
    among.some(isWord)
      ? 'Put flags after the command. "svcctl help flags" lists the flags that can stand anywhere.'
      : 'Run "svcctl --help" for a list of commands, or "svcctl help flags" for their common flags.',
  )

/** Creates the failure for a flag that stands before a command that does not take it. */
export const createUnknownOptionFailure = (called: string, flag: string): Failure =>
  usage(`unknown option '--${flag}'`, `Run "svcctl ${called} --help".`)

/**
 * Refuses the form of two words of flags that take a key and its value in one: `--report junit lint.xml`. The second word
 * would be an argument, and so the name of a file that is read.
 * @param tokens a command's part of the line
 * @throws Failure `usage` with the line's own words in the form of one
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
 * The flags or arguments of a command are wrong.
 * @param tokens its part of the line
 */
export const createInvalidUseFailure = (
  called: string,
  tokens: readonly string[],
  message: string,
): Failure => {
  // A number is an argument to Commander, whatever its sign; `-1h` is an unknown option.
  const negative = tokens.find((token) => /^-\d/.test(token))
  const hint =
    negative !== undefined && message.startsWith('unknown option')
      ? `Put a value that starts with a dash after "--": … -- ${negative}`
      : `Run "svcctl ${called} --help".`
  return usage(getComplaint(message).replace(/^(too many arguments) for '[^']*'/, '$1'), hint)
}
