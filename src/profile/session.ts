/**
 * Resolves the instance and credential of a run from flags, environment and profile. It also selects several profiles by pattern or tag,
 * and checks the safety settings of a profile.
 */

import { createClearTextWarning, normalizeBaseUrl } from '../base/base-url.js'
import { resolvePath } from '../base/io.js'
import { quoteWord } from '../base/shell-words.js'
import { suggestSimilar } from '../base/suggest.js'
import { splitList } from '../base/text.js'
import { Failure, usage } from '../errors.js'
import { createCredentialSource } from './credential.js'
import {
  explainWithheldJobToken,
  explainWithheldToken,
  getEnvironmentToken,
  getEnvironmentVariable,
  getJobToken,
} from './environment.js'
import { getCreationLine, type Store } from './store.js'
import type { Tokens } from './tokens.js'
import type { Environment, InstanceFlags, Post, Profile, Session } from './types.js'

/** The services that are required to resolve a session. */
export interface SessionServices {
  readonly store: Store
  readonly tokens: Tokens
  /** Sends the form of an OAuth refresh. */
  readonly post: Post
  /** Returns milliseconds since the epoch; by default, the clock of the machine. */
  readonly now?: () => number
  /** The folder in which a token command starts; undefined for that of the process. */
  readonly folder?: string | undefined
  /** Aborts a token command in progress. */
  readonly signal?: AbortSignal
}

interface ChosenProfile {
  readonly profile: Profile
  /** True if a flag or variable names the profile, false if it is only the current one. */
  readonly named: boolean
}

const chooseProfile = (
  flags: InstanceFlags,
  env: Environment,
  store: Store,
): ChosenProfile | undefined => {
  const wantedName = flags.profile ?? getEnvironmentVariable(env, 'SVC_PROFILE')
  const name = wantedName ?? store.getCurrentName()
  if (name === undefined) return undefined
  const profile = store.get(name)
  if (profile !== undefined) return { profile, named: wantedName !== undefined }
  // A base URL on the line chooses the instance, whatever profile the variable names.
  if (flags.baseUrl !== undefined && flags.profile === undefined) return undefined
  const names = store.listNames()
  if (flags.profile === undefined && isSeveral(name))
    throw usage(
      `SVC_PROFILE is "${name}"; it must be the name of one profile`,
      `Pass several with: -p ${quoteWord(name)}`,
    )
  const ofFile = wantedName === undefined ? `, though ${store.file} names it as current` : undefined
  throw usage(
    `unknown profile "${name}"${ofFile ?? (flags.profile === undefined ? ' in SVC_PROFILE' : '')}`,
    names.length === 0
      ? `Create it with: ${getCreationLine(name)}`
      : `Profiles: ${names.join(', ')}. Choose with -p, or: svcctl auth switch <name>`,
  )
}

/** Returns the base URL of the flag or the environment, with its source in words. A profile on the line overrides the variable. */
const getGivenBaseUrl = (flags: InstanceFlags, env: Environment) => {
  if (flags.baseUrl !== undefined)
    return { baseUrl: normalizeBaseUrl(flags.baseUrl), source: '--base-url' }
  const text = flags.profile === undefined ? getEnvironmentVariable(env, 'SVC_BASE_URL') : undefined
  return text === undefined
    ? undefined
    : { baseUrl: normalizeBaseUrl(text), source: 'SVC_BASE_URL' }
}

/**
 * Checks the user to act as, and returns it without a leading `@`.
 * @throws Failure `usage` if it is neither an ID nor a username
 */
export const checkSudo = (sudo: string | undefined): string | undefined => {
  if (sudo !== undefined && !/^[\x21-\x7e]+$/.test(sudo))
    throw usage('the user to act as must be an ID or a username', 'Pass --sudo <id|username>.')
  return sudo?.replace(/^@/, '')
}

/** @throws Failure `usage` if the flags for a profile and a base URL name different instances */
const checkChoice = (flags: InstanceFlags, baseUrl: string, profile: Profile | undefined): void => {
  if (flags.baseUrl === undefined || flags.profile === undefined || profile === undefined) return
  if (profile.baseUrl === baseUrl) return
  throw usage(
    `--profile ${profile.name} is for ${profile.baseUrl}, and --base-url names ${baseUrl}`,
    'Pass only one of them.',
  )
}

