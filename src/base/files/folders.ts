/** Folders with those above them. */
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { getErrorCode } from '../../errors.js'

/**
 * Makes a folder with those above it; one that is there is left as it is. Node's own `recursive` never
 * ends where a folder is there and takes none (/proc).
 * @returns the folders that were made, the topmost first
 * @throws the system's error
 */
export const makeFolders = (folder: string, mode?: number): readonly string[] => {
  const path = resolve(folder)
  try {
    mkdirSync(path, mode)
    return [path]
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST' && statSync(path).isDirectory()) return []
    const above = dirname(path)
    if (getErrorCode(error) !== 'ENOENT' || above === path || existsSync(above)) throw error
    const made = makeFolders(above, mode)
    return [...made, ...makeFolders(path, mode)]
  }
}
