/** Describes answers and network errors in plain words: text for one line, and the failures of requests without a whole answer. */
import { Failure, type FailureDetails } from '../../errors.js'
import { type AdmissionResult, type NextStep, toDetails } from '../types.js'

/** Controls, directional overrides and separators that could move a cursor or reorder a line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression searches for control characters
const unseen = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

const escapeCharacter = (char: string): string => `\\u{${char.charCodeAt(0).toString(16)}}`

/** Collapses white space, and makes control characters visible. */
export const toOneLine = (text: string): string =>
  text
    .replace(/[ \t\r\n]+/g, ' ')
    .replace(unseen, escapeCharacter)
    .trim()

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
}

/** Replaces the common entities of markup by their characters. */
const decodeEntities = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] ?? entity)

/** True if a text is markup: neither JSON nor any text of the API begins like this. */
export const isPage = (text: string): boolean => /^\s*<[!?a-z]/i.test(text)

/** Returns the title of an HTML page, or else its first heading. */
export const findPageTitle = (text: string): string | undefined => {
  const [, title] =
    /<title[^>]*>([^<]{1,500})/i.exec(text) ?? /<h1[^>]*>([^<]{1,500})/i.exec(text) ?? []
  if (title === undefined) return undefined
  const plain = toOneLine(decodeEntities(title))
  return plain === '' ? undefined : plain
}

/** The number of characters of an error in XML that are searched. */
const searchedLength = 2000

/** Returns the code and the message of an object storage's error in XML, as all common ones write it; undefined for other texts. */
export const findStorageError = (text: string): string | undefined => {
  const beginning = text.slice(0, searchedLength)
  const [, code] = /<Code>([^<]{1,100})<\/Code>/.exec(beginning) ?? []
  if (code === undefined || !/<Error[\s>]/.test(beginning)) return undefined
  const [, message = ''] = /<Message>([^<]{1,500})<\/Message>/.exec(beginning) ?? []
  const parts = [code, decodeEntities(message)].map(toOneLine)
  return parts.filter((part) => part !== '').join(': ')
}

// Requests without a whole answer.

/** Converts text to one line of at most `length` characters. */
const shortenText = (text: string, length: number): string => {
  const line = toOneLine(text.slice(0, length * 4))
  return line.length > length ? `${line.slice(0, length - 1)}…` : line
}

/** A request whose answer did not come, or did not come whole. */
export class LostRequest extends Failure {
  /** True if sending the same request again may succeed. */
  readonly transient: boolean
  /** True if the instance may have received the request. */
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
  /** True if the server ended the handshake, so that it read no request. */
  readonly unread?: true
}

const networkHint: NextStep = { code: 'way' }
const address: NextStep = { code: 'address' }
const authority: NextStep = { code: 'authority' }
const slow: NextStep = { code: 'slow' }

const connectionCut: Kind = { why: 'the connection was cut', next: networkHint, transient: true }
const noAnswer: Kind = { why: 'no response in time', next: slow, transient: true }
const noConnection: Kind = {
  why: 'could not connect in time',
  next: address,
  transient: true,
}
const noRoute: Kind = { why: 'no route to the host', next: address, transient: true }
const untrusted: Kind = { why: 'its certificate is from an unknown authority', next: authority }
const identity: NextStep = { code: 'identity' }
const refusedHandshake: Kind = {
  why: 'it refused the TLS handshake, and may require a client certificate',
  next: identity,
  unread: true,
}
const rejectedIdentity: Kind = {
  why: 'it rejected the client certificate',
  next: { code: 'client-certificate' },
  unread: true,
}
const notTls: Kind = {
  why: 'no TLS on that port',
  next: 'Check the scheme (https://) and the port of the base URL.',
}

/** The next step after a proxy refused a request or could not be reached. */
export const proxyHint =
  'Check HTTP_PROXY, HTTPS_PROXY and NO_PROXY, or the profile’s proxy with its username and password.'

const kinds: Readonly<Record<string, Kind>> = {
  ENOTFOUND: { why: 'host name not found', next: address },
  EAI_AGAIN: { why: 'host name could not be resolved', next: address, transient: true },
  ECONNREFUSED: { why: 'the connection was refused', next: address, transient: true },
  ECONNRESET: connectionCut,
  EPIPE: connectionCut,
  UND_ERR_SOCKET: connectionCut,
  HPE_INVALID_EOF_STATE: connectionCut,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: { ...connectionCut, why: 'the response was incomplete' },
  ETIMEDOUT: noConnection,
  UND_ERR_CONNECT_TIMEOUT: noConnection,
  UND_ERR_HEADERS_TIMEOUT: noAnswer,
  UND_ERR_BODY_TIMEOUT: { ...noAnswer, why: 'the response stopped midway' },
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
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
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: {
    why: 'it requires a client certificate',
    next: identity,
    unread: true,
  },
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: refusedHandshake,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: refusedHandshake,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: rejectedIdentity,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: rejectedIdentity,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED: rejectedIdentity,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: rejectedIdentity,
  EPROTO: notTls,
  ERR_SSL_WRONG_VERSION_NUMBER: notTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: notTls,
  UND_ERR_HEADERS_OVERFLOW: { why: 'its headers were too large', next: networkHint },
  PROXY_CUT: { why: 'the proxy cut the connection', next: proxyHint, transient: true },
  PROXY_TIMEOUT: { why: 'the proxy did not respond in time', next: proxyHint, transient: true },
  UND_ERR_PRX_TLS: { why: 'the proxy’s certificate was not accepted', next: authority },
}

