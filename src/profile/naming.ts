/** Whether any profile may name a vocabulary. Every line asks this, so it loads next to nothing. */
import { join } from 'node:path'
import { readRegular } from '../base/files/regular.js'
import { getPaths } from './paths.js'
import type { Environment } from './types.js'

export const namesVocabulary = (env: Environment): boolean => {
  try {
    return readRegular(join(getPaths(env).config, 'config.json')).includes('"vocabulary"')
  } catch {
    return false
  }
}
