/** What `auth login` has to know: given, or asked for until it is right. */
import { normalizeBaseUrl } from '../../base/base-url.js'
import { Failure, usage } from '../../errors.js'
import { checkName } from '../../profile/index.js'
import type { Services } from '../services.js'

/** How often a token is asked for. */
const tries = 3

/** A value that passes the check; at a terminal what does not is asked for again, with why. */
const untilRight = async <T>(
  { person }: Services,
  question: string,
  given: string | undefined,
  check: (text: string | undefined) => T,
): Promise<T> => {
  for (let text = given ?? (await person.ask(question)); ; text = await person.ask(question))
    try {
      return check(text)
    } catch (error) {
      if (!(error instanceof Failure) || error.category !== 'usage' || !person.interactive)
        throw error
      person.note(error.message)
    }
}

/** The profile to sign in to. */
export const askedName = (services: Services, given: string): Promise<string> =>
  untilRight(services, 'Name of the profile', given, (name = '') => {
    checkName(name)
    return name
  })

/** The address of the instance. */
export const askedAddress = (services: Services, given: string | undefined): Promise<string> =>
  untilRight(services, 'Address of the instance', given, (address = '') => {
    if (address === '')
      throw usage('auth login needs the address of the instance', 'Give --base-url.')
    return normalizeBaseUrl(address)
  })

export interface Secrets {
  readonly token: string
  readonly refreshToken?: string
}

/** The token from standard input (a refresh token on the second line), or from a hidden prompt. */
const secretsOf = async (
  { person, place }: Services,
  piped: boolean,
  baseUrl: string,
): Promise<Secrets> => {
  if (piped) {
    const [token = '', refreshToken = ''] = (await place.stdin.text())
      .split('\n')
      .map((l) => l.trim())
    if (token === '') throw usage('standard input holds no token')
    return { token, ...(refreshToken === '' ? {} : { refreshToken }) }
  }
  const token = (await person.askSecret(`Token for ${baseUrl}`, 'token'))?.trim()
  if (token === undefined || token === '')
    throw usage('auth login needs a token', 'Pipe it in and give --token-stdin.')
  return { token }
}

/**
 * A token that the instance takes, and what it answered about it. At a terminal one that is empty or
 * refused is asked for again.
 * @param piped it is read from standard input
 * @throws Failure `auth` or `usage` after the last try; whatever else `attempt` throws, at once
 */
export const askedToken = async <T>(
  services: Services,
  piped: boolean,
  baseUrl: string,
  attempt: (secrets: Secrets) => Promise<T>,
): Promise<{ secrets: Secrets; identity: T }> => {
  const once = piped || !services.person.interactive
  for (let left = once ? 1 : tries; ; left--)
    try {
      const secrets = await secretsOf(services, piped, baseUrl)
      return { secrets, identity: await attempt(secrets) }
    } catch (error) {
      const wrong = error instanceof Failure && ['auth', 'usage'].includes(error.category)
      if (!wrong || left <= 1) throw error
      services.person.note(error.message)
    }
}
