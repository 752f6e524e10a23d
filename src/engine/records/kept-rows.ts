/**
 * The rows that `--sort` may still print, for the writer that sorts them: in memory up to a bound, behind it in a private
 * file of sorted runs, which are merged when they are printed. So memory does not grow with the number of rows.
 */

import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { getTemporaryFolder } from '../../base/io.js'
import { stringifyExact } from '../../base/json/json.js'
import { parseBytes } from '../../base/json/records.js'
import { Failure, getReason } from '../../errors.js'
import type { SingleReader } from '../../output/types.js'
import type { Order, SortKey } from '../where/index.js'

/** Rows of a larger limit go to the file. */
const maxInMemory = 5000

/** The bytes of rows that are sorted and written to the file as one run. */
const runSize = 4 * 1024 * 1024

/** An estimate of the bytes that a row takes in memory besides its record. */
const rowSize = 400

/** At least so many rows beyond the limit are collected before the last ones are dropped. */
const slack = 1000

/** So many bytes are written at once. */
const writeSize = 1024 * 1024

/** So many bytes of each run are read at once. */
const readSize = 16 * 1024

interface AddedRow {
  readonly key: SortKey
  readonly bytes: Uint8Array
  /** What the limit counts by, where it is not all of them. */
  readonly group: string
  /** What reads more of it, once it is printed. */
  readonly reader: SingleReader | undefined
}

interface KeptRow extends AddedRow {
  /** The order in which the rows came: it decides between equal keys. */
  readonly n: number
}

/** What stands before a row's record in the file: its place, its key, its group, and the number of its reader. */
type RowHead = readonly [n: number, key: SortKey, group: string, reader: number]

/** Before each row stand the lengths of its head and of its record. */
const lengthsSize = 8

const failed = (cause: unknown): Failure =>
  new Failure(
    'failed',
    `cannot store the records for sorting in ${getTemporaryFolder()}: ${getReason(cause)}`,
    {
      cause,
      hint: 'Set TMPDIR to a folder with more space, or sort fewer records with --where or --limit.',
    },
  )

