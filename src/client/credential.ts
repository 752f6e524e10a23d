/** Which credential a request carries: exactly one, or none. The credential itself is handed in. */
import { type Endpoint, writes } from '../catalogue/endpoint.js'
import { Failure } from '../errors.js'
import type { Credential } from '../http/types.js'

/** Whose credential is asked for. */
export type Need = 'user' | 'job'
/** Gives the user's credential, or the job's; undefined where there is none. */
export type Provide = (need: Need) => Promise<Credential | undefined>

/** What of an endpoint decides it. */
export type Called = Pick<Endpoint, 'credential' | 'route' | 'safe' | 'successor'>

/**
 * What lacks: `job` where an endpoint takes only a job's token, `user` where it does not take the job's
 * that is there, `any` where there is none at all.
 */
export type Lack = 'job' | 'user' | 'any'

const texts: Readonly<Record<Lack, (what: string, baseUrl: string) => string>> = {
  job: (what) => `${what} requires a job token, and none is set`,
  user: (what) => `${what} does not accept a job token, and no other credential is set`,
  any: (what, baseUrl) => `${what} requires a credential for ${baseUrl}, and none is set`,
}

/** There is no credential that an endpoint takes; nothing was sent. */
export class Lacking extends Failure {
  readonly lack: Lack

  constructor(lack: Lack, endpoint: Called | undefined, baseUrl: string, hint?: string) {
    const what = endpoint?.route ?? 'this call'
    super('auth', texts[lack](what, baseUrl), hint === undefined ? {} : { hint })
    this.lack = lack
  }
}

/**
 * The credential for an endpoint; undefined where it goes without. Without an endpoint, the user's.
 * @throws Lacking where the endpoint cannot do without, or takes no job token
 */
export const credentialFor = async (
  provide: Provide,
  baseUrl: string,
  endpoint?: Called,
): Promise<Credential | undefined> => {
  const wanted = endpoint?.credential ?? 'user'
  if (wanted === 'parameter') return undefined
  const user = wanted === 'job' ? undefined : await provide('user')
  if (user !== undefined || wanted === 'optional') return user
  const job = await provide('job')
  if (wanted === 'user' && job !== undefined) throw new Lacking('user', endpoint, baseUrl)
  if (job !== undefined) return job
  if (wanted === 'job') throw new Lacking('job', endpoint, baseUrl)
  // Reading may well work without: a public project's data is public.
  if (endpoint !== undefined && !writes(endpoint)) return undefined
  throw new Lacking('any', endpoint, baseUrl)
}
