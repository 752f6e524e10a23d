/** Where tokens are kept: the system's keyring, else a file of their own. */

import { chmodSync, statSync } from 'node:fs'
import path from 'node:path'
import { type Fields, isObject } from '../../base/objects.js'
import { Failure, getErrorCode } from '../../errors.js'
import { corrupt, fileFailure, readObject } from '../files.js'
import { type LockWait, withLock } from '../lock.js'
import type { Paths } from '../paths.js'
import type { Environment, TokenPlace, UserTokenKind } from '../types.js'
import { type Keyring, openKeyring } from './keyring.js'
import { isUserTokenKind } from './value.js'

// The file of tokens, for machines without a keyring: readable by its owner only.

interface TokenFile {
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
    if (getErrorCode(error) === 'ENOENT') return
    throw fileFailure('read', file, error)
  }
  if ((mode & 0o077) === 0) return
  const was = mode.toString(8).padStart(4, '0')
  try {
    chmodSync(file, 0o600)
  } catch (error) {
    throw new Failure(
      'usage',
      `${file} contains tokens and other users can read it (mode ${was})`,
      {
        request: file,
        hint: `Run: chmod 600 ${file} — and replace its tokens, because others could read them.`,
        cause: error,
      },
    )
  }
  note(
    `other users could read ${file} (mode ${was}); svcctl changed its mode to 0600. Consider replacing the tokens.`,
  )
}

const openTokenFile = (
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

export interface StoredToken {
  readonly token: string
  readonly kind: UserTokenKind
  /** The instance it is for: it is sent to no other, whatever the profile says later. */
  readonly baseUrl: string
  readonly refreshToken?: string
  /** ISO date and time. */
  readonly expiresAt?: string
}

export interface Tokens {
  /** The file used where there is no keyring. */
  readonly file: string
  /** A profile's token; undefined where that place has none. */
  read(name: string, place: TokenPlace): Promise<StoredToken | undefined>
  /** Keeps a token: in `place`, or where it is best kept. Says where. */
  write(name: string, token: StoredToken, place?: TokenPlace): Promise<TokenPlace>
  /** Forgets a token, wherever it is. */
  delete(name: string, place?: TokenPlace): Promise<void>
  /** Runs `work` while no other process does so for this profile's token. */
  exclusive<T>(name: string, work: () => Promise<T>): Promise<T>
}

export interface TokensOptions {
  readonly note?: (text: string) => void
  /** Ends the wait for another process. */
  readonly signal?: AbortSignal
  /** How the keyring is reached; undefined where there is none. */
  readonly keyring?: () => Promise<Keyring | undefined>
}

const toStored = (value: unknown, from: string): StoredToken => {
  if (!isObject(value)) throw corrupt(from, 'does not contain an object')
  const { token, kind, baseUrl, refreshToken, expiresAt } = value
  if (typeof token !== 'string' || !isUserTokenKind(kind) || typeof baseUrl !== 'string')
    throw corrupt(from, 'lacks the token, its kind or its instance')
  return {
    token,
    kind,
    baseUrl,
    ...(typeof refreshToken === 'string' ? { refreshToken } : {}),
    ...(typeof expiresAt === 'string' ? { expiresAt } : {}),
  }
}

const parse = (text: string, from: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw corrupt(from, 'is not valid JSON')
  }
}

const unreachable = (name: string, why: string, cause?: unknown): Failure =>
  new Failure('auth', `the token of profile ${name} is in the system keyring, ${why}`, {
    hint: `Unlock the keyring, or sign in again with: svcctl auth login -p ${name}`,
    cause,
  })

const reason = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''

