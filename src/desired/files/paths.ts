/** Finds and reads the files and folders that the command line names. */

import { promises as fs, type Stats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readReadable } from '../../base/files/files.js'
import { readRegular } from '../../base/files/regular.js'
import { Failure, getErrorCode, getReason, usage } from '../../errors.js'
import { isInFolder } from './secret.js'

/** The maximum size of a file, in bytes. Larger files would exceed the limit of tokens anyway. */
const maxBytes = 32e6
const tooLarge = 'Split it into several files.'

// The selection of files: those that are named, and those in named folders, sorted by the bytes of their paths.

/** A file's content at the time it was read. */
export interface ReadText {
  /** The path as it was named; `-` for standard input. */
  readonly path: string
  /** The named folder, or the folder that contains the named file. */
  readonly folder: string
  readonly bytes: Uint8Array
}

export interface PathOptions {
  readonly cwd: string
  readonly stdin: () => Promise<string>
  /** Aborts reading from a pipe. */
  readonly signal?: AbortSignal
}

interface FoundFile {
  readonly path: string
  readonly folder: string
}

/** The file names that count as documents. */
export const documentName = /\.(?:ya?ml|json)$/
const tryRead = async <T>(path: string, work: () => Promise<T>, hint?: string): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure('usage', `cannot read ${path}: ${getReason(error)}`, {
      hint,
      cause: error,
    })
  }
}

/** Compares files by the bytes of their paths, which gives the same order on every system. */
export const comparePathBytes = (
  a: { readonly path: string },
  b: { readonly path: string },
): number => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path))

/** Follows a link in a folder. A link to a document in the same folder counts as a file; other links are skipped or refused. */
const followLink = async (found: FoundFile, cwd: string): Promise<readonly FoundFile[]> => {
  const at = resolve(cwd, found.path)
  const stats: Stats | undefined = await fs.stat(at).catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw error
  })
  if (stats?.isDirectory() === true || !documentName.test(found.path)) return []
  if (stats === undefined) throw usage(`${found.path}: the link is broken`)
  if (!isInFolder(resolve(cwd, found.folder), at))
    throw usage(
      `${found.path}: the link points outside ${found.folder}`,
      'Pass the target of the link as well, or copy it.',
    )
  return [found]
}

const listFolder = async (
  path: string,
  folder: string,
  cwd: string,
): Promise<readonly FoundFile[]> => {
  const entries = await tryRead(path, () => fs.readdir(resolve(cwd, path), { withFileTypes: true }))
  const found: FoundFile[] = []
  for (const entry of entries) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    const below = { path: join(path, entry.name), folder }
    if (entry.isSymbolicLink())
      found.push(...(await tryRead(below.path, () => followLink(below, cwd))))
    else if (entry.isDirectory()) found.push(...(await listFolder(below.path, folder, cwd)))
    else if (documentName.test(entry.name)) found.push(below)
  }
  return found
}

const listNamedFiles = async (path: string, cwd: string): Promise<readonly FoundFile[]> => {
  if (path === '-') return [{ path, folder: '.' }]
  if (path === '') throw usage('the name of a file or folder is empty', 'Pass its path.')
  const stats = await tryRead(path, () => fs.stat(resolve(cwd, path)))
  if (!stats.isDirectory()) return [{ path, folder: dirname(path) }]
  const found = (await listFolder(path, path, cwd)).toSorted(comparePathBytes)
  if (found.length > 0) return found
  throw usage(
    `${path}: the folder contains no .yml, .yaml or .json file`,
    'svcctl export --to <folder> writes what there is.',
  )
}

/** Matches the path by which a shell passes the output of a command: `<(command)`. Any other pipe could make a line wait for ever. */
const descriptor = /^\/(?:dev|proc\/self)\/fd\/\d+$/

/**
 * Reads the files that paths name, each once.
 * @throws Failure `usage` for a file that cannot be read, and for a folder without documents
 */
export const readNamedFiles = async (
  paths: readonly string[],
  { cwd, stdin, signal }: PathOptions,
): Promise<readonly ReadText[]> => {
  if (paths.length === 0)
    throw usage('no file or folder given', 'Pass the files, a folder, or - for standard input.')
  const found = (await Promise.all(paths.map((path) => listNamedFiles(path, cwd)))).flat()
  // A file that is named twice, or that is reached through a link as well, is read once.
  const known = new Map<string, FoundFile>()
  for (const one of found) {
    const at = resolve(cwd, one.path)
    // A pipe of the shell, such as <(command), has no path of its own.
    const real = one.path === '-' ? '-' : await fs.realpath(at).catch(() => at)
    if (!known.has(real)) known.set(real, one)
  }
  const texts: ReadText[] = []
  for (const { path, folder } of known.values()) {
    const read = async () => {
      if (path === '-') return Buffer.from(await stdin())
      const at = resolve(cwd, path)
      return descriptor.test(at) ? readReadable(at, signal, maxBytes) : readRegular(at, maxBytes)
    }
    const bytes = await tryRead(path, read, `Pass regular files of at most ${maxBytes / 1e6} MB.`)
    if (bytes.length > maxBytes)
      throw usage(`${formatPath(path)} is larger than ${maxBytes / 1e6} MB`, tooLarge)
    texts.push({ path, folder, bytes })
  }
  return texts
}

/** Formats the name of a file for messages. */
export const formatPath = (path: string): string => (path === '-' ? 'standard input' : path)
