/** The requests of one run: clients by credential, guard rails before writes, the audit log after. */
import { type Endpoint, writes } from '../../../catalogue/endpoint.js'
import type { Globals } from '../../../commands/globals.js'
import { Failure } from '../../../errors.js'
import { buildRequest, createClient, toCurl } from '../../../http/index.js'
import type {
  Ask,
  Client,
  ClientOptions,
  Credential,
  Exchange,
  WireRequest,
} from '../../../http/types.js'
import { auditEntry, checkReadOnly, openAudit, transportOf } from '../../../profile/index.js'
import type { Profile, Session } from '../../../profile/types.js'
import type { Meter } from '../../../terminal/streams/meter.js'
import { userAgent } from '../../words/version.js'
import { credentialFor } from './credential.js'
import { looking, measured } from './measured.js'

const defaultTimeout = 60
const defaultRetries = 3

export interface ExchangeOptions {
  readonly globals: Globals
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly session: () => Promise<Session>
  /** The profile in force, where there is one: its rules hold for what goes elsewhere, too. */
  readonly profile: () => Promise<Profile | undefined>
  readonly screen: {
    readonly say: (text: string, level: 'info' | 'verbose') => void
    readonly trace: (exchange: Exchange) => void
    readonly services: { readonly warn: (text: string) => void }
    readonly meter: Pick<Meter, 'begin'>
  }
}

type Of = Pick<Endpoint, 'credential' | 'route' | 'safe'>

/** `long`: a long list or download; `brief`: what is good to know, and not worth a wait. */
type Patience = 'usual' | 'long' | 'brief'
const briefTimeout = 3

/** Whose rules and ways a client takes: a session, or a part of one. */
export type Party = Partial<Pick<Session, 'profile' | 'user' | 'renew'>>

/** Proxy and certificates of a profile are for its own instance. */
const serves = (profile: Profile, baseUrl: string): boolean =>
  new URL(profile.baseUrl).origin === new URL(baseUrl).origin

/** The user of a profile's own credential, when it is the one that goes along. */
const asUser = (
  credential: Credential | undefined,
  user: string | undefined,
): string | undefined =>
  credential === undefined || ['job', 'bearer', 'basic'].includes(credential.kind)
    ? undefined
    : user

