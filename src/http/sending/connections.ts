/** Opens connections: one keep-alive pool per origin, loaded when the first request needs it. */

import { subscribe } from 'node:diagnostics_channel'
import type { SecureContext } from 'node:tls'
import type { Dispatcher, Pool } from 'undici'
import { recordSecret } from '../../base/secrets/redact.js'
import { Failure, getErrorCode } from '../../errors.js'
import { type ClientOptions, type Transport, toDetails } from '../types.js'

// An unsolicited `100 Continue` must be read and skipped (RFC 9110, 15.2). undici treats it as a broken answer, but skips other 1xx
// answers, so the status is changed to 102. An answer begins at the first byte after a request was written.

/** The length of `HTTP/1.1 100`, the part of a status line that ends with the status. */
const statusEnd = 12

/** Tracks the heads of the answers on one connection. */
export class ResponseHeads {
  /** The head of an answer as far as its status, with the last character after that; undefined once a final answer has begun. */
  #head: string | undefined

  /** Expects that the next bytes begin an answer, because a request is being sent. */
  expect(): void {
    this.#head = ''
  }

  /** Reads bytes as they arrive, and changes a status of 100 to 102. */
  look(bytes: Uint8Array): void {
    for (let i = 0; this.#head !== undefined && i < bytes.length; i++) {
      const character = String.fromCharCode(bytes[i] ?? 0)
      const head = this.#head
      // Empty lines before a head do not count, nor do the carriage returns in it.
      if (character === '\r' || (character === '\n' && head === '')) continue
      if (head.length < statusEnd) {
        this.#head = head + character
        if (this.#head.length === statusEnd) this.#readStatus(bytes, i, this.#head.slice(-3))
      } else if (character === '\n' && head.endsWith('\n')) this.#head = ''
      else this.#head = head.slice(0, statusEnd) + character
    }
  }

  #readStatus(bytes: Uint8Array, end: number, status: string): void {
    if (status === '100') bytes[end] = 0x32
    // Any other status than 10x, and 101, belongs to the final answer, which may be followed by its body.
    if (!/^10[^1]$/.test(status)) this.#head = undefined
  }
}

interface ReadableSocket {
  read: (size?: number) => unknown
  on: (event: 'error', listener: (error: unknown) => void) => unknown
  destroy: () => unknown
}

const findSocket = (message: unknown): ReadableSocket | undefined => {
  if (typeof message !== 'object' || message === null || !('socket' in message)) return undefined
  const { socket } = message
  return typeof socket === 'object' && socket !== null && 'read' in socket
    ? (socket as ReadableSocket)
    : undefined
}

const watchedSockets = new WeakMap<ReadableSocket, ResponseHeads>()

const watchSocket = (socket: ReadableSocket): ResponseHeads => {
  const heads = new ResponseHeads()
  const read = socket.read.bind(socket)
  socket.read = (size) => {
    const chunk = read(size)
    if (chunk instanceof Uint8Array) heads.look(chunk)
    return chunk
  }
  // With TLS 1.3 a server refuses the handshake only now. undici would report the end of the connection, which follows the alert.
  socket.on('error', () => socket.destroy())
  watchedSockets.set(socket, heads)
  return heads
}

let listening = false

/** Makes every connection of undici skip an unsolicited `100 Continue`, and end with its first error. */
const watchConnections = (): void => {
  if (listening) return
  listening = true
  subscribe('undici:client:sendHeaders', (message) => {
    const socket = findSocket(message)
    if (socket !== undefined) (watchedSockets.get(socket) ?? watchSocket(socket)).expect()
  })
}

/** The settings of new connections, for `tls.connect` and `net.connect`. */
interface ConnectSettings {
  readonly secureContext?: SecureContext
  readonly rejectUnauthorized?: boolean
  readonly autoSelectFamilyAttemptTimeout: number
}

/** The least time for an address, in milliseconds. Node's 250 are too few for an instance on the other side of the world. */
const addressTimeout = 1000

