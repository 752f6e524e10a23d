/** Unpacking an archive: every entry is looked at before any is written. */
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Entry, ZipFile } from 'yauzl'
import { Failure } from '../../errors.js'
import { archiveSegments } from './name.js'

/** Larger archives than this are extracted by hand: a bomb is refused before it goes off. */
const largest = 20 * 1024 ** 3
const steepest = 1000

const openZip = async (path: string): Promise<ZipFile> => {
  const yauzl = await import('yauzl')
  return new Promise((resolve, reject) => {
    yauzl.open(
      path,
      { lazyEntries: true, autoClose: false, validateEntrySizes: true },
      (error, zip) => {
        if (error === null || error === undefined) resolve(zip)
        else
          reject(
            new Failure('failed', `the archive cannot be read: ${error.message}`, { cause: error }),
          )
      },
    )
  })
}

const isSymlink = (entry: Entry): boolean => {
  const mode = (entry.externalFileAttributes >>> 16) & 0o170000
  return mode !== 0 && mode !== 0o100000 && mode !== 0o040000
}

const entriesOf = (zip: ZipFile): Promise<Entry[]> =>
  new Promise((resolve, reject) => {
    const entries: Entry[] = []
    zip.on('entry', (entry: Entry) => {
      entries.push(entry)
      zip.readEntry()
    })
    zip.on('end', () => resolve(entries))
    zip.on('error', (error: Error) =>
      reject(
        new Failure(
          'failed',
          `the archive is not safe to extract: ${error.message}; nothing was extracted`,
          { cause: error },
        ),
      ),
    )
    zip.readEntry()
  })

const check = (entries: readonly Entry[]): void => {
  let total = 0
  for (const entry of entries) {
    archiveSegments(entry.fileName)
    if (isSymlink(entry))
      throw new Failure(
        'failed',
        `the archive holds ${JSON.stringify(entry.fileName)}, which is a link or a device; nothing was extracted`,
      )
    total += entry.uncompressedSize
    const ratio = entry.uncompressedSize / Math.max(1, entry.compressedSize)
    if (total > largest || (ratio > steepest && entry.uncompressedSize > 1 << 26))
      throw new Failure(
        'failed',
        `the archive would grow to more than it should (${JSON.stringify(entry.fileName)}); nothing was extracted`,
        {
          hint: 'Leave --extract out to keep the archive itself.',
        },
      )
  }
}

const write = (zip: ZipFile, entry: Entry, target: string): Promise<void> =>
  new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => {
      if (error !== null && error !== undefined) return reject(error)
      const part = `${target}.part`
      pipeline(stream, createWriteStream(part))
        .then(() => rename(part, target))
        .catch(async (cause: unknown) => {
          await rm(part, { force: true })
          throw cause
        })
        .then(resolve, reject)
    })
  })

/**
 * Extracts an archive below a directory.
 * @returns how many files were written
 * @throws Failure when an entry would leave the directory, is a link or device, or is a bomb:
 * nothing has been written then
 */
export const extract = async (archive: string, directory: string): Promise<number> => {
  const zip = await openZip(archive)
  try {
    const entries = await entriesOf(zip)
    check(entries)
    let files = 0
    for (const entry of entries) {
      const target = join(directory, ...archiveSegments(entry.fileName))
      if (entry.fileName.endsWith('/')) {
        await mkdir(target, { recursive: true })
        continue
      }
      await mkdir(dirname(target), { recursive: true })
      await write(zip, entry, target)
      files++
    }
    return files
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw new Failure(
      'failed',
      `the archive could not be extracted: ${cause instanceof Error ? cause.message : ''}`,
      { cause },
    )
  } finally {
    zip.close()
  }
}
