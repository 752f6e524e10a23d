/** Writing a journal: made, or gone on with, as a file that this process alone has. */
import { constants, ftruncateSync, writeSync } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Clock, systemClock } from '../../base/async.js'
import { type Lock, lock } from '../../base/files/lock.js'
import { makeFolders } from '../../base/files/regular.js'
import { Failure, getErrorCode, getReason, usage } from '../../errors.js'
import type { End } from '../work/report.js'
import { formatLine, type Header, type Line } from './lines.js'
import { openJournal, type RunHistory, readPast, States } from './reader.js'

/** The interval at which it is brought to the disk, in milliseconds. */
const syncEvery = 1000
/** More text than this does not wait for the end of the turn. */
const maxWaiting = 1 << 15

/** The part of a file that is used; tests give one that fails. */
export interface JournalFile {
  /** Writes some of the bytes, and says how many. */
  write(bytes: Uint8Array): number
  truncate(length: number): void
  datasync(): Promise<void>
  close(): Promise<void>
}

/** Converts a file to one that is written at once: a write costs microseconds, and to hand it to another thread is more work than that. */
const toWritable = (handle: FileHandle): JournalFile => ({
  write: (bytes) => writeSync(handle.fd, bytes),
  truncate: (length) => ftruncateSync(handle.fd, length),
  datasync: () => handle.datasync(),
  close: () => handle.close(),
})

/** A journal file that this process has locked, and what is in it so far. */
interface OpenFile {
  readonly file: string
  readonly header: Header
  readonly handle: JournalFile
  readonly held: Pick<Lock, 'isHeld' | 'release'>
  readonly written?: number
  readonly states?: States
  readonly sent?: boolean
  readonly clock?: Clock
}

/** The promise that what waits for the end of this turn is written. */
interface Batch {
  readonly written: Promise<void>
  readonly resolve: () => void
  readonly reject: (failure: Failure) => void
}

const createBatch = (): Batch => {
  let [resolve, reject]: [() => void, (failure: Failure) => void] = [() => {}, () => {}]
  const written = new Promise<void>((done, failed) => {
    resolve = done
    reject = failed
  })
  // Not everybody waits for it.
  written.catch(() => {})
  return { written, resolve, reject }
}

/** True if a line says when it was written: every line about a write does. */
const isTimed = (line: Line): boolean =>
  'request' in line || ('n' in line && line.state !== 'queued')

export class Journal {
  readonly file: string
  readonly header: Header
  readonly #handle: JournalFile
  readonly #lock: Pick<Lock, 'isHeld' | 'release'>
  readonly #clock: Clock
  #text = ''
  #batch: Batch | undefined
  #broken: Failure | undefined
  #leaveSync: (() => void) | undefined
  #listeners = new Set<() => void>()
  /** The file in the folder of runs that names this one, where it stands elsewhere. */
  notedAs: string | undefined
  /** True if this process sent anything. */
  #wrote = false
  /** True if an object was begun, or another write sent. */
  #sent: boolean
  #now = Number.NaN
  #at = ''
  /** Bytes of whole lines that were written. */
  written: number
  /** The state of each object so far. */
  readonly states: States

  constructor(opened: OpenFile) {
    this.file = opened.file
    this.header = opened.header
    this.#handle = opened.handle
    this.#lock = opened.held
    this.#clock = opened.clock ?? systemClock
    this.#sent = opened.sent ?? false
    this.written = opened.written ?? 0
    this.states = opened.states ?? new States()
  }

