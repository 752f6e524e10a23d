/** Implements the network and API checks of `doctor` and `check instance`: host name, connection, certificate, API and clock. */

import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import type { DetailedPeerCertificate, TLSSocket } from 'node:tls'
import { dayLength, toDay } from '../base/dates.js'
import { isProxyExempt } from '../base/no-proxy.js'
import { listObjects, toText } from '../base/objects.js'
import { projects } from '../catalogue/areas/projects.js'
import { getPath } from '../catalogue/endpoint.js'
import type { ExternalClient } from '../engine/command/context.js'
import { type Category, Failure, recoverFrom } from '../errors.js'
import { createConnectSettings, getAddressTimeout } from '../http/sending/connections.js'
import type { Transport, WholeAnswer } from '../http/types.js'
import type { KnownInstance } from '../profile/known.js'

/** The result of a check, with its remedy. */
export interface Check {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'failure'
  readonly message: string
  readonly remedy?: string
  /** The category of the problem. It determines the exit code. */
  readonly category?: Category
  /** The stored facts about the instance, for programs. */
  readonly known?: KnownInstance
}

/** Creates a check that passed. */
export const createPassedCheck = (check: string, message: string): Check => ({
  check,
  status: 'ok',
  message,
})

/** Creates a check with a warning. */
export const createWarningCheck = (check: string, message: string, remedy?: string): Check => ({
  check,
  status: 'warning',
  message,
  remedy,
})

