/** Reads ZIP archives of artifacts, and refuses those that are unsafe to extract. */

import { read } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Entry, RandomAccessReader, ZipFile } from 'yauzl'
import { isDots } from '../../base/base-url.js'
import { Failure } from '../../errors.js'

/** The number of bytes that are read at once from the table of contents. Many of its entries share such a page. */
const pageSize = 1 << 14
/** The number of bytes that are read at once from the content of an entry. */
const pieceSize = 1 << 16

type YauzlModule = typeof import('yauzl')

/** Reads a part of a file in pieces. Node's own stream would close the file when its reader stops early. */
async function* readPieces(handle: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const length = Math.min(pieceSize, end - at)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at)
    if (bytesRead === 0) throw new Error('unexpected end of the file')
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** Creates a reader that caches a page of the file: two system calls for each entry would take seconds in a large archive. */
const createPagedReader = (yauzl: YauzlModule, handle: FileHandle): RandomAccessReader => {
  class Paged extends yauzl.RandomAccessReader {
    #page = Buffer.alloc(0)
    #start = 0

    override _readStreamForRange(start: number, end: number): Readable {
      return Readable.from(readPieces(handle, start, end), { objectMode: false })
    }

    override read(
      buffer: Buffer,
      offset: number,
      length: number,
      position: number,
      done: (error: Error | null) => void,
    ): void {
      const from = position - this.#start
      if (from >= 0 && from + length <= this.#page.length) {
        this.#page.copy(buffer, offset, from, from + length)
        setImmediate(done, null)
        return
      }
      const page = Buffer.alloc(Math.max(pageSize, length))
      read(handle.fd, page, 0, page.length, position, (error, bytes) => {
        this.#page = page.subarray(0, bytes)
        this.#start = position
        if (error === null && bytes < length) return done(new Error('unexpected end of the file'))
        if (error === null) page.copy(buffer, offset, 0, length)
        done(error)
      })
    }

    override close(done: (error: Error | null) => void): void {
      done(null)
    }
  }
  return new Paged()
}

/** An open archive. */
export interface Archive {
  readonly zip: ZipFile
  /** The position of the table of contents. All entries must lie before it. */
  readonly table: number
  /** Reads `length` bytes from a position; fails if the file ends before that. */
  read(position: number, length: number): Promise<Buffer>
  close(): Promise<void>
}

/**
 * Opens an archive.
 * @param names false leaves entry names undecoded, so that no name is refused
 * @throws errors of yauzl and of the file system
 */
export const openArchive = async (path: string, names = true): Promise<Archive> => {
  const yauzl = await import('yauzl')
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    const zip = await new Promise<ZipFile>((resolve, reject) => {
      yauzl.fromRandomAccessReader(
        createPagedReader(yauzl, handle),
        size,
        { lazyEntries: true, autoClose: false, validateEntrySizes: true, decodeStrings: names },
        (error, opened) =>
          error === null || error === undefined ? resolve(opened) : reject(error),
      )
    })
    // The types declare a boolean, but the value is the position of the next entry in the table.
    const table = Number(zip.readEntryCursor)
    const read = async (position: number, length: number): Promise<Buffer> => {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position)
      if (bytesRead < length) throw new Error('unexpected end of the file')
      return buffer
    }
    return { zip, table, read, close: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Reads the entries of the table of contents. To save memory, it empties the fields that the tool does not use. */
export async function* readEntries({ zip }: Archive): AsyncGenerator<Entry> {
  const nothing = Buffer.alloc(0)
  for await (const entry of zip.eachEntry()) {
    entry.fileNameRaw = nothing
    entry.extraFieldRaw = nothing
    entry.fileCommentRaw = nothing
    entry.extraFields = []
    yield entry
  }
}

/** Returns the lowest offset at which an entry can end, after its header (30 bytes), name and compressed content. */
export const getEntryEnd = (entry: Entry): number =>
  entry.relativeOffsetOfLocalHeader + 30 + entry.fileNameLength + entry.compressedSize

// File names that are safe on every system.

/** Matches the names of devices on Windows. */
const deviceName = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

/** True if a segment of a path is not an ordinary file name on every system. */
export const isUnsafeName = (segment: string): boolean =>
  isDots(segment) || /\p{Cc}/u.test(segment) || deviceName.test(segment)

/** Creates the failure for an archive that must not be extracted. */
export const createExtractFailure = (what: string, cause?: unknown): Failure =>
  new Failure('failed', `${what}; nothing was extracted`, {
    hint: 'Run the command without --extract to keep the archive itself.',
    cause,
  })

const createUnsafeEntryFailure = (path: string, which: string): Failure =>
  createExtractFailure(`the archive contains ${JSON.stringify(path)}, which ${which}`)

/**
 * Splits a path inside an archive into segments. The target folder itself, which some programs store as `./`, has none.
 * @throws Failure `failed` if the path leaves the target folder, or has a name that is not safe on every system
 */
const splitArchivePath = (path: string): readonly string[] => {
  const segments = path.split(/[/\\]/).filter((one) => one !== '' && one !== '.')
  const leaves = /^[/\\]|^[a-z]:/i.test(path) || segments.some(isDots)
  if (leaves) throw createUnsafeEntryFailure(path, 'leaves the target directory')
  if (segments.some(isUnsafeName)) throw createUnsafeEntryFailure(path, 'is not a safe file name')
  if (segments.length === 0 && !path.endsWith('/'))
    throw createUnsafeEntryFailure(path, 'has no name')
  return segments
}

// The contents of an archive, checked before anything is written.

/** The maximum size of all extracted files, in bytes. With the other limits, it stops archive bombs before they are extracted. */
const maxSize = 20 * 1024 ** 3
/** The maximum ratio of extracted to compressed size, for entries above 64 MiB. */
const maxRatio = 1000
const maxEntries = 200_000

/** An entry of the archive, and its path below the target folder. */
export interface Placement {
  readonly entry: Entry
  readonly path: string
}

/** The files and folders of an archive that passed all checks. */
export interface Contents {
  readonly files: readonly Placement[]
  /** The folders below the target, parents first. */
  readonly folders: readonly string[]
  /** The size of all extracted files, in bytes. */
  readonly size: number
}

const createEntryFailure = (entry: Entry, which: string): Failure =>
  createUnsafeEntryFailure(entry.fileName, which)

/** Returns the mode that Unix systems store in an entry; 0 if another system wrote it. */
const getUnixMode = (entry: Entry): number => entry.externalFileAttributes >>> 16

/**
 * Returns the permissions for an extracted file: those of the entry, and reading and writing for its owner. Bits that change the user or
 * group of a program are left out, and the umask applies.
 */
export const getFilePermissions = (entry: Entry): number => {
  const permissions = getUnixMode(entry) & 0o777
  return permissions === 0 ? 0o666 : permissions | 0o600
}

/** True for symbolic links, devices and the like, by the file type that Unix systems store in an entry. */
const isSpecialFile = (entry: Entry): boolean => {
  const mode = getUnixMode(entry) & 0o170000
  return mode !== 0 && mode !== 0o100000 && mode !== 0o040000
}

const checkEntry = (entry: Entry): void => {
  if (isSpecialFile(entry)) throw createEntryFailure(entry, 'is a symbolic link or a device')
  if (entry.isEncrypted()) throw createEntryFailure(entry, 'is encrypted')
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8)
    throw createEntryFailure(
      entry,
      `uses an unknown compression method (${entry.compressionMethod})`,
    )
  const ratio = entry.uncompressedSize / Math.max(1, entry.compressedSize)
  if (entry.uncompressedSize > maxSize || (ratio > maxRatio && entry.uncompressedSize > 1 << 26))
    throw createExtractFailure(
      `the archive is too large when extracted (${JSON.stringify(entry.fileName)})`,
    )
}

