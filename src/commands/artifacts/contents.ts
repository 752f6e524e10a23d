/** What an archive holds, looked at before any of it is written. */
import type { Entry } from 'yauzl'
import { Failure } from '../../errors.js'
import { archiveSegments } from './name.js'
import { type Archive, getEntryEnd, readEntries } from './zip.js'

/** Larger archives than these are extracted by hand: a bomb is refused before it goes off. */
const largest = 20 * 1024 ** 3
const steepest = 1000
const most = 200_000

/** A file of the archive, and where it goes below the folder. */
export interface Placement {
  readonly entry: Entry
  readonly path: string
}

export interface Contents {
  readonly files: readonly Placement[]
  /** Below the folder, those above before those in them. */
  readonly folders: readonly string[]
  /** Bytes of all files, unpacked. */
  readonly size: number
}

export const refusal = (what: string, cause?: unknown): Failure =>
  new Failure('failed', `${what}; nothing was extracted`, {
    hint: 'Run the command without --extract to keep the archive itself.',
    cause,
  })

const holds = (entry: Entry, which: string): Failure =>
  refusal(`the archive contains ${JSON.stringify(entry.fileName)}, which ${which}`)

const isSpecial = (entry: Entry): boolean => {
  const mode = (entry.externalFileAttributes >>> 16) & 0o170000
  return mode !== 0 && mode !== 0o100000 && mode !== 0o040000
}

const checkEntry = (entry: Entry): void => {
  if (isSpecial(entry)) throw holds(entry, 'is a symbolic link or a device')
  if (entry.isEncrypted()) throw holds(entry, 'is encrypted')
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8)
    throw holds(entry, `uses an unknown compression method (${entry.compressionMethod})`)
  const ratio = entry.uncompressedSize / Math.max(1, entry.compressedSize)
  if (entry.uncompressedSize > largest || (ratio > steepest && entry.uncompressedSize > 1 << 26))
    throw refusal(`the archive is too large when extracted (${JSON.stringify(entry.fileName)})`)
}

/** Names that one file system takes for the same, and another does not. */
const folded = process.platform === 'darwin' || process.platform === 'win32'
const keyOf = (path: string): string => (folded ? path.normalize('NFC').toLowerCase() : path)

/** Every path of the archive with those above it: none twice, and none both file and folder. */
class Paths {
  readonly #kinds = new Map<string, 'file' | 'folder' | 'implied'>()
  readonly folders: string[] = []

  take(segments: readonly string[], entry: Entry): string {
    const path = segments.join('/')
    const kind = entry.fileName.endsWith('/') ? 'folder' : 'file'
    for (let depth = 1; depth < segments.length; depth++)
      this.#above(segments.slice(0, depth).join('/'), entry)
    const key = keyOf(path)
    const there = this.#kinds.get(key)
    if (there === kind) throw holds(entry, 'appears twice in it')
    if (there !== undefined && kind === 'file') throw holds(entry, 'is also a folder in it')
    if (there === 'file') throw holds(entry, 'is also a file in it')
    if (there === undefined && kind === 'folder') this.folders.push(path)
    this.#kinds.set(key, kind)
    return path
  }

  #above(path: string, entry: Entry): void {
    const key = keyOf(path)
    const there = this.#kinds.get(key)
    if (there === 'file') throw holds(entry, 'is inside an entry that is a file')
    if (there !== undefined) return
    this.#kinds.set(key, 'implied')
    this.folders.push(path)
  }
}

/** Bytes that belong to two entries are how a small archive becomes an endless one. */
const checkOverlaps = (entries: readonly Entry[], table: number): void => {
  const inOrder = [...entries].sort(
    (a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader,
  )
  inOrder.forEach((entry, i) => {
    const next = inOrder[i + 1]
    const limit = next === undefined ? table : next.relativeOffsetOfLocalHeader
    if (getEntryEnd(entry) > limit)
      throw holds(
        entry,
        next === undefined ? 'points outside of the archive' : 'overlaps with another entry',
      )
  })
}

/**
 * Reads the table of contents.
 * @throws Failure `failed` for whatever must not be extracted
 */
export const readArchiveContents = async (archive: Archive): Promise<Contents> => {
  const entries: Entry[] = []
  const files: Placement[] = []
  const paths = new Paths()
  let size = 0
  for await (const entry of readEntries(archive)) {
    const segments = archiveSegments(entry.fileName)
    checkEntry(entry)
    entries.push(entry)
    if (entries.length > most) throw refusal(`the archive has more than ${most} entries`)
    size += entry.uncompressedSize
    const path = paths.take(segments, entry)
    if (!entry.fileName.endsWith('/')) files.push({ entry, path })
    else if (entry.uncompressedSize > 0) throw holds(entry, 'is a folder with content')
  }
  if (size > largest) throw refusal('the archive is too large when extracted')
  checkOverlaps(entries, archive.table)
  return { files, folders: paths.folders, size }
}
