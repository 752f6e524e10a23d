/**
 * The words of the instance that a line is about. Where there is no vocabulary, which is nearly always, one
 * short file is looked at and nothing is loaded.
 */
import type { Words } from '../../catalogue/words.js'
import { hasVocabularySetting } from '../../profile/paths.js'
import type { InstanceFlags } from '../../profile/types.js'
import { hasEndpoints } from './derive.js'
import { isSandboxChosen } from './instance-flags.js'
import type { Command, Given } from './types.js'
import type { SpelledFlags } from './vocabulary.js'

/** Words, and whose they are. */
export interface OwnWords {
  readonly words: Words
  /** The only address that they are for; any where it is missing. */
  readonly serves?: string
}

/** Gives the words in force, once read; undefined where there are none. */
export type WordsFinder = () => Promise<OwnWords | undefined>

/** Returns the tokens among which flags stand: what follows `--` is none. */
export const getWordsBeforeDashes = (tokens: readonly string[]): readonly string[] => {
  const end = tokens.indexOf('--')
  return end < 0 ? tokens : tokens.slice(0, end)
}

/** Returns the last value of a flag on a line that is not understood yet. */
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

/** Finds the value of a boolean flag in a line that is not parsed yet; undefined if the flag is not set. */
export const findSwitch = (tokens: readonly string[], long: string): boolean | undefined => {
  const form = new RegExp(`^--(no-)?${long}(?:=(true|false|1|0))?$`, 'i')
  const last = form.exec(getWordsBeforeDashes(tokens).findLast((word) => form.test(word)) ?? '')
  if (last === null) return undefined
  const [, no, value = 'true'] = last
  return no === undefined && /^(?:true|1)$/i.test(value)
}

/** Reads which instance a line names. The profile is a pattern of all profiles for `--all-profiles`. */
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

/** True if several profiles are named, or may be: decided without loading anything. */
export const hasSeveralProfiles = (
  flags: InstanceFlags,
): flags is InstanceFlags & { readonly profile: string } => /[,*?@]/.test(flags.profile ?? '')

/** Reads the words of a file; the module that understands it is loaded only then. */
const read = async (file: string): Promise<Words> =>
  (await import('../../vocabulary/index.js')).loadWords(file)

const find = async (
  tokens: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<OwnWords | undefined> => {
  if (!env.SVC_VOCABULARY && !hasVocabularySetting(env)) return undefined
  const flags = readInstanceFlags(tokens, env)
  if (hasSeveralProfiles(flags)) {
    const { loadLineWords } = await import('./vocabulary.js')
    const words = await loadLineWords(flags.profile, env, read)
    return words === undefined ? undefined : { words }
  }
  const { openStore, getPaths, getActiveVocabulary } = await import('../../profile/index.js')
  const found = getActiveVocabulary(flags, env, () => openStore(getPaths(env)))
  return found === undefined ? undefined : { ...found, words: await read(found.file) }
}

/**
 * Finds the words for a line, when they are asked for.
 * @throws Failure `usage` for a vocabulary that is none
 */
export const findOwnWords = (tokens: readonly string[], env: NodeJS.ProcessEnv): WordsFinder => {
  let found: Promise<OwnWords | undefined> | undefined
  return () => {
    found ??= find(tokens, env)
    return found
  }
}

/** True if a command uses the instance's names; the tool's own commands do without its words. */
export const usesInstanceNames = (command: Command): boolean =>
  hasEndpoints(command) || command.open === true

/** Loads the words of a command that speaks of the instance's names; undefined for any other. */
export const loadOwnWords = async (
  command: Command,
  own: WordsFinder,
): Promise<Words | undefined> => (usesInstanceNames(command) ? (await own())?.words : undefined)

/**
 * Translates what was asked into the names of the documents.
 * @throws Failure `usage` if a parameter is given by both its names
 */
export const toNeutralNames = async (
  given: Given,
  raw: SpelledFlags,
  command: Command,
  words: Words | undefined,
): Promise<Given> => {
  if (words === undefined || !hasEndpoints(command)) return given
  const { toNeutralGiven } = await import('./vocabulary.js')
  return toNeutralGiven(given, raw, command, words)
}

/** True if the words are those of the instance at an address. */
export const isForOrigin = ({ serves }: OwnWords, address: string): boolean =>
  serves === undefined || new URL(serves).origin === new URL(address).origin

/** Returns the words for requests to an address: a profile's are for its own only. */
export const getWordsFor = (own: OwnWords | undefined, baseUrl: string): Words | undefined =>
  own?.serves === undefined || own.serves === baseUrl ? own?.words : undefined

/** Creates the look-up of values that are known beyond the documents: seen of the instance at hand, or named by its vocabulary. */
export const createLearnt =
  ({ area, known }: Pick<Command, 'area' | 'known'>, words?: Pick<Words, 'values'>) =>
  (field: string): readonly string[] => {
    const of = `${area}.${field}`
    return [
      ...((Object.hasOwn(known?.values ?? {}, of) ? known?.values[of] : []) ?? []),
      ...(words?.values(of) ?? []),
    ]
  }