/** A file without a name: it is gone with the process, however that ends. */
const openPrivate = async (): Promise<FileHandle> => {
  const path = join(getTemporaryFolder(), `svcctl-sort-${randomBytes(12).toString('hex')}`)
  const file = await open(path, 'wx+', 0o600)
  try {
    await rm(path)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** A piece of a file, read in order. */
class Piece {
  readonly #file: FileHandle
  #at: number
  readonly #end: number
  #bytes: Buffer = Buffer.alloc(0)

  constructor(file: FileHandle, at: number, end: number) {
    this.#file = file
    this.#at = at
    this.#end = end
  }

  get ended(): boolean {
    return this.#at >= this.#end && this.#bytes.length === 0
  }

  /** The next so many bytes. @throws Failure where the file cannot be read */
  async take(length: number): Promise<Buffer> {
    while (this.#bytes.length < length) await this.#read(length - this.#bytes.length)
    const taken = this.#bytes.subarray(0, length)
    this.#bytes = this.#bytes.subarray(length)
    return taken
  }

  async #read(least: number): Promise<void> {
    const more = Buffer.alloc(Math.min(Math.max(readSize, least), this.#end - this.#at))
    try {
      const { bytesRead } = await this.#file.read(more, 0, more.length, this.#at)
      if (bytesRead === 0) throw new Error('it ends too early')
      this.#at += bytesRead
      this.#bytes = Buffer.concat([this.#bytes, more.subarray(0, bytesRead)])
    } catch (error) {
      throw failed(error)
    }
  }
}

/** Sorted runs of rows in a private file. */
class RunFile {
  #file: FileHandle | undefined
  #size = 0
  readonly #runs: { readonly at: number; readonly end: number }[] = []
  /** Those of the rows: few, since each reads the records of a whole list. */
  readonly #readers: (SingleReader | undefined)[] = []

  /** @throws Failure where there is no room */
  async add(rows: readonly KeptRow[]): Promise<void> {
    const at = this.#size
    let [chunks, waiting]: [Uint8Array[], number] = [[], 0]
    for (const row of rows) {
      const parts = this.#encode(row)
      chunks.push(...parts)
      for (const { length } of parts) waiting += length
      if (waiting < writeSize) continue
      await this.#write(Buffer.concat(chunks))
      ;[chunks, waiting] = [[], 0]
    }
    await this.#write(Buffer.concat(chunks))
    this.#runs.push({ at, end: this.#size })
  }

  /** The rows of each run, in their order. */
  runs(): readonly AsyncGenerator<KeptRow>[] {
    return this.#runs.map(({ at, end }) => this.#rows(at, end))
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }

  #encode({ n, key, group, reader, bytes }: KeptRow): readonly Uint8Array[] {
    let known = this.#readers.lastIndexOf(reader)
    if (known < 0) known = this.#readers.push(reader) - 1
    const written: RowHead = [n, key, group, known]
    const head = Buffer.from(stringifyExact(written) ?? '')
    const lengths = Buffer.alloc(lengthsSize)
    lengths.writeUInt32LE(head.length)
    lengths.writeUInt32LE(bytes.length, lengthsSize / 2)
    return [lengths, head, bytes]
  }

  async #write(bytes: Uint8Array): Promise<void> {
    try {
      this.#file ??= await openPrivate()
      await this.#file.appendFile(bytes)
    } catch (error) {
      throw failed(error)
    }
    this.#size += bytes.length
  }

  async *#rows(at: number, end: number): AsyncGenerator<KeptRow> {
    if (this.#file === undefined) return
    const piece = new Piece(this.#file, at, end)
    while (!piece.ended) {
      const lengths = await piece.take(lengthsSize)
      const head = await piece.take(lengths.readUInt32LE())
      const bytes = await piece.take(lengths.readUInt32LE(lengthsSize / 2))
      const [n, key, group, known] = parseBytes(head) as RowHead
      yield { n, key, group, reader: this.#readers[known], bytes }
    }
  }
}

type RowComparator = (a: KeptRow, b: KeptRow) => number

/** A run with its next row. */
interface Head {
  readonly row: KeptRow
  readonly run: AsyncGenerator<KeptRow>
}

/** Sorted runs as one. */
async function* merged(
  runs: readonly AsyncGenerator<KeptRow>[],
  compare: RowComparator,
): AsyncGenerator<KeptRow> {
  /** Those that have rows, by their next one, the last first. */
  const heads: Head[] = []
  const place = async (run: Head['run']): Promise<void> => {
    const step = await run.next()
    if (step.done === true) return
    let [low, high] = [0, heads.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const other = heads[middle]
      if (other !== undefined && compare(other.row, step.value) > 0) low = middle + 1
      else high = middle
    }
    heads.splice(low, 0, { row: step.value, run })
  }
  for (const run of runs) await place(run)
  for (let next = heads.pop(); next !== undefined; next = heads.pop()) {
    yield next.row
    await place(next.run)
  }
}

async function* inHand(rows: readonly KeptRow[]): AsyncGenerator<KeptRow> {
  yield* rows
}

/** The rows of an answer, of which the first so many of each group are printed in their order. */
export class KeptRows {
  readonly #compare: RowComparator
  readonly #most: number
  readonly #file = new RunFile()
  #rows: KeptRow[] = []
  /** Bytes of these, where they go to the file. */
  #held = 0
  #count = 0
  #printed = 0
  readonly #groups = new Set<string>()

  constructor({ compare }: Pick<Order, 'compare'>, most: number) {
    this.#compare = (a, b) => compare(a.key, b.key) || a.n - b.n
    this.#most = most
  }

  /** How many came, printed or not. */
  get count(): number {
    return this.#count
  }

  /** How many were printed. */
  get printed(): number {
    return this.#printed
  }

  /** @throws Failure where there is no room for all that have to be kept */
  async add(row: AddedRow): Promise<void> {
    this.#count += 1
    this.#groups.add(row.group)
    // A record is a part of its page, which goes on without it.
    this.#rows.push({ ...row, n: this.#count, bytes: row.bytes.slice() })
    if (this.#most > maxInMemory) return this.#spill(row.bytes.length + rowSize)
    const most = this.#most * this.#groups.size
    if (this.#rows.length >= most + Math.max(most, slack)) this.#cut()
  }

  /** All that are to be printed, in their order. */
  async *sorted(): AsyncGenerator<Pick<AddedRow, 'bytes' | 'reader'>> {
    const take = this.#limited()
    this.#rows.sort(this.#compare)
    for await (const row of merged([...this.#file.runs(), inHand(this.#rows)], this.#compare)) {
      if (!take(row)) continue
      this.#printed += 1
      yield row
    }
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  async #spill(size: number): Promise<void> {
    this.#held += size
    if (this.#held < runSize) return
    await this.#file.add(this.#rows.sort(this.#compare))
    this.#rows = []
    this.#held = 0
  }

  #cut(): void {
    this.#rows = this.#rows.sort(this.#compare).filter(this.#limited())
  }

  /** Whether a row, given in their order, is among the first of its group. */
  #limited(): (row: KeptRow) => boolean {
    const counts = new Map<string, number>()
    return ({ group }) => {
      const count = (counts.get(group) ?? 0) + 1
      counts.set(group, count)
      return count <= this.#most
    }
  }
}
