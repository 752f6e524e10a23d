/** Writes journals: creates or resumes a file that no other process writes, and syncs it to disk. */
import { constants, ftruncateSync, writeSync } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Clock } from '../../base/async.js'
import { type Lock, lock } from '../../base/files/lock.js'
import { makeFolders } from '../../base/files/regular.js'
import { Failure, getErrorCode, getReason, usage } from '../../errors.js'
import type { End } from '../work/report.js'
import { formatLine, type Header, type JournalLine } from './lines.js'
import { ObjectStates, openJournal, type RunHistory, readRunHistory } from './reader.js'

/** The interval between syncs to disk, in milliseconds. */
const syncInterval = 1000
/** Pending text beyond this length is written at once, not at the end of the turn. */
const maxPendingLength = 1 << 15

/** The operations on a file that a journal needs; tests replace them with failing ones. */
export interface JournalFile {
  /** Writes some of the bytes and returns how many. */
  write(bytes: Uint8Array): number
  truncate(length: number): void
  datasync(): Promise<void>
  close(): Promise<void>
}

/** Makes writes synchronous: a write takes microseconds, less than passing it to another thread. */
const toJournalFile = (handle: FileHandle): JournalFile => ({
  write: (bytes) => writeSync(handle.fd, bytes),
  truncate: (length) => ftruncateSync(handle.fd, length),
  datasync: () => handle.datasync(),
  close: () => handle.close(),
})

/** A journal file that this process has locked, with its contents so far. */
interface OpenFile {
  readonly file: string
  readonly header: Header
  readonly handle: JournalFile
  readonly lock: Pick<Lock, 'isHeld' | 'release'>
  readonly written?: number
  readonly states?: ObjectStates
  readonly sent?: boolean
  readonly clock: Clock
}

/** The lines that are written together at the end of this turn. */
interface PendingBatch {
  readonly written: Promise<void>
  readonly resolve: () => void
  readonly reject: (failure: Failure) => void
}

const createBatch = (): PendingBatch => {
  let [resolve, reject]: [() => void, (failure: Failure) => void] = [() => {}, () => {}]
  const written = new Promise<void>((done, failed) => {
    resolve = done
    reject = failed
  })
  // Not every caller waits for the write.
  written.catch(() => {})
  return { written, resolve, reject }
}

/** True if a line contains the time at which it was written: every line about a write does. */
const isTimed = (line: JournalLine): boolean =>
  'request' in line || ('n' in line && line.state !== 'queued')

export class Journal {
  readonly file: string
  readonly header: Header
  readonly #clock: Clock
  #pending = ''
  #batch: PendingBatch | undefined
  #failure: Failure | undefined
  #leaveSync: (() => void) | undefined
  #listeners = new Set<() => void>()
  /** The file in the folder of runs that refers to this one, if the journal is elsewhere. */
  referenceFile: string | undefined
  #closed = false
  /** True if this process sent a write. */
  #wrote = false
  /** True if an object was begun or another write was sent. */
  #sent: boolean
  /** The bytes of complete lines that were written. */
  written: number
  /** The states of the objects so far. */
  readonly states: ObjectStates

  constructor(private readonly opened: OpenFile) {
    this.file = opened.file
    this.header = opened.header
    this.#clock = opened.clock
    this.#sent = opened.sent ?? false
    this.written = opened.written ?? 0
    this.states = opened.states ?? new ObjectStates()
  }

  /** The failure after which no line is written; undefined as long as lines can be written. */
  get failure(): Failure | undefined {
    return this.#failure
  }

