/** One process at a time. */
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf, Failure } from '../errors.js'
import { fileFailure, makeDirectory } from './files.js'

/** A lock whose owner gave no sign of life for so long is taken over. */
const staleAfter = 10_000

const held = (file: string): Failure =>
  new Failure('failed', `another process of svcctl holds ${file}.lock and does not let go`, {
    request: `${file}.lock`,
    hint: 'Wait for it to end; when none runs, remove that directory.',
  })

/** Takes the lock, waiting for another process; gives what lets it go. */
const acquire = async (
  file: string,
  patience: number,
  signal: AbortSignal | undefined,
): Promise<() => Promise<void>> => {
  const { default: lockfile } = await import('proper-lockfile')
  const options = {
    realpath: false,
    stale: staleAfter,
    // Losing a lock after a long sleep of the machine must not end the process: every writer reads
    // again and replaces files whole.
    onCompromised: () => undefined,
  }
  const end = Date.now() + patience
  for (;;) {
    try {
      return await lockfile.lock(file, options)
    } catch (error) {
      if (codeOf(error) !== 'ELOCKED') throw fileFailure('lock', file, error)
      if (signal?.aborted === true) throw new Failure('interrupted', 'interrupted')
      if (Date.now() > end) throw held(file)
    }
    await sleep(10 + Math.random() * 40)
  }
}

/**
 * Runs `work` while no other process does so under the same name. `file` need not exist; the lock
 * is the directory `<file>.lock` beside it.
 * @param patience milliseconds to wait for another process
 * @param signal ends the wait
 * @throws Failure `usage` where the lock cannot be made, `failed` where another process keeps it
 */
export const withLock = async <T>(
  file: string,
  work: () => Promise<T>,
  patience = 30_000,
  signal?: AbortSignal,
): Promise<T> => {
  makeDirectory(path.dirname(file))
  const release = await acquire(file, patience, signal)
  try {
    return await work()
  } finally {
    await release().catch(() => undefined)
  }
}