/** The keyring part: entries are JSON texts, one for each profile. */
const keyringPlace = (paths: Paths, open: () => Promise<Keyring | undefined>) => {
  // Set-ups side by side (SVC_CONFIG_DIR) may use the same names.
  const account = (name: string): string => (paths.portable ? `${name}@${paths.config}` : name)
  return {
    read: async (name: string): Promise<StoredToken | undefined> => {
      const keyring = await open()
      if (keyring === undefined) throw unreachable(name, 'which cannot be used here')
      const text = await keyring.get(account(name)).catch((error: unknown) => {
        throw unreachable(name, `which does not respond: ${reason(error)}`, error)
      })
      const from = `the keyring's entry of profile ${name}`
      return text === undefined ? undefined : toStored(parse(text, from), from)
    },
    /** Rejects where the keyring does not keep it. */
    write: async (name: string, token: StoredToken): Promise<void> => {
      const keyring = await open()
      if (keyring === undefined) throw unreachable(name, 'which cannot be used here')
      await keyring.set(account(name), JSON.stringify(token)).catch((error: unknown) => {
        throw unreachable(name, `which did not store it: ${reason(error)}`, error)
      })
    },
    delete: async (name: string): Promise<void> => {
      const keyring = await open()
      if (keyring === undefined) throw unreachable(name, 'which cannot be used here')
      await keyring.delete(account(name)).catch((error: unknown) => {
        throw unreachable(name, `which did not delete it: ${reason(error)}`, error)
      })
    },
  }
}

class TokenStore implements Tokens {
  readonly file: string
  readonly #file: TokenFile
  readonly #ring: ReturnType<typeof keyringPlace>
  /** What the lock of a name stands beside, and how another process is waited for. */
  readonly #config: string
  readonly #waiting: LockWait

  constructor(
    file: TokenFile,
    ring: ReturnType<typeof keyringPlace>,
    config: string,
    waiting: LockWait,
  ) {
    this.file = file.file
    this.#file = file
    this.#ring = ring
    this.#config = config
    this.#waiting = waiting
  }

  async read(name: string, place: TokenPlace): Promise<StoredToken | undefined> {
    if (place === 'keyring') return this.#ring.read(name)
    const entries = this.#file.read()
    return Object.hasOwn(entries, name) ? toStored(entries[name], this.file) : undefined
  }

  async write(name: string, token: StoredToken, place?: TokenPlace): Promise<TokenPlace> {
    if (place !== 'file' && (await this.#inKeyring(name, token, place))) {
      await this.#dropFromFile(name)
      return 'keyring'
    }
    await this.#file.change((entries) => ({ ...entries, [name]: token }))
    return 'file'
  }

  async delete(name: string, place?: TokenPlace): Promise<void> {
    await this.#dropFromFile(name)
    if (place === 'keyring') await this.#ring.delete(name)
  }

  exclusive<T>(name: string, work: () => Promise<T>): Promise<T> {
    return withLock(path.join(this.#config, `refresh-${name}`), work, this.#waiting)
  }

  /** Whether the keyring keeps it; a failure where no other place will do. */
  async #inKeyring(name: string, token: StoredToken, place?: TokenPlace): Promise<boolean> {
    try {
      await this.#ring.write(name, token)
      return true
    } catch (error) {
      if (place === 'keyring') throw error
      return false
    }
  }

  async #dropFromFile(name: string): Promise<void> {
    if (!Object.hasOwn(this.#file.read(), name)) return
    await this.#file.change(({ [name]: _, ...others }) => others)
  }
}

/**
 * The token store of a configuration directory. `SVC_NO_KEYRING=1` forces the file. The keyring is
 * loaded only when a token is there or is to be written, since that takes long.
 */
export const openTokens = (
  paths: Paths,
  env: Environment,
  { note = () => undefined, keyring = () => openKeyring(), signal }: TokensOptions = {},
): Tokens => {
  const off = env.SVC_NO_KEYRING !== undefined && !['', '0', 'false'].includes(env.SVC_NO_KEYRING)
  const ring = keyringPlace(paths, off ? async () => undefined : keyring)
  const file = openTokenFile(paths, note, { note, signal })
  return new TokenStore(file, ring, paths.config, { patience: 90_000, note, signal })
}