  /**
   * Adds a line. Resolves when it is written.
   * @throws Failure `failed` if it cannot be written; all later calls fail, too
   */
  append(line: JournalLine): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    this.#batch ??= createBatch()
    const { written } = this.#batch
    this.add(line)
    return written
  }

  /**
   * Adds a line without waiting. If it cannot be written, the next call fails.
   * @throws Failure as `append`
   */
  add(line: JournalLine): void {
    if (this.#failure !== undefined) throw this.#failure
    const isObject = 'n' in line
    if (isObject) this.states.update(line, this.header)
    if (isObject ? line.state === 'begun' : 'request' in line) this.#sent = this.#wrote = true
    // Lines of the same turn of the event loop go into one write.
    if (this.#pending === '') setImmediate(() => this.#flush())
    this.#pending += formatLine(line, isTimed(line) ? this.#formatTime() : undefined)
    if (this.#pending.length > maxPendingLength) this.#flush()
  }

  /**
   * Writes the pending lines.
   * @throws Failure as `append`
   */
  flush(): void {
    this.#flush()
    if (this.#failure !== undefined) throw this.#failure
  }

  #flush(): void {
    if (this.#pending === '') return
    const [text, batch] = [this.#pending, this.#batch]
    this.#pending = ''
    this.#batch = undefined
    if (this.#failure === undefined) this.#write(Buffer.from(text))
    if (this.#failure === undefined) batch?.resolve()
    else batch?.reject(this.#failure)
    for (const listener of this.#listeners) listener()
  }

  /**
   * Calls `listener` after each write, and after a failure.
   * @returns a function that removes the listener
   */
  onWritten(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Writes the last line: how the run ended, and the counts of outcomes. */
  async end(end: End): Promise<void> {
    await this.append({ end, counts: this.states.count(), at: this.#formatTime() })
  }

  /** Syncs the file to disk and closes it, once. Never throws: failures were already reported. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#flush()
    this.#leaveSync?.()
    if (this.#failure === undefined) await this.opened.handle.datasync().catch(() => {})
    await this.opened.handle.close().catch(() => {})
    // A run that sent nothing needs no reference in the folder.
    if (this.referenceFile !== undefined && !this.#wrote)
      await unlink(this.referenceFile).catch(() => {})
    this.opened.lock.release()
  }

  /** Closes and removes the file, if nothing was begun. */
  async discard(): Promise<void> {
    await this.close()
    await unlink(this.file).catch(() => {})
  }

  #formatTime(): string {
    return new Date(this.#clock.now()).toISOString()
  }

  #write(bytes: Uint8Array): void {
    try {
      for (let at = 0; at < bytes.length; ) at += this.opened.handle.write(bytes.subarray(at))
      this.written += bytes.length
      this.#leaveSync ??= this.#clock.later(syncInterval, () => void this.#sync())
    } catch (error) {
      this.#fail(error)
    }
  }

  async #sync(): Promise<void> {
    this.#leaveSync = undefined
    try {
      await this.opened.handle.datasync()
    } catch (error) {
      if (!['EINVAL', 'ENOSYS', 'ENOTSUP'].includes(getErrorCode(error))) this.#fail(error)
    }
    if (!this.opened.lock.isHeld()) this.#fail(new Error('another process took over the journal'))
  }

  /** Stops all further writes, and so all requests; removes an incomplete line. */
  #fail(error: unknown): void {
    this.#failure ??= new Failure(
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
      this.opened.handle.truncate(this.written)
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

const lockJournal = (file: string): Promise<Lock> =>
  lock(`${file}.lock`, { patience: 0, held: createHeldFailure(file) })

/** Creates the failure for a journal that cannot be created. */
export const createJournalFailure = (file: string, why: string): Failure =>
  usage(
    `cannot create the journal ${file}: ${why}`,
    'Pass another file with --journal <file>. With --journal none, the run can be neither resumed nor undone.',
  )

/**
 * Creates a journal: a new file that only its owner can read, never through a link.
 * @throws Failure `usage` if it cannot be created, `conflict` if another process has locked it
 */
export const createJournal = async (
  file: string,
  header: Header,
  clock: Clock,
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
  let held: Lock | undefined
  try {
    held = await lockJournal(file)
    const journal = new Journal({ file, header, handle: toJournalFile(opened), lock: held, clock })
    await journal.append(header)
    return journal
  } catch (error) {
    held?.release()
    await opened.close().catch(() => {})
    await unlink(file).catch(() => {})
    // An error without a code is a defect, not a fault of the file system.
    if (error instanceof Failure || getErrorCode(error) === '') throw error
    throw createJournalFailure(file, getReason(error))
  }
}

/**
 * Resumes a journal after its last complete line.
 * @throws Failure `usage` if it cannot be read, `conflict` if another process has locked it
 */
export const resumeJournal = async (
  file: string,
  clock: Clock,
): Promise<{ readonly journal: Journal; readonly past: RunHistory }> => {
  const opened = await openJournal(file, constants.O_RDWR | constants.O_APPEND)
  const held = await lockJournal(file).catch(async (error: unknown) => {
    await opened.close()
    throw error
  })
  try {
    const past = await readRunHistory(file)
    await opened.truncate(past.size)
    const { header, size: written, states, sent } = past
    const handle = toJournalFile(opened)
    const journal = new Journal({ file, header, handle, lock: held, written, states, sent, clock })
    await journal.append({ resumed: new Date(clock.now()).toISOString() })
    return { journal, past }
  } catch (error) {
    held.release()
    await opened.close()
    throw error
  }
}
