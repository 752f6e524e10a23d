/** Reads and locks the files of the configuration; a damaged file is reported and never repaired. */

import path from 'node:path'
import { lock } from '../base/files/lock.js'
import { makeFolders, readRegular } from '../base/files/regular.js'
import { type Fields, isObject } from '../base/objects.js'
import { decodeUtf8, findEncodingFault } from '../base/utf8.js'
import { Failure, getErrorCode, getReason } from '../errors.js'

/** Creates a usage failure about a file: what was tried, what the system said, what to do. */
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

/** Creates a failure about the content of a file, which is left unchanged. */
export const createCorruptFailure = (file: string, what: string): Failure =>
  new Failure('usage', `${file} ${what}`, {
    request: file,
    hint: 'The file was not changed. Correct it, or move it away and sign in again with: svcctl auth login',
  })

/**
 * Reads a JSON file that contains an object; undefined if there is no file.
 * @throws Failure `usage` if it cannot be read or contains something else
 */
export const readObject = (file: string): Fields | undefined => {
  let bytes: Buffer
  try {
    bytes = readRegular(file)
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw createFileFailure('read', file, error)
  }
  const fault = findEncodingFault(bytes)
  if (fault !== undefined) throw createCorruptFailure(file, fault)
  let value: unknown
  try {
    value = JSON.parse(decodeUtf8(bytes))
  } catch {
    // The parser's own words quote the text, which may hold a token.
    throw createCorruptFailure(file, 'is not valid JSON')
  }
  if (!isObject(value)) throw createCorruptFailure(file, 'does not contain a JSON object')
  return value
}

/** Creates a directory that only its owner may enter; an existing one is left unchanged. */
export const makeDirectory = (directory: string): void => {
  try {
    makeFolders(directory, 0o700)
  } catch (error) {
    throw createFileFailure('create', directory, error)
  }
}

// Files of this room: changed by one process at a time.

/** The options for waiting for a lock. */
export interface LockWait {
  /** Milliseconds to wait for another process; 30 s unless given. */
  readonly patience?: number
  /** Hears who is waited for. */
  readonly note?: ((text: string) => void) | undefined
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs `work` while no other process does so under the same name. `file` need not exist; the lock is the directory
 * `<file>.lock` beside it.
 * @throws Failure `usage` if the lock cannot be created, `failed` if another process keeps it
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
      throw error instanceof Failure ? error : createFileFailure('write', file, error)
    },
  )
  try {
    return await work()
  } finally {
    release()
  }
}