/** Returns the time for each address of a host with several. The last one may take as long as the timeout. An option of Node may lengthen it. */
export const getAddressTimeout = async (): Promise<number> => {
  const { getDefaultAutoSelectFamilyAttemptTimeout } = await import('node:net')
  return Math.max(addressTimeout, getDefaultAutoSelectFamilyAttemptTimeout())
}

const createTransportFailure = (
  what: string,
  code: 'ca' | 'client-certificate',
  cause: unknown,
): Failure =>
  new Failure(
    'usage',
    `the ${what} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`,
    toDetails({ code }),
  )

const createContext = async ({ ca, cert, key }: Transport): Promise<SecureContext> => {
  const { createSecureContext } = await import('node:tls')
  let context: SecureContext
  try {
    context = createSecureContext({ cert, key })
  } catch (error) {
    const what = 'client certificate with its key'
    throw createTransportFailure(what, 'client-certificate', error)
  }
  if (ca === undefined) return context
  const { X509Certificate } = await import('node:crypto')
  try {
    // addCACert ignores text that is not a certificate, so the text is parsed first.
    new X509Certificate(ca)
    context.context.addCACert(ca)
  } catch (error) {
    throw createTransportFailure('file of certificate authorities', 'ca', error)
  }
  return context
}

/**
 * Creates the settings of connections for a transport. Its authorities are added to those that Node trusts by itself. As the option `ca` they would
 * replace those, and naming all of them takes 40 ms.
 */
export const createConnectSettings = async (transport: Transport): Promise<ConnectSettings> => {
  const { ca, cert, key, insecure } = transport
  // The option is always set, since NODE_TLS_REJECT_UNAUTHORIZED=0 would decide otherwise.
  const base = {
    rejectUnauthorized: insecure !== true,
    autoSelectFamilyAttemptTimeout: await getAddressTimeout(),
  }
  if (ca === undefined && cert === undefined && key === undefined) return base
  return { ...base, secureContext: await createContext(transport) }
}

/** Removes the client certificate, which identifies the user as a token does. Only the instance may receive it. */
const omitIdentity = ({ cert: _, key: __, ...rest }: Transport): Transport => rest

type DispatcherFactory = (origin: string) => Dispatcher

// undici is loaded by single files: its index loads all of them, and would take a quarter more processor time for one record (`npm run
// bench -- flags`).

/** Returns the user name and the password of a proxy as a header value; one of them may be empty. */
const getProxyCredential = ({ username, password }: URL): { readonly token?: string } => {
  if (username === '' && password === '') return {}
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { token: `Basic ${Buffer.from(text).toString('base64')}` }
}

/** The errors of a tunnel to which undici reacts otherwise than to a failed connection, and their codes here. */
const tunnelErrors: Readonly<Record<string, string>> = {
  // undici would open the next tunnel at once, forever.
  UND_ERR_SOCKET: 'PROXY_CUT',
  UND_ERR_HEADERS_TIMEOUT: 'PROXY_TIMEOUT',
}

/** Creates the tunnels of a pool of connections to a proxy. @param changes replace options of undici */
const createTunnels = (pool: Pool, changes: { readonly servername?: undefined }) => {
  const connect = pool.connect.bind(pool)
  return Object.assign(pool, {
    connect: (given: Dispatcher.ConnectOptions) =>
      connect({ ...given, ...changes }).catch((cause: unknown) => {
        const code = tunnelErrors[getErrorCode(cause)]
        throw code === undefined ? cause : Object.assign(new Error(code, { cause }), { code })
      }),
  })
}

