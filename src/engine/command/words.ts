/**
 * The words of the instance that a line is about. Where there is no vocabulary, which is nearly always, one
 * short file is looked at and nothing is loaded.
 */
import type { Words } from '../../catalogue/words.js'
import { namesVocabulary } from '../../profile/paths.js'
import type { InstanceFlags } from '../../profile/types.js'
import { calls } from './derive.js'
import { asksForSandbox } from './instance-flags.js'
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

/** The tokens in which flags stand: what follows `--` is none. */
export const beforeDashes = (tokens: readonly string[]): readonly string[] => {
  const end = tokens.indexOf('--')
  return end < 0 ? tokens : tokens.slice(0, end)
}

/** The last value of a flag on a line that is not understood yet. */
export const getLastValue = (
  tokens: readonly string[],
  long: string,
  short?: string,
): string | undefined => {
  const line = beforeDashes(tokens)
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

/** What a line that is not understood yet says by a boolean flag; undefined where it says nothing. */
export const findSwitch = (tokens: readonly string[], long: string): boolean | undefined => {
  const form = new RegExp(`^--(no-)?${long}(?:=(true|false|1|0))?$`, 'i')
  const last = form.exec(beforeDashes(tokens).findLast((word) => form.test(word)) ?? '')
  if (last === null) return undefined
  const [, no, value = 'true'] = last
  return no === undefined && /^(?:true|1)$/i.test(value)
}

/** What a line says of its instance; a pattern of all profiles for `--all-profiles`. */
export const flagsOn = (tokens: readonly string[], env: NodeJS.ProcessEnv): InstanceFlags => {
  const line = beforeDashes(tokens)
  const profile = findSwitch(line, 'all-profiles') ? '*' : getLastValue(line, 'profile', 'p')
  const baseUrl = getLastValue(line, 'base-url')
  const switched = findSwitch(line, 'sandbox')
  const given = Object.entries({ profile, 'base-url': baseUrl, from: getLastValue(line, 'from') })
  const named = given.flatMap(([name, text]) => (text === undefined ? [] : [name]))
  const sandbox = switched ?? asksForSandbox(env, new Set(named))
  return { profile, baseUrl, sandbox }
}

/** Whether several profiles are named, or may be: decided without loading anything. */
export const namesSeveral = (
  flags: InstanceFlags,
): flags is InstanceFlags & { readonly profile: string } => /[,*?@]/.test(flags.profile ?? '')

/** The words of a file: only then is loaded what understands it. */
const read = async (file: string): Promise<Words> =>
  (await import('../../vocabulary/index.js')).loadWords(file)

const find = async (
  tokens: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<OwnWords | undefined> => {
  if (!env.SVC_VOCABULARY && !namesVocabulary(env)) return undefined
  const flags = flagsOn(tokens, env)
  if (namesSeveral(flags)) {
    const { wordsOfLine } = await import('./vocabulary.js')
    const words = await wordsOfLine(flags.profile, env, read)
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

/** Whether a command speaks of the instance's names; the tool's own go without its words. */
export const speaks = (command: Command): boolean => calls(command) || command.open === true

/** The words of a command that speaks of the instance's names. */
export const ownWords = async (command: Command, own: WordsFinder): Promise<Words | undefined> =>
  speaks(command) ? (await own())?.words : undefined

/**
 * What was asked, by the names of the documents.
 * @throws Failure `usage` where a parameter is given by both its names
 */
export const asNeutral = async (
  given: Given,
  raw: SpelledFlags,
  command: Command,
  words: Words | undefined,
): Promise<Given> => {
  if (words === undefined || !calls(command)) return given
  const { neutralGiven } = await import('./vocabulary.js')
  return neutralGiven(given, raw, command, words)
}

/** Whether the words are those of whoever has that address. */
export const servesOrigin = ({ serves }: OwnWords, address: string): boolean =>
  serves === undefined || new URL(serves).origin === new URL(address).origin

/** The words for requests to an address: a profile's are for its own only. */
export const wordsFor = (own: OwnWords | undefined, baseUrl: string): Words | undefined =>
  own?.serves === undefined || own.serves === baseUrl ? own?.words : undefined

/** The values of fields that are known beyond the documents: seen of the instance at hand, or named by its vocabulary. */
export const createLearnt =
  ({ area, known }: Pick<Command, 'area' | 'known'>, words?: Pick<Words, 'values'>) =>
  (field: string): readonly string[] => {
    const of = `${area}.${field}`
    return [
      ...((Object.hasOwn(known?.values ?? {}, of) ? known?.values[of] : []) ?? []),
      ...(words?.values(of) ?? []),
    ]
  }
