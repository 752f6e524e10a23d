/** Files that files name: beside them, and inside the folder that was given, links resolved. */
import { realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { readRegular } from '../../base/files/regular.js'
import { type HeldText, holdText } from '../../base/secrets/held.js'
import { codeOf } from '../../errors.js'

/** A path as written, the file that it is relative to, and the folder that it may not leave. */
export interface Beside {
  readonly file: string
  readonly base: string
  readonly within?: string
}

/** A path without links, as far as there is something. @throws the system's error but for what is not there */
const real = (path: string): string => {
  try {
    return realpathSync(path)
  } catch (error) {
    const above = dirname(path)
    if (codeOf(error) !== 'ENOENT' || above === path) throw error
    return join(real(above), basename(path))
  }
}

/** Whether a path is a folder or lies in it, links resolved. */
export const liesIn = (folder: string, path: string): boolean => {
  const way = relative(real(folder), real(path))
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/**
 * Where a file that a file names is.
 * @throws an Error in words where it lies outside; the system's error
 */
export const besidePath = ({ file, base, within }: Beside, cwd: string): string => {
  const path = resolve(cwd, dirname(base), file)
  if (within !== undefined && !liesIn(resolve(cwd, within), path))
    throw new Error('it lies outside of the folder that was given')
  return path
}

/** What it holds. @throws as `besidePath`; the system's error; an Error in words for what is no regular file */
export const besideText = (
  beside: Beside,
  cwd: string,
  open: (path: string) => Buffer = (path) => readRegular(path),
): HeldText => holdText(open(besidePath(beside, cwd)).toString())