  /**
   * Adds a line; resolves when it was written.
   * @throws Failure `failed` where it cannot be, and ever after
   */
  append(line: Line): Promise<void> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken)
    this.#batch ??= createBatch()
    const { written } = this.#batch
    this.add(line)
    return written
  }

  /**
   * Adds a line whose caller does not wait until it is written, and hears of a failure with the next.
   * @throws Failure as `append`
   */
  add(line: Line): void {
    if (this.#broken !== undefined) throw this.#broken
    const isObject = 'n' in line
    if (isObject) this.states.note(line.n, line.state)
    if (isObject ? line.state === 'begun' : 'request' in line) this.#sent = this.#wrote = true
    // What comes in the same turn of the event loop goes into the same write.
    if (this.#text === '') setImmediate(() => this.#flush())
    this.#text += formatLine(line, isTimed(line) ? this.#time() : undefined)
    if (this.#text.length > maxWaiting) this.#flush()
  }

  /**
   * Writes what waits.
   * @throws Failure as `append`
   */
  flush(): void {
    this.#flush()
    if (this.#broken !== undefined) throw this.#broken
  }

  #flush(): void {
    if (this.#text === '') return
    const [text, batch] = [this.#text, this.#batch]
    this.#text = ''
    this.#batch = undefined
    if (this.#broken === undefined) this.#write(Buffer.from(text))
    if (this.#broken === undefined) batch?.resolve()
    else batch?.reject(this.#broken)
    for (const listener of this.#listeners) listener()
  }

  /** Calls back after each write, and when there will be none; gives a way to stop. */
  onWritten(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The last line: how the run ended, and what became of all its objects. */
  async end(end: End): Promise<void> {
    const at = new Date(this.#clock.now()).toISOString()
    await this.append({ end, counts: this.states.counts(), at })
  }

  /** Brings all to the disk, and lets go of the file. Never throws: what failed, failed before. */
  async close(): Promise<void> {
    this.#flush()
    this.#leaveSync?.()
    if (this.#broken === undefined) await this.#handle.datasync().catch(() => {})
    await this.#handle.close().catch(() => {})
    // What sent nothing was no write.
    if (this.notedAs !== undefined && !this.#wrote) await unlink(this.notedAs).catch(() => {})
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
      this.#at = new Date(now).toISOString()
    }
    return this.#at
  }

  #write(bytes: Uint8Array): void {
    try {
      for (let at = 0; at < bytes.length; ) at += this.#handle.write(bytes.subarray(at))
      this.written += bytes.length
      this.#leaveSync ??= this.#clock.later(syncEvery, () => void this.#sync())
    } catch (error) {
      this.#break(error)
    }
  }

  async #sync(): Promise<void> {
    this.#leaveSync = undefined
    try {
      await this.#handle.datasync()
    } catch (error) {
      if (!['EINVAL', 'ENOSYS', 'ENOTSUP'].includes(getErrorCode(error))) this.#break(error)
    }
    if (!this.#lock.isHeld()) this.#break(new Error('another process took over the journal'))
  }

  /** From now on nothing is written, and so nothing sent; half a line is taken back. */
  #break(error: unknown): void {
    this.#broken ??= new Failure(
      'failed',
      `cannot write the journal ${this.file}: ${getReason(error)}; ${this.#sent ? 'stopped before the next request' : 'nothing was sent'}`,
      {
        hint: this.#sent
          ? 'The journal contains the results so far. Free some space, then continue with --resume.'
          : 'Free some space, or pass another file with --journal.',
        cause: error,
      },
    )
    try {
      this.#handle.truncate(this.written)
    } catch {}
  }
}

/** Creates the failure for a journal that another process writes. */
const createHeldFailure =
  (file: string) =>
  (owner: string): Failure =>
    new Failure('conflict', `the journal ${file} is in use by ${owner}`, {
      hint: `Wait until it ends. If it has ended, delete ${file}.lock`,
    })

const lockOf = (file: string): Promise<Lock> =>
  lock(`${file}.lock`, { patience: 0, held: createHeldFailure(file) })

/** Says that a journal cannot be made. */
export const createJournalFailure = (file: string, why: string): Failure =>
  usage(
    `cannot create the journal ${file}: ${why}`,
    'Pass another file with --journal <file>. With --journal none, the run can be neither resumed nor undone.',
  )

/**
 * Makes a journal: a file that was not there, for its owner only, never through a link.
 * @throws Failure `usage` where it cannot be made, `conflict` where another process has it
 */
export const createJournal = async (
  file: string,
  header: Header,
  clock: Clock = systemClock,
): Promise<Journal> => {
  const { O_CREAT, O_EXCL, O_APPEND, O_RDWR } = constants
  try {
    makeFolders(dirname(file), 0o700)
  } catch (error) {
    throw createJournalFailure(file, getReason(error))
  }
  const flags = O_CREAT | O_EXCL | O_APPEND | O_RDWR
  const opened = await open(file, flags, 0o600).catch((error: unknown) => {
    throw createJournalFailure(
      file,
      getErrorCode(error) === 'EEXIST' ? 'it exists' : getReason(error),
    )
  })
  try {
    const held = await lockOf(file)
    const journal = new Journal({ file, header, handle: toWritable(opened), held, clock })
    await journal.append(header)
    return journal
  } catch (error) {
    await opened.close().catch(() => {})
    await unlink(file).catch(() => {})
    throw error instanceof Failure ? error : createJournalFailure(file, getReason(error))
  }
}

/**
 * Goes on with a journal where its whole lines end.
 * @throws Failure `usage` where it cannot be read, `conflict` where another process has it
 */
export const resumeJournal = async (
  file: string,
  clock: Clock = systemClock,
): Promise<{ readonly journal: Journal; readonly past: RunHistory }> => {
  const opened = await openJournal(file, constants.O_RDWR | constants.O_APPEND)
  const held = await lockOf(file).catch(async (error: unknown) => {
    await opened.close()
    throw error
  })
  try {
    const past = await readPast(file)
    await opened.truncate(past.size)
    const { header, size: written, states, sent } = past
    const handle = toWritable(opened)
    const journal = new Journal({ file, header, handle, held, written, states, sent, clock })
    await journal.append({ resumed: new Date(clock.now()).toISOString() })
    return { journal, past }
  } catch (error) {
    held.release()
    await opened.close()
    throw error
  }
}
