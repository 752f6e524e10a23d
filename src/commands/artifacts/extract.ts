/** Downloads an archive and extracts it into a folder. No file is written if a check fails. */

import { createWriteStream, type Stats } from 'node:fs'
import {
  lstat,
  mkdir,
  mkdtemp,
  realpath,
  rename,
  rm,
  rmdir,
  statfs,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { crc32, inflateRawSync } from 'node:zlib'
import type { Entry } from 'yauzl'
import { makeFolders } from '../../base/files/regular.js'
import { Failure, getErrorCode, getReason, isNoFile, toWriteFailure, usage } from '../../errors.js'
import type { WrittenFile } from '../answers.js'
import {
  type Archive,
  type Contents,
  createExtractFailure,
  getFilePermissions,
  openArchive,
  type Placement,
  readArchiveContents,
} from './archive.js'
import { formatBytes, type Progress } from './save.js'

/** Creates the failure of a damaged archive. A full or failing disk has another failure. */
const createDamageFailure = (cause: unknown, entry?: string): Failure => {
  const why = cause instanceof Error ? cause.message : ''
  const what = entry === undefined ? '' : ` (${JSON.stringify(entry)})`
  return createExtractFailure(`the archive could not be extracted${what}: ${why}`, cause)
}

/** Files up to this size, in bytes, are unpacked in memory, which is faster for archives with many files. */
const maxInMemory = 1 << 20
const createChecksumError = (): Error => new Error('its checksum is wrong')

const expandEntry = (packed: Buffer, { compressionMethod, uncompressedSize }: Entry): Buffer => {
  if (compressionMethod === 0) return packed
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, uncompressedSize) })
  } catch (error) {
    throw getErrorCode(error) === 'ERR_BUFFER_TOO_LARGE' ? new Error('too many bytes') : error
  }
}

/** Writes a file of an archive that is unpacked in memory. */
const writeSmallEntry = async (archive: Archive, { entry, path }: Placement, folder: string) => {
  const { fileDataStart } = await archive.zip.readLocalFileHeaderPromise(entry, { minimal: true })
  const bytes = expandEntry(await archive.read(fileDataStart, entry.compressedSize), entry)
  if (bytes.length < entry.uncompressedSize) throw new Error('too few bytes')
  if (bytes.length > entry.uncompressedSize) throw new Error('too many bytes')
  if (crc32(bytes) !== entry.crc32) throw createChecksumError()
  await writeFile(join(folder, path), bytes, { flag: 'wx', mode: getFilePermissions(entry) })
}

/** Writes a file of an archive. @throws Error if its content does not match its size or checksum */
const writeEntry = async (
  archive: Archive,
  item: Placement,
  folder: string,
  signal: AbortSignal,
) => {
  const { entry, path } = item
  if (entry.uncompressedSize <= maxInMemory && entry.compressedSize <= maxInMemory)
    return writeSmallEntry(archive, item, folder)
  const source = await archive.zip.openReadStreamPromise(entry)
  let sum = 0
  await pipeline(
    source,
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        sum = crc32(chunk, sum)
        yield chunk
      }
    },
    createWriteStream(join(folder, path), { flags: 'wx', mode: getFilePermissions(entry) }),
    { signal },
  )
  if (sum !== entry.crc32) throw createChecksumError()
}

const checkNotInterrupted = (signal: AbortSignal): void => {
  if (signal.aborted) throw new Failure('interrupted', 'interrupted; nothing was extracted')
}

const extractEntries = async (
  archive: Archive,
  { files, folders }: Contents,
  into: string,
  { signal, progress }: ExtractOptions,
): Promise<void> => {
  await mkdir(into)
  for (const folder of folders) await mkdir(join(into, folder))
  for (const [i, item] of files.entries()) {
    checkNotInterrupted(signal)
    progress(`extracting ${i + 1} of ${files.length} files`, i / files.length)
    try {
      await writeEntry(archive, item, into, signal)
    } catch (cause) {
      checkNotInterrupted(signal)
      throw isDiskError(cause) ? cause : createDamageFailure(cause, item.entry.fileName)
    }
  }
}

/** True if the file system caused the error; false if the archive did. */
const isDiskError = (cause: unknown): boolean => /^E[A-Z0-9]+$/.test(getErrorCode(cause))

/** The interruption and the progress of an extraction. */
interface ExtractOptions {
  readonly signal: AbortSignal
  readonly progress: Progress
}

const extractArchive = async (
  path: string,
  scratch: ScratchFolder,
  options: ExtractOptions,
): Promise<readonly WrittenFile[]> => {
  const archive = await openArchive(path)
  try {
    const contents = await readArchiveContents(archive)
    await checkSpace(scratch, contents.size)
    if (scratch.exists) await checkConflicts(scratch.target, contents)
    const into = join(scratch.path, 'files')
    await extractEntries(archive, contents, into, options)
    checkNotInterrupted(options.signal)
    await publish(scratch, into, contents)
    return contents.files.map(({ path: name, entry }) => ({
      path: join(scratch.target, name),
      size: entry.uncompressedSize,
    }))
  } finally {
    await archive.close()
  }
}