/** Creates the connections through a proxy, which must answer within `timeout` milliseconds. */
const createProxyFactory = async (
  proxy: string,
  settings: ConnectSettings,
  proxySettings: ConnectSettings,
  timeout: number,
): Promise<DispatcherFactory> => {
  const [
    { default: ProxyAgent },
    { default: Pool },
    { default: Dispatcher },
    { default: connect },
    { isIP },
  ] = await Promise.all([
    import('undici/lib/dispatcher/proxy-agent.js'),
    import('undici/lib/dispatcher/pool.js'),
    import('undici/lib/dispatcher/dispatcher.js'),
    import('undici/lib/api/api-connect.js'),
    import('node:net'),
  ])
  // undici's index adds this method, and tunnels are made by it.
  Object.assign(Dispatcher.prototype, { connect })
  const url = new URL(proxy)
  // undici would name an IP address as the server name of TLS, which Node warns about.
  const isAddress = isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0
  const changes = isAddress ? { servername: undefined } : {}
  const agent = new ProxyAgent({
    uri: url.origin,
    ...getProxyCredential(url),
    proxyTunnel: false,
    clientFactory: (origin, options) =>
      createTunnels(new Pool(origin, { ...options, headersTimeout: timeout }), changes),
    requestTls: { ...settings, timeout },
    proxyTls: { ...proxySettings, timeout },
  })
  return () => agent
}

const createPoolFactory = async (
  settings: ConnectSettings,
  timeout: number,
): Promise<DispatcherFactory> => {
  const { default: Pool } = await import('undici/lib/dispatcher/pool.js')
  return (origin) => new Pool(origin, { connect: { ...settings, timeout } })
}

/** The connections of a client. No library is loaded before the first request. */
export class Connections {
  readonly #options: Pick<ClientOptions, 'baseUrl' | 'transport' | 'timeout'>
  readonly #ownOrigin: string
  readonly #dispatchers = new Map<string, Dispatcher>()
  /** The factories of dispatchers: one for the instance and one for other origins, each with and without a proxy. */
  readonly #factories = new Map<string, Promise<DispatcherFactory>>()

  constructor(options: Pick<ClientOptions, 'baseUrl' | 'transport' | 'timeout'>) {
    this.#options = options
    this.#ownOrigin = new URL(options.baseUrl).origin
  }

  async to(origin: string): Promise<Dispatcher> {
    // The password is recorded with each request, as the token is, since only the latest secrets are remembered.
    const { proxy } = this.#options.transport ?? {}
    if (proxy !== undefined) recordSecret(decodeURIComponent(new URL(proxy).password))
    const known = this.#dispatchers.get(origin)
    if (known !== undefined) return known
    const originProxy = await this.#findProxy(origin)
    const factoryKey = `${origin === this.#ownOrigin} ${originProxy === undefined}`
    const prepared = this.#factories.get(factoryKey) ?? this.#createFactory(origin, originProxy)
    this.#factories.set(factoryKey, prepared)
    const make = await prepared
    const made = this.#dispatchers.get(origin) ?? make(origin)
    this.#dispatchers.set(origin, made)
    return made
  }

  /** Closes every connection, idle or not. */
  async close(): Promise<void> {
    const open = new Set(this.#dispatchers.values())
    this.#dispatchers.clear()
    await Promise.all([...open].map((dispatcher) => dispatcher.destroy()))
  }

  /** Returns the proxy for an origin; undefined if requests go there directly. */
  async #findProxy(origin: string): Promise<string | undefined> {
    const { proxy, noProxy } = this.#options.transport ?? {}
    if (proxy === undefined) return undefined
    const { isProxyExempt } = await import('../../base/no-proxy.js')
    return isProxyExempt(origin, noProxy) ? undefined : proxy
  }

  async #createFactory(origin: string, proxy: string | undefined): Promise<DispatcherFactory> {
    watchConnections()
    if (origin.startsWith('https:')) await import('node:tls')
    const { transport = {}, timeout } = this.#options
    const abroad = omitIdentity(transport)
    const own = origin === this.#ownOrigin ? transport : abroad
    const settings = await createConnectSettings(own)
    if (proxy === undefined) return createPoolFactory(settings, timeout * 1000)
    const proxySettings = await createConnectSettings(abroad)
    return createProxyFactory(proxy, settings, proxySettings, timeout * 1000)
  }
}
