/** Where tokens are kept: the system's keyring, else a file of their own. */

import path from 'node:path'
import { isObject } from '../../base/objects.js'
import { Failure } from '../../errors.js'
import { corrupt } from '../files.js'
import { withLock } from '../lock.js'
import type { Paths } from '../paths.js'
import type { Environment, TokenPlace, UserTokenKind } from '../types.js'
import { openTokenFile } from './file.js'
import { type Keyring, openKeyring } from './keyring.js'
import { isUserTokenKind } from './value.js'

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
  if (!isObject(value)) throw corrupt(from, 'does not hold an object')
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
        throw unreachable(name, `which does not answer: ${reason(error)}`, error)
      })
      const from = `the keyring's entry of profile ${name}`
      return text === undefined ? undefined : toStored(parse(text, from), from)
    },
    /** Rejects where the keyring does not keep it. */
    write: async (name: string, token: StoredToken): Promise<void> => {
      const keyring = await open()
      if (keyring === undefined) throw unreachable(name, 'which cannot be used here')
      await keyring.set(account(name), JSON.stringify(token)).catch((error: unknown) => {
        throw unreachable(name, `which did not keep it: ${reason(error)}`, error)
      })
    },
    delete: async (name: string): Promise<void> => {
      const keyring = await open()
      if (keyring === undefined) throw unreachable(name, 'which cannot be used here')
      await keyring.delete(account(name)).catch((error: unknown) => {
        throw unreachable(name, `which did not forget it: ${reason(error)}`, error)
      })
    },
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
  const file = openTokenFile(paths, note, { note, signal })
  const off = env.SVC_NO_KEYRING !== undefined && !['', '0', 'false'].includes(env.SVC_NO_KEYRING)
  const ring = keyringPlace(paths, off ? async () => undefined : keyring)

  const dropFromFile = async (name: string): Promise<void> => {
    if (!Object.hasOwn(file.read(), name)) return
    await file.change(({ [name]: _, ...others }) => others)
  }

  const write = async (name: string, token: StoredToken, place?: TokenPlace) => {
    const kept =
      place !== 'file' &&
      (await ring.write(name, token).then(
        () => true,
        (error: unknown) => {
          if (place === 'keyring') throw error
          return false
        },
      ))
    if (kept) {
      await dropFromFile(name)
      return 'keyring'
    }
    await file.change((entries) => ({ ...entries, [name]: token }))
    return 'file'
  }

  return {
    file: file.file,
    read: async (name, place) => {
      if (place === 'keyring') return ring.read(name)
      const entries = file.read()
      return Object.hasOwn(entries, name) ? toStored(entries[name], file.file) : undefined
    },
    write,
    delete: async (name, place) => {
      await dropFromFile(name)
      if (place === 'keyring') await ring.delete(name)
    },
    exclusive: (name, work) =>
      withLock(path.join(paths.config, `refresh-${name}`), work, {
        patience: 90_000,
        note,
        signal,
      }),
  }
}
