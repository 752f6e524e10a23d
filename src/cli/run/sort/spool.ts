/** Records that wait: in memory up to a bound, behind it in a private file that nobody else can open. */
import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure, reasonOf } from '../../../errors.js'

/** So many are written at once. */
const chunkSize = 1024 * 1024

/** Where a record is: in memory, or at a place of the file. */
export type SpoolPlace = Uint8Array | { readonly at: number; readonly length: number }

const failed = (cause: unknown): Failure =>
  new Failure('failed', `cannot keep the records to sort in ${tmpdir()}: ${reasonOf(cause)}`, {
    cause,
    hint: 'Set TMPDIR to a folder with more space, or sort fewer with --where or --limit.',
  })

/** A file without a name: it is gone with the process, however that ends. */
const openPrivate = async (): Promise<FileHandle> => {
  const path = join(tmpdir(), `svcctl-sort-${randomBytes(12).toString('hex')}`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await rm(path)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

export class RecordSpool {
  readonly #maxHeld: number
  #held = 0
  #file: FileHandle | undefined
  #written = 0
  #chunk: Uint8Array[] = []
  #waiting = 0

  /** @param maxHeld so many bytes stay in memory */
  constructor(maxHeld: number) {
    this.#maxHeld = maxHeld
  }

  /** @throws Failure where there is no room */
  async add(record: Uint8Array): Promise<SpoolPlace> {
    const { length } = record
    if (this.#held + length <= this.#maxHeld) {
      this.#held += length
      // A record is a part of its page, which goes on without it.
      return record.slice()
    }
    const place = { at: this.#written + this.#waiting, length }
    this.#chunk.push(record)
    this.#waiting += length
    if (this.#waiting >= chunkSize) await this.#flush()
    return place
  }

  /** @throws Failure where the file cannot be read */
  async read(place: SpoolPlace): Promise<Uint8Array> {
    if (place instanceof Uint8Array) return place
    await this.#flush()
    const bytes = Buffer.alloc(place.length)
    try {
      await this.#file?.read(bytes, 0, place.length, place.at)
    } catch (error) {
      throw failed(error)
    }
    return bytes
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }

  async #flush(): Promise<void> {
    if (this.#waiting === 0) return
    const bytes = Buffer.concat(this.#chunk)
    this.#chunk = []
    this.#waiting = 0
    try {
      this.#file ??= await openPrivate()
      await this.#file.appendFile(bytes)
    } catch (error) {
      throw failed(error)
    }
    this.#written += bytes.length
  }
}
