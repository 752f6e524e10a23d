/** Connections: one keep-alive pool an origin, loaded when the first request needs it. */
import type { SecureContext } from 'node:tls'
import type { Dispatcher } from 'undici'
import type { ClientOptions, Transport } from './types.js'

export interface Connections {
  to(origin: string): Promise<Dispatcher>
  /** Closes every connection, idle or not. */
  close(): Promise<void>
}

/** Bytes of WebAssembly to run before V8 optimises it: more than any short run, and V8's own. */
const budgets = { quiet: 1_000_000_000, usual: process.versions.v8 < '12' ? 1_800_000 : 13_000_000 }

interface Tls {
  readonly secureContext?: SecureContext
  readonly rejectUnauthorized?: boolean
}

/**
 * What a transport says of certificates. Further authorities are added to those that Node trusts by
 * itself; as the option `ca` they would replace them, and naming all takes 40 ms.
 */
const tlsOf = async ({ ca, cert, key, insecure }: Transport): Promise<Tls> => {
  const trusting = insecure === true ? { rejectUnauthorized: false } : {}
  if (ca === undefined && cert === undefined && key === undefined) return trusting
  const { createSecureContext } = await import('node:tls')
  const secureContext = createSecureContext({
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  })
  if (ca !== undefined) secureContext.context.addCACert(ca)
  return { ...trusting, secureContext }
}

type Make = (origin: string) => Dispatcher

/**
 * V8 goes on optimising undici's WebAssembly parser in the background, and a short process waits
 * for that at its exit, 80 ms (Node 24 does not). What counts is the budget when the parser is
 * compiled, at the first connection. It is set no longer than that: code that Node and the launcher
 * keep compiled is good only under the flags it was made with.
 */
const withQuietParser = async (make: Make): Promise<Make> => {
  if (Number.parseInt(process.versions.node, 10) >= 24) return make
  const { setFlagsFromString } = await import('node:v8')
  const set = (budget: number): void => setFlagsFromString(`--wasm-tiering-budget=${budget}`)
  const restore = (): void => set(budgets.usual)
  let first = true
  return (origin) => {
    const made = make(origin)
    if (first) {
      set(budgets.quiet)
      made.once('connect', restore).once('connectionError', restore)
    }
    first = false
    return made
  }
}

const throughProxy = async (
  proxy: string,
  noProxy: string,
  tls: Tls,
  timeout: number,
): Promise<Make> => {
  const [{ default: EnvHttpProxyAgent }, { default: Dispatcher }, { default: connect }] =
    await Promise.all([
      import('undici/lib/dispatcher/env-http-proxy-agent.js'),
      import('undici/lib/dispatcher/dispatcher.js'),
      import('undici/lib/api/api-connect.js'),
    ])
  // As undici's index does: a tunnel is made by the method that the index adds.
  Object.assign(Dispatcher.prototype, { connect })
  const agent = new EnvHttpProxyAgent({
    httpProxy: proxy,
    httpsProxy: proxy,
    noProxy,
    proxyTunnel: false,
    connect: { ...tls, timeout },
    requestTls: { ...tls, timeout },
    proxyTls: { ...tls, timeout },
  })
  return () => agent
}

const direct = async (tls: Tls, timeout: number): Promise<Make> => {
  const { default: Pool } = await import('undici/lib/dispatcher/pool.js')
  return (origin) => new Pool(origin, { connect: { ...tls, timeout } })
}

/** How connections are made for these options; no library is loaded before the first request. */
export const createConnections = (
  options: Pick<ClientOptions, 'transport' | 'timeout' | 'long'>,
): Connections => {
  const dispatchers = new Map<string, Dispatcher>()
  const prepare = async (origin: string): Promise<Make> => {
    if (origin.startsWith('https:')) await import('node:tls')
    const { transport = {}, timeout } = options
    const tls = await tlsOf(transport)
    const make =
      transport.proxy === undefined
        ? await direct(tls, timeout * 1000)
        : await throughProxy(transport.proxy, transport.noProxy ?? '', tls, timeout * 1000)
    return options.long === true ? make : withQuietParser(make)
  }
  let making: Promise<Make> | undefined
  const to = async (origin: string): Promise<Dispatcher> => {
    const known = dispatchers.get(origin)
    if (known !== undefined) return known
    making ??= prepare(origin)
    const make = await making
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
