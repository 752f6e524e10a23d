/** Connections: one keep-alive pool an origin, loaded when the first request needs it. */

import { subscribe } from 'node:diagnostics_channel'
import type { SecureContext } from 'node:tls'
import type { Dispatcher } from 'undici'
import { recordSecret } from '../../base/secrets/scrub.js'
import { Failure } from '../../errors.js'
import { type ClientOptions, type Transport, toDetails } from '../types.js'

// An unasked `100 Continue` is to be read and passed over (RFC 9110, 15.2). undici takes it for a
// broken answer, and any other 1xx for what it is; so the one is shown to it as the other. Where in
// a connection's bytes an answer begins is known: after a request was written.

const blank = { cr: 0x0d, lf: 0x0a }
const digit = { one: 0x31, zero: 0x30, two: 0x32 }
/** Places in `HTTP/1.1 100`. */
const place = { hundreds: 9, tens: 10, ones: 11 }

/** The heads of the answers on one connection. */
export class ResponseHeads {
  #reading = false
  /** The position in the status line; past its status, the end of the head is looked for. */
  #at = 0
  #hundreds = 0
  #tens = 0
  /** True if the current line has been empty so far. */
  #empty = false

  /** A request is on its way: the next bytes that come begin an answer. */
  expect(): void {
    this.#reading = true
    this.#at = 0
  }