/** Creates a check that failed. */
export const createFailedCheck = (
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
 * Creates a failed check from an error.
 * @throws errors other than Failure, and interruptions
 */
export const toFailedCheck = (check: string, error: unknown, remedy?: string): Check => {
  const { category, message, details } = recoverFrom(error)
  const own = isPage(error) ? pageRemedy : details.hint
  return createFailedCheck(check, category, message, remedy ?? own)
}

const pageRemedy =
  'There is a proxy, a firewall or a sign-in page in front of the instance, or the base URL is wrong.'

/** True if a proxy or another server answered instead of the instance. */
const isPage = (error: unknown): boolean =>
  error instanceof Failure && error.details.advice?.code === 'no-instance'

// The answer of the instance: whether it is this API, its clock and its pagination headers.

/** A list that every user can read (`GET /projects`). */
const probeRequest = { method: 'GET', path: '/projects?per_page=1', headers: {} }
/** The maximum clock difference, in seconds, before signatures and expiry dates are affected. */
const maxClockDifference = 30

const baseUrlRemedy = 'Check the base URL (--base-url): it includes any path, but not /api/v4.'

/** True if the API itself rejected the request, with JSON. */
const isRefused = (error: unknown): boolean =>
  error instanceof Failure &&
  (error.details.status === 401 || error.details.status === 403) &&
  !isPage(error)

const checkClock = ({ headers }: WholeAnswer, now: Date): Check | undefined => {
  const { date } = headers
  const theirs = typeof date === 'string' ? Date.parse(date) : Number.NaN
  if (Number.isNaN(theirs)) return undefined
  const seconds = Math.round((now.getTime() - theirs) / 1000)
  const size = Math.abs(seconds)
  if (size <= maxClockDifference) return createPassedCheck('clock', `differs by at most ${size} s`)
  const how = `the clock of this machine is ${size} s ${seconds > 0 ? 'ahead of' : 'behind'} the instance`
  return createWarningCheck('clock', how, 'Correct the clock that is wrong, for example with NTP.')
}

/** Checks that a list has the pagination headers (`http/README.md`). */
const checkPageHeaders = ({ headers }: WholeAnswer): Check => {
  const missing = ['link', 'x-total', 'x-next-page'].filter((name) => headers[name] === undefined)
  return missing.length === 0
    ? createPassedCheck('page headers', 'all present')
    : createWarningCheck(
        'page headers',
        `the instance does not send ${missing.join(', ')}`,
        'Lists work, but without totals and with one page at a time.',
      )
}

/** Runs the checks that require no credential, and sends none. */
export const runInstanceChecks = async (
  there: ExternalClient,
  now: () => Date,
): Promise<readonly Check[]> => {
  const check = 'base path'
  try {
    const answer = await there.call(probeRequest)
    if (!Array.isArray(answer.data))
      return [
        createFailedCheck(
          check,
          'not_found',
          'the server there does not provide this API',
          baseUrlRemedy,
        ),
      ]
    const clock = checkClock(answer, now())
    const checks = [createPassedCheck(check, 'the API responds'), checkPageHeaders(answer)]
    return clock === undefined ? checks : [...checks, clock]
  } catch (error) {
    if (isRefused(error))
      return [createPassedCheck(check, 'the API responds and requires a credential')]
    const gone = error instanceof Failure && error.category === 'not_found'
    return [toFailedCheck(check, error, gone ? baseUrlRemedy : undefined)]
  }
}

// Encoded slashes in the full paths of projects: a web server in front of the instance may decode them.

const readData = async (there: ExternalClient, path: string): Promise<unknown> =>
  (await there.call({ method: 'GET', path, headers: {} })).data

const createProjectPath = (id: string): string =>
  getPath(projects.get).replace(':id', encodeURIComponent(id).replaceAll('.', '%2E'))

/** Finds the first visible project; undefined if there is none. */
const findProject = async (there: ExternalClient) => {
  const [first] = listObjects(await readData(there, probeRequest.path))
  const [id, path] = [Number(first?.id), toText(first?.path_with_namespace)]
  return Number.isInteger(id) && path !== undefined ? { id, path } : undefined
}

const decodedRemedy =
  'The web server in front decodes %2F: AllowEncodedSlashes NoDecode (Apache), proxy_pass without a path (nginx). Until then, use IDs.'

/** Reads a project by its path. If that fails and reading it by ID works, a server in front of the instance changed the path. */
export const runPathChecks = async (there: ExternalClient): Promise<readonly Check[]> => {
  const check = 'paths with %2F'
  try {
    const project = await findProject(there)
    if (project === undefined) return []
    const failure = await readData(there, createProjectPath(project.path)).then(
      () => undefined,
      recoverFrom,
    )
    if (failure === undefined) return [createPassedCheck(check, 'arrive unchanged')]
    await readData(there, createProjectPath(String(project.id)))
    const message = `project ${project.id} is found by its ID, but not by its path (${failure.message})`
    return [createFailedCheck(check, 'not_found', message, decodedRemedy)]
  } catch (error) {
    recoverFrom(error)
    return []
  }
}

// The connection to the instance: its host name, port, certificate and proxy.

/** The time limit of a connection, in seconds. */
const patience = 10
/** Certificates that expire within this number of days get a warning. */
const minDays = 21

interface Target {
  readonly host: string
  readonly port: number
  readonly secure: boolean
}

const parseTarget = (address: string): Target => {
  const { hostname, port, protocol } = new URL(address)
  const secure = protocol === 'https:'
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (secure ? 443 : 80) : Number(port),
    secure,
  }
}

const getCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error)

/** Removes the credentials of a proxy's URL. */
const removeCredentials = (address: string): string => new URL(address).origin

const checkName = async ({ host }: Target): Promise<Check> => {
  const check = 'name resolution'
  try {
    const found = await lookup(host, { all: true })
    return createPassedCheck(check, `${host} is ${found.map(({ address }) => address).join(', ')}`)
  } catch (error) {
    return createFailedCheck(
      check,
      'unreachable',
      `${host} has no address (${getCode(error)})`,
      'Check the host name in the base URL and the name servers of this machine.',
    )
  }
}

const waitFor = <T extends Socket>(socket: T, event: string): Promise<T> =>
  new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.setTimeout(patience * 1000, () => socket.destroy(new Error('time-out')))
    socket.once(event, () => resolve(socket))
  })