const createCredential = (profile: Profile, env: Environment, services: SessionServices) =>
  createCredentialSource(profile, {
    now: Date.now,
    ...services,
    env,
    configuration: services.store.file,
  })

/** An instance as a session names it: by its address, its profile, and the title of an embedded one. */
export type NamedSession = Pick<Session, 'baseUrl' | 'profile' | 'title' | 'variable'>

/** Returns the command line that signs in to an instance; without a session, the line that asks for the instance. */
export const getLoginLine = (session?: NamedSession): string => {
  const line = 'svcctl auth login'
  if (session === undefined || session.title !== undefined) return line
  const { baseUrl, profile } = session
  return profile === undefined || profile.baseUrl !== baseUrl
    ? `${line} --base-url ${quoteWord(baseUrl)}`
    : `${line} -p ${quoteWord(profile.name)}`
}

const createUnconfiguredFailure = (env: Environment, [first]: readonly string[]): Failure =>
  new Failure('auth', 'no instance is configured', {
    hint:
      first !== undefined
        ? `No profile is the current one. Choose one with -p, or run: svcctl auth switch ${first}`
        : getEnvironmentVariable(env, 'CI_SERVER_URL') === undefined
          ? 'Sign in with `svcctl auth login`, or try the embedded instance with `--sandbox`.'
          : 'For the instance of this CI job, set SVC_BASE_URL to $CI_SERVER_URL, and SVC_TOKEN to a token.',
  })

/**
 * Resolves the session of a run. Each value comes from a flag, else the environment, else the profile. A token is never sent to an instance
 * that it is not for:
 * - `SVC_TOKEN` applies with a base URL from a flag or the environment, and with a profile without a credential. With `SVC_BASE_URL`, it
 * and `SVC_JOB_TOKEN` apply only to that origin.
 * - `CI_JOB_TOKEN` applies only to the origin of `CI_SERVER_URL`.
 * - The credential of a profile applies only to the profile's base URL.
 * The current profile does not apply to another base URL unless a flag or variable names it. The caller handles `--sandbox`.
 * @throws Failure `auth` if no instance is named; `usage` for invalid values, and if --profile and --base-url name different instances
 */
export const resolveSession = (
  flags: InstanceFlags,
  env: Environment,
  services: SessionServices,
): Session => {
  const chosen = chooseProfile(flags, env, services.store)
  const given = getGivenBaseUrl(flags, env)
  const baseUrl = given?.baseUrl ?? chosen?.profile.baseUrl
  if (baseUrl === undefined) throw createUnconfiguredFailure(env, services.store.listNames())
  checkChoice(flags, baseUrl, chosen?.profile)
  const same = chosen?.profile.baseUrl === baseUrl
  const profile = chosen !== undefined && (chosen.named || same) ? chosen.profile : undefined

  const serving = same ? profile : undefined
  const own = serving === undefined ? undefined : createCredential(serving, env, services)
  const token =
    given !== undefined || own === undefined
      ? getEnvironmentToken(env, baseUrl, serving)
      : undefined
  const sudo = checkSudo(flags.sudo ?? getEnvironmentVariable(env, 'SVC_SUDO') ?? serving?.sudo)
  const withheld = explainWithheldJobToken(env, baseUrl)

  return {
    profile,
    baseUrl,
    baseUrlSource: given?.source ?? `profile ${profile?.name ?? ''}`,
    variable: token && 'SVC_TOKEN',
    getCredential: async () => token ?? own?.get(),
    getJobToken: () => getJobToken(env, baseUrl),
    jobTokenWithheld: withheld,
    renew: async () => (token === undefined ? own?.renew() : undefined),
    sudo,
    ...(token === undefined && own !== undefined && profile?.user !== undefined
      ? { user: profile.user }
      : {}),
    warnings: listWarnings(baseUrl, profile, token !== undefined, env),
  }
}

