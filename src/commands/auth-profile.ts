/** Chooses the profile and the address that `auth login` and `auth logout` are about. */
import { normalizeBaseUrl } from '../base/base-url.js'
import type { Context } from '../engine/command/context.js'
import type { Given } from '../engine/command/types.js'
import { Failure, usage } from '../errors.js'
import { checkName } from '../profile/index.js'
import type { Profile } from '../profile/types.js'
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
const askName = (context: Context, given: string): Promise<string> =>
  askUntilValid(context, 'Profile name', given, (name = '') => {
    checkName(name)
    return name
  })

/** Asks for the address of the instance. */
const askBaseUrl = (context: Context, given: string | undefined): Promise<string> =>
  askUntilValid(context, 'Base URL of the instance', given, (address = '') => {
    if (address === '')
      throw usage('auth login requires the base URL of the instance', 'Pass --base-url.')
    return normalizeBaseUrl(address)
  })

/** The target of a sign-in: the address, and the name of the profile that keeps it. */
interface SignInTarget {
  readonly name: string
  readonly baseUrl: string
}

/** Returns the name that a profile gets from its address: the host, with `-` for `:` and `/`. */
const toProfileName = (baseUrl: string): string =>
  baseUrl
    .replace(/^https?:\/\//, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64)

/**
 * Finds the profile of an address, if no name is given.
 * @throws Failure `usage` if several profiles have this address
 */
const findNameAt = (context: Context, baseUrl: string, command: string): string | undefined => {
  const names = openProfileStore(context)
    .list()
    .flatMap((profile) => (profile.baseUrl === baseUrl ? [profile.name] : []))
  if (names.length > 1)
    throw usage(
      `several profiles are for ${baseUrl}: ${names.join(', ')}`,
      `Name one of them, such as: svcctl ${command} ${names[0]}`,
    )
  return names[0]
}

/** Returns the profile that a variable names; a base URL on the line wins over it, unless it is the profile's. */
const getVariableName = ({ place }: Context, at: Profile | undefined): string | undefined => {
  const { baseUrl } = place.globals
  const fits = baseUrl === undefined || at === undefined || at.baseUrl === normalizeBaseUrl(baseUrl)
  return fits ? place.env.SVC_PROFILE || undefined : undefined
}

/** Returns the profile to sign in to, and its address: those that are named, else the current ones. */
export const resolveTarget = async (
  context: Context,
  given: Pick<Given, 'args'>,
): Promise<SignInTarget> => {
  const { env, globals } = context.place
  const store = openProfileStore(context)
  const variable = env.SVC_PROFILE ? store.get(env.SVC_PROFILE) : undefined
  const named = getProfileName(context, given) ?? getVariableName(context, variable)
  const address = globals.baseUrl ?? (env.SVC_BASE_URL || undefined)
  if (named !== undefined) {
    const name = await askName(context, named)
    const own = store.get(name)?.baseUrl
    return { name, baseUrl: await askBaseUrl(context, globals.baseUrl ?? own ?? address) }
  }
  const current = address === undefined ? store.getCurrentName() : undefined
  const kept = current === undefined ? undefined : store.get(current)
  if (kept !== undefined) return { name: kept.name, baseUrl: kept.baseUrl }
  const baseUrl = await askBaseUrl(context, address)
  const name = findNameAt(context, baseUrl, 'auth login') ?? toProfileName(baseUrl)
  return { name: await askName(context, name), baseUrl }
}

/** Returns the profile to sign out of: the named one, the one of the base URL, else the current one; undefined if there is none. */
export const resolveSignedIn = (
  context: Context,
  given: Pick<Given, 'args'>,
): string | undefined => {
  const { env, globals } = context.place
  const named = getProfileName(context, given)
  if (named !== undefined) return named
  if (globals.baseUrl !== undefined) {
    const baseUrl = normalizeBaseUrl(globals.baseUrl)
    const found = findNameAt(context, baseUrl, 'auth logout')
    if (found !== undefined) return found
    throw usage(`no profile is for ${baseUrl}`, 'svcctl profile list shows them.')
  }
  return (env.SVC_PROFILE || undefined) ?? openProfileStore(context).getCurrentName()
}
