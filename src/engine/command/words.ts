/** Finds the vocabulary for a line. Usually there is none: then one short file is read and no module is loaded. */
import { documentedWords, type Words } from '../../catalogue/words.js'
import { hasVocabularySetting } from '../../profile/paths.js'
import type { InstanceFlags } from '../../profile/types.js'
import { canCallApi, hasEndpoints } from './derive.js'
import { isSandboxChosen } from './global-flag.js'
import type { Command, Given } from './types.js'
import type { SpelledFlags } from './vocabulary.js'

/** A vocabulary and the instance that it belongs to. */
export interface OwnWords {
  readonly words: Words
  /** The address of the instance; absent if the vocabulary applies to any. */
  readonly serves?: string
}

/** Loads the vocabulary of a line; undefined if there is none. */
export type WordsFinder = () => Promise<OwnWords | undefined>

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

/** Reads a vocabulary file. Its parser is loaded only here. */
const loadWordsFile = async (file: string): Promise<Words> =>
  (await import('../../vocabulary/index.js')).loadWords(file)

const findWords = async (
  tokens: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<OwnWords | undefined> => {
  if (!env.SVC_VOCABULARY && !hasVocabularySetting(env)) return undefined
  const flags = readInstanceFlags(tokens, env)
  if (hasSeveralProfiles(flags)) {
    const { loadLineWords } = await import('./vocabulary.js')
    const words = await loadLineWords(flags.profile, env, loadWordsFile)
    return words === undefined ? undefined : { words }
  }
  const { openStore, getPaths, getActiveVocabulary } = await import('../../profile/index.js')
  const found = getActiveVocabulary(flags, env, () => openStore(getPaths(env)))
  return found === undefined ? undefined : { ...found, words: await loadWordsFile(found.file) }
}

/**
 * Creates the finder of a line's vocabulary. The vocabulary is loaded at the first call.
 * @throws Failure `usage` if the file is no valid vocabulary
 */
export const findOwnWords = (tokens: readonly string[], env: NodeJS.ProcessEnv): WordsFinder => {
  let found: Promise<OwnWords | undefined> | undefined
  return () => {
    found ??= findWords(tokens, env)
    return found
  }
}

/** Loads the vocabulary for a command; undefined if the command does not use the instance's names. */
export const loadOwnWords = async (
  command: Command,
  own: WordsFinder,
): Promise<Words | undefined> => (canCallApi(command) ? (await own())?.words : undefined)

/** True if the instance of a command has names of its own. */
export const hasOwnNames = ({ naming }: Pick<Command, 'naming'>): boolean =>
  naming !== documentedWords

/**
 * Translates the parsed line to documented names.
 * @throws Failure `usage` if a parameter is set by both of its names
 */
export const toNeutralNames = async (
  given: Given,
  raw: SpelledFlags,
  command: Command,
): Promise<Given> => {
  if (!hasOwnNames(command) || !hasEndpoints(command)) return given
  const { toNeutralGiven } = await import('./vocabulary.js')
  return toNeutralGiven(given, raw, command)
}

/** True if a vocabulary applies to the instance at an address. */
export const isForOrigin = ({ serves }: OwnWords, address: string): boolean =>
  serves === undefined || new URL(serves).origin === new URL(address).origin

/** Returns the vocabulary for requests to an address: that of a profile applies to its own instance only. */
export const getWordsFor = (own: OwnWords | undefined, baseUrl: string): Words | undefined =>
  own?.serves === undefined || own.serves === baseUrl ? own?.words : undefined