/** Lists the warnings about a credential that is not sent, or that others could read on the way. */
const listWarnings = (
  baseUrl: string,
  profile: Profile | undefined,
  isTokenSent: boolean,
  env: Environment,
): readonly string[] => {
  const isUnused = !isTokenSent && getEnvironmentVariable(env, 'SVC_TOKEN') !== undefined
  const warnings = [
    createClearTextWarning(baseUrl),
    profile === undefined || profile.baseUrl === baseUrl
      ? undefined
      : `profile ${profile.name} is for ${profile.baseUrl}; its credential is not sent to ${baseUrl}`,
    explainWithheldToken(env, baseUrl) ??
      (isUnused
        ? `SVC_TOKEN is not used: profile ${profile?.name ?? ''} has a credential of its own`
        : undefined),
  ]
  return warnings.filter((text) => text !== undefined)
}

// The vocabulary of a run: that of the environment, or else that of the profile for its own instance.

/** The vocabulary of a run. */
interface ActiveVocabulary {
  readonly file: string
  /** The only address that the vocabulary is for; undefined for any address. */
  readonly serves?: string
}

/** Returns the profile whose instance a run uses; undefined for another address or the embedded instance. */
export const getActiveProfile = (
  flags: InstanceFlags,
  env: Environment,
  store: () => Store,
): Profile | undefined => {
  if (flags.sandbox === true) return undefined
  try {
    const profile = chooseProfile(flags, env, store())?.profile
    const given = getGivenBaseUrl(flags, env)
    return given === undefined || given.baseUrl === profile?.baseUrl ? profile : undefined
  } catch {
    return undefined
  }
}

/** Returns the vocabulary of a run; undefined if there is none. Errors in the profile are ignored here and reported by `resolveSession`. */
export const getActiveVocabulary = (
  flags: InstanceFlags,
  env: Environment,
  store: () => Store,
): ActiveVocabulary | undefined => {
  const named = getEnvironmentVariable(env, 'SVC_VOCABULARY')
  if (named !== undefined) return { file: resolvePath(named) }
  const profile = getActiveProfile(flags, env, store)
  if (profile?.vocabulary === undefined) return undefined
  return { file: profile.vocabulary, serves: profile.baseUrl }
}

// Several profiles in `-p`: names, patterns and tags.

type Known = Pick<Profile, 'name' | 'tags'>

/** True if a part of `-p` is a pattern or tag. */
export const isPattern = (part: string): boolean => /[*?]|^@/.test(part)

/** True if the text means several profiles. Existing profiles are not considered. */
const isSeveral = (text: string): boolean =>
  splitList(text).some(isPattern) || new Set(splitList(text)).size > 1

/** Returns the only name in a text, without commas; undefined if the text contains several names. */
const findOnlyName = (text: string): string | undefined => {
  const [name, ...others] = new Set(splitList(text))
  return others.length === 0 ? name : undefined
}

/** Parses the value of `-p`: one name, or several. */
export const parseProfiles = (
  text: string,
): { readonly one: string } | { readonly several: readonly string[] } =>
  isSeveral(text) ? { several: splitList(text) } : { one: findOnlyName(text) ?? text }

/** Compiles a pattern in which only `*` and `?` are special. */
const compilePattern = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  )

const listTags = (profiles: readonly Known[]): readonly string[] =>
  [...new Set(profiles.flatMap(({ tags = [] }) => tags))].sort()

/** Returns the hint for a profile or tag that does not exist: the existing ones. */
const suggestProfiles = (part: string, profiles: readonly Known[]): string => {
  const names = profiles.map(({ name }) => name)
  if (names.length === 0) return 'Create one with: svcctl auth login'
  if (!part.startsWith('@'))
    return `${(!isPattern(part) && suggestSimilar(part, names)) || ''} Profiles: ${names.join(', ')}.`.trim()
  const tags = listTags(profiles)
  return tags.length === 0
    ? 'No profile has a tag. Set one with: svcctl profile set <name> --tags <tag>'
    : `Tags: ${tags.join(', ')}. Profiles: ${names.join(', ')}.`
}

