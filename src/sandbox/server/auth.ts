/** Identifies the user or job that sends a request, and refuses invalid credentials (`http/README.md`, "Who asks"). */
import type { Endpoint } from '../../catalogue/endpoint.js'
import type { Actor, Instance } from '../call.js'
import { forbidden, invalid, notFound, Refusal, unauthorized } from '../reply.js'
import { findUser } from '../rules/access.js'
import type { TokenRecord, TokenType, UserRecord } from '../state/people-and-projects.js'

/** The parts of a request that may carry credentials. */
interface CredentialSources {
  readonly method: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The parameters of the query and the body; empty if a web page sent the request, since its parameters carry no credentials. */
  readonly params: Readonly<Record<string, unknown>>
  /** The name of the session cookie. */
  readonly cookie: string
}

/** The credential that an endpoint needs. */
export interface AuthNeed {
  readonly credential: NonNullable<Endpoint['credential']>
  /** The scopes of tokens that are sufficient, besides `api` and, for reading, `read_api`. */
  readonly scopes: readonly string[]
  /** True if this request needs no credential after all, since it reads a public object. */
  readonly open?: boolean
}

const getText = (value: unknown): string | undefined => {
  const one: unknown = Array.isArray(value) ? value[0] : value
  return typeof one === 'string' && one !== '' ? one : undefined
}

const parseBearer = (header: string | undefined): string | undefined =>
  /^Bearer\s+(\S+)\s*$/i.exec(header ?? '')?.[1]

const findCookie = (header: string | undefined, name: string): string | undefined =>
  header
    ?.split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1) || undefined

const access: readonly TokenType[] = ['personal', 'impersonation', 'project']

/** Lists the credentials that a request carries, each with the kinds of token that may be sent in that way. */
const listSentCredentials = ({
  headers,
  params,
  cookie: name,
}: CredentialSources): (readonly [string, readonly TokenType[]])[] => {
  const ways: (readonly [string | undefined, readonly TokenType[]])[] = [
    [getText(headers['private-token']) ?? getText(params.private_token), access],
    [
      parseBearer(getText(headers.authorization)) ?? getText(params.access_token),
      [...access, 'oauth'],
    ],
    [findCookie(getText(headers.cookie), name), ['session']],
  ]
  return ways.flatMap(([value, kinds]) => (value === undefined ? [] : [[value, kinds] as const]))
}

/** True if a time has come. A date without a time counts from its beginning. */
const isPast = (at: string, now: Date): boolean => Date.parse(at) <= now.getTime()

const isValidToken = (instance: Instance, token: TokenRecord): boolean =>
  !token.revoked &&
  (token.expires_at === null || !isPast(token.expires_at, instance.clock.now())) &&
  (token.kind !== 'impersonation' || instance.state.config.value.impersonation_enabled)

const createScopeRefusal = (scope: string): Refusal =>
  new Refusal(
    403,
    {
      error: 'insufficient_scope',
      error_description:
        'The request requires higher privileges than provided by the access token.',
      scope,
    },
    { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  )

const checkScopes = (token: TokenRecord, auth: AuthNeed, method: string): void => {
  if (token.kind === 'session') return
  const reading = method === 'GET' || method === 'HEAD'
  const enough = ['api', ...auth.scopes, ...(reading ? ['read_api'] : [])]
  if (!token.scopes.some((scope) => enough.includes(scope)))
    throw createScopeRefusal(['api', ...auth.scopes].join(' '))
}

const checkNotBlocked = (user: UserRecord): void => {
  if (user.state === 'blocked') throw forbidden('Your account has been blocked.')
}

/** Finds the actor of a job token. The token is valid while its job runs, and only at endpoints that accept job tokens. */
const findJobActor = (instance: Instance, value: string, auth: AuthNeed): Actor => {
  if (auth.credential !== 'job' && auth.credential !== 'user-or-job') throw unauthorized()
  const job = instance.state.jobs.find((j) => j.token === value && j.status === 'running')
  const user = instance.state.users.get(job?.user_id)
  if (job === undefined || user === undefined) throw unauthorized()
  checkNotBlocked(user)
  return { user, job }
}

const findTokenActor = (
  instance: Instance,
  claims: CredentialSources,
  auth: AuthNeed,
): Actor | undefined => {
  const [sent] = listSentCredentials(claims)
  if (sent === undefined) return undefined
  const [value, kinds] = sent
  const token = instance.state.tokens.find((t) => t.value === value && kinds.includes(t.kind))
  const user = instance.state.users.get(token?.user_id)
  if (token === undefined || user === undefined || !isValidToken(instance, token))
    throw unauthorized()
  checkNotBlocked(user)
  checkScopes(token, auth, claims.method)
  return { user, token }
}

/** Applies `sudo`, by which an administrator acts as another user, with the three documented refusals. */
const applySudo = (instance: Instance, actor: Actor, value: string): Actor => {
  if (actor.user === undefined) throw unauthorized()
  if (!actor.user.admin) throw forbidden('Must be admin to use sudo')
  if (actor.token === undefined || actor.token.kind === 'session')
    throw forbidden('Must be authenticated using an OAuth or personal access token to use sudo')
  if (!actor.token.scopes.includes('sudo')) throw createScopeRefusal('sudo')
  const user = findUser(instance.state, value)
  if (user === undefined) throw notFound(`User with ID or username '${value}'`)
  checkNotBlocked(user)
  return { ...actor, user }
}

/** Returns the username or ID of the user that a request wants to act as. In JSON, the ID may be a number. */
const getSudo = ({ headers, params }: CredentialSources): string | undefined => {
  const sent = getText(headers.sudo) ?? params.sudo
  if (sent === undefined || sent === null || sent === '') return undefined
  if (typeof sent !== 'string' && typeof sent !== 'number') throw invalid('sudo is invalid')
  return String(sent)
}

/** Identifies the actor of a request. @throws Refusal with the documented status if the actor may not send it */
export const identifyActor = (
  instance: Instance,
  claims: CredentialSources,
  auth: AuthNeed,
): Actor => {
  if (auth.credential === 'parameter') return {}
  const jobToken = getText(claims.headers['job-token']) ?? getText(claims.params.job_token)
  const actor =
    findTokenActor(instance, claims, auth) ??
    (jobToken === undefined ? {} : findJobActor(instance, jobToken, auth))
  if (auth.credential === 'job' && actor.job === undefined) throw unauthorized()
  if (auth.credential === 'user' && auth.open !== true && actor.user === undefined)
    throw unauthorized()
  const sudo = getSudo(claims)
  return sudo === undefined ? actor : applySudo(instance, actor, sudo)
}
