/** How a run reaches an instance: what flags, environment and profile say, as the client takes it. */

import { userAgent } from '../../../base/version.js'
import type { InstanceOptions } from '../../../client/types.js'
import type { Globals } from '../../../commands/globals.js'
import type { Party } from '../../../commands/services.js'
import type { Gate } from '../../../http/gate.js'
import type { Exchange, WireRequest } from '../../../http/types.js'
import type { Audit } from '../../../profile/audit/kept.js'
import { transportOf } from '../../../profile/index.js'
import type { Profile } from '../../../profile/types.js'
import type { Meter } from '../../../terminal/streams/meter.js'
import { worded } from './advice.js'
import { renewalOf } from './credential.js'
import type { Warnings } from './warnings.js'

/** What all clients of a run share. */
export interface RunWays {
  readonly globals: Pick<Globals, 'timeout' | 'retries' | 'insecure' | 'verbose'>
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  /** Nothing but GET and HEAD goes out; `marked`: and what the catalogue marks as reading. */
  readonly readOnly: boolean | 'marked'
  readonly screen: {
    readonly say: (text: string, level: 'info' | 'verbose') => void
    readonly trace: (exchange: Exchange) => void
    readonly meter: Pick<Meter, 'begin'>
  }
  /** The gate of an address: the same for all of an origin. */
  readonly gateOf: (baseUrl: string) => Promise<Gate>
  readonly warnings: Warnings
  readonly audit: Audit
  readonly guard: (request: WireRequest, elsewhere?: boolean) => Promise<void>
}

/** Proxy and certificates of a profile are for its own instance. */
const serves = (profile: Profile, baseUrl: string): boolean =>
  new URL(profile.baseUrl).origin === new URL(baseUrl).origin

const patienceOf = (
  { timeout, retries }: RunWays['globals'],
  profile: Profile | undefined,
): Pick<InstanceOptions, 'timeout' | 'retries'> => {
  const waited = timeout ?? profile?.timeout
  const tried = retries ?? profile?.retries
  return {
    timeout: waited,
    retries: tried,
  }
}

/** What the client of an address takes from the run and from a party; its credentials come besides. */
export const reaching = async (
  run: RunWays,
  baseUrl: string,
  { profile, user, renew }: Party,
): Promise<Omit<InstanceOptions, 'credential'>> => {
  const { globals, env, signal, readOnly, screen, warnings, audit } = run
  return {
    baseUrl,
    userAgent,
    signal,
    readOnly,
    note: screen.say,
    ...patienceOf(globals, profile),
    transport: () => {
      warnings.reaching(baseUrl)
      const own = profile !== undefined && serves(profile, baseUrl) ? { profile } : {}
      return transportOf({ baseUrl, ...own }, globals.insecure, env)
    },
    record: (credential) => audit.open(profile, credential, user),
    guard: (request) => run.guard(request, request.absolute),
    progress: screen.meter,
    worded,
    gate: await run.gateOf(baseUrl),
    ...(globals.verbose === 0 ? {} : { trace: screen.trace }),
    renew: renew && renewalOf(renew),
  }
}