  /** Bytes as they come, of which a status of 100 is made 102. */
  look(bytes: Uint8Array): void {
    for (let i = 0; this.#reading && i < bytes.length; i++) {
      const byte = bytes[i] ?? 0
      if (this.#at > place.ones) this.#toEnd(byte)
      else if (this.#status(byte)) bytes[i] = digit.two
    }
  }

  /** True at the last digit of a status of 100. */
  #status(byte: number): boolean {
    if (this.#at === 0 && (byte === blank.cr || byte === blank.lf)) return false
    const at = this.#at++
    if (at === place.hundreds) this.#hundreds = byte
    if (at === place.tens) this.#tens = byte
    if (at !== place.ones) return false
    this.#empty = false
    const interim = this.#hundreds === digit.one && this.#tens === digit.zero
    // Any other answer is the real one, and what follows may be its body.
    this.#reading = interim && byte !== digit.one
    return interim && byte === digit.zero
  }

  #toEnd(byte: number): void {
    if (byte === blank.cr) return
    const ends = byte === blank.lf && this.#empty
    this.#empty = byte === blank.lf
    if (ends) this.#at = 0
  }
}

interface ReadableSocket {
  read: (size?: number) => unknown
}

const findSocket = (message: unknown): ReadableSocket | undefined => {
  if (typeof message !== 'object' || message === null || !('socket' in message)) return undefined
  const { socket } = message
  return typeof socket === 'object' && socket !== null && 'read' in socket
    ? (socket as ReadableSocket)
    : undefined
}

const watched = new WeakMap<ReadableSocket, ResponseHeads>()

const watch = (socket: ReadableSocket): ResponseHeads => {
  const heads = new ResponseHeads()
  const read = socket.read.bind(socket)
  socket.read = (size) => {
    const chunk = read(size)
    if (chunk instanceof Uint8Array) heads.look(chunk)
    return chunk
  }
  watched.set(socket, heads)
  return heads
}

let listening = false

/** From now on every connection of undici's passes over an unasked `100 Continue`. */
const passOverContinue = (): void => {
  if (listening) return
  listening = true
  subscribe('undici:client:sendHeaders', (message) => {
    const socket = findSocket(message)
    if (socket !== undefined) (watched.get(socket) ?? watch(socket)).expect()
  })
}

export interface Connections {
  to(origin: string): Promise<Dispatcher>
  /** Closes every connection, idle or not. */
  close(): Promise<void>
}

interface TlsSettings {
  readonly secureContext?: SecureContext
  readonly rejectUnauthorized?: boolean
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
  let made: SecureContext
  try {
    made = createSecureContext({
      cert,
      key,
    })
  } catch (error) {
    const what = 'client certificate with its key'
    throw createTransportFailure(what, 'client-certificate', error)
  }
  if (ca === undefined) return made
  const { X509Certificate } = await import('node:crypto')
  try {
    // What is no certificate is passed over by the next line in silence.
    new X509Certificate(ca)
    made.context.addCACert(ca)
  } catch (error) {
    throw createTransportFailure('file of certificate authorities', 'ca', error)
  }
  return made
}

/**
 * Creates the TLS settings of a transport. Its authorities are added to those that Node trusts by itself. As the option `ca` they would
 * replace those, and naming all of them takes 40 ms.
 */
export const createTlsSettings = async (transport: Transport): Promise<TlsSettings> => {
  const { ca, cert, key, insecure } = transport
  // Said either way: NODE_TLS_REJECT_UNAUTHORIZED=0 would decide what is left open.
  const trusting = { rejectUnauthorized: insecure !== true }
  if (ca === undefined && cert === undefined && key === undefined) return trusting
  return { ...trusting, secureContext: await createContext(transport) }
}

/** The client certificate says who asks, as a token does: only the instance sees it. */
const omitIdentity = ({ cert: _, key: __, ...rest }: Transport): Transport => rest

type DispatcherFactory = (origin: string) => Dispatcher

// Parts of undici by their files: with its index, which loads all of them, one record takes a quarter more processor time
// (`npm run bench -- flags`).

/** The user name and the password of a proxy; one may be empty. */
const getProxyCredential = ({ username, password }: URL): { readonly token?: string } => {
  if (username === '' && password === '') return {}
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { token: `Basic ${Buffer.from(text).toString('base64')}` }
}

const createProxyFactory = async (
  proxy: string,
  tls: TlsSettings,
  proxyTls: TlsSettings,
  timeout: number,
): Promise<DispatcherFactory> => {
  const [{ default: ProxyAgent }, { default: Dispatcher }, { default: connect }] =
    await Promise.all([
      import('undici/lib/dispatcher/proxy-agent.js'),
      import('undici/lib/dispatcher/dispatcher.js'),
      import('undici/lib/api/api-connect.js'),
    ])
  // As undici's index does: a tunnel is made by the method that the index adds.
  Object.assign(Dispatcher.prototype, { connect })
  const url = new URL(proxy)
  const agent = new ProxyAgent({
    uri: url.origin,
    ...getProxyCredential(url),
    proxyTunnel: false,
    requestTls: { ...tls, timeout },
    proxyTls: { ...proxyTls, timeout },
  })
  return () => agent
}

const createPoolFactory = async (tls: TlsSettings, timeout: number): Promise<DispatcherFactory> => {
  const { default: Pool } = await import('undici/lib/dispatcher/pool.js')
  return (origin) => new Pool(origin, { connect: { ...tls, timeout } })
}

/** Creates the connections for these options; no library is loaded before the first request. */
export const createConnections = (
  options: Pick<ClientOptions, 'baseUrl' | 'transport' | 'timeout'>,
): Connections => {
  const dispatchers = new Map<string, Dispatcher>()
  const home = new URL(options.baseUrl).origin
  const prepare = async (origin: string, proxy?: string): Promise<DispatcherFactory> => {
    passOverContinue()
    if (origin.startsWith('https:')) await import('node:tls')
    const { transport = {}, timeout } = options
    const abroad = omitIdentity(transport)
    const tls = await createTlsSettings(origin === home ? transport : abroad)
    return proxy === undefined
      ? await createPoolFactory(tls, timeout * 1000)
      : await createProxyFactory(proxy, tls, await createTlsSettings(abroad), timeout * 1000)
  }
  /** The proxy of an origin. */
  const proxyFor = async (origin: string): Promise<string | undefined> => {
    const { proxy, noProxy } = options.transport ?? {}
    if (proxy === undefined) return undefined
    const { isProxyExempt } = await import('../../base/no-proxy.js')
    return isProxyExempt(origin, noProxy) ? undefined : proxy
  }
  // One way of making them for the instance, another for everyone else; each with the proxy, and without.
  const making = new Map<string, Promise<DispatcherFactory>>()
  const to = async (origin: string): Promise<Dispatcher> => {
    // With each request, as the token: of all secrets only the latest are remembered.
    const { proxy } = options.transport ?? {}
    if (proxy !== undefined) recordSecret(decodeURIComponent(new URL(proxy).password))
    const known = dispatchers.get(origin)
    if (known !== undefined) return known
    const by = await proxyFor(origin)
    const way = `${origin === home} ${by === undefined}`
    const prepared = making.get(way) ?? prepare(origin, by)
    making.set(way, prepared)
    const make = await prepared
    const made = dispatchers.get(origin) ?? make(origin)
    dispatchers.set(origin, made)
    return made
  }
  const close = async (): Promise<void> => {
    const open = new Set(dispatchers.values())
    dispatchers.clear()
    await Promise.all([...open].map((dispatcher) => dispatcher.destroy()))
  }
  return { to, close }
}
