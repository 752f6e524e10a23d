/** Reads the tool's own files, and creates its folders. Only regular files are read, so that no pipe or device blocks forever. */
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { getErrorCode } from '../../errors.js'
import { resolvePath } from '../io.js'

/** The flag that keeps opening from blocking. Windows does not have it, since opening never blocks there. */
export const nonBlocking = constants.O_NONBLOCK ?? 0

/** Describes what is in the place of a regular file; undefined if it is a regular file. */
export const describeOther = (stats: Stats): string | undefined => {
  if (stats.isFile()) return undefined
  if (stats.isDirectory()) return 'it is a directory'
  if (stats.isFIFO()) return 'it is a pipe, not a regular file'
  if (stats.isSocket()) return 'it is a socket, not a regular file'
  return 'it is a device, not a regular file'
}

/**
 * Reads a regular file; links are followed.
 * @param most the maximum number of bytes
 * @throws the system's error; an Error with a message for people if it is not a regular file, or is larger
 */
export const readRegular = (file: string, most = Number.POSITIVE_INFINITY): Buffer => {
  const descriptor = openSync(resolvePath(file), constants.O_RDONLY | nonBlocking)
  try {
    const stats = fstatSync(descriptor)
    const other = describeOther(stats)
    if (other !== undefined) throw new Error(other)
    if (stats.size > most) throw new Error(`it is larger than ${Math.round(most / 1e6)} MB`)
    return readFileSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Adds the path to an error of the system, which has none if a write failed, as on a full disk. */
export const addPath = (error: unknown, path: string): unknown =>
  error instanceof Error && 'syscall' in error && !('path' in error)
    ? Object.assign(error, { path })
    : error

/**
 * Creates a folder and its parents; an existing folder is left as it is. Node's own `recursive` never returns in a folder that permits no
 * entries (/proc).
 * @returns the folders that were created, the topmost first
 * @throws the system's error
 */
export const makeFolders = (folder: string, mode?: number): readonly string[] => {
  const path = resolvePath(folder)
  try {
    mkdirSync(path, mode)
    // A umask such as 177 would take the right to enter the folder from its owner.
    if (mode !== undefined && (statSync(path).mode & mode) !== mode) chmodSync(path, mode)
    return [path]
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST' && statSync(path).isDirectory()) return []
    const above = dirname(path)
    if (getErrorCode(error) !== 'ENOENT' || above === path || existsSync(above)) throw error
    const made = makeFolders(above, mode)
    return [...made, ...makeFolders(path, mode)]
  }
}
