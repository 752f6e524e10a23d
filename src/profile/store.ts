/** Stores profiles and aliases in the configuration file, and keeps profiles and their tokens consistent when a person signs in or out. */
import { dirname, join } from 'node:path'
import { describeDistrust, findDistrust } from '../base/files/trust.js'
import { type Fields, getOwn } from '../base/objects.js'
import { type Failure, usage } from '../errors.js'
import { type LockWait, withLock } from './files.js'
import { getPaths, type Paths } from './paths.js'
import { applyChanges, type Changes, toProfile } from './settings.js'
import {
  type Aliases,
  nameRule,
  readContents,
  type StoreContent,
  toStoredProfile,
  writeContents,
} from './store-file.js'
import type { StoredToken, Tokens } from './tokens.js'
import type { Environment, Profile } from './types.js'

/**
 * Reads the aliases.
 * @throws Failure `usage` if the file cannot be read
 */
export const readAliases = (env: Environment): Aliases => openStore(getPaths(env)).getAliases()

/**
 * Returns the command line of an alias; undefined if there is no such alias.
 * @throws Failure `usage` if another user could have written the file
 */
export const findAlias = (env: Environment, name: string): string | undefined => {
  const aliases = readAliases(env)
  if (!Object.hasOwn(aliases, name)) return undefined
  const found = findDistrust(join(getPaths(env).config, 'config.json'))
  if (found === undefined) return aliases[name]
  const { message, remedy } = describeDistrust(found)
  throw usage(`ignoring the alias ${name}: ${message}`, `Run: ${remedy}`)
}

/** The facts that are stored when a person signs in or out. Null removes one. */
interface SignInFacts {
  readonly tokenStore?: 'keyring' | 'file' | null
  readonly user?: string | null
}

/**
 * Checks the name of a profile.
 * @throws Failure `usage` if it is invalid
 */
export const checkName = (name: string): void => {
  if (!nameRule.test(name))
    throw usage(
      `"${name}" is not a valid profile name`,
      'Use letters, digits, dots, dashes and underscores, and start with a letter or digit.',
    )
}

/** Returns the line that creates a profile. A name that no profile can have is left out. */
export const getCreationLine = (name: string): string =>
  `svcctl auth login${nameRule.test(name) ? ` -p ${name}` : ''}`

const createUnknownFailure = (name: string, names: readonly string[]): Failure =>
  usage(
    `unknown profile "${name}"`,
    names.length === 0
      ? 'Create one with: svcctl auth login'
      : `Profiles: ${names.join(', ')}. Create one with: ${getCreationLine(name)}`,
  )

/**
 * Checks that a person who signs in keeps the address of the profile, because its settings and protection are meant for that instance.
 * @throws Failure `usage` that names both addresses
 */
export const checkAddress = (before: Profile | undefined, baseUrl: string): void => {
  if (before === undefined || before.baseUrl === baseUrl) return
  throw usage(
    `profile "${before.name}" is for ${before.baseUrl}, not for ${baseUrl}`,
    `Sign in with another name: svcctl auth login <name> --base-url ${baseUrl}`,
  )
}

/**
 * Checks that a credential is not used for another instance: neither a stored token nor a token command.
 * @throws Failure `usage`
 */
const checkMove = (before: Profile | undefined, after: Profile, changes: Changes): void => {
  if (before === undefined || before.baseUrl === after.baseUrl) return
  const keepsCommand = before.tokenCommand !== undefined && changes['token-command'] === undefined
  if (before.tokenStore === undefined && !keepsCommand) return
  throw usage(
    `the credential of profile ${before.name} is for ${before.baseUrl} and must not be sent to ${after.baseUrl}`,
    `Use another profile: svcctl auth login <name> --base-url ${after.baseUrl}`,
  )
}

/** Returns the stored form of a profile with changed facts. Null removes a field, and undefined keeps it. */
const withFacts = (stored: Fields, facts: SignInFacts): Fields => {
  const given = Object.entries(facts).filter(([, value]) => value !== undefined)
  const all = Object.entries({ ...stored, ...Object.fromEntries(given) })
  return Object.fromEntries(
    all.filter(([name, value]) => value !== null || !Object.hasOwn(facts, name)),
  )
}

const checkPair = (name: string, profile: Profile): void => {
  if ((profile.certFile === undefined) === (profile.keyFile === undefined)) return
  throw usage(`profile ${name} requires both cert-file and key-file`)
}

/** The profiles and aliases of a configuration directory. */
export class Store {
  /** @param file the file of the profiles */
  constructor(
    readonly file: string,
    private readonly waiting: LockWait,
  ) {}

