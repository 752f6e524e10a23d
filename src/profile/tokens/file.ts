/** The file of tokens, for machines without a keyring: readable by its owner only. */
import { chmodSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Fields } from '../../base/objects.js'
import { codeOf, Failure } from '../../errors.js'
import { fileFailure, readObject } from '../files.js'
import { type LockWait, withLock } from '../lock.js'
import type { Paths } from '../paths.js'

export interface TokenFile {
  readonly file: string
  read(): Fields
  /** Reads, edits and replaces the file while no other process does. */
  change(edit: (entries: Fields) => Fields): Promise<void>
}

/** Takes away what others may do with the file, with a note; refuses to go on where it cannot. */
const keepPrivate = (file: string, note: (text: string) => void): void => {
  // Windows has no such bits: there the directory of the user's own profile protects the file.
  if (process.platform === 'win32') return
  let mode: number
  try {
    mode = statSync(file).mode & 0o777
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw fileFailure('read', file, error)
  }
  if ((mode & 0o077) === 0) return
  const was = mode.toString(8).padStart(4, '0')
  try {
    chmodSync(file, 0o600)
  } catch (error) {
    throw new Failure('usage', `${file} holds tokens and is open to other users (mode ${was})`, {
      request: file,
      hint: `Run: chmod 600 ${file} — and replace the tokens in it, which others could read.`,
      cause: error,
    })
  }
  note(`${file} was open to other users (mode ${was}); now it is 0600. Consider new tokens.`)
}

export const openTokenFile = (
  paths: Paths,
  note: (text: string) => void,
  waiting: LockWait = { note },
): TokenFile => {
  const file = path.join(paths.config, 'tokens.json')
  const read = (): Fields => {
    keepPrivate(file, note)
    return readObject(file) ?? {}
  }
  return {
    file,
    read,
    change: (edit) =>
      withLock(
        file,
        async () => {
          const next = edit(read())
          const { writeWhole } = await import('../../base/files/files.js')
          try {
            await writeWhole(file, `${JSON.stringify(next, undefined, 2)}\n`, { own: true })
          } catch (error) {
            throw fileFailure('write', file, error)
          }
        },
        waiting,
      ),
  }
}
