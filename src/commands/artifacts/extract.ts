/** Unpacking an archive: into a private folder, looked at whole, then published. */
import { createWriteStream } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { crc32, inflateRawSync } from 'node:zlib'
import type { Entry } from 'yauzl'
import { Failure, getErrorCode } from '../../errors.js'
import { type Contents, type Placement, readArchiveContents, refusal } from './contents.js'
import { checkSpace, checkWay, openScratch, publish, type Scratch } from './publish.js'
import { type Progress, writeFailure } from './save.js'
import { type Archive, openArchive } from './zip.js'

/** What is wrong with the archive, as against the disk. */
const damaged = (cause: unknown, entry?: string): Failure => {
  const why = cause instanceof Error ? cause.message : ''
  const what = entry === undefined ? '' : ` (${JSON.stringify(entry)})`
  return refusal(`the archive could not be extracted${what}: ${why}`, cause)
}

/** Files up to this size are unpacked in one go: there may be tens of thousands. */
const small = 1 << 20
const wrongSum = (): Error => new Error('its checksum is wrong')

const unpacked = (packed: Buffer, { compressionMethod, uncompressedSize }: Entry): Buffer => {
  if (compressionMethod === 0) return packed
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, uncompressedSize) })
  } catch (error) {
    throw getErrorCode(error) === 'ERR_BUFFER_TOO_LARGE' ? new Error('too many bytes') : error
  }
}

const writeSmall = async (archive: Archive, { entry, path }: Placement, folder: string) => {
  const { fileDataStart } = await archive.zip.readLocalFileHeaderPromise(entry, { minimal: true })
  const bytes = unpacked(await archive.read(fileDataStart, entry.compressedSize), entry)
  if (bytes.length < entry.uncompressedSize) throw new Error('too few bytes')
  if (bytes.length > entry.uncompressedSize) throw new Error('too many bytes')
  if (crc32(bytes) !== entry.crc32) throw wrongSum()
  await writeFile(join(folder, path), bytes, { flag: 'wx' })
}

const writeItem = async (
  archive: Archive,
  item: Placement,
  folder: string,
  signal: AbortSignal,
) => {
  const { entry, path } = item
  if (entry.uncompressedSize <= small && entry.compressedSize <= small)
    return writeSmall(archive, item, folder)
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
    createWriteStream(join(folder, path), { flags: 'wx' }),
    { signal },
  )
  if (sum !== entry.crc32) throw wrongSum()
}

const interruption = (signal: AbortSignal): void => {
  if (signal.aborted) throw new Failure('interrupted', 'interrupted; nothing was extracted')
}

const unpack = async (
  archive: Archive,
  { files, folders }: Contents,
  into: string,
  { signal, progress }: Extracting,
): Promise<void> => {
  await mkdir(into)
  for (const folder of folders) await mkdir(join(into, folder))
  for (const [i, item] of files.entries()) {
    interruption(signal)
    progress(`extracting ${i + 1} of ${files.length} files`, i / files.length)
    try {
      await writeItem(archive, item, into, signal)
    } catch (cause) {
      interruption(signal)
      throw isOfDisk(cause) ? cause : damaged(cause, item.entry.fileName)
    }
  }
}

/** Whether the system refused to write, rather than the archive to be read. */
const isOfDisk = (cause: unknown): boolean => /^E[A-Z0-9]+$/.test(getErrorCode(cause))

export interface Extracting {
  readonly signal: AbortSignal
  readonly progress: Progress
}

const extractFrom = async (
  path: string,
  scratch: Scratch,
  extracting: Extracting,
): Promise<number> => {
  const archive = await openArchive(path)
  try {
    const contents = await readArchiveContents(archive)
    await checkSpace(scratch, contents.size)
    if (scratch.exists) await checkWay(scratch.target, contents)
    const into = join(scratch.path, 'files')
    await unpack(archive, contents, into, extracting)
    interruption(extracting.signal)
    await publish(scratch, into, contents)
    return contents.files.length
  } finally {
    await archive.close()
  }
}

/**
 * Fetches an archive and extracts it into a folder, which need not be there.
 * @param fetch writes the archive to a path
 * @returns how many files were written
 * @throws Failure `failed` when an entry would leave the folder, is a link or device, overlaps, is
 *   damaged, or when it is a bomb: nothing was published then, or the message says what
 */
export const extract = async (
  fetch: (path: string) => Promise<unknown>,
  folder: string,
  extracting: Extracting,
): Promise<number> => {
  const scratch = await openScratch(folder)
  try {
    const path = join(scratch.path, 'archive.zip')
    await fetch(path)
    return await extractFrom(path, scratch, extracting)
  } catch (error) {
    if (error instanceof Failure) throw error
    throw isOfDisk(error) ? writeFailure(scratch.target, error) : damaged(error)
  } finally {
    await scratch.remove()
  }
}
