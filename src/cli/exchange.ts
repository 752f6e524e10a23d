/** The requests of one run: clients by credential, guard rails before writes, the audit log after. */
import { type Endpoint, writes } from '../catalogue/endpoint.js'
import type { Globals } from '../commands/types.js'
import { Failure } from '../errors.js'
import { buildRequest, createClient, toCurl } from '../http/index.js'
import type {
  Ask,
  Client,
  ClientOptions,
  Credential,
  Exchange,
  WireRequest,
} from '../http/types.js'
import { auditEntry, checkReadOnly, openAudit, transportOf } from '../profile/index.js'
import type { Session } from '../profile/types.js'
import { credentialFor } from './credential.js'
import { userAgent } from './version.js'

const defaultTimeout = 60
const defaultRetries = 3

export interface ExchangeOptions {
  readonly globals: Globals
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly session: () => Promise<Session>
  readonly screen: {
    readonly say: (text: string, level: 'info' | 'verbose') => void
    readonly trace: (exchange: Exchange) => void
    readonly services: { readonly warn: (text: string) => void }
  }
}

type Of = Pick<Endpoint, 'credential' | 'route' | 'safe'>

export const createExchange = (options: ExchangeOptions) => {
  const { globals, env, signal, screen } = options
  // Clients are made once for each credential, so that connections are kept alive.
  const clients = new Map<string, Promise<Client>>()

  const warned = new Set<string>()

  /** Said each time, since the flag must be given each time; there is no setting for it. */
  const warnOfInsecure = (baseUrl: string): void => {
    if (!globals.insecure || !baseUrl.startsWith('https:') || warned.has(baseUrl)) return
    warned.add(baseUrl)
    screen.services.warn(
      `--insecure: the certificate of ${baseUrl} is not verified, so whoever is on the way can read the token`,
    )
  }

  const optionsFor = async (
    baseUrl: string,
    credential: Credential | undefined,
    long: boolean,
    session?: Session,
    audited = false,
  ): Promise<ClientOptions> => {
    const profile = session?.profile
    warnOfInsecure(baseUrl)
    const transport = await transportOf(session ?? { baseUrl }, globals.insecure, env)
    const audit = session === undefined || !audited ? undefined : auditOf(session)
    const told = (exchange: Exchange): void => {
      screen.trace(exchange)
      audit?.(exchange)
    }
    return {
      baseUrl,
      timeout: globals.timeout ?? profile?.timeout ?? defaultTimeout,
      retries: globals.retries ?? profile?.retries ?? defaultRetries,
      userAgent,
      note: screen.say,
      signal,
      long,
      ...(transport === undefined ? {} : { transport }),
      ...(credential === undefined ? {} : { credential }),
      ...(credential?.kind === 'oauth' && session !== undefined
        ? { renew: () => renewed(session) }
        : {}),
      ...(globals.verbose === 0 && audit === undefined ? {} : { trace: told }),
    }
  }

  /** What puts writing requests on record; opened before the first is sent. */
  const auditOf = ({ profile, sudo }: Session): ((exchange: Exchange) => void) | undefined => {
    if (profile?.auditLog === undefined) return undefined
    const log = openAudit(profile.auditLog)
    return (exchange) => {
      if (exchange.method === 'GET' || exchange.method === 'HEAD') return
      log.append(auditEntry(profile, exchange, sudo, new Date()))
    }
  }

  const renewed = async (session: Session): Promise<Credential | undefined> => {
    const fresh = await session.renew()
    return fresh === undefined ? undefined : { kind: fresh.kind, value: fresh.value }
  }

  const open = async (endpoint: Of | undefined, long: boolean): Promise<Client> => {
    const session = await options.session()
    const credential = await credentialFor(session, endpoint)
    const sudo = endpoint?.credential === 'parameter' ? undefined : session.sudo
    const audited = endpoint === undefined || writes(endpoint)
    const made = await optionsFor(session.baseUrl, credential, long, session, audited)
    return createClient({ ...made, ...(sudo === undefined ? {} : { sudo }) })
  }

  const client = (endpoint?: Of, long = false): Promise<Client> => {
    const writing = endpoint !== undefined && writes(endpoint)
    const key = `${endpoint?.credential ?? 'user'} ${writing} ${long}`
    const known = clients.get(key)
    if (known !== undefined) return known
    const made = open(endpoint, long)
    clients.set(key, made)
    return made
  }

  const anonymous = async (baseUrl: string, credential: Credential): Promise<Client> => {
    const made = optionsFor(baseUrl, credential, false).then(createClient)
    clients.set(`anonymous ${clients.size}`, made)
    return made
  }

  const guard = async ({ method, path }: WireRequest): Promise<void> => {
    if (method !== 'GET' && method !== 'HEAD')
      checkReadOnly((await options.session()).profile, method, path)
  }

  /** The request of an ask, refused where the profile only reads. */
  const request = async (ask: Ask): Promise<WireRequest> => {
    const wire = buildRequest(ask)
    if (ask.endpoint.credential !== 'parameter' && writes(ask.endpoint)) await guard(wire)
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
  return { client, anonymous, request, guard, curl, curlOf, close }
}

export type ExchangeServices = ReturnType<typeof createExchange>
