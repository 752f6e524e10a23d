/** The checks of doctor: what one comes to, the instance, and the way to it. */

import { connect, type Socket } from 'node:net'
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import type { ExternalClient } from '../../engine/command/services.js'
import { type Category, exitCodes, Failure, survived } from '../../errors.js'
import type { Whole } from '../../http/types.js'
import type { TransportSettings } from '../../profile/index.js'
import type { KnownInstance } from '../../profile/known.js'

export interface Check {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'failure'
  readonly message: string
  readonly remedy?: string
  /** Why the tool cannot be used; decides the exit code. */
  readonly category?: Category
  /** What was seen of the instance, for programs. */
  readonly known?: KnownInstance
}

export const ok = (check: string, message: string): Check => ({ check, status: 'ok', message })

export const warning = (check: string, message: string, remedy?: string): Check => ({
  check,
  status: 'warning',
  message,
  remedy,
})

export const failed = (
  check: string,
  category: Category,
  message: string,
  remedy?: string,
): Check => ({
  check,
  status: 'failure',
  message,
  category,
  remedy,
})

/**
 * A check from what was thrown.
 * @throws whatever is no Failure, and an interruption
 */
export const failedBy = (check: string, error: unknown, remedy?: string): Check => {
  const { category, message, details } = survived(error)
  return failed(check, category, message, remedy ?? details.hint)
}

/** The exit code of all checks together: that of the first failure. */
export const getDoctorExitCode = (checks: readonly Check[]): number => {
  const first = checks.find((c) => c.category !== undefined)?.category
  return first === undefined ? 0 : exitCodes[first]
}

// What the instance answers: whether it is this API, its clock, its pagination headers.

/** A list that is there for everybody (`GET /projects`). */
const first = { method: 'GET', path: '/projects?per_page=1', headers: {} }
/** Seconds that clocks may differ before signatures and expiry dates suffer. */
const tolerance = 30

const wrong = 'Check the base URL (--base-url): it includes any path, but not /api/v4.'

/** Whether a refusal is the API's own: JSON with a message. */
const refused = (error: unknown): boolean =>
  error instanceof Failure && (error.details.status === 401 || error.details.status === 403)

const clockOf = ({ headers }: Whole, now: Date): Check | undefined => {
  const { date } = headers
  const theirs = typeof date === 'string' ? Date.parse(date) : Number.NaN
  if (Number.isNaN(theirs)) return undefined
  const seconds = Math.round((now.getTime() - theirs) / 1000)
  const size = Math.abs(seconds)
  if (size <= tolerance) return ok('clock', `differs by at most ${size} s`)
  const how = `the clock of this machine is ${size} s ${seconds > 0 ? 'ahead of' : 'behind'} the instance`
  return warning('clock', how, 'Correct the clock that is wrong, for example with NTP.')
}

/** Whether a list tells how many pages there are (`http/README.md`). */
const pageHeadersOf = ({ headers }: Whole): Check => {
  const missing = ['link', 'x-total', 'x-next-page'].filter((name) => headers[name] === undefined)
  return missing.length === 0
    ? ok('page headers', 'all present')
    : warning(
        'page headers',
        `the instance does not send ${missing.join(', ')}`,
        'Lists work, but without totals and with one page at a time.',
      )
}

/** Checks that need no credential; none is sent. */
export const instanceChecks = async (
  there: ExternalClient,
  now: () => Date,
): Promise<readonly Check[]> => {
  const check = 'base path'
  try {
    const answer = await there.call(first)
    if (!Array.isArray(answer.data))
      return [failed(check, 'not_found', 'the server there does not provide this API', wrong)]
    const clock = clockOf(answer, now())
    const checks = [ok(check, 'the API responds'), pageHeadersOf(answer)]
    return clock === undefined ? checks : [...checks, clock]
  } catch (error) {
    if (refused(error)) return [ok(check, 'the API responds and requires a credential')]
    const gone = error instanceof Failure && error.category === 'not_found'
    return [failedBy(check, error, gone ? wrong : undefined)]
  }
}

// Whether the instance can be reached at all: its name, a connection, its certificate, a proxy.

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
