/** Signing in and out: a token and the profile that knows where it is, kept in step. */
import { applyChanges, type Changes, toProfile } from './settings.js'
import { checkName, type Store } from './store.js'
import type { StoredToken, Tokens } from './tokens/tokens.js'
import type { Profile } from './types.js'

export interface SignIn {
  readonly name: string
  /** The instance that the token is for; becomes the profile's base URL. */
  readonly baseUrl: string
  /** A token that was tried. */
  readonly token: Omit<StoredToken, 'baseUrl'>
  /** Further settings to write along. */
  readonly changes?: Changes
  /** Name of the user, for the audit log. */
  readonly user?: string
}

/**
 * A profile as it will be with these changes, whether or not there is one: to be tried before it is kept.
 * @throws Failure `usage` where a setting is wrong
 */
export const changedProfile = (store: Store, name: string, changes: Changes): Profile =>
  toProfile(name, applyChanges({ ...store.get(name) }, changes))

/**
 * Keeps a token and the profile that uses it; the profile's `tokenStore` says where the token is. A
 * token command that the profile had gives way.
 * @throws Failure `usage` where a setting is wrong (nothing is kept then) or a file cannot be written
 */
export const signIn = async (store: Store, tokens: Tokens, given: SignIn): Promise<Profile> => {
  const { name, token } = given
  const changes: Changes = {
    ...given.changes,
    'base-url': given.baseUrl,
    'token-kind': token.kind,
    'token-command': null,
  }
  checkName(name)
  const { baseUrl } = changedProfile(store, name, changes)
  const before = store.get(name)
  const tokenStore = await tokens.write(name, { ...token, baseUrl })
  try {
    return await store.set(name, changes, { tokenStore, user: given.user ?? null })
  } catch (error) {
    if (before === undefined) await tokens.delete(name, tokenStore).catch(() => undefined)
    throw error
  }
}

/** Forgets a profile's token and user; the other settings stay. False where it had no token. */
export const signOut = async (store: Store, tokens: Tokens, name: string): Promise<boolean> => {
  const place = store.get(name)?.tokenStore
  await tokens.delete(name, place)
  if (place === undefined) return false
  await store.set(name, {}, { tokenStore: null, user: null })
  return true
}

/** Removes a profile with its token. */
export const removeProfile = async (store: Store, tokens: Tokens, name: string): Promise<void> => {
  const place = store.get(name)?.tokenStore
  await store.delete(name)
  await tokens.delete(name, place)
}