export const createExchange = (options: ExchangeOptions) => {
  const { globals, env, signal, screen } = options
  // Clients are made once for each credential, so that connections are kept alive.
  const clients = new Map<string, Promise<Client>>()

  const warned = new Set<string>()
  /** The audit log, once a line was lost: nothing more is sent that would not be on record. */
  let unrecorded: string | undefined

  /** Said each time, since the flag must be given each time; there is no setting for it. */
  const warnOfInsecure = (baseUrl: string): void => {
    if (!globals.insecure || !baseUrl.startsWith('https:') || warned.has(baseUrl)) return
    warned.add(baseUrl)
    screen.services.warn(
      `--insecure: the certificate of ${baseUrl} is not verified, so whoever is on the way can read the token`,
    )
  }

  const ignored = env.NODE_TLS_REJECT_UNAUTHORIZED === '0'
  // Node would say of it that nothing is verified, which is not so.
  if (ignored) delete env.NODE_TLS_REJECT_UNAUTHORIZED
  let ignoranceSaid = false

  const warnOfIgnored = (baseUrl: string): void => {
    if (!ignored || globals.insecure || ignoranceSaid || !baseUrl.startsWith('https:')) return
    ignoranceSaid = true
    screen.services.warn(
      'NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored: certificates are verified; --insecure leaves that out for one call',
    )
  }

  /** It would have taken the job's token, and goes without any. */
  const warnOfWithheld = ({ jobTokenWithheld: why }: Session): void => {
    if (why === undefined || warned.has(why)) return
    warned.add(why)
    screen.services.warn(why)
  }

  const optionsFor = async (
    baseUrl: string,
    credential: Credential | undefined,
    patience: Patience,
    { profile, user, renew }: Party,
    audited: boolean,
  ): Promise<ClientOptions> => {
    warnOfInsecure(baseUrl)
    warnOfIgnored(baseUrl)
    const transport = await transportOf(
      { baseUrl, ...(profile !== undefined && serves(profile, baseUrl) ? { profile } : {}) },
      globals.insecure,
      env,
    )
    const audit = audited ? auditOf(profile, asUser(credential, user)) : undefined
    const told = (exchange: Exchange): void => {
      screen.trace(exchange)
      audit?.(exchange)
    }
    return {
      baseUrl,
      timeout: Math.min(
        globals.timeout ?? profile?.timeout ?? defaultTimeout,
        patience === 'brief' ? briefTimeout : Number.POSITIVE_INFINITY,
      ),
      retries: patience === 'brief' ? 0 : (globals.retries ?? profile?.retries ?? defaultRetries),
      userAgent,
      note: screen.say,
      signal,
      long: patience === 'long',
      ...(transport === undefined ? {} : { transport }),
      ...(credential === undefined ? {} : { credential }),
      ...(credential?.kind === 'oauth' && renew !== undefined
        ? { renew: () => renewed(renew) }
        : {}),
      ...(globals.verbose === 0 && audit === undefined ? {} : { trace: told }),
    }
  }

  /** What puts writing requests on record; opened before the first is sent. */
  const auditOf = (
    profile: Profile | undefined,
    user: string | undefined,
  ): ((exchange: Exchange) => void) | undefined => {
    if (profile?.auditLog === undefined) return undefined
    const log = openAudit(profile.auditLog)
    return (exchange) => {
      if (exchange.method === 'GET' || exchange.method === 'HEAD') return
      try {
        log.append(auditEntry(profile, exchange, user, new Date()))
      } catch (error) {
        unrecorded = profile.auditLog
        throw error
      }
    }
  }

  const renewed = async (renew: Session['renew']): Promise<Credential | undefined> => {
    const fresh = await renew()
    return fresh === undefined ? undefined : { kind: fresh.kind, value: fresh.value }
  }

  const open = async (endpoint: Of | undefined, patience: Patience): Promise<Client> => {
    const session = await options.session()
    const credential = await credentialFor(session, endpoint)
    if (credential === undefined && endpoint?.credential === 'user-or-job') warnOfWithheld(session)
    const sudo = endpoint?.credential === 'parameter' ? undefined : session.sudo
    const audited = endpoint === undefined || writes(endpoint)
    const made = await optionsFor(session.baseUrl, credential, patience, session, audited)
    const client = await createClient({ ...made, ...(sudo === undefined ? {} : { sudo }) })
    return measured(audited ? client : looking(client), screen.meter)
  }

  const clientOf = (endpoint: Of | undefined, patience: Patience): Promise<Client> => {
    const writing = endpoint !== undefined && writes(endpoint)
    const key = `${endpoint?.credential ?? 'user'} ${writing} ${patience}`
    const known = clients.get(key)
    if (known !== undefined) return known
    const made = open(endpoint, patience)
    clients.set(key, made)
    return made
  }
  const client = (endpoint?: Of, long = false): Promise<Client> =>
    clientOf(endpoint, long ? 'long' : 'usual')

  /** The data that a reading request is answered with, where that takes neither long nor a second try. */
  const glance = async ({ endpoint, values }: Ask): Promise<unknown> =>
    (await (await clientOf(endpoint, 'brief')).call(buildRequest({ endpoint, values }))).data

  const anonymous = async (
    baseUrl: string,
    credential: Credential,
    party: Party = {},
  ): Promise<Client> => {
    const made = optionsFor(baseUrl, credential, 'usual', party, true)
      .then(createClient)
      .then((plain) => measured(plain, screen.meter))
    clients.set(`anonymous ${clients.size}`, made)
    return made
  }

  const guard = async ({ method, path }: WireRequest, elsewhere = false): Promise<void> => {
    if (method === 'GET' || method === 'HEAD') return
    const profile = elsewhere ? await options.profile() : (await options.session()).profile
    checkReadOnly(profile, method, path)
    if (unrecorded !== undefined)
      throw new Failure('failed', `not sent: the audit log ${unrecorded} cannot be written`, {
        request: `${method} ${path}`,
      })
  }

  /** The request of an ask, refused where the profile only reads. */
  const request = async (ask: Ask): Promise<WireRequest> => {
    const wire = buildRequest(ask)
    if (writes(ask.endpoint)) await guard(wire, wire.absolute)
    return wire
  }

  /** The kind of credential that would go along; none where there is none. */
  const kindFor = async (
    session: Session,
    endpoint?: Of,
  ): Promise<Credential['kind'] | undefined> => {
    try {
      return (await credentialFor(session, endpoint))?.kind
    } catch (error) {
      if (error instanceof Failure && error.category === 'auth') return undefined
      throw error
    }
  }

  const curlOf = async (wire: WireRequest, endpoint?: Of): Promise<string> => {
    const session = await options.session()
    const sudo = endpoint?.credential === 'parameter' ? undefined : session.sudo
    return toCurl(session.baseUrl, wire, await kindFor(session, endpoint), sudo)
  }

  const curl = (ask: Ask, wire: WireRequest = buildRequest(ask)): Promise<string> =>
    curlOf(wire, ask.endpoint)

  const close = async (): Promise<void> => {
    for (const made of clients.values()) await (await made.catch(() => undefined))?.close()
  }
  return { client, glance, anonymous, request, guard, curl, curlOf, close }
}

export type ExchangeServices = ReturnType<typeof createExchange>
