/** Stores tokens in the system keyring, or in a file that only its owner can read, and checks that a text can be a token. */

import { chmodSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { Findings } from '../base/documents/findings.js'
import type { Document } from '../base/documents/index.js'
import { checkStored, readStoredJson, type StoredValue } from '../base/documents/stored.js'
import type { Fields } from '../base/objects.js'
import { isSwitchedOn } from '../base/switches.js'
import { Failure, isNoFile, usage } from '../errors.js'
import {
  createFileFailure,
  type LockWait,
  readStoredFile,
  refuseMistakes,
  removeAbandoned,
  withLock,
} from './files.js'
import type { Paths } from './paths.js'
import type {
  Environment,
  ResolvedCredential,
  TokenKind,
  TokenPlace,
  UserTokenKind,
} from './types.js'

/** The kinds of token that a person may have. */
export const userTokenKinds = [
  'personal',
  'oauth',
  'session',
] as const satisfies readonly UserTokenKind[]

/** True if a value is one of `userTokenKinds`. */
export const isUserTokenKind = (text: unknown): text is UserTokenKind =>
  userTokenKinds.some((kind) => kind === text)

const createTokenFailure = (source: string, what: string): Failure =>
  usage(`the token from ${source} ${what}`, 'Copy the token again, without quotes or line breaks.')

/**
 * Checks that a token can be sent in a header. Line breaks around it are removed; other unusual characters are rejected.
 * @param source the source of the token in words; messages never show the token
 * @throws Failure `usage`
 */
export const checkToken = (text: string, kind: TokenKind, source: string): ResolvedCredential => {
  const value = text.replace(/^[\r\n]+|(?<![\r\n])[\r\n]+$/g, '')
  if (value === '') throw createTokenFailure(source, 'is empty')
  if (/[\r\n]/.test(value)) throw createTokenFailure(source, 'has more than one line')
  if (!/^[\x21-\x7e]+$/.test(value))
    throw createTokenFailure(source, 'contains spaces, control characters or non-ASCII characters')
  // The value of a cookie ends at a semicolon, so the rest would be another cookie.
  if (kind === 'session' && /[;,"\\]/.test(value))
    throw createTokenFailure(source, 'contains a character that is not allowed in a cookie')
  return { kind, value, source }
}

// The system keyring, which is used if it works.

/** The part of `@napi-rs/keyring` that is used; the package is optional and may be missing. */
export interface KeyringModule {
  readonly AsyncEntry: new (
    service: string,
    account: string,
    options?: { readonly linux: { readonly store: 'secret-service' } },
  ) => KeyringEntry
  /** Exists since version 2.1 of the package, which lets the caller choose the store. */
  readonly LinuxStore?: unknown
}
interface KeyringEntry {
  getPassword(signal?: AbortSignal): Promise<string | null | undefined>
  setPassword(password: string, signal?: AbortSignal): Promise<void>
  deleteCredential(signal?: AbortSignal): Promise<boolean>
}

/** The system keyring. */
export interface Keyring {
  /** Returns the text of an account; undefined if there is none. Rejects if the keyring fails. */
  get(account: string): Promise<string | undefined>
  /** Stores a text, and checks that it can be read back. */
  set(account: string, text: string): Promise<void>
  delete(account: string): Promise<void>
}

const service = 'svcctl'
/** The time limit of a keyring request, in milliseconds: a locked keyring may wait for a password that nobody enters. */
const patience = 30_000

const importKeyring = async (): Promise<KeyringModule> => {
  const module: unknown = await import('@napi-rs/keyring')
  const inner = (module as { default?: unknown }).default
  return (inner ?? module) as KeyringModule
}

/**
 * Opens the keyring. On Linux only the Secret Service counts: by default the library falls back to the kernel's
 * keyring, which forgets everything when the machine restarts.
 * @returns undefined if there is no keyring
 */
export const openKeyring = async (
  load: () => Promise<KeyringModule> = importKeyring,
  platform: NodeJS.Platform = process.platform,
): Promise<Keyring | undefined> => {
  const module = await load().catch(() => undefined)
  if (module === undefined) return undefined
  const { AsyncEntry, LinuxStore } = module
  if (platform === 'linux' && LinuxStore === undefined) return undefined
  const createEntry = (account: string): KeyringEntry =>
    platform === 'linux'
      ? new AsyncEntry(service, account, { linux: { store: 'secret-service' } })
      : new AsyncEntry(service, account)
  const limit = (): AbortSignal => AbortSignal.timeout(patience)
  return {
    get: async (account) => (await createEntry(account).getPassword(limit())) ?? undefined,
    set: async (account, text) => {
      const made = createEntry(account)
      await made.setPassword(text, limit())
      if ((await made.getPassword(limit())) !== text)
        throw new Error('the keyring does not return the stored token')
    },
    delete: async (account) => {
      await createEntry(account).deleteCredential(limit())
    },
  }
}

// The token file, for machines without a keyring. Only its owner can read it.

/**
 * Makes the file private if other users can read it, with a note.
 * @throws Failure `usage` if that fails
 */
const keepPrivate = (file: string, note: (text: string) => void): void => {
  // Windows has no such permission bits. There, the folder of the user protects the file.
  if (process.platform === 'win32') return
  let stats: Stats
  try {
    stats = statSync(file)
  } catch (error) {
    if (isNoFile(error)) return
    throw createFileFailure('read', file, error)
  }
  const mode = stats.mode & 0o777
  // Anything else in its place is refused when it is read, and stays as it is.
  if (!stats.isFile() || (mode & 0o077) === 0) return
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

const entriesSchema = { type: 'object', additionalProperties: {} } as const

const openTokenFile = (paths: Paths, note: (text: string) => void, waiting: LockWait) => {
  const file = join(paths.config, 'tokens.json')
  /** Reads the entries of all profiles; each is checked when it is used. */
  const read = (): Document<Fields> => {
    keepPrivate(file, note)
    const empty = { value: {}, at: () => ({ file, line: 1, column: 1 }) }
    return readStoredFile(entriesSchema, file) ?? empty
  }
  return {
    file,
    read,
    /** Reads, changes and replaces the file under a lock. */
    change: (edit: (entries: Fields) => Fields): Promise<void> =>
      withLock(
        file,
        async () => {
          const next = edit(read().value)
          const { writeWhole } = await import('../base/files/files.js')
          try {
            await writeWhole(file, `${JSON.stringify(next, undefined, 2)}\n`, { own: true })
          } catch (error) {
            throw createFileFailure('write', file, error)
          }
          removeAbandoned(paths.config)
        },
        waiting,
      ),
  }
}

/** The schema of a token as it is stored. */
const tokenSchema = {
  type: 'object',
  properties: {
    token: { type: 'string', writeOnly: true },
    kind: { enum: userTokenKinds },
    /** The instance that the token is for. It is never sent to another one, even if the profile changes. */
    baseUrl: { type: 'string' },
    refreshToken: { type: 'string', writeOnly: true },
    /** ISO date and time. */
    expiresAt: { type: 'string' },
  },
  required: ['token', 'kind', 'baseUrl'],
} as const
export type StoredToken = StoredValue<typeof tokenSchema>

/** The options for opening the tokens. */
export interface TokensOptions {
  readonly note?: (text: string) => void
  /** Aborts the wait for another process. */
  readonly signal?: AbortSignal
  /** The function that opens the keyring; it returns undefined if there is none. */
  readonly openKeyring?: () => Promise<Keyring | undefined>
}

/**
 * Reads a stored token.
 * @param from the file or the keyring's entry, for messages
 * @throws Failure `usage` with every mistake
 */
const readToken = (
  read: (findings: Findings) => Document<StoredToken> | undefined,
  from: string,
): StoredToken | undefined => {
  const findings = new Findings()
  const document = read(findings)
  refuseMistakes(from, findings)
  return document?.value
}

const createKeyringFailure = (name: string, why: string, cause?: unknown): Failure =>
  new Failure('auth', `the token of profile ${name} is in the system keyring, ${why}`, {
    hint: `Unlock the keyring, or sign in again with: svcctl auth login -p ${name}`,
    cause,
  })

const describeError = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''

/**
 * Creates the store of the keyring. It has an entry with a JSON text for each profile.
 * @param missing why there is no keyring, if `open` returns none
 */
const createKeyringStore = (
  paths: Paths,
  open: () => Promise<Keyring | undefined>,
  missing: string,
) => {
  // Installations with different SVC_CONFIG_DIR may have profiles with the same name.
  const account = (name: string): string => (paths.portable ? `${name}@${paths.config}` : name)
  /** @param failed says what the keyring did not do, if the work fails */
  const useKeyring = async <T>(
    name: string,
    failed: string,
    work: (keyring: Keyring) => Promise<T>,
  ): Promise<T> => {
    const keyring = await open()
    if (keyring === undefined) throw createKeyringFailure(name, missing)
    return work(keyring).catch((error: unknown) => {
      throw createKeyringFailure(name, `which ${failed}: ${describeError(error)}`, error)
    })
  }
  return {
    read: async (name: string): Promise<StoredToken | undefined> => {
      const text = await useKeyring(name, 'does not respond', (ring) => ring.get(account(name)))
      const from = `the keyring's entry of profile ${name}`
      if (text === undefined) return undefined
      return readToken(
        (findings) => readStoredJson(tokenSchema, Buffer.from(text), from, findings),
        from,
      )
    },
    /** Rejects if the keyring does not store the token. */
    write: (name: string, token: StoredToken): Promise<void> =>
      useKeyring(name, 'did not store it', (ring) =>
        ring.set(account(name), JSON.stringify(token)),
      ),
    delete: (name: string): Promise<void> =>
      useKeyring(name, 'did not delete it', (ring) => ring.delete(account(name))),
  }
}

/** The tokens of a configuration directory. */
export class Tokens {
  /**
   * @param config the folder of the lock files
   * @param waiting options for waiting for another process
   */
  constructor(
    private readonly tokenFile: ReturnType<typeof openTokenFile>,
    private readonly ring: ReturnType<typeof createKeyringStore>,
    private readonly config: string,
    private readonly waiting: LockWait,
  ) {}

  /** The file that is used if there is no keyring. */
  get file(): string {
    return this.tokenFile.file
  }

  /** Returns a profile's token; undefined if that place has none. */
  async read(name: string, place: TokenPlace): Promise<StoredToken | undefined> {
    if (place === 'keyring') return this.ring.read(name)
    const { value, at } = this.tokenFile.read()
    if (!Object.hasOwn(value, name)) return undefined
    const entry: Document<unknown> = {
      value: value[name],
      at: (path, isKey) => at([name, ...path], isKey),
    }
    return readToken((findings) => checkStored(tokenSchema, entry, findings), this.file)
  }

  /** Stores a token in `place`, or by default in the keyring if it works and else in the file. Returns the place. */
  async write(name: string, token: StoredToken, place?: TokenPlace): Promise<TokenPlace> {
    if (place !== 'file' && (await this.#writeToKeyring(name, token, place))) {
      await this.#dropFromFile(name)
      return 'keyring'
    }
    await this.tokenFile.change((entries) => ({ ...entries, [name]: token }))
    return 'file'
  }

  /** Deletes a token from every place. */
  async delete(name: string, place?: TokenPlace): Promise<void> {
    await this.#dropFromFile(name)
    if (place === 'keyring') await this.ring.delete(name)
  }

  /** Runs `work` under a lock for this profile's token. */
  withTokenLock<T>(name: string, work: () => Promise<T>): Promise<T> {
    return withLock(join(this.config, `refresh-${name}`), work, this.waiting)
  }

  /** Returns true if the keyring stored the token. Fails only if `place` requires the keyring. */
  async #writeToKeyring(name: string, token: StoredToken, place?: TokenPlace): Promise<boolean> {
    try {
      await this.ring.write(name, token)
      return true
    } catch (error) {
      if (place === 'keyring') throw error
      return false
    }
  }

  async #dropFromFile(name: string): Promise<void> {
    if (!Object.hasOwn(this.tokenFile.read().value, name)) return
    await this.tokenFile.change(({ [name]: _, ...others }) => others)
  }
}

/**
 * Opens the tokens of a configuration directory. `SVC_NO_KEYRING=1` disables the keyring. It is slow to load, so it is loaded only when a
 * token is read or written.
 */
export const openTokens = (
  paths: Paths,
  env: Environment,
  {
    note = () => undefined,
    openKeyring: keyring = () => openKeyring(),
    signal,
  }: TokensOptions = {},
): Tokens => {
  const off = isSwitchedOn(env.SVC_NO_KEYRING)
  const ring = off
    ? createKeyringStore(paths, async () => undefined, 'which SVC_NO_KEYRING disables')
    : createKeyringStore(paths, keyring, 'which cannot be used here')
  const file = openTokenFile(paths, note, { note, signal })
  return new Tokens(file, ring, paths.config, { patience: 90_000, note, signal })
}
