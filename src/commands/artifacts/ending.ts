/** Whether an archive is there to its end: what HTTP itself cannot tell. */
import { endOf, entriesOf, openArchive } from './zip.js'

/** The record at the end of an archive, without its comment, and the two of large archives before it. */
const recordLength = 22
const locatorLength = 20
const largeLength = 56
/** With the longest comment that there may be. */
const longest = recordLength + 0xffff + locatorLength + largeLength

/** Keeps the end of what passes by. */
export class Tail {
  #chunks: Uint8Array[] = []
  #held = 0
  #length = 0

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#held += chunk.length
    this.#length += chunk.length
    for (
      let first = this.#chunks[0];
      first !== undefined && this.#held - first.length >= longest;
      first = this.#chunks[0]
    ) {
      this.#held -= first.length
      this.#chunks.shift()
    }
  }

  /** Bytes that passed. */
  get length(): number {
    return this.#length
  }

  bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}

/** Where the last record stands, such that its comment reaches to the end. */
const recordIn = (tail: Buffer): number => {
  for (
    let at = tail.lastIndexOf('PK\x05\x06', undefined, 'latin1');
    at >= 0;
    at = at === 0 ? -1 : tail.lastIndexOf('PK\x05\x06', at - 1, 'latin1')
  ) {
    const comment = at + recordLength
    if (comment <= tail.length && comment + tail.readUInt16LE(at + 20) === tail.length) return at
  }
  return -1
}

interface Table {
  readonly offset: number
  readonly size: number
  /** Where the records begin that follow it. */
  readonly before: number
}

/** Of an archive past 4 GiB or 65,535 entries: where the larger record stands. */
const largeRecord = (tail: Buffer, record: number): number | undefined => {
  const locator = record - locatorLength
  return locator >= 0 && tail.readUInt32LE(locator) === 0x07064b50
    ? Number(tail.readBigUInt64LE(locator + 8))
    : undefined
}

/** The table of contents, as the records after it have it; undefined where they contradict each other. */
const tableOf = (tail: Buffer, record: number, start: number): Table | undefined => {
  const small = {
    size: tail.readUInt32LE(record + 12),
    offset: tail.readUInt32LE(record + 16),
  }
  const before = largeRecord(tail, record)
  if (before === undefined) return { ...small, before: start + record }
  const at = before - start
  if (at < 0 || at + largeLength > record || tail.readUInt32LE(at) !== 0x06064b50) return undefined
  const [size, offset] = [tail.readBigUInt64LE(at + 40), tail.readBigUInt64LE(at + 48)]
  return { offset: Number(offset), size: Number(size), before }
}

/** Why these bytes do not end as an archive does; undefined where they do. */
export const endingFault = (tail: Tail): string | undefined => {
  const bytes = tail.bytes()
  const start = tail.length - bytes.length
  const record = recordIn(bytes)
  if (record < 0) return 'it does not end as an archive does'
  const table = tableOf(bytes, record, start)
  if (table === undefined) return 'its last records contradict each other'
  const gap = table.before - table.offset - table.size
  // Right before its records, else somewhere before them: an archive within a cut one ends like this, too.
  const seen = bytes.indexOf('PK\x01\x02', Math.max(0, table.offset - start), 'latin1')
  if (gap === 0 || (gap > 0 && seen >= 0 && seen === table.offset - start)) return undefined
  return 'bytes are missing in the middle of it'
}

/** Why a file is no archive that holds what its table of contents says; undefined where it is. */
export const contentsFault = async (path: string): Promise<string | undefined> => {
  try {
    const archive = await openArchive(path, false)
    try {
      for await (const entry of entriesOf(archive))
        if (endOf(entry) > archive.table)
          return 'what its table of contents names lies outside of it'
    } finally {
      await archive.close()
    }
  } catch (error) {
    return `its table of contents is broken (${error instanceof Error ? error.message : ''})`
  }
  return undefined
}
