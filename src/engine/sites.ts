/** The several instances of a line: what each calls things, and how it understands the line. */
import type { Words } from '../catalogue/words.js'
import type { Profile } from '../profile/types.js'
import { flagsOfCommand } from './command/flags.js'
import { commandWith } from './command/known.js'
import type { Command } from './command/types.js'
import { commandIn, wordsAmong, wordsOfAll } from './command/vocabulary.js'
import { findOwnWords, ownWords, speaks, type WordsFinder } from './command/words.js'

/** One of them. */
export interface AskedSite {
  readonly name: string
  readonly own: WordsFinder
  /** What it calls things itself. */
  readonly words: Words | undefined
  /** The line's command with the names and values that it takes there. */
  readonly command: Command
  /** In which the line may be written: another one's name is as good as that of the documents. */
  readonly asked?: Words
}

/** Words that cannot be had are told of where the instance is asked, or at once where it is to be changed. */
const ownOfSite = async (
  command: Command,
  { name }: Profile,
  writing: boolean,
  env: NodeJS.ProcessEnv,
) => {
  const own = findOwnWords([`--profile=${name}`], env)
  const words = await ownWords(command, own).catch((error: unknown) => {
    if (writing) throw error
    return undefined
  })
  return { name, own, words }
}

/**
 * Each with the line as it takes it, and the words of all of them; undefined where none has any.
 * @throws Failure `usage` where they are to be changed, and one has words that are none
 */
export const resolveInstances = async (
  command: Command,
  profiles: readonly Profile[],
  writing: boolean,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly sites: readonly AskedSite[]; readonly words: Words | undefined }> => {
  const found = await Promise.all(
    profiles.map((profile) => ownOfSite(command, profile, writing, env)),
  )
  const words = wordsOfAll(found.map((site) => site.words))
  const neutral =
    words !== undefined && speaks(command)
      ? await command.registry.named(command.area, command.words)
      : undefined
  if (words === undefined || neutral === undefined)
    return { sites: found.map((site) => ({ ...site, command })), words }
  const others = flagsOfCommand(neutral).map(({ name }) => name)
  const sites = found.map((site) => {
    const asked = wordsAmong(site.words, words)
    const inWords = commandIn(neutral, asked, others)
    const { known } = command
    return { ...site, asked, command: known === undefined ? inWords : commandWith(inWords, known) }
  })
  return { sites, words }
}
