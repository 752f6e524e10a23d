/** Where the bytes for a path go: a file that is replaced, or something that is opened and written into. */
import type { Stats } from 'node:fs'
import { lstat, readlink, realpath, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { getErrorCode } from '../../errors.js'
import { otherThanFile } from './regular.js'

export type Place =
  | {
      readonly kind: 'file'
      /** Links resolved. */
      readonly path: string
      /** The regular file that is there. */
      readonly was?: Stats
    }
  /** A device, a pipe, a socket, or a descriptor that is open already. */
  | { readonly kind: 'stream'; readonly path: string; readonly append: boolean }

/** Folders whose entries are open descriptors, whatever those lead to. */
const descriptors = /^(?:\/proc\/[^/]+(?:\/task\/[^/]+)?|\/dev)\/fd$/
/** As many links as Linux follows. */
const longestChain = 40

const entryAt = (path: string): Promise<Stats | undefined> =>
  lstat(path).catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw error
  })

/** A file that takes the place of what is there: a link is replaced, and never followed. */
const ownPlace = async (path: string): Promise<Place> => {
  const was = await entryAt(path)
  if (was === undefined || was.isSymbolicLink()) return { kind: 'file', path }
  const other = otherThanFile(was)
  if (other !== undefined) throw new Error(other)
  return { kind: 'file', path, was }
}

/**
 * Looks at what is there. Links are followed one by one, since one among them may name a descriptor,
 * which leads to a file and must not be replaced by one.
 * @param own whether no link is followed, and nothing but a regular file replaced: as with the tool's own
 * @throws the system's error; an Error in words for a directory
 */
export const resolvePlace = async (path: string, own: boolean): Promise<Place> => {
  if (own) return ownPlace(resolve(path))
  let at = resolve(path)
  for (let hops = 0; hops < longestChain; hops++) {
    const folder = await realpath(dirname(at))
    const here = join(folder, basename(at))
    if (descriptors.test(folder)) return { kind: 'stream', path: here, append: true }
    const entry = await entryAt(here)
    if (entry === undefined) return { kind: 'file', path: here }
    if (entry.isFile()) return { kind: 'file', path: here, was: entry }
    if (entry.isDirectory()) throw new Error(otherThanFile(entry))
    if (!entry.isSymbolicLink()) return { kind: 'stream', path: here, append: false }
    at = resolve(folder, await readlink(here))
  }
  throw new Error('it is a symbolic link that points to itself')
}

/**
 * Makes the place of one of the tool's own files fit to be written by a library that follows links: a
 * link is taken away, whatever it names stays.
 * @throws the system's error; an Error in words where something else than a file is there
 */
export const clearPlace = async (path: string): Promise<void> => {
  const place = await resolvePlace(path, true)
  const absent = place.kind === 'file' && place.was === undefined
  if (absent) await rm(path, { force: true })
}
