/** Reads the headers of answers, including the waits that they ask for in milliseconds, and builds the headers of requests. */
import { sessionCookie } from '../catalogue/documented-names.js'
import { usage } from '../errors.js'
import type { AnswerHeaders, ClientOptions, Credential, HeaderNames, WireRequest } from './types.js'

/** Returns the first value of a header. */
export const readHeader = (headers: AnswerHeaders, name: string): string | undefined => {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Parses a whole number; returns undefined for any other text. */
export const parseCount = (text: string | null | undefined): number | undefined =>
  /^\d{1,15}$/.test(text?.trim() ?? '') ? Number(text) : undefined

/** The lowest number that counts as a time in epoch seconds; lower numbers count seconds from now. Some proxies send such a time. */
const epochFloor = 1e9
const secondsPattern = /^\d+(\.\d+)?$/

/** A date of HTTP in its three forms (RFC 9110, 5.6.7), or of ISO 8601: JavaScript also reads `-5` and `soon 5` as dates. */
const datePattern = /^(?:[A-Z][a-z]{2,8},? .*|\d{4}-\d\d-\d\dT.*)$/
/** Matches the oldest form of a date, which has no zone and means GMT. */
const withoutZone = /\d{4}$/
/** The longest wait in seconds. It keeps numbers of milliseconds exact and finite. */
const maxWait = 1e12

const parseDate = (text: string): number => {
  if (!datePattern.test(text)) return Number.NaN
  return Date.parse(withoutZone.test(text) ? `${text} GMT` : text)
}

/** Returns the time in milliseconds that a number of epoch seconds names; undefined for a number of seconds from now. */
export const toEpochTime = (seconds: number): number | undefined =>
  seconds >= epochFloor && seconds < maxWait ? seconds * 1000 : undefined

/** Parses seconds from now, or a time in epoch seconds; a past time asks for no wait. Returns undefined for any other text. */
const parseSeconds = (text: string, now: number): number | undefined => {
  if (!secondsPattern.test(text)) return undefined
  const seconds = Number(text)
  const time = toEpochTime(seconds)
  return time === undefined ? Math.min(maxWait, seconds) * 1000 : Math.max(0, time - now)
}

/** Parses `Retry-After`: seconds or a time; a past time asks for no wait. Returns undefined for any other text. */
export const parseRetryAfter = (header: string | undefined, now: number): number | undefined => {
  const text = header?.trim() ?? ''
  const wait = parseSeconds(text, now)
  if (wait !== undefined) return wait
  const until = parseDate(text)
  return Number.isNaN(until) ? undefined : Math.max(0, until - now)
}

/** Parses `RateLimit-Reset`: epoch seconds, or seconds from now. Returns undefined for any other text. */
export const parseRateReset = (header: string | undefined, now: number): number | undefined =>
  parseSeconds(header?.trim() ?? '', now)

/**
 * Returns the wait that an answer asks for: that of `Retry-After`, or else the time until the limit's window ends. The window counts only
 * for a 429, or if nothing remains of the limit. Any other failure has nothing to do with it.
 * @param header gives a header of the answer by its name in lower case
 */
export const getRequestedWait = (
  status: number,
  header: (name: string) => string | undefined,
  now: number,
): number | undefined => {
  const after = parseRetryAfter(header('retry-after'), now)
  if (after !== undefined) return after
  const isExhausted = status === 429 || Number(header('ratelimit-remaining') || Number.NaN) === 0
  return isExhausted ? parseRateReset(header('ratelimit-reset'), now) : undefined
}

// Request headers: exactly one credential, and no value that could inject another header.

type Header = readonly [name: string, value: string]

/** The encodings that `answers/body.ts` decodes. */
const acceptEncoding = 'gzip, deflate, br'

/** The header of each kind of credential (`http/README.md`). */
const headers: Readonly<Record<Credential['kind'], (value: string, cookie: string) => Header>> = {
  personal: (value) => ['private-token', value],
  oauth: (value) => ['authorization', `Bearer ${value}`],
  bearer: (value) => ['authorization', `Bearer ${value}`],
  basic: (value) => ['authorization', `Basic ${Buffer.from(`:${value}`).toString('base64')}`],
  session: (value, cookie) => ['cookie', `${cookie}=${value}`],
  job: (value) => ['job-token', value],
}

/** The headers that identify the sender; none of them is sent to another origin. */
const credentialNames = new Set([
  'authorization',
  'private-token',
  'job-token',
  'cookie',
  'proxy-authorization',
])

/** The headers that may go to another origin: none of them identifies the sender. */
const harmlessNames = new Set(['accept', 'accept-encoding', 'user-agent', 'range', 'if-range'])

/** Matches visible Latin-1 characters and white space. Other characters could end the header, or would be changed on the way. */
const allowedValue = /^[\t\u0020-\u007e\u00a0-\u00ff]*$/

const validateHeader = (name: string, value: string, what: string): Header => {
  if (!allowedValue.test(value))
    throw usage(`${what} contains characters that are not allowed in a header`)
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) throw usage(`"${name}" is not a valid header name`)
  return [name, value]
}

/** True if a request carries a credential of its own. */
const hasOwnCredential = (given: readonly Header[]): boolean =>
  given.some(([name]) => credentialNames.has(name))

const createCredentialHeader = (credential: Credential, cookie: string): Header => {
  if (credential.kind === 'session' && /[;,\s]/.test(credential.value))
    throw usage('the session cookie must not contain spaces, commas or semicolons')
  const [name, value] = headers[credential.kind](credential.value, cookie)
  return validateHeader(name, value, 'the credential')
}

/** The sender of a request: everything in its headers besides the request itself. */
interface Sender extends Pick<ClientOptions, 'sudo' | 'userAgent'> {
  readonly credential?: Credential | undefined
  /** False for an origin that the credential is not meant for. */
  readonly trusted: boolean
  /** The names that the instance has for headers. */
  readonly names?: HeaderNames | undefined
}

/**
 * Builds the headers of a request to the instance. A credential among the request's own headers replaces that of the client.
 * @throws Failure `usage` for a value that is not allowed in a header
 */
export const buildHeaders = (request: WireRequest, sender: Sender): Record<string, string> => {
  const own = Object.entries(request.headers).map(([name, value]) =>
    validateHeader(name.toLowerCase(), value, `the header ${name}`),
  )
  const defaults: Header[] = [
    ['accept', 'application/json'],
    ['accept-encoding', acceptEncoding],
    validateHeader('user-agent', sender.userAgent, 'the user agent'),
  ]
  const { credential, sudo, trusted, names } = sender
  const identity: Header[] = [
    ...(credential === undefined || hasOwnCredential(own)
      ? []
      : [createCredentialHeader(credential, names?.cookie ?? sessionCookie)]),
    ...(sudo === undefined ? [] : [validateHeader('sudo', sudo, 'the name of the user to act as')]),
  ]
  const all = [...defaults, ...(trusted ? identity : []), ...own]
  const sent = all.filter(([, value]) => value !== '')
  return Object.fromEntries(sent.map(([name, value]) => [names?.toOwn(name) ?? name, value]))
}

/** Selects the headers that may be sent to another origin after a redirect. */
export const selectHarmlessHeaders = (
  all: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => harmlessNames.has(name)))

/** The owner of the credential of a request. */
export type RequestAuthor = 'user' | 'job' | 'nobody'

/** Returns the owner of the credential in the headers of a request. */
export const getAuthor = (all: Readonly<Record<string, string>>): RequestAuthor => {
  if ('job-token' in all) return 'job'
  return Object.keys(all).some((name) => credentialNames.has(name)) ? 'user' : 'nobody'
}
