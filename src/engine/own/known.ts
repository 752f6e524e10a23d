/** What the instance of a line was seen to have beyond the documents: read only where a line has a name that they do not have. */
import { getPaths } from '../../profile/paths.js'
import type { Command } from '../command/types.js'
import { flagsOn } from './found.js'

/** The command as the instance of a line has it; unchanged where nothing is known of that, or the line is about several. */
export const withKnown = async (
  command: Command,
  tokens: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Command> => {
  const { hasKnown, readKnown } = await import('../../profile/known.js')
  const paths = getPaths(env)
  const flags = flagsOn(tokens, env)
  const several = /[,*?@]/.test(flags.profile ?? '') || tokens.includes('--all-profiles')
  if (several || !hasKnown(paths)) return command
  const { openStore, profileInForce } = await import('../../profile/index.js')
  const profile = profileInForce(flags, env, () => openStore(paths))
  const known = profile === undefined ? undefined : readKnown(paths, profile)
  if (known === undefined) return command
  return (await import('./command.js')).commandWith(command, known)
}
