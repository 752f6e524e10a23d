/** Reads flags of a line that is not parsed yet. */
import type { InstanceFlags } from '../../profile/types.js'
import { isSandboxChosen } from './global-flag.js'

/** Returns the words before `--`: those after it are no flags. */
export const getWordsBeforeDashes = (tokens: readonly string[]): readonly string[] => {
  const end = tokens.indexOf('--')
  return end < 0 ? tokens : tokens.slice(0, end)
}

/** Returns the last value of a flag in a line that is not parsed yet. */
export const getLastValue = (
  tokens: readonly string[],
  long: string,
  short?: string,
): string | undefined => {
  const line = getWordsBeforeDashes(tokens)
  const at = line.findLastIndex(
    (word) =>
      word === `--${long}` ||
      word.startsWith(`--${long}=`) ||
      (short !== undefined && word.startsWith(`-${short}`)),
  )
  const word = line[at]
  if (word === undefined) return undefined
  const joined = word.startsWith('--')
    ? word.slice(`--${long}=`.length)
    : word.slice(2).replace(/^=/, '')
  return joined === '' ? line[at + 1] : joined
}

/** Returns the value of a boolean flag in a line that is not parsed yet; undefined if it is not set. */
export const findSwitch = (tokens: readonly string[], long: string): boolean | undefined => {
  const form = new RegExp(`^--(no-)?${long}(?:=(true|false|1|0))?$`, 'i')
  const last = form.exec(getWordsBeforeDashes(tokens).findLast((word) => form.test(word)) ?? '')
  if (last === null) return undefined
  const [, no, value = 'true'] = last
  return no === undefined && /^(?:true|1)$/i.test(value)
}

/** Reads the flags that choose an instance. `--all-profiles` becomes the profile `*`. */
export const readInstanceFlags = (
  tokens: readonly string[],
  env: NodeJS.ProcessEnv,
): InstanceFlags => {
  const line = getWordsBeforeDashes(tokens)
  const profile = findSwitch(line, 'all-profiles') ? '*' : getLastValue(line, 'profile', 'p')
  const baseUrl = getLastValue(line, 'base-url')
  const switched = findSwitch(line, 'sandbox')
  const given = Object.entries({ profile, 'base-url': baseUrl, from: getLastValue(line, 'from') })
  const named = given.flatMap(([name, text]) => (text === undefined ? [] : [name]))
  const sandbox = switched ?? isSandboxChosen(env, new Set(named))
  return { profile, baseUrl, sandbox }
}

/** True if the profile is a list, a pattern or a tag. Nothing is loaded to decide this. */
export const hasSeveralProfiles = (
  flags: InstanceFlags,
): flags is InstanceFlags & { readonly profile: string } => /[,*?@]/.test(flags.profile ?? '')