/** True if file systems of this platform usually ignore case, so that two different names may mean the same file. */
const ignoresCase = process.platform === 'darwin' || process.platform === 'win32'
const toPathKey = (path: string): string =>
  ignoresCase ? path.normalize('NFC').toLowerCase() : path

/** Collects the paths of entries and their parent folders. It refuses a path that appears twice, or as both file and folder. */
class EntryPaths {
  readonly #kinds = new Map<string, 'file' | 'folder' | 'implied'>()
  readonly folders: string[] = []

  /** Adds an entry with its parent folders, and returns its path. */
  add(segments: readonly string[], entry: Entry): string {
    const path = segments.join('/')
    const kind = entry.fileName.endsWith('/') ? 'folder' : 'file'
    for (let depth = 1; depth < segments.length; depth++)
      this.#addParent(segments.slice(0, depth).join('/'), entry)
    const key = toPathKey(path)
    const existingKind = this.#kinds.get(key)
    if (existingKind === kind) throw createEntryFailure(entry, 'appears twice in it')
    if (existingKind !== undefined && kind === 'file')
      throw createEntryFailure(entry, 'is also a folder in it')
    if (existingKind === 'file') throw createEntryFailure(entry, 'is also a file in it')
    if (existingKind === undefined && kind === 'folder') this.folders.push(path)
    this.#kinds.set(key, kind)
    return path
  }

  #addParent(path: string, entry: Entry): void {
    const key = toPathKey(path)
    const existingKind = this.#kinds.get(key)
    if (existingKind === 'file')
      throw createEntryFailure(entry, 'is inside an entry that is a file')
    if (existingKind !== undefined) return
    this.#kinds.set(key, 'implied')
    this.folders.push(path)
  }
}

/** Refuses entries that share bytes, by which a small archive can extract to a huge size. */
const checkOverlaps = (entries: readonly Entry[], table: number): void => {
  const inOrder = [...entries].sort(
    (a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader,
  )
  inOrder.forEach((entry, i) => {
    const next = inOrder[i + 1]
    const limit = next === undefined ? table : next.relativeOffsetOfLocalHeader
    if (getEntryEnd(entry) > limit)
      throw createEntryFailure(
        entry,
        next === undefined ? 'points outside of the archive' : 'overlaps with another entry',
      )
  })
}

/**
 * Reads the table of contents and checks all entries.
 * @throws Failure `failed` for an archive that must not be extracted
 */
export const readArchiveContents = async (archive: Archive): Promise<Contents> => {
  const entries: Entry[] = []
  const files: Placement[] = []
  const paths = new EntryPaths()
  let size = 0
  for await (const entry of readEntries(archive)) {
    const segments = splitArchivePath(entry.fileName)
    checkEntry(entry)
    entries.push(entry)
    if (entries.length > maxEntries)
      throw createExtractFailure(`the archive has more than ${maxEntries} entries`)
    size += entry.uncompressedSize
    if (segments.length === 0) continue
    const path = paths.add(segments, entry)
    if (!entry.fileName.endsWith('/')) files.push({ entry, path })
    else if (entry.uncompressedSize > 0) throw createEntryFailure(entry, 'is a folder with content')
  }
  if (size > maxSize) throw createExtractFailure('the archive is too large when extracted')
  checkOverlaps(entries, archive.table)
  return { files, folders: paths.folders, size }
}
