/** Loads the vocabulary of a command's instance. Usually there is none: then one short file is read and no module is loaded. */
import type { Words } from '../../catalogue/words.js'
import { hasVocabularySetting } from '../../profile/paths.js'
import { canCallApi, hasEndpoints, hasOwnNames, isExtension } from './derive.js'
import type { Command, Given, SpelledFlags, WordsLoader } from './types.js'

/**
 * Creates the loader of a line's vocabulary, which is loaded at the first call.
 * @throws Failure `usage` if the file is no valid vocabulary
 */
export const createWordsLoader = (
  tokens: readonly string[],
  env: NodeJS.ProcessEnv,
): WordsLoader => {
  const load = async (): Promise<Words | undefined> => {
    if (!env.SVC_VOCABULARY && !hasVocabularySetting(env)) return undefined
    const { loadLineWords } = await import('./line-words.js')
    return loadLineWords(tokens, env)
  }
  let loaded: Promise<Words | undefined> | undefined
  return () => {
    loaded ??= load()
    return loaded
  }
}

/** Loads the vocabulary for a command; undefined if the command does not use the instance's names. */
export const loadCommandWords = async (command: Command): Promise<Words | undefined> =>
  canCallApi(command) || command.ownNames === true ? command.loadWords?.() : undefined

/**
 * Translates a command to the vocabulary that it loads, so that a line may use the instance's own names. An extension uses these already.
 * @param listOthers lists the names of its other flags
 */
export const toOwnCommand = async (
  command: Command,
  listOthers: () => readonly string[] = () => [],
): Promise<Command> => {
  const words = await loadCommandWords(command)
  if (words === undefined) return command
  if (isExtension(command)) return { ...command, naming: words }
  const { translateCommand } = await import('./aliases.js')
  return translateCommand(command, words, listOthers())
}

/**
 * Translates the parsed line to documented names.
 * @throws Failure `usage` if a parameter is set by both of its names
 */
export const toDocumentedNames = async (
  given: Given,
  raw: SpelledFlags,
  command: Command,
): Promise<Given> => {
  if (!hasOwnNames(command) || !hasEndpoints(command)) return given
  const { toDocumentedGiven } = await import('./aliases.js')
  return toDocumentedGiven(given, raw, command)
}
