/** Which files are read: those that are named, and those of folders, in the order of their bytes. */
import { createHash } from 'node:crypto'
import { promises as fs, type Stats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readRegular } from '../../base/files/regular.js'
import { codeOf, Failure, reasonOf, usage } from '../../errors.js'
import { liesIn } from './inside.js'

/** What a file held when it was read. */
export interface ReadText {
  /** As it was named; `-` of standard input. */
  readonly path: string
  /** The folder that was given, or that the file lies in. */
  readonly folder: string
  readonly bytes: Uint8Array
}

export interface PathOptions {
  readonly cwd: string
  readonly stdin: () => Promise<string>
}

interface Found {
  readonly path: string
  readonly folder: string
}

const documents = /\.(?:ya?ml|json)$/
const cannotRead = (path: string, cause: unknown): Failure =>
  new Failure('usage', `${path}: cannot be read: ${reasonOf(cause)}`, { cause })

const tried = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Failure ? error : cannotRead(path, error)
  }
}

const byBytes = (a: Found, b: Found): number =>
  Buffer.compare(Buffer.from(a.path), Buffer.from(b.path))

/** A link of a folder: to a file in it, or it is left alone; nothing in a folder leads out of it. */
const linked = async (found: Found, cwd: string): Promise<readonly Found[]> => {
  const at = resolve(cwd, found.path)
  const stats: Stats | undefined = await fs.stat(at).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  })
  if (stats?.isDirectory() === true || !documents.test(found.path)) return []
  if (stats === undefined) throw usage(`${found.path}: the link leads to nothing`)
  if (!liesIn(resolve(cwd, found.folder), at))
    throw usage(
      `${found.path}: the link leads out of ${found.folder}`,
      'Name the file that it leads to as well, or copy it.',
    )
  return [found]
}

const inFolder = async (path: string, folder: string, cwd: string): Promise<readonly Found[]> => {
  const entries = await tried(path, () => fs.readdir(resolve(cwd, path), { withFileTypes: true }))
  const found: Found[] = []
  for (const entry of entries) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    const below = { path: join(path, entry.name), folder }
    if (entry.isSymbolicLink()) found.push(...(await tried(below.path, () => linked(below, cwd))))
    else if (entry.isDirectory()) found.push(...(await inFolder(below.path, folder, cwd)))
    else if (documents.test(entry.name)) found.push(below)
  }
  return found
}

const named = async (path: string, cwd: string): Promise<readonly Found[]> => {
  if (path === '-') return [{ path, folder: '.' }]
  const stats = await tried(path, () => fs.stat(resolve(cwd, path)))
  if (!stats.isDirectory()) return [{ path, folder: dirname(path) }]
  const found = (await inFolder(path, path, cwd)).toSorted(byBytes)
  if (found.length > 0) return found
  throw usage(
    `${path}: there is no file in it that ends in .yml, .yaml or .json`,
    'svcctl export --to <folder> writes what there is.',
  )
}

/** A file that was named in two ways, or that a link leads to, is read once. */
const once = async (found: readonly Found[], cwd: string): Promise<readonly Found[]> => {
  const known = new Set<string>()
  const left: Found[] = []
  for (const one of found) {
    const real =
      one.path === '-' ? '-' : await tried(one.path, () => fs.realpath(resolve(cwd, one.path)))
    if (!known.has(real)) left.push(one)
    known.add(real)
  }
  return left
}

/**
 * The files that paths name, each once.
 * @throws Failure `usage` for what cannot be read, and where a folder has none
 */
export const filesAt = async (
  paths: readonly string[],
  { cwd, stdin }: PathOptions,
): Promise<readonly ReadText[]> => {
  if (paths.length === 0) throw usage('no file is named')
  const found = (await Promise.all(paths.map((path) => named(path, cwd)))).flat()
  const texts: ReadText[] = []
  for (const { path, folder } of await once(found, cwd)) {
    const bytes =
      path === '-'
        ? Buffer.from(await stdin())
        : await tried(path, async () => readRegular(resolve(cwd, path)))
    texts.push({ path, folder, bytes })
  }
  return texts
}

export const sha256 = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex')

/** How a file is called in messages. */
export const shownPath = (path: string): string => (path === '-' ? 'standard input' : path)
