/** The folders in which svcctl keeps its files. */
import path from 'node:path'
import envPaths from 'env-paths'
import { readRegular } from '../base/files/regular.js'
import type { Environment } from './types.js'

/** The folders. */
export interface Paths {
  /** `config.json`, `tokens.json` and their locks. */
  readonly config: string
  /** What must outlive a run: the state of the embedded instance. */
  readonly state: string
  /** What may be deleted at any time: live values for completion, compiled code. */
  readonly cache: string
  /** True when SVC_CONFIG_DIR names the place, so that nothing is shared with other set-ups. */
  readonly portable: boolean
}

/**
 * Returns the folders of the platform (XDG on Linux, Library on macOS, AppData on Windows). `SVC_CONFIG_DIR`
 * overrides all: the configuration is in it, `state/` and `cache/` below. Nothing is created.
 */
export const getPaths = (env: Environment): Paths => {
  const own = env.SVC_CONFIG_DIR
  if (own !== undefined && own !== '') {
    const config = path.resolve(own)
    return {
      config,
      state: path.join(config, 'state'),
      cache: path.join(config, 'cache'),
      portable: true,
    }
  }
  const { config, data, cache } = envPaths('svcctl', { suffix: '' })
  return { config, state: data, cache, portable: false }
}

/** Returns the default folder of journals. */
export const journalFolder = (env: Environment): string =>
  path.join(getPaths(env).state, 'journals')

/** Whether the configuration mentions a vocabulary. Every command asks this, so it loads next to nothing. */
export const namesVocabulary = (env: Environment): boolean => {
  try {
    return readRegular(path.join(getPaths(env).config, 'config.json')).includes('"vocabulary"')
  } catch {
    return false
  }
}
