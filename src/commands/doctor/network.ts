/** Whether the instance can be reached at all: its name, a connection, its certificate, a proxy. */
import { connect, type Socket } from 'node:net'
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import type { TransportSettings } from '../../profile/index.js'
import { type Check, failed, ok, warning } from './check.js'

/** Seconds that a connection may take. */
const patience = 10
const day = 86_400_000
/** A certificate that ends within so many days gets a warning. */
const soon = 21

interface Target {
  readonly host: string
  readonly port: number
  readonly secure: boolean
}

const targetOf = (address: string): Target => {
  const { hostname, port, protocol } = new URL(address)
  const secure = protocol === 'https:'
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (secure ? 443 : 80) : Number(port),
    secure,
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

/** Whether NO_PROXY exempts a host: `*`, the host itself, or a domain that it lies in. */
export const exempt = (address: string, noProxy: string | undefined): boolean => {
  const { host, port } = targetOf(address)
  const entries = (noProxy ?? '').split(/[\s,]+/).filter((entry) => entry !== '')
  return entries.some((entry) => {
    const [, name = '', only] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
    if (only !== undefined && Number(only) !== port) return false
    return entry === '*' || host === name || host.endsWith(`.${name}`)
  })
}

/** The address without the credentials that a proxy's may carry. */
const shown = (address: string): string => new URL(address).origin

const resolved = async ({ host }: Target): Promise<Check> => {
  const check = 'name resolution'
  const { lookup } = await import('node:dns/promises')
  try {
    const found = await lookup(host, { all: true })
    return ok(check, `${host} is ${found.map(({ address }) => address).join(', ')}`)
  } catch (error) {
    return failed(
      check,
      'unreachable',
      `${host} has no address (${codeOf(error)})`,
      'Check the host name in the base URL and the name servers of this machine.',
    )
  }
}

const settled = <T extends Socket>(socket: T, event: string): Promise<T> =>
  new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.setTimeout(patience * 1000, () => socket.destroy(new Error('time-out')))
    socket.once(event, () => resolve(socket))
  })

const connected = async ({ host, port }: Target, name: string): Promise<Check> => {
  const check = 'connection'
  const socket = connect({ host, port })
  try {
    await settled(socket, 'connect')
    return ok(check, `${name} accepts connections on port ${port}`)
  } catch (error) {
    return failed(
      check,
      'unreachable',
      `cannot connect to ${name} on port ${port} (${codeOf(error)})`,
      'Check the port in the base URL, the firewall, and whether you need a proxy (HTTPS_PROXY).',
    )
  } finally {
    socket.destroy()
  }
}

const expiryOf = (certificate: DetailedPeerCertificate, now: Date): Check => {
  const check = 'certificate'
  const end = new Date(certificate.valid_to)
  const days = Math.floor((end.getTime() - now.getTime()) / day)
  const until = `valid until ${end.toISOString().slice(0, 10)}`
  if (days >= soon) return ok(check, `${until}, ${days} days`)
  return warning(check, `${until}, ${days} days left`, 'Renew the certificate.')
}

const untrusted = (problem: string, insecure: boolean): Check =>
  insecure
    ? warning('certificate', `not trusted (${problem}), but accepted because of --insecure`)
    : failed(
        'certificate',
        'unreachable',
        `not trusted: ${problem}`,
        'For your own certificate authority, pass --ca-file <file> to `svcctl auth login` or `svcctl profile set <name>`.',
      )

const encrypted = async (
  { host, port }: Target,
  { ca, cert, key, insecure = false }: TransportSettings,
  now: Date,
): Promise<Check> => {
  const tls = await import('node:tls')
  const { isIP } = await import('node:net')
  let socket: TLSSocket | undefined
  try {
    socket = tls.connect({
      host,
      port,
      rejectUnauthorized: false,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ca: ca && [...tls.rootCertificates, ca],
      cert,
      key,
    })
    await settled(socket, 'secureConnect')
    const problem: unknown = socket.authorizationError
    if (!socket.authorized)
      return untrusted(problem instanceof Error ? problem.message : String(problem), insecure)
    return expiryOf(socket.getPeerCertificate(true), now)
  } catch (error) {
    const message = `no TLS connection (${codeOf(error)})`
    return failed(
      'certificate',
      'unreachable',
      message,
      'Check whether the base URL should begin with https.',
    )
  } finally {
    socket?.destroy()
  }
}

/** Checks of the way to the instance, up to the first that fails. */
export const networkChecks = async (
  baseUrl: string,
  transport: TransportSettings,
  now: Date,
): Promise<readonly Check[]> => {
  const proxy = exempt(baseUrl, transport.noProxy) ? undefined : transport.proxy
  const target = targetOf(proxy ?? baseUrl)
  const name = proxy === undefined ? target.host : `the proxy ${shown(proxy)}`
  const checks = [ok('proxy', proxy === undefined ? 'not used' : shown(proxy))]
  const steps = [() => resolved(target), () => connected(target, name)]
  if (proxy === undefined && target.secure) steps.push(() => encrypted(target, transport, now))
  for (const step of steps) {
    const check = await step()
    checks.push(check)
    if (check.status === 'failure') break
  }
  return checks
}
