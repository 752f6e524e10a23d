/** Files of this room: changed by one process at a time. */
import path from 'node:path'
import { lock } from '../base/files/lock.js'
import { Failure } from '../errors.js'
import { fileFailure, makeDirectory } from './files.js'

export interface LockWait {
  /** Milliseconds to wait for another process; 30 s unless given. */
  readonly patience?: number
  /** Hears who is waited for. */
  readonly note?: ((text: string) => void) | undefined
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs `work` while no other process does so under the same name. `file` need not exist; the lock
 * is the directory `<file>.lock` beside it.
 * @throws Failure `usage` where the lock cannot be made, `failed` where another process keeps it
 */
export const withLock = async <T>(
  file: string,
  work: () => Promise<T>,
  { patience = 30_000, note, signal }: LockWait = {},
): Promise<T> => {
  makeDirectory(path.dirname(file))
  const held = (owner: string): Failure =>
    new Failure('failed', `${owner} keeps ${file}.lock locked`, {
      request: `${file}.lock`,
      hint: 'Wait until it ends, or stop it. If no such process runs, remove that directory.',
    })
  const { release } = await lock(`${file}.lock`, { patience, note, signal, held }).catch(
    (error: unknown) => {
      throw error instanceof Failure ? error : fileFailure('write', file, error)
    },
  )
  try {
    return await work()
  } finally {
    release()
  }
}
