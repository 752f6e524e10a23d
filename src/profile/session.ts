/** Which instance, as whom: flags, then the environment, then the profile. */

import { clearTextWarning, normalizeBaseUrl } from '../base/base-url.js'
import { Failure, usage } from '../errors.js'
import type { Store } from './store.js'
import { ownCredential } from './tokens/credential.js'
import {
  checkOwner,
  environmentToken,
  jobTokenFor,
  jobTokenWithheld,
  variable,
} from './tokens/environment.js'
import type { Tokens } from './tokens/tokens.js'
import type { Environment, InstanceFlags, Post, Profile, Session } from './types.js'

export interface SessionServices {
  readonly store: Store
  readonly tokens: Tokens
  /** Sends the form of an OAuth refresh. */
  readonly post: Post
  /** Milliseconds since the epoch; the clock of the machine unless given. */
  readonly now?: () => number
  /** Ends a token command that is under way. */
  readonly signal?: AbortSignal
}

interface Chosen {
  readonly profile: Profile
  /** Named by a flag or a variable, not merely current. */
  readonly named: boolean
}

const chooseProfile = (
  flags: InstanceFlags,
  env: Environment,
  store: Store,
): Chosen | undefined => {
  const asked = flags.profile ?? variable(env, 'SVC_PROFILE')
  const name = asked ?? store.current()
  if (name === undefined) return undefined
  const profile = store.get(name)
  if (profile !== undefined) return { profile, named: asked !== undefined }
  const names = store.names()
  throw usage(
    `unknown profile "${name}"${asked === undefined ? `, though ${store.file} names it as current` : ''}`,
    names.length === 0
      ? `Create it with: svcctl auth login -p ${name}`
      : `Profiles: ${names.join(', ')}. Choose with -p, or: svcctl auth switch <name>`,
  )
}

/** The base URL that a flag or the environment gives, with its source in words. */
const givenBaseUrl = (flags: InstanceFlags, env: Environment) => {
  if (flags.baseUrl !== undefined)
    return { baseUrl: normalizeBaseUrl(flags.baseUrl), source: '--base-url' }
  const text = variable(env, 'SVC_BASE_URL')
  return text === undefined
    ? undefined
    : { baseUrl: normalizeBaseUrl(text), source: 'SVC_BASE_URL' }
}

/** @throws Failure `usage` for what is neither an ID nor a username */
export const checkedSudo = (sudo: string | undefined): string | undefined => {
  if (sudo !== undefined && !/^[\x21-\x7e]+$/.test(sudo))
    throw usage('the user to act as must be an ID or a username', 'Pass --sudo <id|username>.')
  return sudo
}

/** A flag that chooses an instance decides over whose token the environment's is. */
const checkChoice = (
  flags: InstanceFlags,
  env: Environment,
  baseUrl: string,
  profile: Profile | undefined,
): void => {
  if (flags.baseUrl !== undefined) checkOwner(env, baseUrl, `--base-url ${baseUrl}`)
  else if (flags.profile !== undefined && profile !== undefined)
    checkOwner(env, profile.baseUrl, `profile ${profile.name} (${profile.baseUrl})`)
}

const credentialOf = (profile: Profile, env: Environment, services: SessionServices) => {
  const { store, tokens, post, now = Date.now, signal } = services
  return ownCredential(profile, { env, configuration: store.file, tokens, post, now, signal })
}

const unconfigured = (): Failure =>
  new Failure('auth', 'no instance is configured', {
    hint: 'Sign in with `svcctl auth login`, or try the embedded instance with `--sandbox`.',
  })

/**
 * The session of one run. Each value comes from a flag, else the environment, else the profile. A token
 * never goes to an instance that it was not meant for:
 * - `SVC_TOKEN` counts with a base URL from a flag or the environment, and with a profile that has no
 *   credential of its own; beside `SVC_BASE_URL` it serves that origin only, as does `SVC_JOB_TOKEN`;
 * - `CI_JOB_TOKEN` counts only for the origin of `CI_SERVER_URL`;
 * - a profile's own credential counts only for the profile's base URL.
 * A profile that is merely current does not apply at all to another base URL.
 * `--sandbox` is the caller's affair.
 * @throws Failure `auth` where nothing names an instance, `usage` on values that cannot be used, and where
 *   a flag chooses another instance than the environment's token is for
 */
export const resolveSession = (
  flags: InstanceFlags,
  env: Environment,
  services: SessionServices,
): Session => {
  const chosen = chooseProfile(flags, env, services.store)
  const given = givenBaseUrl(flags, env)
  const baseUrl = given?.baseUrl ?? chosen?.profile.baseUrl
  if (baseUrl === undefined) throw unconfigured()
  checkChoice(flags, env, baseUrl, chosen?.profile)
  const same = chosen?.profile.baseUrl === baseUrl
  const profile = chosen !== undefined && (chosen.named || same) ? chosen.profile : undefined

  const serving = same ? profile : undefined
  const own = serving === undefined ? undefined : credentialOf(serving, env, services)
  const fromEnvironment = environmentToken(env, serving)
  const token = given !== undefined || own === undefined ? fromEnvironment : undefined
  const sudo = checkedSudo(flags.sudo ?? variable(env, 'SVC_SUDO') ?? serving?.sudo)
  const withheld = jobTokenWithheld(env, baseUrl)

  return {
    profile,
    baseUrl,
    baseUrlSource: given?.source ?? `profile ${profile?.name ?? ''}`,
    credential: async () => token ?? own?.get(),
    jobToken: () => jobTokenFor(env, baseUrl),
    jobTokenWithheld: withheld,
    renew: async () => (token === undefined ? own?.renew() : undefined),
    sudo,
    ...(token === undefined && own !== undefined && profile?.user !== undefined
      ? { user: profile.user }
      : {}),
    warnings: warningsOf(baseUrl, {
      profile,
      otherInstance: profile !== undefined && !same,
      tokenIgnored: fromEnvironment !== undefined && token === undefined,
    }),
  }
}

const warningsOf = (
  baseUrl: string,
  is: {
    readonly profile?: Profile
    readonly otherInstance: boolean
    readonly tokenIgnored: boolean
  },
): string[] => {
  const warnings: string[] = []
  const clear = clearTextWarning(baseUrl)
  if (clear !== undefined) warnings.push(clear)
  const name = is.profile?.name ?? ''
  if (is.otherInstance)
    warnings.push(
      `profile ${name} is for ${is.profile?.baseUrl ?? ''}; its credential is not sent to ${baseUrl}`,
    )
  if (is.tokenIgnored)
    warnings.push(`SVC_TOKEN is not used: profile ${name} has a credential of its own`)
  return warnings
}
