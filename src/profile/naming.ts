/** Whether words of an instance's own are looked for at all: every line asks this, and it loads next to nothing. */
import { join } from 'node:path'
import { readRegular } from '../base/files/regular.js'
import { getPaths } from './paths.js'
import type { Environment } from './types.js'

/** Whether any profile may name a vocabulary. */
export const namesVocabulary = (env: Environment): boolean => {
  try {
    return readRegular(join(getPaths(env).config, 'config.json')).includes('"vocabulary"')
  } catch {
    return false
  }
}
