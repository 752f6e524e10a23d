/** Formats a request as an equivalent curl command, with every credential as a shell variable. */
import { normalizeBaseUrl } from '../../base/base-url.js'
import { parseExact, serializeExact } from '../../base/json/json.js'
import {
  getSecrecies,
  getSecrecy,
  isAddressText,
  maskAddresses,
  maskFields,
  maskSecrets,
  maskText,
  maskWholeText,
  type Replacement,
  type SecrecyFinder,
} from '../../base/secrets/mask.js'
import { isSecretHeader } from '../../base/secrets/names.js'
import { quoteWord } from '../../base/shell-words.js'
import { decodeUri } from '../../base/text.js'
import { sessionCookie } from '../../catalogue/documented-names.js'
import type { Credential, Part, WireRequest } from '../types.js'
import { formatAddress, getApiRoot } from './address.js'

const token = '$SVC_TOKEN'
const alertKey = '$SVC_ALERT_KEY'

/** The arguments for credentials, in double quotes, so that the shell expands the variable. */
const credentialArguments: Readonly<Record<Exclude<Credential['kind'], 'session'>, string>> = {
  personal: `--header "PRIVATE-TOKEN: ${token}"`,
  oauth: `--header "Authorization: Bearer ${token}"`,
  job: '--header "JOB-TOKEN: $SVC_JOB_TOKEN"',
  bearer: `--header "Authorization: Bearer ${alertKey}"`,
  basic: `--user ":${alertKey}"`,
}

const getCredentialArgument = (kind: Credential['kind'], cookie: string): string =>
  kind === 'session' ? `--header "Cookie: ${cookie}=${token}"` : credentialArguments[kind]

/** Converts a secret's name to a shell variable. */
const toVariableName = (name: string): string =>
  name
    .toUpperCase()
    .replace(/\W/g, '_')
    .replace(/^(?=\d)/, '_')

const credentialHeaders: Readonly<Record<string, string>> = {
  authorization: `--header "Authorization: ${token}"`,
  'private-token': credentialArguments.personal,
  'job-token': credentialArguments.job,
  cookie: `--header "Cookie: ${token}"`,
}

/** Returns a placeholder for a secret while a word is written. It uses private characters that no request contains. */
const createMark = (name: string): string => `\uE000${toVariableName(name)}\uE001`

const markReplacement: Replacement = {
  value: createMark,
  // A whole address becomes one variable. In a longer text, such as a CI file, each secret becomes a variable.
  text: (name, text) =>
    isAddressText(text) && maskText(text) !== text
      ? createMark(name)
      : maskWholeText(text, createMark),
}

/** Quotes a word of the shell, with its placeholders as variables that the shell expands. */
const quoteWithVariables = (text: string): string =>
  text
    .split(/(\uE000\w+\uE001)/)
    .filter((piece) => piece !== '')
    .map((piece) => (piece.startsWith('\uE000') ? `"$${piece.slice(1, -1)}"` : quoteWord(piece)))
    .join('') || quoteWord('')

/** Marks the secrets of a body; returns the body itself if it has none, or is not JSON. */
const markBody = (body: string, getSecrecy: SecrecyFinder): string => {
  try {
    const value = parseExact(body)
    const marked = maskSecrets(value, getSecrecy, undefined, markReplacement)
    return marked === value ? body : (serializeExact(marked) ?? body)
  } catch {
    return body
  }
}

/** Marks the secrets of an address: those that any address may have, and the parameters whose names are secret for its request. */
const markAddress = (address: string, findSecrecy: SecrecyFinder): string =>
  maskAddresses(address, createMark).replace(
    /(?<=[?&])([^?=&#]+)=([^&#]+)/g,
    (whole, name: string, value: string) => {
      const plain = decodeUri(name).replace(/\[\]$/, '')
      const isShown = value.includes('\uE000') || getSecrecy(findSecrecy, plain) === undefined
      return isShown ? whole : `${name}=${createMark(plain)}`
    },
  )

const formatPart = (part: Part, findSecrecy: SecrecyFinder): string => {
  const { name } = part
  if (part.bytes !== undefined)
    return `--form ${quoteWord(`${name}=@${part.path ?? part.filename}`)}`
  const shown = maskFields({ [name]: part.value }, findSecrecy, markReplacement)[name]
  return `--form-string ${quoteWithVariables(`${name}=${String(shown)}`)}`
}

const formatBody = ({ body, parts }: WireRequest, findSecrecy: SecrecyFinder): string[] => {
  if (parts !== undefined) return parts.map((part) => formatPart(part, findSecrecy))
  return typeof body === 'string'
    ? [`--data-raw ${quoteWithVariables(markBody(body, findSecrecy))}`]
    : []
}

const formatMethod = (method: string): string[] => {
  if (method === 'GET') return []
  return method === 'HEAD' ? ['--head'] : [`--request ${quoteWord(method)}`]
}

/** The headers that curl sets by itself. */
const omittedHeaders = new Set(['accept-encoding', 'content-length'])

const formatHeader = (name: string, value: string): string => {
  const known = credentialHeaders[name.toLowerCase()]
  if (known !== undefined) return known
  return isSecretHeader(name)
    ? `--header "${name}: $${toVariableName(name)}"`
    : `--header ${quoteWithVariables(maskAddresses(`${name}: ${value}`, createMark))}`
}

const formatHeaders = ({ headers, parts }: WireRequest): string[] =>
  Object.entries(headers)
    .filter(([name, value]) => !omittedHeaders.has(name.toLowerCase()) && value !== '*/*')
    .filter(([name]) => parts === undefined || name.toLowerCase() !== 'content-type')
    .map(([name, value]) => formatHeader(name, value))

/**
 * Formats a curl command for a POSIX shell. Credentials become `$SVC_TOKEN`, `$SVC_JOB_TOKEN` or `$SVC_ALERT_KEY`; other secrets become
 * variables named after their attributes.
 * @param cookie the name of the session cookie
 * @param transport the options with which curl reaches the instance
 * @throws Failure `usage` for an invalid base URL
 */
export const toCurl = (
  baseUrl: string,
  request: WireRequest,
  credential?: Credential['kind'],
  sudo?: string,
  cookie = sessionCookie,
  transport: readonly string[] = [],
): string => {
  const root = getApiRoot(normalizeBaseUrl(baseUrl))
  const address = request.absolute === true ? request.path : `${formatAddress(root)}${request.path}`
  const own = Object.keys(request.headers).some((name) => name.toLowerCase() in credentialHeaders)
  return [
    'curl',
    // Without this option, curl expands brackets and braces as ranges.
    ...(/[[\]{}]/.test(address) ? ['--globoff'] : []),
    ...transport,
    ...formatMethod(request.method),
    ...(credential === undefined || own ? [] : [getCredentialArgument(credential, cookie)]),
    ...(sudo === undefined ? [] : [`--header ${quoteWord(`Sudo: ${sudo}`)}`]),
    ...formatHeaders(request),
    ...formatBody(request, getSecrecies(request.secrets)),
    quoteWithVariables(markAddress(address, getSecrecies(request.secrets))),
  ].join(' ')
}
