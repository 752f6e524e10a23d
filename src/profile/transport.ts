/** Resolves how an instance is reached: proxy, certificate authorities, client certificate. */

import { isLoopback } from '../base/base-url.js'
import { readRegular } from '../base/files/regular.js'
import { usage } from '../errors.js'
import { fileFailure } from './files.js'
import type { Environment, Session } from './types.js'

/** The settings, as `http/` takes them. */
export interface TransportSettings {
  readonly proxy?: string
  readonly noProxy?: string
  /** PEM texts. */
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
  readonly insecure?: boolean
}

const variable = (env: Environment, name: string): string | undefined =>
  env[name.toLowerCase()] || env[name] || undefined

const isDecodable = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Whether an address is that of a machine alone: a proxy has no path. */
const isOrigin = ({ protocol, pathname, search, hash }: URL): boolean =>
  /^https?:$/.test(protocol) && `${pathname}${search}${hash}` === '/'

/**
 * Checks a proxy URL, whose username and password must be percent-encoded.
 * @throws Failure `usage`, which does not repeat the URL, because it may contain a password
 */
export const checkedProxy = (setting: string, proxy: string): string => {
  const url = URL.canParse(proxy) ? new URL(proxy) : undefined
  if (url === undefined || !isOrigin(url))
    throw usage(
      `${setting} is not a valid proxy URL`,
      'Use the form http://host:port or https://host:port.',
    )
  if (!isDecodable(url.username) || !isDecodable(url.password))
    throw usage(
      `${setting} contains a username or password that is not percent-encoded`,
      'Encode % as %25, @ as %40, : as %3A and / as %2F.',
    )
  return proxy
}

/** The proxy that the environment names for an address. This machine is reached without one. */
const environmentProxy = (baseUrl: string, env: Environment): string | undefined => {
  const { protocol, hostname } = new URL(baseUrl)
  if (isLoopback(hostname)) return undefined
  const own = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const name = variable(env, own) === undefined ? 'ALL_PROXY' : own
  const text = variable(env, name)
  if (text === undefined) return undefined
  const proxy = text.includes('://') ? text : `http://${text}`
  return checkedProxy(name, proxy)
}

type PemSetting = 'ca' | 'cert' | 'key'

const pemKinds: Readonly<Record<PemSetting, readonly [what: string, mark: RegExp]>> = {
  ca: ['certificate', /^-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----/m],
  cert: ['certificate', /^-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----/m],
  key: ['private key', /^-----BEGIN ([A-Z]+ )?PRIVATE KEY-----/m],
}
const encryptedKey = /^(-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED)/m

const readPem = (setting: PemSetting, file: string): string => {
  const hint = `Name another file with --${setting}-file, which \`svcctl auth login\` and \`svcctl profile set <name>\` take.`
  let text: string
  try {
    text = readRegular(file).toString()
  } catch (error) {
    throw fileFailure('read', file, error, hint)
  }
  if (setting === 'key' && encryptedKey.test(text))
    throw usage(
      `${file} is a password-protected key, which svcctl does not support`,
      `Use a key without a password that only you can read: openssl pkey -in ${file} -out <file>`,
    )
  const [what, mark] = pemKinds[setting]
  // A file of nothing would be passed over in silence.
  if (!mark.test(text)) throw usage(`${file} contains no ${what} in PEM format`, hint)
  return text
}

const readOptionalPem = (
  setting: PemSetting,
  file: string | undefined,
): Partial<Record<PemSetting, string>> =>
  file === undefined ? {} : { [setting]: readPem(setting, file) }

/**
 * Returns the transport of a session: the proxy of the profile or the environment (`HTTPS_PROXY`, `HTTP_PROXY`,
 * `ALL_PROXY`, in either case, with `NO_PROXY`), and the profile's PEM files. Undefined if nothing is special.
 * @throws Failure `usage` for an unusable PEM file or an invalid proxy
 */
export const createTransport = async (
  session: Pick<Session, 'baseUrl' | 'profile'>,
  insecure: boolean,
  env: Environment,
): Promise<TransportSettings | undefined> => {
  const { profile, baseUrl } = session
  const own = profile?.proxy
  const proxy =
    own === undefined ? environmentProxy(baseUrl, env) : checkedProxy("the profile's proxy", own)
  const noProxy = proxy === undefined ? undefined : variable(env, 'NO_PROXY')
  const transport: TransportSettings = {
    proxy,
    noProxy,
    ...readOptionalPem('ca', profile?.caFile),
    ...readOptionalPem('cert', profile?.certFile),
    ...readOptionalPem('key', profile?.keyFile),
    ...(insecure ? { insecure } : {}),
  }
  return Object.values(transport).every((part) => part === undefined) ? undefined : transport
}
