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
import { appendAudit, checkReadOnly, transportOf } from '../profile/index.js'
import type { Session } from '../profile/types.js'
import { credentialFor } from './credential.js'

declare const SVCCTL_VERSION: string
const version = typeof SVCCTL_VERSION === 'string' ? SVCCTL_VERSION : '0.0.0'

export interface ExchangeOptions {
  readonly globals: Globals
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly session: () => Promise<Session>
  readonly note: (text: string, level: 'info' | 'verbose') => void
  readonly trace?: (exchange: Exchange) => void
}

type Of = Pick<Endpoint, 'credential' | 'route'>

/** Clients are made once for each credential, so that connections are kept alive. */
export const createExchange = (options: ExchangeOptions) => {
  const clients = new Map<string, Promise<Client>>()

  const clientOptions = async (endpoint: Of | undefined, long: boolean): Promise<ClientOptions> => {
    const { globals } = options
    const session = await options.session()
    const credential = await credentialFor(session, endpoint)
    const transport = await transportOf(session, globals.insecure, options.env)
    return {
      baseUrl: session.baseUrl,
      timeout: globals.timeout ?? session.profile?.timeout ?? 60,
      retries: globals.retries ?? session.profile?.retries ?? 3,
      userAgent: `svcctl/${version}`,
      note: options.note,
      signal: options.signal,
      long,
      ...(transport === undefined ? {} : { transport }),
      ...(credential === undefined ? {} : { credential }),
      ...(session.sudo === undefined || endpoint?.credential === 'parameter'
        ? {}
        : { sudo: session.sudo }),
      ...(credential?.kind === 'oauth' ? { renew: () => renewed(session) } : {}),
      trace: (exchange: Exchange) => traced(session, exchange),
    }
  }

  const renewed = async (session: Session): Promise<Credential | undefined> => {
    const fresh = await session.renew()
    return fresh === undefined ? undefined : { kind: fresh.kind, value: fresh.value }
  }

  const traced = (session: Session, exchange: Exchange): void => {
    options.trace?.(exchange)
    if (exchange.method !== 'GET' && session.profile?.auditLog !== undefined)
      appendAudit(session.profile, exchange, session.sudo)
  }

  const client = (endpoint?: Of, long = false): Promise<Client> => {
    const key = `${endpoint?.credential ?? 'user'} ${endpoint !== undefined && writes(endpoint)} ${long}`
    const known = clients.get(key)
    if (known !== undefined) return known
    const made = clientOptions(endpoint, long).then(createClient)
    clients.set(key, made)
    return made
  }

  /** The request of an ask, refused where the profile only reads. */
  const request = async (ask: Ask): Promise<WireRequest> => {
    const wire = buildRequest(ask)
    if (writes(ask.endpoint))
      checkReadOnly((await options.session()).profile, wire.method, wire.path)
    return wire
  }

  const curl = async (ask: Ask): Promise<string> => {
    const session = await options.session()
    const credential = await credentialFor(session, ask.endpoint).catch((error: unknown) => {
      if (error instanceof Failure && error.category === 'auth') return undefined
      throw error
    })
    const sudo = ask.endpoint.credential === 'parameter' ? undefined : session.sudo
    return toCurl(session.baseUrl, buildRequest(ask), credential?.kind, sudo)
  }

  const close = async (): Promise<void> => {
    for (const made of clients.values()) await (await made.catch(() => undefined))?.close()
  }
  return { client, request, curl, close }
}
