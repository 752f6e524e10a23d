/** What is wrong with a line, in our words; the library finds it, and suggests what was meant. */
import { meantArea, meantVerb, missingVerb } from '../../commands/synonyms.js'
import type { Flag } from '../../engine/command/types.js'
import { isWord } from '../../engine/plan/line.js'
import { spelled } from '../../engine/plan/spellings.js'
import { type Failure, usage } from '../../errors.js'

/** An area or group as messages call it, and its verbs. */
export interface Verbs {
  /** Its words: `geo`, `geo nodes`. */
  readonly called: string
  readonly verbs: readonly string[]
}

/** What Commander suggests, as a hint. @param said how each of its words is written */
const suggestionIn = (
  message: string,
  said = (word: string): string => word,
): string | undefined => {
  const [, several = '', words] = /\n\(Did you mean (one of )?(.*)\?\)/.exec(message) ?? []
  if (words === undefined) return undefined
  const named = new Set(words.split(', ').map(said))
  return `Did you mean ${named.size > 1 ? several : ''}${[...named].join(', ')}?`
}

/** A complaint without its suggestion. What follows `=` may be a secret that was meant for another flag. */
const complaintIn = (message: string): string =>
  (message.split('\n(')[0] ?? '').replace(/(unknown option '-[^'=]*)=.*'/s, "$1'")

/** A first word that is no area and no command. */
export const unknownArea = (word: string, message: string): Failure =>
  usage(
    `unknown command "${word}"`,
    meantArea(word) ?? suggestionIn(message) ?? 'Run "svcctl --help" for a list of commands.',
  )

/** A word that is no verb of its area or group. @param ids what stands behind it, as far as it is numbers */
export const unknownVerb = (
  { called, verbs }: Verbs,
  word: string,
  message: string,
  ids: readonly string[],
): Failure => {
  const meant = meantVerb(word, verbs)
  return usage(
    `${called} has no verb "${word}"; it has ${verbs.join(', ')}`,
    meant === undefined
      ? (suggestionIn(message, (verb) => `"svcctl ${called} ${verb}"`) ?? missingVerb(called, word))
      : `Run "${['svcctl', called, meant, ...ids].join(' ')}".`,
  )
}

/** Flags behind an area, and no verb; those of a verb stand behind it. */
export const verbMissing = (
  { called, verbs }: Verbs,
  tokens: readonly string[],
  message = '',
): Failure => {
  const first = tokens.find((token) => token.startsWith('-')) ?? ''
  return usage(
    `"${called}" needs a verb before ${first.replace(/=.*/s, '')}: ${verbs.join(', ')}`,
    suggestionIn(message) ?? `Run "svcctl ${called} --help".`,
  )
}

/** Flags, and no command at all. */
export const commandMissing = (): Failure =>
  usage('unknown command', 'Run "svcctl --help" for a list of commands.')

/** A flag that is taken nowhere before the words of a command. @param among what it stands among */
export const unknownAnywhere = (among: readonly string[], message: string): Failure =>
  usage(
    complaintIn(message),
    suggestionIn(message) ??
      (among.some(isWord)
        ? 'Put flags after the command. "svcctl help flags" lists the flags that can stand anywhere.'
        : 'Run "svcctl --help" for a list of commands, or "svcctl help flags" for their common flags.'),
  )

/** A flag of another level that the command does not take. */
export const notTaken = (called: string, flag: string): Failure =>
  usage(`unknown option '--${flag}'`, `Run "svcctl ${called} --help".`)

/** A flag that was suggested, by the instance's name for it where it has one. */
const meantFlag =
  (flags: readonly Flag[]) =>
  (text: string): string => {
    const name = text.replace(/^--(?:no-)?/, '')
    const flag = flags.find((one) => one.own !== undefined && [one.name, ...one.own].includes(name))
    return flag === undefined ? text : spelled(flag)
  }

/**
 * What is wrong with the flags and arguments of a command.
 * @param tokens its part of the line
 * @param flags those that it takes
 */
export const wrongUse = (
  called: string,
  tokens: readonly string[],
  message: string,
  flags: readonly Flag[],
): Failure => {
  // A number is an argument to Commander, whatever its sign; `-1h` is an unknown option.
  const negative = tokens.find((token) => /^-\d/.test(token))
  const hint =
    negative !== undefined && message.startsWith('unknown option')
      ? `Put a value that starts with a dash after "--": … -- ${negative}`
      : (suggestionIn(message, meantFlag(flags)) ?? `Run "svcctl ${called} --help".`)
  return usage(complaintIn(message).replace(/^(too many arguments) for '[^']*'/, '$1'), hint)
}