/**
 * Downloads an archive and extracts it into a folder, which is created if needed.
 * @param fetch writes the archive to a path
 * @returns the files that were written
 * @throws Failure `failed` if an entry would leave the folder, is a link or device, overlaps another or is damaged,
 *   or if the archive is too large. Nothing was written then; after a failure of the disk the message says how many files were.
 */
export const downloadAndExtract = async (
  fetch: (path: string) => Promise<unknown>,
  folder: string,
  options: ExtractOptions,
): Promise<readonly WrittenFile[]> => {
  const scratch = await createScratchFolder(folder)
  try {
    const path = join(scratch.path, 'archive.zip')
    await fetch(path)
    return await extractArchive(path, scratch, options)
  } catch (error) {
    if (error instanceof Failure) throw error
    throw isDiskError(error) ? toWriteFailure(scratch.target, error) : createDamageFailure(error)
  } finally {
    await scratch.remove()
  }
}

// Publishing: extracted files are moved from a scratch folder on the same file system.

/** A scratch folder: a private folder for extracting, in or beside the target folder. */
interface ScratchFolder {
  /** The folder to extract into, links resolved. */
  readonly target: string
  /** True if the target folder exists already. */
  readonly exists: boolean
  readonly path: string
  /** Removes the scratch folder, and the empty folders that were created for it. Never throws. */
  remove(): Promise<void>
}

const findFileStats = (path: string): Promise<Stats | undefined> =>
  lstat(path).catch((error: unknown) => {
    if (isNoFile(error)) return undefined
    throw error
  })

/**
 * Finds the target folder, with links resolved; undefined if it does not exist yet.
 * @throws Failure `usage` if something else is there
 */
export const findFolder = async (folder: string): Promise<string | undefined> => {
  const path = await realpath(folder).catch(() => folder)
  const existing = await findFileStats(path)
  if (existing === undefined) return undefined
  if (existing.isDirectory()) return path
  throw usage(
    `cannot extract into ${folder}: it is ${existing.isSymbolicLink() ? 'a broken symbolic link' : 'not a folder'}`,
    'Pass a folder with --to. svcctl creates it if it does not exist.',
  )
}

/** Creates the scratch folder, and the folders above it. @throws Failure if one of them cannot be created */
const createScratchFolder = async (folder: string): Promise<ScratchFolder> => {
  const existing = await findFolder(folder)
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
    throw toWriteFailure(folder, error)
  }
}

/** Checks the free space of the disk. @throws Failure `failed` if there is not enough */
const checkSpace = async ({ path, target }: ScratchFolder, size: number): Promise<void> => {
  const { bavail, bsize, blocks } = await statfs(path)
  // Some file systems do not report their size.
  if (blocks === 0 || bavail * bsize >= size) return
  throw new Failure(
    'failed',
    `the archive needs ${formatBytes(size)}, and ${target} has ${formatBytes(bavail * bsize)} free; nothing was extracted`,
    { hint: 'Free some space, or choose another folder with --to.' },
  )
}

const createPathFailure = (path: string, what: string): Failure =>
  createExtractFailure(`${path} is ${what}`)

/** Checks that the archive fits into an existing folder. @throws Failure `failed` if a symbolic link, or a file of another type, is in the way */
const checkConflicts = async (target: string, { files, folders }: Contents): Promise<void> => {
  const absent = new Set<string>()
  const isNew = (path: string): boolean => absent.has(dirname(path))
  for (const folder of folders) {
    const existing = isNew(folder) ? undefined : await findFileStats(join(target, folder))
    if (existing === undefined) absent.add(folder)
    else if (existing.isSymbolicLink())
      throw createPathFailure(join(target, folder), 'a symbolic link, which is not followed')
    else if (!existing.isDirectory())
      throw createPathFailure(join(target, folder), 'a file where the archive has a folder')
  }
  for (const { path } of files) {
    const existing = isNew(path) ? undefined : await findFileStats(join(target, path))
    if (existing === undefined || existing.isFile()) continue
    const what = existing.isSymbolicLink()
      ? 'a symbolic link, which is not followed'
      : existing.isDirectory()
        ? 'a folder where the archive has a file'
        : 'not a regular file'
    throw createPathFailure(join(target, path), what)
  }
}

/** Moves the files one by one. Each file is at any time either the previous or the new one. */
const publishInto = async (target: string, from: string, contents: Contents): Promise<void> => {
  await checkConflicts(target, contents)
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
 * Publishes the extracted files. A new folder appears with all files at once; into an existing folder, files are moved one by one.
 * @throws Failure `failed` with the number of published files
 */
const publish = async (
  { target, exists }: ScratchFolder,
  from: string,
  contents: Contents,
): Promise<void> => {
  if (!exists) {
    try {
      await rename(from, target)
      return
    } catch (error) {
      // If the folder exists now, another process created it in the meantime.
      if ((await findFolder(target)) === undefined) throw toWriteFailure(target, error)
    }
  }
  await publishInto(target, from, contents)
}
