/** Requests without a whole answer: what the network did, in plain words. */
import { Failure, type FailureDetails } from '../../errors.js'
import { type AdmissionResult, details, type NextStep } from '../types.js'
import { oneLine } from './text.js'

/** As `oneLine`, at most `length` characters. */
const excerpt = (text: string, length: number): string => {
  const line = oneLine(text.slice(0, length * 4))
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}

/** A request whose answer did not come, or did not come whole. */
export class LostRequest extends Failure {
  /** Whether the same request may do better when it is sent again. */
  readonly transient: boolean
  /** Whether the instance may have received it. */
  readonly sent: boolean

  constructor(message: string, details: FailureDetails, transient: boolean, sent: boolean) {
    super('unreachable', message, details)
    this.transient = transient
    this.sent = sent
  }
}

interface Kind {
  readonly why: string
  readonly next: NextStep
  readonly transient?: true
}

const again: NextStep = { code: 'way' }
const address: NextStep = { code: 'address' }
const authority: NextStep = { code: 'authority' }
const slow: NextStep = { code: 'slow' }

const cut: Kind = { why: 'the connection was cut', next: again, transient: true }
const noAnswer: Kind = { why: 'no response in time', next: slow, transient: true }
const noConnection: Kind = {
  why: 'could not connect in time',
  next: address,
  transient: true,
}
const noWay: Kind = { why: 'no route to the host', next: address, transient: true }
const untrusted: Kind = { why: 'its certificate is from an unknown authority', next: authority }
const notTls: Kind = {
  why: 'no TLS on that port',
  next: 'Check the scheme (https://) and the port of the base URL.',
}

const kinds: Readonly<Record<string, Kind>> = {
  ENOTFOUND: { why: 'host name not found', next: address },
  EAI_AGAIN: { why: 'host name could not be resolved', next: address, transient: true },
  ECONNREFUSED: { why: 'the connection was refused', next: address, transient: true },
  ECONNRESET: cut,
  EPIPE: cut,
  UND_ERR_SOCKET: cut,
  HPE_INVALID_EOF_STATE: cut,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: { ...cut, why: 'the response was incomplete' },
  ETIMEDOUT: noConnection,
  UND_ERR_CONNECT_TIMEOUT: noConnection,
  UND_ERR_HEADERS_TIMEOUT: noAnswer,
  UND_ERR_BODY_TIMEOUT: { ...noAnswer, why: 'the response stopped midway' },
  EHOSTUNREACH: noWay,
  ENETUNREACH: noWay,
  CERT_HAS_EXPIRED: {
    why: 'its certificate has expired',
    next: 'Ask its administrators to renew the certificate. Check the clock of this machine, too.',
  },
  CERT_NOT_YET_VALID: { why: 'its certificate is not valid yet', next: 'Check the clock.' },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    why: 'its certificate is for another name',
    next: 'Check the host in the base URL.',
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: { why: 'its certificate is self-signed', next: authority },
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  EPROTO: notTls,
  ERR_SSL_WRONG_VERSION_NUMBER: notTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: notTls,
  UND_ERR_HEADERS_OVERFLOW: { why: 'its headers were too large', next: again },
  UND_ERR_PRX_TLS: { why: 'the proxy’s certificate was not accepted', next: authority },
}

const notHttp: Kind = { why: 'the response is not HTTP', next: address }
const proxy: Kind = {
  why: 'the proxy refused',
  next: 'Check HTTP_PROXY, HTTPS_PROXY and NO_PROXY, or the profile’s proxy with its username and password.',
}

const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  return error instanceof AggregateError ? codeOf(error.errors[0]) : codeOf(error.cause)
}

const kindOf = (error: unknown, code: string): Kind => {
  const text = error instanceof Error ? error.message : String(error)
  if (/Proxy (response|Authentication)/.test(text))
    return { ...proxy, why: `${proxy.why} (${excerpt(text, 80)})` }
  const known = kinds[code]
  if (known !== undefined) return known
  if (error instanceof Error && error.name === 'HTTPParserError') return notHttp
  return { why: excerpt(text, 200) || 'the connection failed', next: again }
}

/** A system's error says which machine it is about. */
const machineOf = (
  error: unknown,
): { readonly host: string; readonly port?: number } | undefined => {
  if (!(error instanceof Error)) return undefined
  if ('hostname' in error && typeof error.hostname === 'string') return { host: error.hostname }
  if ('port' in error && typeof error.port === 'number' && 'address' in error)
    return { host: String(error.address), port: error.port }
  return machineOf(error instanceof AggregateError ? error.errors[0] : error.cause)
}

/** The proxy, where the trouble was on the way to it: a machine other than the one that was asked. */
const otherMachine = (error: unknown, asked: URL | undefined): string | undefined => {
  const machine = machineOf(error)
  if (machine === undefined || asked === undefined) return undefined
  const { host, port } = machine
  const own =
    asked.port === '' ? { 'http:': 80, 'https:': 443 }[asked.protocol] : Number(asked.port)
  if (port === undefined) return host === asked.hostname ? undefined : host
  return port === own ? undefined : `${host}:${port}`
}

/**
 * A network error as a Failure `unreachable`.
 * @param request method and address without credentials
 * @param sent whether the instance may have received the request
 * @param begun whether an answer had begun to come
 */
export const lostTo = (
  error: unknown,
  request: string,
  sent: boolean,
  begun = false,
): LostRequest => {
  if (error instanceof LostRequest) return error
  const code = codeOf(error)
  const { why, next, transient = false } = kindOf(error, code)
  const address = request.slice(request.indexOf(' ') + 1)
  const asked = URL.canParse(address) ? new URL(address) : undefined
  const other = otherMachine(error, asked)
  return new LostRequest(
    `${begun ? 'incomplete' : 'no'} response from ${asked?.host ?? 'the instance'}: ${other === undefined ? '' : `on the way to the proxy ${other} `}${why}`,
    {
      request,
      ...details(other === undefined ? next : proxy.next),
      cause: error,
      ...(code === '' ? {} : { code }),
      unreached: !sent,
    },
    transient,
    sent,
  )
}

/** An answer that came and cannot be used: not what was asked for, or broken on the way. */
export const unusable = (why: string, request: string, next: NextStep = again): LostRequest =>
  new LostRequest(why, { request, ...details(next) }, false, true)

/** The same failure for a request that may have changed something. */
export const unknownOutcome = (failure: Failure): Failure =>
  new Failure(
    failure.category,
    `${failure.message}; it is unknown whether the request was carried out`,
    {
      ...failure.details,
      unknownOutcome: true,
      hint: 'Check the current state before you send it again.',
      // For requests that change nothing, whatever their method.
      cause: failure,
    },
  )

const timedOut = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT'])

/** How a request without an answer went, as the gate is told. */
export const getLoss = (error: unknown): Extract<AdmissionResult, { lost: string }>['lost'] => {
  if (error instanceof Failure && error.category === 'interrupted') return 'interrupted'
  return timedOut.has(codeOf(error)) ? 'time-out' : 'connection'
}
