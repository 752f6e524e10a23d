/**
 * Creates what a run needs to reach an instance: warnings, rate limits, client options from flags and profile, and the
 * memory of missing routes.
 */

import type { Clock } from '../../base/async.js'
import type { Meter } from '../../base/interaction.js'
import type { Io } from '../../base/io.js'
import { isSwitchedOn } from '../../base/switches.js'
import { tellOnce } from '../../base/text.js'
import { userAgent } from '../../base/version.js'
import type { EndpointTraits } from '../../catalogue/endpoint.js'
import { defaultMaxWait } from '../../client/defaults.js'
import type { InstanceOptions } from '../../client/types.js'
import { Failure, recoverFrom } from '../../errors.js'
import { createGates, type FleetGate, parseRate, takeLowerRate } from '../../http/gate.js'
import type { Exchange, Gate, WireRequest } from '../../http/types.js'
import type { Audit } from '../../profile/audit.js'
import { createTransport, getPaths } from '../../profile/index.js'
import { findGone, type GoneRoute, updateGone } from '../../profile/known.js'
import type { Profile, Session } from '../../profile/types.js'
import type { ClientIdentity } from '../command/actions.js'
import type { Globals, InstanceGlobals } from '../command/globals.js'
import { addWorkspaceHint } from '../workspace/hints.js'

// Warnings about insecure connections, each printed once.

interface WarningsOptions {
  readonly insecure: Globals['insecure']
  readonly env: NodeJS.ProcessEnv
  readonly warn: (text: string) => void
}

export class ConnectionWarnings {
  readonly #insecure: boolean
  readonly #ignored: boolean
  readonly #warnOnce: (text: string) => void

