/** What `auth login` has to know: given, or asked for until it is right. */
import { normalizeBaseUrl } from '../../base/base-url.js'
import { Failure, usage } from '../../errors.js'
import { checkName } from '../../profile/index.js'
import type { Context, Given } from '../types.js'

/** How often a token is asked for. */
const tries = 3

/** A value that passes the check; at a terminal what does not is asked for again, with why. */
const untilRight = async <T>(
  ctx: Context,
  question: string,
  given: string | undefined,
  check: (text: string | undefined) => T,
): Promise<T> => {
  for (let text = given ?? (await ctx.ask(question)); ; text = await ctx.ask(question))
    try {
      return check(text)
    } catch (error) {
      if (!(error instanceof Failure) || error.category !== 'usage' || !ctx.interactive) throw error
      ctx.note(error.message)
    }
}

/** The profile to sign in to. */
export const askedName = (ctx: Context, given: string): Promise<string> =>
  untilRight(ctx, 'Name of the profile', given, (name = '') => {
    checkName(name)
    return name
  })

/** The address of the instance. */
export const askedAddress = (ctx: Context, given: string | undefined): Promise<string> =>
  untilRight(ctx, 'Address of the instance', given, (address = '') => {
    if (address === '')
      throw usage('auth login needs the address of the instance', 'Give --base-url.')
    return normalizeBaseUrl(address)
  })

export interface Secrets {
  readonly token: string
  readonly refreshToken?: string
}

/** The token from standard input (a refresh token on the second line), or from a hidden prompt. */
const secretsOf = async (ctx: Context, given: Given, baseUrl: string): Promise<Secrets> => {
  if (given.flags['token-stdin'] === true) {
    const [token = '', refreshToken = ''] = (await ctx.stdin()).split('\n').map((l) => l.trim())
    if (token === '') throw usage('standard input holds no token')
    return { token, ...(refreshToken === '' ? {} : { refreshToken }) }
  }
  const token = (await ctx.askSecret(`Token for ${baseUrl}`))?.trim()
  if (token === undefined || token === '')
    throw usage('auth login needs a token', 'Pipe it in and give --token-stdin.')
  return { token }
}

/**
 * A token that the instance takes, and what it answered about it. At a terminal one that is empty or
 * refused is asked for again.
 * @throws Failure `auth` or `usage` after the last try; whatever else `attempt` throws, at once
 */
export const askedToken = async <T>(
  ctx: Context,
  given: Given,
  baseUrl: string,
  attempt: (secrets: Secrets) => Promise<T>,
): Promise<{ secrets: Secrets; identity: T }> => {
  const once = !ctx.interactive || given.flags['token-stdin'] === true
  for (let left = once ? 1 : tries; ; left--)
    try {
      const secrets = await secretsOf(ctx, given, baseUrl)
      return { secrets, identity: await attempt(secrets) }
    } catch (error) {
      const wrong = error instanceof Failure && ['auth', 'usage'].includes(error.category)
      if (!wrong || left <= 1) throw error
      ctx.note(error.message)
    }
}
