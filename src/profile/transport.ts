/** Determines how an instance is reached: the proxy, certificate authorities and client certificate. */

import { readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { isLoopback } from '../base/base-url.js'
import { readRegular } from '../base/files/regular.js'
import { machineIo } from '../base/io.js'
import { quoteWord } from '../base/shell-words.js'
import { decodeUtf8, findEncodingFault } from '../base/utf8.js'
import { usage } from '../errors.js'
import { checkProxy } from './addresses.js'
import { isOfJob } from './environment.js'
import { createFileFailure } from './files.js'
import type { Environment, Session } from './types.js'

const getProxyVariable = (env: Environment, name: string): string | undefined =>
  env[name.toLowerCase()] || env[name] || undefined

/** Returns the proxy that the environment sets for an address; undefined for an address of this machine. */
const getEnvironmentProxy = (baseUrl: string, env: Environment): string | undefined => {
  const { protocol, hostname } = new URL(baseUrl)
  if (isLoopback(hostname)) return undefined
  const own = protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const name = getProxyVariable(env, own) === undefined ? 'ALL_PROXY' : own
  const text = getProxyVariable(env, name)
  if (text === undefined) return undefined
  const proxy = text.includes('://') ? text : `http://${text}`
  return checkProxy(name, proxy)
}

type PemSetting = 'ca' | 'cert' | 'key'

const pemKinds: Readonly<Record<PemSetting, readonly [what: string, mark: RegExp]>> = {
  ca: ['certificate', /^-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----/m],
  cert: ['certificate', /^-----BEGIN (X509 |TRUSTED )?CERTIFICATE-----/m],
  key: ['private key', /^-----BEGIN ([A-Z]+ )?PRIVATE KEY-----/m],
}
const encryptedKey = /^(-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED)/m

/** The expected content of a PEM file, and the hint for a file that contains something else. */
interface PemSource {
  readonly setting: PemSetting
  readonly file: string
  /** The variable that names the file. */
  readonly name?: string
  readonly hint: string
}

/** The largest PEM file, in bytes. A file of all certificate authorities has less than a tenth of it. */
const maxPem = 16e6

const readPem = ({ setting, file, name, hint }: PemSource): string => {
  const label = name === undefined ? file : `${file} (${name})`
  let bytes: Buffer
  try {
    bytes = readRegular(file, maxPem)
  } catch (error) {
    throw createFileFailure('read', label, error, hint)
  }
  const fault = findEncodingFault(bytes)
  if (fault?.startsWith('is UTF-16') === true) throw usage(`${label} ${fault}`, hint)
  const text = decodeUtf8(bytes)
  if (setting === 'key' && encryptedKey.test(text))
    throw usage(
      `${label} is a password-protected key, which svcctl does not support`,
      `Use a key without a password that only you can read: openssl pkey -in ${file} -out <file>`,
    )
  const [what, mark] = pemKinds[setting]
  // Node would ignore a file without certificates silently.
  if (!mark.test(text)) throw usage(`${label} contains no ${what} in PEM format`, hint)
  return text
}

const readProfilePem = (
  setting: PemSetting,
  file: string | undefined,
): Partial<Record<PemSetting, string>> => {
  if (file === undefined) return {}
  const hint = `Name another file with --${setting}-file, which \`svcctl auth login\` and \`svcctl profile set <name>\` take.`
  return { [setting]: readPem({ setting, file, hint }) }
}

/** Reads all certificates in the folders of `SSL_CERT_DIR`. Other files in the folders are ignored. */
const readCertificateFolders = (folders: string): string => {
  const hint =
    'Name folders with PEM files of certificate authorities in SSL_CERT_DIR, or unset it.'
  const texts = folders.split(delimiter).flatMap((folder) => {
    if (folder === '') return []
    try {
      return readdirSync(folder).map((name) => readCertificate(join(folder, name)))
    } catch (error) {
      throw createFileFailure('read', `${folder} (SSL_CERT_DIR)`, error, hint)
    }
  })
  const found = [...new Set(texts)].filter((text) => text !== '')
  if (found.length === 0)
    throw usage(`${folders} (SSL_CERT_DIR) contains no certificates in PEM format`, hint)
  return found.join('\n')
}

/** Returns the text of a file that contains a certificate; an empty text otherwise, and if the file cannot be read. */
const readCertificate = (file: string): string => {
  try {
    const text = readRegular(file, largestCertificate).toString()
    return pemKinds.ca[1].test(text) ? text : ''
  } catch {
    return ''
  }
}

/** The largest file that is read as a certificate, in bytes. */
const largestCertificate = 4e6

/**
 * Reads the authorities that the environment adds for an address or its proxy: `SSL_CERT_FILE`, `SSL_CERT_DIR`, and the CI runner's for its own
 * instance. Node itself reads `NODE_EXTRA_CA_CERTS`.
 */
const readEnvironmentAuthorities = (
  baseUrl: string,
  proxy: string | undefined,
  env: Environment,
): readonly string[] => {
  if (![baseUrl, proxy].some((address) => address?.startsWith('https:'))) return []
  const names = ['SSL_CERT_FILE', ...(isOfJob(env, baseUrl) ? ['CI_SERVER_TLS_CA_FILE'] : [])]
  const files = names.flatMap((name) => {
    const file = env[name]
    const hint = `Name a PEM file of certificate authorities in ${name}, or unset it.`
    return file ? [readPem({ setting: 'ca', file, name, hint })] : []
  })
  return env.SSL_CERT_DIR ? [...files, readCertificateFolders(env.SSL_CERT_DIR)] : files
}

/**
 * Adds the authorities of `NODE_EXTRA_CA_CERTS`. Node reads only that of the process, and ignores it for connections with their own
 * authorities.
 */
const withExtra = (authorities: readonly string[], env: Environment): readonly string[] => {
  const file = env.NODE_EXTRA_CA_CERTS
  const isReadByNode = authorities.length === 0 && file === machineIo.env.NODE_EXTRA_CA_CERTS
  if (isReadByNode || !file) return authorities
  const extra = readCertificate(file)
  return extra === '' ? authorities : [...authorities, extra]
}

/**
 * Returns the transport of a session, in the form that `http/` accepts. The proxy is that of the profile or the environment (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`,
 * `NO_PROXY`). Certificates come from the profile's PEM files and the environment. Undefined if nothing is set.
 * @throws Failure `usage` for an unusable PEM file or an invalid proxy
 */
export const createTransport = async (
  session: Pick<Session, 'baseUrl' | 'profile'>,
  insecure: boolean,
  env: Environment,
) => {
  const { profile, baseUrl } = session
  const own = profile?.proxy
  const proxy =
    own === undefined ? getEnvironmentProxy(baseUrl, env) : checkProxy("the profile's proxy", own)
  const noProxy = proxy === undefined ? undefined : getProxyVariable(env, 'NO_PROXY')
  const { ca } = readProfilePem('ca', profile?.caFile)
  const authorities = withExtra(
    [ca ?? [], readEnvironmentAuthorities(baseUrl, proxy, env)].flat(),
    env,
  )
  const transport = {
    proxy,
    noProxy,
    ...(authorities.length === 0 ? {} : { ca: authorities.join('\n') }),
    ...readProfilePem('cert', profile?.certFile),
    ...readProfilePem('key', profile?.keyFile),
    ...(insecure ? { insecure } : {}),
  }
  return Object.values(transport).every((part) => part === undefined) ? undefined : transport
}

/** Formats the option of curl for a proxy. Its username and password become a variable. */
const formatProxyOption = (proxy: string): string => {
  const url = new URL(proxy)
  const user = url.username === '' ? '' : ' --proxy-user "$SVC_PROXY_USER"'
  url.username = ''
  url.password = ''
  return `--proxy ${quoteWord(url.href)}${user}`
}

/** Formats the options with which curl reaches an instance as its profile does. curl reads the environment by itself. */
export const formatTransportOptions = (
  { profile }: Partial<Pick<Session, 'profile'>>,
  insecure: boolean,
): readonly string[] => {
  const files = {
    '--cacert': profile?.caFile,
    '--cert': profile?.certFile,
    '--key': profile?.keyFile,
  }
  return [
    ...(insecure ? ['--insecure'] : []),
    ...Object.entries(files).flatMap(([option, file]) =>
      file === undefined ? [] : [`${option} ${quoteWord(file)}`],
    ),
    ...(profile?.proxy === undefined ? [] : [formatProxyOption(profile.proxy)]),
  ]
}
