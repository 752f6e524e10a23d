/** The credential that belongs to a profile: its token command's, else its stored token. */
import { distrust, wordsOf } from '../../base/files/trust.js'
import { Failure } from '../../errors.js'
import type { Environment, Post, Profile, ResolvedCredential, TokenPlace } from '../types.js'
import { runTokenCommand } from './command.js'
import { canRefresh, isExpiring, refresh } from './refresh.js'
import type { StoredToken, Tokens } from './tokens.js'
import { checkToken } from './value.js'

/** Something that gives a credential when one is needed, and another when that one was refused. */
export interface CredentialSource {
  get(): Promise<ResolvedCredential>
  /** A credential other than the one given last, or undefined. */
  renew(): Promise<ResolvedCredential | undefined>
}

interface Services {
  readonly env: Environment
  /** The file that the profile stands in. */
  readonly configuration: string
  readonly tokens: Tokens
  readonly post: Post
  readonly now: () => number
  readonly signal?: AbortSignal | undefined
}

/** Calls that come while one is under way share it. */
const shared = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let flight: Promise<T> | undefined
  return () => {
    flight ??= work().finally(() => {
      flight = undefined
    })
    return flight
  }
}

/** What others may have written into a configuration is not run. */
const checkConfiguration = (file: string, profile: Profile): void => {
  const found = distrust(file)
  if (found === undefined) return
  const { message, remedy } = wordsOf(found)
  throw new Failure(
    'auth',
    `the token command of profile ${profile.name} is not run: ${message}, so it need not be yours`,
    { request: file, hint: `Look at the command in ${file}, then run: ${remedy}` },
  )
}

const commandSource = (
  profile: Profile,
  command: readonly string[],
  { configuration, env, signal }: Services,
): CredentialSource => {
  let held: ResolvedCredential | undefined
  const run = shared(async () => {
    checkConfiguration(configuration, profile)
    held = await runTokenCommand(command, profile.tokenKind ?? 'personal', profile.name, {
      env,
      signal,
    })
    return held
  })
  return {
    get: async () => held ?? run(),
    renew: async () => {
      const before = held?.value
      const after = await run()
      return after.value === before ? undefined : after
    },
  }
}

const gone = (profile: Profile, place: TokenPlace): Failure =>
  new Failure('auth', `the ${place} no longer has the token of profile ${profile.name}`, {
    hint: `Sign in again with: svcctl auth login -p ${profile.name}`,
  })

const elsewhere = (profile: Profile, token: StoredToken): Failure =>
  new Failure(
    'auth',
    `the token of profile ${profile.name} is for ${token.baseUrl}, not for ${profile.baseUrl}`,
    { hint: `Sign in with: svcctl auth login -p ${profile.name} --base-url ${profile.baseUrl}` },
  )

/** A token that was issued so recently is not the one that was refused. */
const justNow = 10_000

const storedSource = (
  profile: Profile,
  place: TokenPlace,
  { tokens, post, now }: Services,
): CredentialSource => {
  let held: StoredToken | undefined
  let refreshedAt = Number.NEGATIVE_INFINITY

  const read = shared(async (): Promise<StoredToken> => {
    const token = await tokens.read(profile.name, place)
    if (token === undefined) throw gone(profile, place)
    if (token.baseUrl !== profile.baseUrl) throw elsewhere(profile, token)
    held = token
    return token
  })
  const replace = shared(async (): Promise<StoredToken> => {
    held = await refresh(profile, held ?? (await read()), tokens, post, now)
    refreshedAt = now()
    return held
  })
  const resolved = (token: StoredToken): ResolvedCredential => ({
    ...checkToken(token.token, token.kind, place === 'keyring' ? 'keyring' : 'token file'),
    ...(token.expiresAt === undefined ? {} : { expiresAt: token.expiresAt }),
    ...(canRefresh(profile, token) ? { renews: true } : {}),
  })

  return {
    get: async () => {
      const token = held ?? (await read())
      const due = isExpiring(token, now()) && canRefresh(profile, token)
      return resolved(due ? await replace() : token)
    },
    renew: async () => {
      const token = held ?? (await read())
      if (!canRefresh(profile, token)) return undefined
      // Of many requests under way with the old token, the first refused one had it replaced.
      return resolved(now() - refreshedAt < justNow ? token : await replace())
    },
  }
}

/** Where a profile's own credential comes from; undefined where it has none. */
export const ownCredential = (
  profile: Profile,
  services: Services,
): CredentialSource | undefined => {
  if (profile.tokenCommand !== undefined)
    return commandSource(profile, profile.tokenCommand, services)
  return profile.tokenStore === undefined
    ? undefined
    : storedSource(profile, profile.tokenStore, services)
}
