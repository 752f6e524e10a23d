/** The `.svcctl.yaml` that is in force in a folder. */
import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Environment } from '../types.js'

const suggestionFile = '.svcctl.yaml'

const isThere = (path: string): boolean => {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

const resolved = (path: string | undefined): string | undefined => {
  if (path === undefined || path === '') return undefined
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/**
 * The first from a folder up to the root of its repository, or the home directory; outside of both that of the
 * folder itself. Only its name is looked at: whatever it is, none above it counts.
 */
export const findSuggestions = (cwd: string, env: Environment): string | undefined => {
  const home = resolved(env.HOME ?? env.USERPROFILE)
  let first: string | undefined
  for (let folder = cwd; ; folder = dirname(folder)) {
    const file = join(folder, suggestionFile)
    if (first === undefined && isThere(file)) first = file
    if (folder === home || existsSync(join(folder, '.git'))) return first
    if (folder === dirname(folder)) break
  }
  return first === join(cwd, suggestionFile) ? first : undefined
}
