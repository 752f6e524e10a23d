/** Putting what was extracted where it is wanted, from a private folder on the same file system. */
import type { Stats } from 'node:fs'
import { lstat, mkdir, mkdtemp, realpath, rename, rm, rmdir, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolders } from '../../base/files/folders.js'
import { Failure, getErrorCode, getReason, usage } from '../../errors.js'
import { type Contents, refusal } from './contents.js'
import { bytesText, writeFailure } from './save.js'

/** A folder of ours alone, in or beside the folder that is wanted. */
export interface Scratch {
  /** The folder that is wanted, links resolved. */
  readonly target: string
  /** Whether it is there already. */
  readonly exists: boolean
  readonly path: string
  /** Takes away the private folder, and what was made above of it where that is empty. Never throws. */
  remove(): Promise<void>
}

const entryAt = (path: string): Promise<Stats | undefined> =>
  lstat(path).catch((error: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(getErrorCode(error))) return undefined
    throw error
  })

/**
 * The folder into which is extracted, links resolved; undefined where there is none yet.
 * @throws Failure `usage` where something else is there
 */
export const existingFolder = async (folder: string): Promise<string | undefined> => {
  const path = await realpath(folder).catch(() => folder)
  const there = await entryAt(path)
  if (there === undefined) return undefined
  if (there.isDirectory()) return path
  throw usage(
    `cannot extract into ${folder}: it is ${there.isSymbolicLink() ? 'a link to nothing' : 'no folder'}`,
    'Pass a folder with --to. svcctl creates it if it does not exist.',
  )
}

/** @throws Failure where no folder can be made there */
export const openScratch = async (folder: string): Promise<Scratch> => {
  const existing = await existingFolder(folder)
  try {
    const made = existing === undefined ? makeFolders(dirname(folder)) : []
    const target = existing ?? folder
    const path = await mkdtemp(join(existing ?? dirname(folder), '.svcctl-'))
    const remove = async (): Promise<void> => {
      await rm(path, { recursive: true, force: true }).catch(() => {})
      for (const above of [...made].reverse()) await rmdir(above).catch(() => {})
    }
    return { target, exists: existing !== undefined, path, remove }
  } catch (error) {
    throw writeFailure(folder, error)
  }
}

/** @throws Failure `failed` where the files would not fit */
export const checkSpace = async ({ path, target }: Scratch, size: number): Promise<void> => {
  const { bavail, bsize, blocks } = await statfs(path)
  // Some file systems do not tell.
  if (blocks === 0 || bavail * bsize >= size) return
  throw new Failure(
    'failed',
    `the archive needs ${bytesText(size)}, and ${target} has ${bytesText(bavail * bsize)} free; nothing was extracted`,
    { hint: 'Free some space, or choose another folder with --to.' },
  )
}

const inTheWay = (path: string, what: string): Failure => refusal(`${path} is ${what}`)

/** @throws Failure `failed` where something stands in the way that must not be replaced or followed */
export const checkWay = async (target: string, { files, folders }: Contents): Promise<void> => {
  const absent = new Set<string>()
  const isNew = (path: string): boolean => absent.has(dirname(path))
  for (const folder of folders) {
    const there = isNew(folder) ? undefined : await entryAt(join(target, folder))
    if (there === undefined) absent.add(folder)
    else if (there.isSymbolicLink())
      throw inTheWay(join(target, folder), 'a symbolic link, which is not followed')
    else if (!there.isDirectory())
      throw inTheWay(join(target, folder), 'a file where the archive has a folder')
  }
  for (const { path } of files) {
    const there = isNew(path) ? undefined : await entryAt(join(target, path))
    if (there === undefined || there.isFile()) continue
    const what = there.isSymbolicLink()
      ? 'a symbolic link, which is not followed'
      : there.isDirectory()
        ? 'a folder where the archive has a file'
        : 'not a regular file'
    throw inTheWay(join(target, path), what)
  }
}

/** Renames files one by one: each is there whole, or what was there before. */
const publishInto = async (target: string, from: string, contents: Contents): Promise<void> => {
  await checkWay(target, contents)
  let done = 0
  try {
    for (const folder of contents.folders)
      await mkdir(join(target, folder)).catch((error: unknown) => {
        if (getErrorCode(error) !== 'EEXIST') throw error
      })
    for (const { path } of contents.files) {
      await rename(join(from, path), join(target, path))
      done++
    }
  } catch (error) {
    throw new Failure(
      'failed',
      `cannot write ${target}: ${getReason(error)}; ${done} of ${contents.files.length} files were written before that`,
      {
        hint: 'Check the free space and the permissions, or choose another place with --to.',
        cause: error,
      },
    )
  }
}

/**
 * Publishes what lies in `from`: as the folder itself where there is none, all or nothing; into it file
 * by file otherwise.
 * @throws Failure `failed`, which says how much was published
 */
export const publish = async (
  { target, exists }: Scratch,
  from: string,
  contents: Contents,
): Promise<void> => {
  if (!exists) {
    const failed = await rename(from, target).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (failed === undefined) return
    // Another process made it meanwhile.
    if ((await existingFolder(target)) === undefined) throw writeFailure(target, failed)
  }
  await publishInto(target, from, contents)
}