const checkConnection = async ({ host, port }: Target, name: string): Promise<Check> => {
  const check = 'connection'
  const autoSelectFamilyAttemptTimeout = await getAddressTimeout()
  const socket = connect({ host, port, autoSelectFamilyAttemptTimeout })
  try {
    await waitFor(socket, 'connect')
    return createPassedCheck(check, `${name} accepts connections on port ${port}`)
  } catch (error) {
    return createFailedCheck(
      check,
      'unreachable',
      `cannot connect to ${name} on port ${port} (${getCode(error)})`,
      'Check the port in the base URL, the firewall, and whether you need a proxy (HTTPS_PROXY).',
    )
  } finally {
    socket.destroy()
  }
}

const checkExpiry = (certificate: DetailedPeerCertificate, now: Date): Check => {
  const check = 'certificate'
  const end = new Date(certificate.valid_to)
  const days = Math.floor((end.getTime() - now.getTime()) / dayLength)
  const until = `valid until ${toDay(end)}`
  if (days >= minDays) return createPassedCheck(check, `${until}, ${days} days`)
  return createWarningCheck(check, `${until}, ${days} days left`, 'Renew the certificate.')
}

const createCertificateCheck = (problem: string, insecure: boolean): Check =>
  insecure
    ? createWarningCheck(
        'certificate',
        `not trusted (${problem}), but accepted because of --insecure`,
      )
    : createFailedCheck(
        'certificate',
        'unreachable',
        `not trusted: ${problem}`,
        'For your own certificate authority, name its PEM file in SSL_CERT_FILE, or pass --ca-file <file> to `svcctl auth login` or `svcctl profile set <name>`.',
      )

/** Matches the codes of a server that ends the handshake itself, as one does that requires a client certificate. */
const refusedHandshake = /^ERR_SSL_[\w/]+_ALERT_/

/** Creates the check of a connection whose TLS handshake failed. */
const createHandshakeCheck = (code: string, { cert }: Transport): Check => {
  const check = 'certificate'
  if (!refusedHandshake.test(code))
    return createFailedCheck(
      check,
      'unreachable',
      `no TLS connection (${code})`,
      'Check whether the base URL should begin with https.',
    )
  const why = cert === undefined ? ', and may require a client certificate' : ''
  return createFailedCheck(
    check,
    'unreachable',
    `the instance refused the TLS handshake${why} (${code})`,
    `Pass ${cert === undefined ? 'a client certificate and its key' : 'another client certificate'} with --cert-file and --key-file to \`svcctl auth login\` or \`svcctl profile set <name>\`.`,
  )
}

const checkTls = async (
  { host, port }: Target,
  transport: Transport,
  now: Date,
): Promise<Check> => {
  const tls = await import('node:tls')
  let socket: TLSSocket | undefined
  try {
    socket = tls.connect({
      host,
      port,
      ...(await createConnectSettings(transport)),
      rejectUnauthorized: false,
      ...(isIP(host) === 0 ? { servername: host } : {}),
    })
    await waitFor(socket, 'secureConnect')
    const problem: unknown = socket.authorizationError
    if (!socket.authorized)
      return createCertificateCheck(
        problem instanceof Error ? problem.message : String(problem),
        transport.insecure === true,
      )
    return checkExpiry(socket.getPeerCertificate(true), now)
  } catch (error) {
    if (error instanceof Failure) return toFailedCheck('certificate', error)
    return createHandshakeCheck(getCode(error), transport)
  } finally {
    socket?.destroy()
  }
}

/** Runs the checks of the connection, up to the first failure. */
export const runNetworkChecks = async (
  baseUrl: string,
  transport: Transport,
  now: Date,
): Promise<readonly Check[]> => {
  const proxy = isProxyExempt(baseUrl, transport.noProxy) ? undefined : transport.proxy
  const target = parseTarget(proxy ?? baseUrl)
  const name = proxy === undefined ? target.host : `the proxy ${removeCredentials(proxy)}`
  const checks = [
    createPassedCheck('proxy', proxy === undefined ? 'not used' : removeCredentials(proxy)),
  ]
  const steps = [() => checkName(target), () => checkConnection(target, name)]
  if (proxy === undefined && target.secure) steps.push(() => checkTls(target, transport, now))
  for (const step of steps) {
    const check = await step()
    checks.push(check)
    if (check.status === 'failure') break
  }
  return checks
}
