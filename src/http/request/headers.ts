/** Request headers: exactly one credential, and nothing that could inject another line. */
import { sessionCookie, type Words } from '../../catalogue/words.js'
import { usage } from '../../errors.js'
import { acceptEncoding } from '../answers/body.js'
import type { ClientOptions, Credential, WireRequest } from '../types.js'

type Header = readonly [name: string, value: string]

type Naming = Pick<Words, 'cookie' | 'header'>
const documented: Naming = { cookie: (name) => name, header: (name) => name }

/** How each kind travels (`http/README.md`). */
const headers: Readonly<Record<Credential['kind'], (value: string, words: Naming) => Header>> = {
  personal: (value) => ['private-token', value],
  oauth: (value) => ['authorization', `Bearer ${value}`],
  bearer: (value) => ['authorization', `Bearer ${value}`],
  basic: (value) => ['authorization', `Basic ${Buffer.from(`:${value}`).toString('base64')}`],
  session: (value, { cookie }) => ['cookie', `${cookie(sessionCookie)}=${value}`],
  job: (value) => ['job-token', value],
}

/** Names of headers that say who asks; none of them crosses to another origin. */
const credentialNames = new Set([
  'authorization',
  'private-token',
  'job-token',
  'cookie',
  'proxy-authorization',
])

/** What may go to another origin: nothing that says who asks. */
const harmless = new Set(['accept', 'accept-encoding', 'user-agent', 'range', 'if-range'])

/** Visible Latin-1 and blanks; anything else would end the header, or not survive the way. */
const fits = /^[\t\u0020-\u007e\u00a0-\u00ff]*$/

const checked = (name: string, value: string, what: string): Header => {
  if (!fits.test(value)) throw usage(`${what} contains characters that are not allowed in a header`)
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) throw usage(`"${name}" is not a valid header name`)
  return [name, value]
}

/** Whether a request says by itself who asks. */
const ownCredential = (given: readonly Header[]): boolean =>
  given.some(([name]) => credentialNames.has(name))

const credentialHeader = (credential: Credential, words: Naming): Header => {
  if (credential.kind === 'session' && /[;,\s]/.test(credential.value))
    throw usage('the session cookie must not contain spaces, commas or semicolons')
  const [name, value] = headers[credential.kind](credential.value, words)
  return checked(name, value, 'the credential')
}

/** What goes out besides the request itself. */
export interface Sender extends Pick<ClientOptions, 'sudo' | 'userAgent'> {
  readonly credential?: Credential | undefined
  /** False for an origin that the credential is not meant for. */
  readonly trusted: boolean
  /** What the instance calls headers and cookies. */
  readonly words?: Naming | undefined
}

/**
 * The headers of a request to the instance. A credential among the request's own headers takes the
 * place of the client's.
 * @throws Failure `usage` for a value that cannot stand in a header
 */
export const headersFor = (request: WireRequest, sender: Sender): Record<string, string> => {
  const own = Object.entries(request.headers).map(([name, value]) =>
    checked(name.toLowerCase(), value, `the header ${name}`),
  )
  const defaults: Header[] = [
    ['accept', 'application/json'],
    ['accept-encoding', acceptEncoding],
    checked('user-agent', sender.userAgent, 'the user agent'),
  ]
  const { credential, sudo, trusted, words = documented } = sender
  const identity: Header[] = [
    ...(credential === undefined || ownCredential(own)
      ? []
      : [credentialHeader(credential, words)]),
    ...(sudo === undefined ? [] : [checked('sudo', sudo, 'the name of the user to act as')]),
  ]
  const all = [...defaults, ...(trusted ? identity : []), ...own]
  const sent = all.filter(([, value]) => value !== '')
  return Object.fromEntries(sent.map(([name, value]) => [words.header(name), value]))
}

/** The headers that may follow a redirect to another origin. */
export const strangerHeaders = (all: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => harmless.has(name)))

/** Whether a request's headers say who asks. */
export const isSigned = (all: Readonly<Record<string, string>>): boolean =>
  Object.keys(all).some((name) => credentialNames.has(name))
