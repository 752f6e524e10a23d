/** The system's keyring, where there is one that keeps what it is given. */

/** What this room needs of `@napi-rs/keyring`, which is optional and may be missing. */
export interface KeyringModule {
  readonly AsyncEntry: new (
    service: string,
    account: string,
    options?: { readonly linux: { readonly store: 'secret-service' } },
  ) => KeyringEntry
  /** There from version 2.1 on, where the store can be chosen. */
  readonly LinuxStore?: unknown
}
interface KeyringEntry {
  getPassword(signal?: AbortSignal): Promise<string | null | undefined>
  setPassword(password: string, signal?: AbortSignal): Promise<void>
  deleteCredential(signal?: AbortSignal): Promise<boolean>
}

export interface Keyring {
  /** The text kept for an account; undefined where there is none. Rejects where the keyring fails. */
  get(account: string): Promise<string | undefined>
  /** Keeps a text, and makes sure that it can be read back. */
  set(account: string, text: string): Promise<void>
  delete(account: string): Promise<void>
}

const service = 'svcctl'
/** A locked keyring asks its owner for a password; nobody may be there to answer. */
const patience = 30_000

const importKeyring = async (): Promise<KeyringModule> => {
  const module: unknown = await import('@napi-rs/keyring')
  const inner = (module as { default?: unknown }).default
  return (inner ?? module) as KeyringModule
}

/**
 * Opens the keyring, lazily. On Linux only the Secret Service counts: by default the library falls back
 * to the kernel's keyring, which forgets everything at the next start of the machine.
 * @returns undefined where there is no keyring
 */
export const openKeyring = async (
  load: () => Promise<KeyringModule> = importKeyring,
  platform: NodeJS.Platform = process.platform,
): Promise<Keyring | undefined> => {
  const module = await load().catch(() => undefined)
  if (module === undefined) return undefined
  const { AsyncEntry, LinuxStore } = module
  if (platform === 'linux' && LinuxStore === undefined) return undefined
  const entry = (account: string): KeyringEntry =>
    platform === 'linux'
      ? new AsyncEntry(service, account, { linux: { store: 'secret-service' } })
      : new AsyncEntry(service, account)
  const limit = (): AbortSignal => AbortSignal.timeout(patience)
  return {
    get: async (account) => (await entry(account).getPassword(limit())) ?? undefined,
    set: async (account, text) => {
      const made = entry(account)
      await made.setPassword(text, limit())
      if ((await made.getPassword(limit())) !== text)
        throw new Error('the keyring does not return the stored token')
    },
    delete: async (account) => {
      await entry(account).deleteCredential(limit())
    },
  }
}
