import { type FileHandle, unlink } from 'node:fs/promises'
import { writeAll } from '../../base/files/files.js'
import type { Lock } from '../../base/files/lock.js'
import { Failure, getErrorCode, getReason } from '../../errors.js'
import { type Clock, systemClock } from '../../http/gate.js'
import type { End } from '../work/report.js'
import { formatLine, type Header, type Line } from './lines.js'
import { States } from './past.js'

/** How often it is brought to the disk, in milliseconds. */
const syncEvery = 1000
/** Text that may wait to be written before `drained` makes its caller wait. */
const maxWaiting = 1 << 15

/** The part of a file's handle that is used; tests give one that fails. */
export type Writable = Pick<FileHandle, 'writev' | 'datasync' | 'truncate' | 'close'>

/** A file that this process has, and what stands in it. */
export interface Opened {
  readonly file: string
  readonly header: Header
  readonly handle: Writable
  readonly held: Pick<Lock, 'isHeld' | 'release'>
  readonly written?: number
  readonly states?: States
  readonly clock?: Clock
}

interface Batch {
  text: string
  readonly written: Promise<void>
  readonly resolve: () => void
  readonly reject: (failure: Failure) => void
}

const newBatch = (): Batch => {
  let [resolve, reject]: [() => void, (failure: Failure) => void] = [() => {}, () => {}]
  const written = new Promise<void>((done, failed) => {
    resolve = done
    reject = failed
  })
  // Whoever only adds a line hears of a failure with the next.
  written.catch(() => {})
  return { text: '', written, resolve, reject }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export class Journal {
  readonly file: string
  readonly header: Header
  readonly #handle: Writable
  readonly #lock: Pick<Lock, 'isHeld' | 'release'>
  readonly #clock: Clock
  #waiting = newBatch()
  #writing: Promise<void> | undefined
  #broken: Failure | undefined
  #leaveSync: (() => void) | undefined
  #listeners = new Set<() => void>()
  /** Notes elsewhere that this run writes: before its first object is begun, and once more when it ends. */
  note: (() => Promise<void>) | undefined
  #noted: Promise<void> | undefined
  #now = Number.NaN
  #text = ''
  /** Bytes of whole lines that were written. */
  written: number
  /** What became of each object so far. */
  readonly states: States

  constructor(opened: Opened) {
    this.file = opened.file
    this.header = opened.header
    this.#handle = opened.handle
    this.#lock = opened.held
    this.#clock = opened.clock ?? systemClock
    this.written = opened.written ?? 0
    this.states = opened.states ?? new States()
  }

  /**
   * Adds a line; resolves when it was written.
   * @throws Failure `failed` where it cannot be, and ever after
   */
  append(line: Line): Promise<void> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken)
    const { written } = this.#waiting
    this.add(line)
    return 'n' in line && line.state === 'begun' ? this.#begun(written) : written
  }

  /** Adds a line whose caller asks later whether it was written. */
  add(line: Line): void {
    if (this.#broken !== undefined) return
    const isObject = 'n' in line
    if (isObject) this.states.note(line.n, line.state)
    this.#waiting.text += formatLine(
      line,
      isObject && line.state !== 'queued' ? this.#time() : undefined,
    )
    this.#writing ??= this.#write()
  }

  /** More waits to be written than should: whoever adds lines waits for `drained`. */
  get full(): boolean {
    return this.#broken !== undefined || this.#waiting.text.length > maxWaiting
  }

  /** Resolves when what waits now was written. */
  async drained(): Promise<void> {
    if (this.#broken !== undefined) throw this.#broken
    if (this.#waiting.text !== '') await this.#waiting.written
  }

  /** Resolves when all that was added was written, or never will be. */
  async settled(): Promise<void> {
    await this.#writing
  }

  /** Calls back after each write, and when there will be none; gives a way to stop. */
  onWritten(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get broken(): Failure | undefined {
    return this.#broken
  }

  /** The last line: how the run ended, and what became of all its objects. */
  async end(end: End): Promise<void> {
    const at = new Date(this.#clock.now()).toISOString()
    await this.append({ end, counts: this.states.counts(), at })
    if (this.#noted !== undefined) await this.note?.()
  }

  /** Brings all to the disk, and lets go of the file. Never throws: what failed, failed before. */
  async close(): Promise<void> {
    this.#leaveSync?.()
    await this.settled()
    if (this.#broken === undefined) await this.#handle.datasync().catch(() => {})
    await this.#handle.close().catch(() => {})
    this.#lock.release()
  }

  /** Closes it, and takes it away: nothing was begun. */
  async discard(): Promise<void> {
    await this.close()
    await unlink(this.file).catch(() => {})
  }

  /** The time of a line; many are of one millisecond. */
  #time(): string {
    const now = this.#clock.now()
    if (now !== this.#now) {
      this.#now = now
      this.#text = new Date(now).toISOString()
    }
    return this.#text
  }

  /** Nothing is sent before both are written. */
  async #begun(written: Promise<void>): Promise<void> {
    this.#noted ??= this.note?.()
    await written
    await this.#noted
  }

  async #write(): Promise<void> {
    while (this.#waiting.text !== '' && this.#broken === undefined) {
      // What comes in the same turn of the event loop goes into the same write.
      await turn()
      const batch = this.#waiting
      this.#waiting = newBatch()
      const bytes = Buffer.from(batch.text)
      try {
        await writeAll(this.#handle, [bytes])
        this.written += bytes.length
        batch.resolve()
        this.#leaveSync ??= this.#clock.later(syncEvery, () => void this.#sync())
      } catch (error) {
        await this.#break(error, batch)
      }
      for (const listener of this.#listeners) listener()
    }
    this.#writing = undefined
  }

  async #sync(): Promise<void> {
    this.#leaveSync = undefined
    try {
      await this.#handle.datasync()
    } catch (error) {
      if (!['EINVAL', 'ENOSYS', 'ENOTSUP'].includes(getErrorCode(error))) await this.#break(error)
    }
    if (!this.#lock.isHeld()) await this.#break(new Error('another process took over the journal'))
  }

  /** From now on nothing is written, and so nothing sent; half a line is taken back. */
  async #break(error: unknown, batch?: Batch): Promise<void> {
    const failure = new Failure(
      'failed',
      `cannot write the journal ${this.file}: ${getReason(error)}; stopped before the next request`,
      {
        hint: 'The journal contains the results so far. Free some space, then continue with --resume.',
        cause: error,
      },
    )
    this.#broken ??= failure
    if (batch !== undefined) await this.#handle.truncate(this.written).catch(() => {})
    batch?.reject(failure)
    this.#waiting.reject(failure)
  }
}
