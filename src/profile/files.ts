/** Reads and locks the configuration files. A damaged file is reported, and never repaired or overwritten. */

import { readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { XSchema } from 'typebox/schema'
import { Findings } from '../base/documents/findings.js'
import type { Document } from '../base/documents/index.js'
import { readStoredJson, type StoredValue } from '../base/documents/stored.js'
import { makeFolders, readRegular } from '../base/files/regular.js'
import { Failure, getReason, isNoFile } from '../errors.js'

/** Creates a usage failure for a file: the operation, the reason of the system, and a hint. */
export const createFileFailure = (
  doing: string,
  file: string,
  error: unknown,
  hint = 'Make the path readable and writable, or set SVC_CONFIG_DIR to another directory.',
): Failure => {
  return new Failure('usage', `cannot ${doing} ${file}: ${getReason(error)}`, {
    request: file,
    hint,
    cause: error,
  })
}

/** Refuses a file with mistakes. The file is not changed. */
export const refuseMistakes = (file: string, findings: Findings): void => {
  const failure = findings.toFailure()
  if (failure === undefined) return
  const remedy =
    failure.details.hint ?? 'Correct it, or move it away and sign in again with: svcctl auth login'
  const hint = `The file was not changed. ${remedy}`
  throw new Failure('usage', failure.message, { request: file, hint })
}

/** The largest size of a configuration file, in bytes. */
const maxBytes = 16 << 20

/**
 * Reads a JSON file by a schema; undefined if there is no file.
 * @throws Failure `usage` if it cannot be read, or with every mistake in it
 */
export const readStoredFile = <const S extends XSchema>(
  schema: S,
  file: string,
): Document<StoredValue<S>> | undefined => {
  let bytes: Buffer
  try {
    bytes = readRegular(file, maxBytes)
  } catch (error) {
    if (isNoFile(error)) return undefined
    throw createFileFailure('read', file, error)
  }
  const findings = new Findings()
  const document = readStoredJson(schema, bytes, file, findings)
  refuseMistakes(file, findings)
  return document
}

/** Creates a directory that only its owner may enter; an existing one is left unchanged. */
export const makeDirectory = (directory: string): void => {
  try {
    makeFolders(directory, 0o700)
  } catch (error) {
    throw createFileFailure('create', directory, error)
  }
}

/** The age, in milliseconds, at which a partial file belongs to a process that was killed. */
const abandonedAge = 60_000

/** Removes the partial files of processes that were killed while they wrote a token or a profile, because these have secrets. */
export const removeAbandoned = (folder: string): void => {
  try {
    for (const name of readdirSync(folder)) {
      if (!/^(?:\.svcctl-[0-9a-f]+\.part|config\.json\.tmp-[0-9a-f]+)$/.test(name)) continue
      const file = join(folder, name)
      // The times of files are those of the machine, whatever the clock of the line.
      const age = Date.now() - statSync(file).mtimeMs
      if (age > abandonedAge) rmSync(file, { force: true })
    }
  } catch {
    // Another process was faster, or only its owner can remove the file.
  }
}

// Locks: only one process at a time changes a file.

/** The options for waiting for a lock. */
export interface LockWait {
  /** The time to wait for another process, in milliseconds. The default is 30 s. */
  readonly patience?: number
  /** Receives a note about the process that holds the lock. */
  readonly note?: ((text: string) => void) | undefined
  /** Aborts the wait. */
  readonly signal?: AbortSignal | undefined
}

/** The services of a line that a wait for another process needs. */
export interface WaitServices {
  readonly ui: { readonly note: (text: string) => void }
  readonly place: { readonly clock: { readonly signal: AbortSignal } }
}

/** Creates the options for a wait for another process: it is noted, and an interruption ends it. */
export const createWaitOptions = ({ ui, place }: WaitServices) => ({
  note: (text: string): void => ui.note(text),
  signal: place.clock.signal,
})

/**
 * Runs `work` while holding a lock that other processes respect. The lock is the directory `<file>.lock`; `file` itself need not exist.
 * @throws Failure `usage` if the lock cannot be created, `failed` if another process keeps it
 */
export const withLock = async <T>(
  file: string,
  work: () => Promise<T>,
  { patience = 30_000, note, signal }: LockWait = {},
): Promise<T> => {
  makeDirectory(dirname(file))
  const createLockFailure = (owner: string): Failure =>
    new Failure('failed', `${owner} keeps ${file}.lock locked`, {
      request: `${file}.lock`,
      hint: 'Wait until it ends, or stop it. If no such process runs, remove that directory.',
    })
  const { lock } = await import('../base/files/lock.js')
  const { release } = await lock(`${file}.lock`, {
    patience,
    note,
    signal,
    held: createLockFailure,
  }).catch((error: unknown) => {
    throw error instanceof Failure ? error : createFileFailure('write', file, error)
  })
  try {
    return await work()
  } finally {
    release()
  }
}
