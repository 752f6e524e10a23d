/** Determines the folders in which svcctl keeps its configuration, data and cache. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readRegular } from '../base/files/regular.js'
import { getHomeFolder, resolvePath } from '../base/io.js'
import type { Environment } from './types.js'

/** The absolute paths of these folders. */
export interface Paths {
  /** `config.json`, `tokens.json` and their locks. */
  readonly config: string
  /** The folder for data that must outlive a run: the state of the embedded instance. */
  readonly state: string
  /** The folder for data that may be deleted at any time: live values for completion, compiled code. */
  readonly cache: string
  /** True if SVC_CONFIG_DIR is set, so that nothing is shared with other installations. */
  readonly portable: boolean
}

type PlatformFolders = Pick<Paths, 'config' | 'state' | 'cache'>

/** Returns the folders in which the platform keeps the files of programs, according to its environment variables. */
const getPlatformFolders = (env: Environment): PlatformFolders => {
  const home = getHomeFolder(env)
  const getHomePath = (variableName: string, ...fallback: string[]): string =>
    env[variableName] || join(home, ...fallback)
  if (process.platform === 'darwin') {
    const library = join(home, 'Library')
    const own = (folder: string): string => join(library, folder, 'svcctl')
    return {
      config: own('Preferences'),
      state: own('Application Support'),
      cache: own('Caches'),
    }
  }
  if (process.platform === 'win32') {
    const local = join(getHomePath('LOCALAPPDATA', 'AppData', 'Local'), 'svcctl')
    return {
      config: join(getHomePath('APPDATA', 'AppData', 'Roaming'), 'svcctl', 'Config'),
      state: join(local, 'Data'),
      cache: join(local, 'Cache'),
    }
  }
  return {
    config: join(getHomePath('XDG_CONFIG_HOME', '.config'), 'svcctl'),
    state: join(getHomePath('XDG_DATA_HOME', '.local', 'share'), 'svcctl'),
    cache: join(getHomePath('XDG_CACHE_HOME', '.cache'), 'svcctl'),
  }
}

/**
 * Returns the folders of the platform (XDG on Linux, Library on macOS, AppData on Windows), or those below `SVC_CONFIG_DIR` if it is set.
 * No folder is created.
 */
export const getPaths = (env: Environment): Paths => {
  const own = env.SVC_CONFIG_DIR
  if (own !== undefined && own !== '') {
    const config = resolvePath(own)
    return {
      config,
      state: join(config, 'state'),
      cache: join(config, 'cache'),
      portable: true,
    }
  }
  return { ...getPlatformFolders(env), portable: false }
}

/** Returns the folder that contains the journals of runs. */
export const getRunFolder = (env: Environment): string => join(getPaths(env).state, 'runs')

/** True if a profile may have a vocabulary. Every command calls this, so the file is searched and not parsed. */
export const hasVocabularySetting = (env: Environment): boolean => {
  try {
    return readRegular(join(getPaths(env).config, 'config.json')).includes('"vocabulary"')
  } catch {
    return false
  }
}

/** Returns the file with the index of the extensions. */
export const getExtensionIndex = (env: Environment): string =>
  join(getPaths(env).config, 'extensions.json')

/** True if extensions are installed. Every start of the program checks this. */
export const hasExtensions = (env: Environment): boolean => existsSync(getExtensionIndex(env))
