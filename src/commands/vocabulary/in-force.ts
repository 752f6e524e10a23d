/** Which vocabulary is in force, for commands that look at the file itself. */

import type { WorkspaceService } from '../../engine/command/services.js'
import { getPaths, openStore, vocabularyInForce } from '../../profile/index.js'

/** The file; undefined where none is in force. */
export const vocabularyFile = ({
  env,
  globals,
}: Pick<WorkspaceService, 'env' | 'globals'>): string | undefined => {
  const { profile, baseUrl, sandbox } = globals
  const flags = {
    sandbox,
    profile,
    baseUrl,
  }
  return vocabularyInForce(flags, env, () => openStore(getPaths(env)))?.file
}
