/** Which credential a request carries: exactly one, or none. */
import { type Endpoint, writes } from '../../../catalogue/endpoint.js'
import { Failure } from '../../../errors.js'
import type { Credential } from '../../../http/types.js'
import type { ResolvedCredential, Session } from '../../../profile/types.js'

type Of = Pick<Endpoint, 'credential' | 'route'>

const jobOnly = (session: Session, endpoint: Of): Failure =>
  new Failure('auth', `${endpoint.route} takes a job token, and there is none`, {
    hint:
      session.jobTokenWithheld ??
      'Run it in a job, where CI_JOB_TOKEN is set, or set SVC_JOB_TOKEN.',
  })

const noJobToken = (session: Session, what: string): Failure =>
  new Failure('auth', `${what} does not take a job token, and no other credential is set`, {
    hint: `Set SVC_TOKEN, or sign in with: svcctl auth login --base-url ${session.baseUrl}`,
  })

const none = (session: Session, what: string): Failure =>
  new Failure('auth', `${what} needs a credential for ${session.baseUrl}, and there is none`, {
    hint: `Sign in with: svcctl auth login --base-url ${session.baseUrl}`,
  })

const asCredential = ({ kind, value }: ResolvedCredential): Credential => ({ kind, value })

/**
 * The credential for one endpoint; undefined where it goes without.
 * @throws Failure `auth` where the endpoint cannot do without, or takes no job token
 */
export const credentialFor = async (
  session: Session,
  endpoint: Of | undefined,
): Promise<Credential | undefined> => {
  const wanted = endpoint?.credential ?? 'user'
  if (wanted === 'parameter') return undefined
  const job = session.jobToken()
  if (wanted === 'job') {
    if (job === undefined) throw jobOnly(session, endpoint ?? { route: 'GET /job' })
    return asCredential(job)
  }
  const user = await session.credential()
  if (user !== undefined) return asCredential(user)
  if (wanted === 'user-or-job' && job !== undefined) return asCredential(job)
  if (wanted === 'optional') return undefined
  const what = endpoint?.route ?? 'this call'
  if (job !== undefined && wanted === 'user') throw noJobToken(session, what)
  // Reading may well work without: a public project's data is public.
  if (endpoint !== undefined && !writes(endpoint)) return undefined
  throw none(session, what)
}
