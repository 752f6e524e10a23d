/** Tells whether any profile may name a vocabulary. Every command asks this, so it loads next to nothing. */
import { join } from 'node:path'
import { readRegular } from '../base/files/regular.js'
import { getPaths } from './paths.js'
import type { Environment } from './types.js'

/** Whether the configuration mentions a vocabulary. */
export const namesVocabulary = (env: Environment): boolean => {
  try {
    return readRegular(join(getPaths(env).config, 'config.json')).includes('"vocabulary"')
  } catch {
    return false
  }
}
