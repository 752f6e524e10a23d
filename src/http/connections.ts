/** Connections: one keep-alive pool an origin, loaded when the first request needs it. */
import type { Dispatcher } from 'undici'
import type { ClientOptions, Transport } from './types.js'

export interface Connections {
  to(origin: string): Promise<Dispatcher>
  /** Closes every connection, idle or not. */
  close(): Promise<void>
}

/**
 * V8 goes on optimising undici's WebAssembly parser in the background, and a short process waits
 * for that at its exit. Node 24 does not. Long work keeps the optimisation.
 */
const quietParser = async (): Promise<void> => {
  if (Number.parseInt(process.versions.node, 10) >= 24) return
  const v8 = await import('node:v8')
  v8.setFlagsFromString('--wasm-tiering-budget=1000000000')
}

/** The authorities that Node trusts by itself, and the further ones. */
const authorities = async (pem: string): Promise<string[]> => {
  const tls = await import('node:tls')
  const { NODE_EXTRA_CA_CERTS: file } = process.env
  const { readFile } = await import('node:fs/promises')
  const extra = file === undefined ? '' : await readFile(file, 'utf8').catch(() => '')
  return [...tls.rootCertificates, extra, pem].filter((text) => text !== '')
}

interface Tls {
  readonly ca?: string[]
  readonly cert?: string
  readonly key?: string
  readonly rejectUnauthorized?: boolean
}

const tlsOf = async ({ ca, cert, key, insecure }: Transport): Promise<Tls> => ({
  ...(ca === undefined ? {} : { ca: await authorities(ca) }),
  ...(cert === undefined ? {} : { cert }),
  ...(key === undefined ? {} : { key }),
  ...(insecure === true ? { rejectUnauthorized: false } : {}),
})

type Make = (origin: string) => Dispatcher

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
  const prepare = async (): Promise<Make> => {
    if (options.long !== true) await quietParser()
    const { transport = {}, timeout } = options
    const tls = await tlsOf(transport)
    return transport.proxy === undefined
      ? direct(tls, timeout * 1000)
      : throughProxy(transport.proxy, transport.noProxy ?? '', tls, timeout * 1000)
  }
  let making: Promise<Make> | undefined
  const to = async (origin: string): Promise<Dispatcher> => {
    const known = dispatchers.get(origin)
    if (known !== undefined) return known
    making ??= prepare()
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