const createNoMatchFailure = (part: string, profiles: readonly Known[]): Failure => {
  const what = part.startsWith('@')
    ? `no profile has the tag "${part.slice(1)}"`
    : isPattern(part)
      ? `no profile matches "${part}"`
      : `unknown profile "${part}"`
  return usage(what, suggestProfiles(part, profiles))
}

/**
 * Resolves the parts of `-p` to profiles, in the order of the parts and then by name, without duplicates.
 * @throws Failure `usage` for a part that matches no profile
 */
export const resolveProfiles = <P extends Known>(
  parts: readonly string[],
  profiles: readonly P[],
): readonly P[] => {
  const found = parts.flatMap((part) => {
    const pattern = compilePattern(part)
    const some = part.startsWith('@')
      ? profiles.filter(({ tags = [] }) => tags.includes(part.slice(1)))
      : profiles.filter(({ name }) => pattern.test(name))
    if (some.length === 0) throw createNoMatchFailure(part, profiles)
    return some.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  })
  return [...new Set(found)]
}

/** Returns the profiles that a text names; none if it is invalid, which is reported when the instances are resolved. */
export const findNamedProfiles = (text: string, store: Store): readonly Profile[] => {
  try {
    const profiles = parseProfiles(text)
    const parts = 'one' in profiles ? [profiles.one] : profiles.several
    if (parts.some(isPattern)) return resolveProfiles(parts, store.list())
    return parts.flatMap((name) => store.get(name) ?? [])
  } catch {
    return []
  }
}

// The safety settings of a profile: read-only, and confirmation by name. No I/O.

/**
 * Rejects a write under a read-only profile.
 * @throws Failure `usage`; nothing was sent
 */
export const checkReadOnly = (
  profile: Pick<Profile, 'name' | 'readOnly'> | undefined,
  method: string,
  path: string,
): void => {
  if (profile?.readOnly !== true || ['GET', 'HEAD'].includes(method.toUpperCase())) return
  throw usage(
    `profile ${profile.name} is read-only: ${method} ${path} was not sent`,
    `Use another profile with -p, or allow writes: svcctl profile set ${profile.name} --no-read-only`,
  )
}

/** The options that confirm a destructive action. */
export interface Consent {
  readonly yes: boolean
  /** `--confirm <profile>`. */
  readonly confirm?: string
  /** True if a person can be asked. */
  readonly interactive: boolean
}

/** `go`: already confirmed. `ask`: ask yes or no. `ask-name`: ask for the profile's name. */
type Confirmation = 'go' | 'ask' | 'ask-name'

/**
 * Decides how a destructive action is confirmed. Under a protected profile, `--yes` also requires `--confirm <profile>`.
 * @param what the data that would be lost, for the message
 * @throws Failure `usage` if there is no terminal to ask on, or if `--confirm` names another profile
 */
export const decideConfirmation = (
  profile: Pick<Profile, 'name' | 'protected'> | undefined,
  consent: Consent,
  what: string,
): Confirmation => {
  const { yes, confirm, interactive } = consent
  if (confirm !== undefined && confirm !== profile?.name)
    throw usage(
      `--confirm names "${confirm}", but ${profile === undefined ? 'the line names no profile, and --sandbox, --base-url and --from name none' : `the profile is ${profile.name} (-p, SVC_PROFILE or the default)`}`,
      'Nothing was sent. Check that you chose the right instance.',
    )
  if (profile?.protected === true) {
    if (yes && confirm !== undefined) return 'go'
    if (interactive) return 'ask-name'
    throw usage(
      `profile ${profile.name} is protected and must be confirmed by name: ${what}`,
      `Pass --yes --confirm ${profile.name}`,
    )
  }
  if (yes) return 'go'
  if (interactive) return 'ask'
  throw new Failure('usage', `confirmation required, and there is no terminal to ask on: ${what}`, {
    hint: 'Pass --yes to confirm.',
    advice: { code: 'confirm' },
  })
}

/** True if the typed text is the profile's name. */
export const nameMatches = (profile: Pick<Profile, 'name'>, typed: string): boolean =>
  typed.trim() === profile.name
