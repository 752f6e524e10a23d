/** Reads the vocabulary that a line names, or those of its profiles. */
import { documentedWords, type Words } from '../../catalogue/words.js'
import { findNamedProfiles, getActiveVocabulary, getPaths, openStore } from '../../profile/index.js'
import type { Profile } from '../../profile/types.js'
import { loadWords, mergeWords } from '../../vocabulary/index.js'
import { readSourceFlags } from './snapshot-profile.js'
import { hasSeveralProfiles } from './tokens.js'

/** Loads the vocabulary of a profile. An unreadable file is reported when its instance is reached. */
const loadProfileWords = async ({ vocabulary }: Profile): Promise<Words> =>
  vocabulary === undefined ? documentedWords : loadWords(vocabulary).catch(() => documentedWords)

/**
 * Loads the vocabulary for a line; the merged one if it has several instances. Returns undefined if there is none.
 * @throws Failure `usage` if the file is no valid vocabulary
 */
export const loadLineWords = async (
  tokens: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Words | undefined> => {
  const flags = readSourceFlags(tokens, env)
  const store = openStore(getPaths(env))
  if (hasSeveralProfiles(flags))
    return mergeWords(
      await Promise.all(findNamedProfiles(flags.profile, store).map(loadProfileWords)),
    )
  const found = getActiveVocabulary(flags, env, () => store)
  return found && { ...(await loadWords(found.file)), serves: found.serves }
}