  constructor({ insecure, env, warn }: WarningsOptions) {
    this.#insecure = insecure
    this.#warnOnce = tellOnce(warn)
    this.#ignored = env.NODE_TLS_REJECT_UNAUTHORIZED === '0'
    // Node would warn that no certificate is verified, which is false: the program ignores the variable.
    if (this.#ignored) delete env.NODE_TLS_REJECT_UNAUTHORIZED
  }

  /**
   * Warns if the certificate of an address is not verified. There is no setting for --insecure, so every run with it
   * warns.
   */
  warnAboutCertificate(baseUrl: string): void {
    if (!baseUrl.startsWith('https:')) return
    if (this.#insecure)
      this.#warnOnce(
        `--insecure: the certificate of ${baseUrl} is not verified, so an attacker on the network can read the token`,
      )
    else if (this.#ignored)
      this.#warnOnce(
        'NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored; use --insecure to skip certificate verification',
      )
  }

  /** Warns if a request that needs the job token is sent without a credential. */
  warnAboutJobToken({ jobTokenWithheld: why }: Pick<Session, 'jobTokenWithheld'>): void {
    if (why !== undefined) this.#warnOnce(why)
  }
}

// The connection options of a run, from its flags, environment and profile.

/** Options that all clients of a run share. */
export interface SharedClientOptions {
  readonly globals: InstanceGlobals & Pick<Globals, 'timeout' | 'retries' | 'insecure' | 'verbose'>
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  /** True allows only GET and HEAD; `marked` also allows requests that the catalogue marks as reading. */
  readonly readOnly: boolean | 'marked'
  readonly screen: {
    readonly say: (text: string, level: 'info' | 'verbose') => void
    readonly trace: (exchange: Exchange) => void
    readonly meter: Pick<Meter, 'begin'>
  }
  /** Returns the gate of an address; all addresses of an origin share one. */
  readonly getGate: (baseUrl: string) => Promise<Gate>
  readonly warnings: ConnectionWarnings
  readonly audit: Audit
  readonly clock: Clock
  /** Called before a connection is opened. */
  readonly onOpening?: () => void
  readonly recordWrite: (request: WireRequest, elsewhere?: boolean) => Promise<void>
}

/** True if an address is on a profile's own instance: the profile's proxy and certificates apply only to that. */
const isOwnInstance = (profile: Profile, baseUrl: string): boolean =>
  new URL(profile.baseUrl).origin === new URL(baseUrl).origin

/** Builds the client options for an address, from the run and the client's identity. The caller adds the credential. */
export const buildClientOptions = async (
  run: SharedClientOptions,
  baseUrl: string,
  { profile, user, renew, title, variable, mayWrite }: ClientIdentity,
): Promise<Omit<InstanceOptions, 'credential'>> => {
  const { globals, env, signal, readOnly, screen, warnings, audit, clock } = run
  return {
    clock,
    baseUrl,
    userAgent,
    signal,
    readOnly: mayWrite === true && readOnly === true ? false : readOnly,
    note: screen.say,
    onOpening: run.onOpening,
    timeout: globals.timeout ?? profile?.timeout,
    retries: globals.retries ?? profile?.retries,
    loadTransport: () => {
      warnings.warnAboutCertificate(baseUrl)
      const own = profile !== undefined && isOwnInstance(profile, baseUrl) ? { profile } : {}
      return createTransport({ baseUrl, ...own }, globals.insecure, env)
    },
    record: (credential) => audit.open(profile, credential, user, baseUrl),
    guard: (request) => run.recordWrite(request, request.absolute),
    progress: screen.meter,
    mapError: (error) =>
      addWorkspaceHint(error, { globals, session: { baseUrl, profile, title, variable } }),
    gate: await run.getGate(baseUrl),
    trace: globals.verbose === 0 ? undefined : screen.trace,
    renew,
  }
}

// The gates of a run: concurrency, rate and patience, from its flags and its profile.

/** The limits that flags set on requests. */
type RequestLimits = Pick<Globals, 'concurrency' | 'maxWait' | 'rate'>

/**
 * Treats a profile that does not exist yet as one without limits, for `auth login`. For any other command the session
 * refuses it.
 */
const ignoreMissingProfile = (error: unknown): undefined => {
  recoverFrom(error)
  return undefined
}

/**
 * Creates a function that returns the gate of an address. All addresses of an origin share one; gates are created with
 * the first request.
 */
export const createRunGates = (
  { concurrency = 'auto', maxWait, rate }: RequestLimits,
  clock: Clock,
  profile: () => Promise<Profile | undefined>,
  note: (text: string) => void,
): ((baseUrl: string) => Promise<FleetGate>) => {
  const openGates = async (): Promise<(baseUrl: string) => FleetGate> => {
    const flagRate = rate === undefined ? undefined : parseRate(rate)
    const settings = await profile().catch(ignoreMissingProfile)
    const lowestRate = takeLowerRate(
      flagRate,
      settings?.rate === undefined ? undefined : parseRate(settings.rate),
    )
    const patience = (maxWait ?? settings?.maxWait ?? defaultMaxWait) * 1000
    return createGates({ clock, concurrency, note, patience, rate: lowestRate })
  }
  let opened: ReturnType<typeof openGates> | undefined
  return async (baseUrl) => {
    opened ??= openGates()
    return (await opened)(baseUrl)
  }
}

// Routes that the instance did not have in an earlier run: a note warns before they are requested again, and the
// profile remembers them.

interface RouteMemoryOptions {
  readonly now: Io['now']
  readonly env: NodeJS.ProcessEnv
  /** The profile of the instance. */
  readonly profile: Profile
  /** True if the result is saved with the profile. */
  readonly isSaved: boolean
  readonly note: (text: string) => void
}

export class RouteMemory {
  readonly #options: RouteMemoryOptions
  readonly #missing = new Map<string, GoneRoute>()
  /** Routes that were missing in an earlier run and have not failed in this one. */
  readonly #returned = new Set<string>()
  readonly #requested = new Set<string>()

  constructor(options: RouteMemoryOptions) {
    this.#options = options
  }

  /** Warns before a request to a route that was missing in an earlier run. */
  readonly beforeRequest = ({ route, successor }: EndpointTraits): void => {
    const { env, profile, note, now } = this.#options
    if (this.#requested.has(route)) return
    this.#requested.add(route)
    const gone = findGone(getPaths(env), profile, route, now())
    if (gone === undefined) return
    this.#returned.add(route)
    const instead = successor === undefined ? '' : `. ${successor}`
    note(`the instance did not have ${route} on ${gone.at.slice(0, 10)} (${gone.status})${instead}`)
  }

  readonly afterFailure = ({ route }: EndpointTraits, error: unknown): void => {
    // After any failure it is unknown whether the route exists again.
    this.#returned.delete(route)
    if (!(error instanceof Failure) || error.details.lacks !== 'route') return
    const { status = 404 } = error.details
    this.#missing.set(route, { route, status, at: this.#options.now().toISOString() })
  }

  /** Saves the missing routes with the profile. A failure to save is ignored, as the next run finds them again. */
  async save(): Promise<void> {
    const { env, profile, isSaved, now } = this.#options
    if (!isSaved || isSwitchedOn(env.CI) || this.#missing.size + this.#returned.size === 0) return
    const found = [...this.#missing.values()]
    try {
      await updateGone(getPaths(env), profile, { found, back: [...this.#returned] }, now())
    } catch (error) {
      if (!(error instanceof Failure)) throw error
    }
  }
}
