/** An archive's table of contents, by yauzl. */
import { read } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { Entry, RandomAccessReader, ZipFile } from 'yauzl'

/** The table is read in small pieces, and from the disk in larger ones. */
const pageSize = 1 << 14
const pieceSize = 1 << 16

type Yauzl = typeof import('yauzl')

/** Not Node's own stream, which closes the file when it is given up. */
async function* pieces(handle: FileHandle, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end; ) {
    const length = Math.min(pieceSize, end - at)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at)
    if (bytesRead === 0) throw new Error('unexpected end of the file')
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** Reads through a page, since a call to the system for every entry, twice, takes seconds in all. */
const pagedReader = (yauzl: Yauzl, handle: FileHandle): RandomAccessReader => {
  class Paged extends yauzl.RandomAccessReader {
    #page = Buffer.alloc(0)
    #start = 0

    override _readStreamForRange(start: number, end: number): Readable {
      return Readable.from(pieces(handle, start, end), { objectMode: false })
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

/** An archive that is open. */
export interface Archive {
  readonly zip: ZipFile
  /** Where the table of contents begins: everything in it lies before that. */
  readonly table: number
  /** So many bytes from a place. */
  read(position: number, length: number): Promise<Buffer>
  close(): Promise<void>
}

/**
 * Opens an archive.
 * @param names false leaves the names of entries as the bytes that they are, whatever they are
 * @throws what yauzl and the system throw
 */
export const openArchive = async (path: string, names = true): Promise<Archive> => {
  const yauzl = await import('yauzl')
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    const zip = await new Promise<ZipFile>((resolve, reject) => {
      yauzl.fromRandomAccessReader(
        pagedReader(yauzl, handle),
        size,
        { lazyEntries: true, autoClose: false, validateEntrySizes: true, decodeStrings: names },
        (error, opened) =>
          error === null || error === undefined ? resolve(opened) : reject(error),
      )
    })
    // Declared as a boolean; it is where the next entry of the table stands.
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

/** The entries, as the table of contents has them; what is not needed further is let go. */
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

/** Where an entry ends at the earliest: its header, its name and its packed bytes. */
export const getEntryEnd = (entry: Entry): number =>
  entry.relativeOffsetOfLocalHeader + 30 + entry.fileNameLength + entry.compressedSize
