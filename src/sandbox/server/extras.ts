/**
 * Routes that deployed instances have and the documents do not show: who am I, what may my token
 * do, who is this user, lists to complete from, and the token endpoint that refreshes an OAuth pair.
 */
import { randomBytes } from 'node:crypto'
import type { CredentialNeed } from '../../catalogue/endpoint.js'
import { string } from '../../catalogue/params.js'
import type { Call } from '../call.js'
import type { AnyHandler } from '../handlers.js'
import { longUser, userSummary } from '../present/common.js'
import { notFound, Refusal } from '../reply.js'
import type { TokenRecord } from '../state/people-and-projects.js'
import { type Accepts, holds, searched } from './accepts.js'
import { listRoutes } from './lists.js'
import { apiRoot } from './root.js'

export interface ExtraRoute {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly credential?: CredentialNeed
  readonly scopes?: readonly string[]
  readonly status?: number
  /** What a list takes; the others look at what was sent themselves. */
  readonly accepts?: Accepts
  readonly handle: AnyHandler
}

const tokenSeconds = 7200

const currentUser = (call: Call) => {
  const user = call.signedIn()
  return {
    ...longUser(call, user),
    email: user.email,
    external: user.external,
    last_activity_on: user.last_activity_on,
    ...(user.admin ? { is_admin: true } : {}),
  }
}

const currentToken = (call: Call) => {
  const { token } = call
  if (token === undefined || token.kind === 'oauth' || token.kind === 'session') throw notFound()
  const { id, name, revoked, created_at, scopes, user_id } = token
  const expires_at = token.expires_at?.slice(0, 10) ?? null
  return { id, name, revoked, created_at, scopes, user_id, active: true, expires_at }
}

interface UserFilters {
  readonly username?: string
  readonly search?: string
}

const findUsers = (call: Call, { username, search }: UserFilters) =>
  call.state.users
    .filter(
      (u) =>
        (username === undefined || u.username.toLowerCase() === username.toLowerCase()) &&
        holds(`${u.name}\n${u.username}`, search),
    )
    .map((u) => userSummary(call, u))

const oneUser = (call: Call, path: Readonly<Record<string, string>>) => {
  const user = /^\d+$/.test(path.id ?? '') ? call.state.users.get(Number(path.id)) : undefined
  if (user === undefined) throw notFound('User')
  return longUser(call, user)
}

const grantError = (error: string, description: string): Refusal =>
  new Refusal(400, { error, error_description: description })

const secret = (): string => randomBytes(32).toString('hex')

const pair = (call: Call, old: TokenRecord) => {
  const now = call.clock.now()
  call.state.tokens.change(old.id, { revoked: true, refresh_token: null })
  const fresh = call.state.tokens.add({
    user_id: old.user_id,
    kind: 'oauth',
    name: old.name,
    value: secret(),
    scopes: [...old.scopes],
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + tokenSeconds * 1000).toISOString(),
    revoked: false,
    refresh_token: secret(),
  })
  return {
    access_token: fresh.value,
    token_type: 'Bearer',
    expires_in: tokenSeconds,
    refresh_token: fresh.refresh_token,
    scope: fresh.scopes.join(' '),
    created_at: Math.floor(now.getTime() / 1000),
  }
}

/** `grant_type=refresh_token`: a new pair; the old one is worth nothing from then on. */
const refresh = (call: Call) => {
  const { grant_type, refresh_token } = call.sent.params
  if (grant_type !== 'refresh_token')
    throw grantError(
      'unsupported_grant_type',
      'The authorization grant type is not supported by the authorization server.',
    )
  const old = call.state.tokens.find(
    (t) => t.kind === 'oauth' && t.refresh_token !== null && t.refresh_token === refresh_token,
  )
  const user = call.state.users.get(old?.user_id)
  if (old === undefined || user?.state !== 'active')
    throw grantError(
      'invalid_grant',
      'The provided authorization grant is invalid, expired, revoked, or was issued to another client.',
    )
  return pair(call, old)
}

const reading = ['read_user']

/** That of the documents, unless it was started as of another. */
const documented = '14.5'

const version = (call: Call) => {
  call.signedIn()
  return { version: `${call.instance.asOf ?? documented}.0`, revision: 'embedded' }
}

const metadata = (call: Call) => ({
  ...version(call),
  kas: { enabled: false, externalUrl: null, version: null },
  enterprise: true,
})

export const extraRoutes: readonly ExtraRoute[] = [
  { method: 'GET', path: `${apiRoot}/user`, scopes: reading, handle: currentUser },
  { method: 'GET', path: `${apiRoot}/version`, scopes: reading, handle: version },
  { method: 'GET', path: `${apiRoot}/metadata`, scopes: reading, handle: metadata },
  {
    method: 'GET',
    path: `${apiRoot}/users`,
    scopes: reading,
    accepts: { path: {}, params: { ...searched, username: string('the whole username') } },
    handle: findUsers,
  },
  ...listRoutes,
  { method: 'GET', path: `${apiRoot}/users/:id`, scopes: reading, handle: oneUser },
  {
    method: 'GET',
    path: `${apiRoot}/personal_access_tokens/self`,
    scopes: [...reading, 'sudo'],
    handle: currentToken,
  },
  { method: 'POST', path: '/oauth/token', credential: 'parameter', handle: refresh },
]