  /**
   * Returns all profiles, sorted by name.
   * @throws Failure `usage` if the file cannot be read or is corrupt
   */
  list(): readonly Profile[] {
    const contents = this.#read()
    return Object.keys(contents.profiles)
      .flatMap((name) => toStoredProfile(this.file, name, contents) ?? [])
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Returns the names of the profiles, even if their settings are invalid. */
  listNames(): readonly string[] {
    return Object.keys(this.#read().profiles).sort()
  }

  get(name: string): Profile | undefined {
    return toStoredProfile(this.file, name, this.#read())
  }

  /** Returns the name of the profile that applies if none is named. */
  getCurrentName(): string | undefined {
    return this.#read().current
  }

  /**
   * Creates or changes a profile; the first one becomes current.
   * @throws Failure `usage` for an invalid setting, for a new profile without a base URL, and if a token would be used for another instance
   */
  async set(name: string, changes: Changes, facts: SignInFacts = {}): Promise<Profile> {
    checkName(name)
    const { profiles } = await this.#change((contents) => {
      const { current, profiles } = contents
      const stored = withFacts(applyChanges(getOwn(profiles, name) ?? {}, changes), facts)
      const profile = toProfile(name, stored)
      if (getOwn(profiles, name)?.baseUrl !== undefined && facts.tokenStore === undefined)
        checkMove(toStoredProfile(this.file, name, contents), profile, changes)
      checkPair(name, profile)
      const all = { ...profiles, [name]: stored }
      return { ...contents, current: current ?? name, profiles: all }
    })
    return toProfile(name, profiles[name] ?? {})
  }

  /**
   * Removes a profile, but not its token (see `removeProfile`).
   * @throws Failure `usage` if there is no such profile
   */
  async delete(name: string): Promise<void> {
    await this.#change(({ current, profiles, ...rest }) => {
      if (getOwn(profiles, name) === undefined)
        throw createUnknownFailure(name, Object.keys(profiles))
      const { [name]: _, ...others } = profiles
      return { ...rest, current: current === name ? undefined : current, profiles: others }
    })
    const { forgetKnown } = await import('./known.js')
    forgetKnown({ config: dirname(this.file) }, name)
  }

  async switch(name: string): Promise<void> {
    await this.#change((contents) => {
      if (getOwn(contents.profiles, name) === undefined)
        throw createUnknownFailure(name, Object.keys(contents.profiles))
      return { ...contents, current: name }
    })
  }

  /** Returns the aliases of command lines. */
  getAliases(): Aliases {
    return this.#read().rest.aliases ?? {}
  }

  /**
   * Creates, changes or removes an alias.
   * @returns its previous command line
   */
  async setAlias(name: string, line: string | undefined): Promise<string | undefined> {
    let before: string | undefined
    await this.#change(({ rest, ...others }) => {
      const { [name]: _, ...kept } = rest.aliases ?? {}
      before = getOwn(rest.aliases ?? {}, name)
      return {
        ...others,
        rest: { ...rest, aliases: line === undefined ? kept : { ...kept, [name]: line } },
      }
    })
    return before
  }

  #read(): StoreContent {
    return readContents(this.file)
  }

  /** Changes the file under a lock, and reads it again there so that no change of another process is lost. Returns the new contents. */
  #change(edit: (contents: StoreContent) => StoreContent): Promise<StoreContent> {
    const work = async (): Promise<StoreContent> => {
      const next = edit(this.#read())
      await writeContents(this.file, next)
      return next
    }
    return withLock(this.file, work, this.waiting)
  }
}

/**
 * Opens the profiles of a configuration directory. No file is created before the first change.
 * @param waiting options for waiting while another process writes
 */
export const openStore = (paths: Paths, waiting: LockWait = {}): Store =>
  new Store(join(paths.config, 'config.json'), waiting)

// Signing in and out, which changes the token and the profile that refers to it.

/** The token and settings that are stored when a person signs in. */
interface SignInDetails {
  readonly name: string
  /** The instance that the token is for. It becomes the profile's base URL. */
  readonly baseUrl: string
  /** The token, which the instance has accepted. */
  readonly token: Omit<StoredToken, 'baseUrl'>
  /** Further settings of the profile. */
  readonly changes?: Changes
  /** The name of the user, for the audit log. */
  readonly user?: string
}

/**
 * Returns a new or existing profile with changes applied, so that it can be tried before it is stored.
 * @throws Failure `usage` for an invalid setting
 */
export const previewProfile = (store: Store, name: string, changes: Changes): Profile => {
  const profile = toProfile(name, applyChanges({ ...store.get(name) }, changes))
  checkPair(name, profile)
  return profile
}

/**
 * Stores a token and the profile that uses it, and removes the profile's token command. A refresh in another process ends first, because it
 * would replace the new token.
 * @throws Failure `usage` for an invalid setting (nothing is stored then), or if a file cannot be written
 */
export const signIn = async (
  store: Store,
  tokens: Tokens,
  given: SignInDetails,
): Promise<Profile> => {
  const { name, token } = given
  const changes: Changes = {
    ...given.changes,
    'base-url': given.baseUrl,
    'token-kind': token.kind,
    'token-command': null,
  }
  checkName(name)
  const { baseUrl } = previewProfile(store, name, changes)
  return tokens.withTokenLock(name, async () => {
    const before = store.get(name)
    checkAddress(before, baseUrl)
    const tokenStore = await tokens.write(name, { ...token, baseUrl })
    try {
      return await store.set(name, changes, { tokenStore, user: given.user ?? null })
    } catch (error) {
      if (before === undefined) await tokens.delete(name, tokenStore).catch(() => undefined)
      throw error
    }
  })
}

/**
 * Deletes the token and user of a profile, and keeps its other settings. Returns false if it had no token.
 * @throws Failure `usage` if there is no such profile
 */
export const signOut = async (store: Store, tokens: Tokens, name: string): Promise<boolean> => {
  if (store.get(name) === undefined) throw createUnknownFailure(name, store.listNames())
  return tokens.withTokenLock(name, async () => {
    const place = store.get(name)?.tokenStore
    await tokens.delete(name, place)
    if (place === undefined) return false
    await store.set(name, {}, { tokenStore: null, user: null })
    return true
  })
}

/** Deletes a profile after its token: a token that cannot be deleted keeps its profile, so that both can be deleted later. */
export const removeProfile = (store: Store, tokens: Tokens, name: string): Promise<void> =>
  tokens.withTokenLock(name, async () => {
    await tokens.delete(name, store.get(name)?.tokenStore)
    await store.delete(name)
  })
