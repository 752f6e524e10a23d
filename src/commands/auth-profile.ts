/** Finds the profile and the base URL for `auth login` and `auth logout`. */
import { normalizeBaseUrl } from '../base/base-url.js'
import type { Context } from '../engine/command/context.js'
import type { Given } from '../engine/command/types.js'
import { Failure, usage } from '../errors.js'
import { checkName } from '../profile/index.js'
import { getProfileName, openProfileStore } from './profile.js'

/** Asks for a value that passes the check; at a terminal an invalid one is asked for again, with the reason. */
const askUntilValid = async <T>(
  { ui }: Context,
  question: string,
  given: string | undefined,
  check: (text: string | undefined) => T,
): Promise<T> => {
  for (let text = given ?? (await ui.ask(question)); ; text = await ui.ask(question))
    try {
      return check(text)
    } catch (error) {
      if (!(error instanceof Failure) || error.category !== 'usage' || !ui.interactive) throw error
      ui.note(error.message)
    }
}

/** Asks for the profile to sign in to. */
const askProfileName = (context: Context, given: string): Promise<string> =>
  askUntilValid(context, 'Profile name', given, (name = '') => {
    checkName(name)
    return name
  })

/** Asks for the base URL of the instance. */
const askBaseUrl = (context: Context, given: string | undefined): Promise<string> =>
  askUntilValid(context, 'Base URL of the instance', given, (baseUrl = '') => {
    if (baseUrl === '')
      throw usage('auth login requires the base URL of the instance', 'Pass --base-url.')
    return normalizeBaseUrl(baseUrl)
  })

/** The profile to sign in to: its base URL, and the name under which it is stored. */
interface SignInProfile {
  readonly name: string
  readonly baseUrl: string
}

/** Returns the name that a profile gets from its base URL: the host, with `-` for `:` and `/`. */
const toProfileName = (baseUrl: string): string =>
  baseUrl
    .replace(/^https?:\/\//, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64)

/**
 * Finds the profile of a base URL, if no name is given.
 * @throws Failure `usage` if several profiles have this base URL
 */
const findProfileName = (
  context: Context,
  baseUrl: string,
  command: string,
): string | undefined => {
  const names = openProfileStore(context)
    .list()
    .flatMap((profile) => (profile.baseUrl === baseUrl ? [profile.name] : []))
  if (names.length > 1)
    throw usage(
      `several profiles have the base URL ${baseUrl}: ${names.join(', ')}`,
      `Name one of them, such as: svcctl ${command} ${names[0]}`,
    )
  return names[0]
}

/** Returns the name of the profile in SVC_PROFILE. If --base-url is another URL than that profile's, the variable is ignored. */
const getEnvironmentProfile = (
  { place: { env, globals } }: Context,
  store: ReturnType<typeof openProfileStore>,
): string | undefined => {
  const name = env.SVC_PROFILE || undefined
  const profile = name === undefined ? undefined : store.get(name)
  const isOther =
    globals.baseUrl !== undefined &&
    profile !== undefined &&
    profile.baseUrl !== normalizeBaseUrl(globals.baseUrl)
  return isOther ? undefined : name
}

/** Returns the profile to sign in to, and its base URL: those that are named, else the current ones. */
export const resolveSignInProfile = async (
  context: Context,
  given: Pick<Given, 'args'>,
): Promise<SignInProfile> => {
  const { env, globals } = context.place
  const store = openProfileStore(context)
  const named = getProfileName(context, given) ?? getEnvironmentProfile(context, store)
  const givenBaseUrl = globals.baseUrl ?? (env.SVC_BASE_URL || undefined)
  if (named !== undefined) {
    const name = await askProfileName(context, named)
    const own = store.get(name)?.baseUrl
    return { name, baseUrl: await askBaseUrl(context, globals.baseUrl ?? own ?? givenBaseUrl) }
  }
  const current = givenBaseUrl === undefined ? store.getCurrentName() : undefined
  const currentProfile = current === undefined ? undefined : store.get(current)
  if (currentProfile !== undefined)
    return { name: currentProfile.name, baseUrl: currentProfile.baseUrl }
  const baseUrl = await askBaseUrl(context, givenBaseUrl)
  const name = findProfileName(context, baseUrl, 'auth login') ?? toProfileName(baseUrl)
  return { name: await askProfileName(context, name), baseUrl }
}

/** Returns the profile to sign out of: the named one, the one of the base URL, else the current one; undefined if there is none. */
export const resolveSignOutProfile = (
  context: Context,
  given: Pick<Given, 'args'>,
): string | undefined => {
  const { env, globals } = context.place
  const named = getProfileName(context, given)
  if (named !== undefined) return named
  if (globals.baseUrl !== undefined) {
    const baseUrl = normalizeBaseUrl(globals.baseUrl)
    const found = findProfileName(context, baseUrl, 'auth logout')
    if (found !== undefined) return found
    throw usage(
      `no profile has the base URL ${baseUrl}`,
      'Run svcctl profile list to see all profiles.',
    )
  }
  return (env.SVC_PROFILE || undefined) ?? openProfileStore(context).getCurrentName()
}
