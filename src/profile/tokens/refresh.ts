/** OAuth: a new access token for a refresh token (`profile/README.md`), once for all processes. */

import { momentAfter } from '../../base/moments.js'
import { type Fields, isObject } from '../../base/objects.js'
import { oauthErrorOf } from '../../base/secrets/oauth-errors.js'
import { Failure } from '../../errors.js'
import type { Post, Profile } from '../types.js'
import type { StoredToken, Tokens } from './tokens.js'
import { checkToken } from './value.js'

/** A token that ends within this time is refreshed first. */
const skew = 60_000

export const isExpiring = (token: StoredToken, now: number): boolean => {
  const end = token.expiresAt === undefined ? Number.NaN : Date.parse(token.expiresAt)
  return !Number.isNaN(end) && end - now < skew
}

export const canRefresh = (profile: Profile, token: StoredToken): boolean =>
  token.kind === 'oauth' && token.refreshToken !== undefined && profile.tokenUrl !== undefined

const refused = (profile: Profile, why: string, status?: number): Failure =>
  new Failure('auth', `the token of profile ${profile.name} could not be refreshed: ${why}`, {
    hint: `Sign in again with: svcctl auth login -p ${profile.name}`,
    ...(profile.tokenUrl === undefined ? {} : { request: `POST ${profile.tokenUrl}` }),
    status,
  })

const parsed = (body: unknown): Fields => {
  if (isObject(body)) return body
  try {
    const value: unknown = JSON.parse(String(body))
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** The machine-readable code of an OAuth error; its free text could repeat the token. */
const errorCode = ({ error }: Fields): string => {
  const code = oauthErrorOf(error)
  return code === undefined ? '' : ` ${code}`
}

/** When the new token ends, as the answer says; a time that is none is as good as not said. */
const expiry = (body: Fields, now: number): string | undefined => {
  const seconds = Number(body.expires_in)
  return body.expires_in == null || !(seconds > 0) ? undefined : momentAfter(now, seconds)
}

/** Asks for the new pair. Nothing is kept yet. */
const request = async (
  profile: Profile,
  held: StoredToken,
  post: Post,
  now: () => number,
): Promise<StoredToken> => {
  const { tokenUrl, clientId } = profile
  if (tokenUrl === undefined || held.refreshToken === undefined)
    throw refused(profile, 'there is no refresh token or no token URL')
  const { status, body } = await post(tokenUrl, {
    grant_type: 'refresh_token',
    refresh_token: held.refreshToken,
    ...(clientId === undefined ? {} : { client_id: clientId }),
  })
  const answer = parsed(body)
  if (status >= 500)
    throw new Failure('unreachable', `${tokenUrl} answered ${status} to a refresh of the token`, {
      status,
      request: `POST ${tokenUrl}`,
      hint: 'Try again later; the refresh token was kept.',
    })
  if (status < 200 || status > 299)
    throw refused(profile, `the instance answered ${status}${errorCode(answer)}`, status)
  const { access_token: access, refresh_token: next } = answer
  if (typeof access !== 'string') throw refused(profile, 'the answer has no access_token', status)
  const expiresAt = expiry(answer, now())
  return {
    token: checkToken(access, 'oauth', 'the token URL').value,
    kind: 'oauth',
    baseUrl: held.baseUrl,
    // Servers that do not rotate it leave it out.
    refreshToken: typeof next === 'string' && next !== '' ? next : held.refreshToken,
    expiresAt,
  }
}

/**
 * A fresh token in place of `stale`. One process asks; the others wait, read again and use what it
 * stored. The new pair is stored before it is used, since the old refresh token is then spent.
 * @throws Failure `auth` where the refresh is refused, `unreachable` where nobody answers
 */
export const refresh = (
  profile: Profile,
  stale: StoredToken,
  tokens: Tokens,
  post: Post,
  now: () => number,
): Promise<StoredToken> =>
  tokens.exclusive(profile.name, async () => {
    const place = profile.tokenStore ?? 'file'
    const held = await tokens.read(profile.name, place)
    if (held === undefined) throw refused(profile, 'it was signed out meanwhile')
    if (held.token !== stale.token && !isExpiring(held, now())) return held
    const fresh = await request(profile, held, post, now)
    await tokens.write(profile.name, fresh, place)
    return fresh
  })