const notHttp: Kind = { why: 'the response is not HTTP', next: address }

const findErrorCode = (error: unknown): string => {
  if (!(error instanceof Error)) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  return error instanceof AggregateError
    ? findErrorCode(error.errors[0])
    : findErrorCode(error.cause)
}

const classifyError = (error: unknown, code: string): Kind => {
  const text = error instanceof Error ? error.message : String(error)
  const [, status] = /^Proxy .{0,60}\((\d{3})\)/.exec(text) ?? []
  if (status !== undefined) return { why: `the proxy refused (${status})`, next: proxyHint }
  // OpenSSL 3.5, which Node has since version 22, names the alerts of SSLv3 otherwise.
  const known = kinds[code.replace('SSL/TLS_ALERT', 'SSLV3_ALERT')]
  if (known !== undefined) return known
  if (error instanceof Error && error.name === 'HTTPParserError') return notHttp
  return { why: shortenText(text, 200) || 'the connection failed', next: networkHint }
}

/** Returns the machine that a system error names. */
const findMachine = (
  error: unknown,
): { readonly host: string; readonly port?: number } | undefined => {
  if (!(error instanceof Error)) return undefined
  if ('hostname' in error && typeof error.hostname === 'string') return { host: error.hostname }
  if ('port' in error && typeof error.port === 'number' && 'address' in error)
    return { host: String(error.address), port: error.port }
  return findMachine(error instanceof AggregateError ? error.errors[0] : error.cause)
}

/** Returns the proxy's host and port if the error concerns another machine than the requested one. */
const findProxyMachine = (error: unknown, requestedUrl: URL | undefined): string | undefined => {
  const machine = findMachine(error)
  if (machine === undefined || requestedUrl === undefined) return undefined
  const { host, port } = machine
  const requestedPort =
    requestedUrl.port === ''
      ? { 'http:': 80, 'https:': 443 }[requestedUrl.protocol]
      : Number(requestedUrl.port)
  if (port === undefined) return host === requestedUrl.hostname ? undefined : host
  return port === requestedPort ? undefined : `${host}:${port}`
}

/**
 * Converts a network error to a Failure `unreachable`.
 * @param request the method and address without credentials
 * @param sent true if the instance may have received the request
 * @param begun true if an answer had begun to arrive
 */
export const toLostRequest = (
  error: unknown,
  request: string,
  sent: boolean,
  begun = false,
): LostRequest => {
  if (error instanceof LostRequest) return error
  const code = findErrorCode(error)
  const { why, next, transient = false, unread } = classifyError(error, code)
  const isSent = sent && unread !== true
  const address = request.slice(request.indexOf(' ') + 1)
  const url = URL.canParse(address) ? new URL(address) : undefined
  const other = findProxyMachine(error, url)
  return new LostRequest(
    `${begun ? 'incomplete' : 'no'} response from ${url?.host ?? 'the instance'}: ${other === undefined ? '' : `on the way to the proxy ${other} `}${why}`,
    {
      request,
      ...toDetails(other === undefined ? next : proxyHint),
      cause: error,
      ...(code === '' ? {} : { code }),
      unreached: !isSent,
    },
    transient,
    isSent,
  )
}

/** Creates the failure of an answer that arrived and cannot be used, because its content is unexpected or damaged. */
export const createUnusableAnswerFailure = (
  why: string,
  request: string,
  next: NextStep = networkHint,
  details: FailureDetails = {},
): LostRequest => new LostRequest(why, { request, ...toDetails(next), ...details }, false, true)

/** Returns the same failure, marked as having an unknown outcome, for a request that may have changed something. */
export const markUnknownOutcome = (failure: Failure): Failure =>
  new Failure(
    failure.category,
    `${failure.message}; it is unknown whether the request was carried out`,
    {
      ...failure.details,
      unknownOutcome: true,
      hint: 'Check the current state before you send it again.',
      // The original failure, for requests that change nothing although their method may.
      cause: failure,
    },
  )

const timedOut = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'PROXY_TIMEOUT',
])

/** Returns the kind of loss of a request without an answer, as the gate counts it. */
export const getLoss = (error: unknown): Extract<AdmissionResult, { lost: string }>['lost'] => {
  if (error instanceof Failure && error.category === 'interrupted') return 'interrupted'
  return timedOut.has(findErrorCode(error)) ? 'time-out' : 'connection'
}
