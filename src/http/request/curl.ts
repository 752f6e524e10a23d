/** A request as a curl command that does the same, every credential a shell variable. */
import { normalizeBaseUrl } from '../../base/base-url.js'
import { mayBeSecretHeader } from '../../base/secrets/names.js'
import { sessionCookie, type Words } from '../../catalogue/words.js'
import { maskSecrets } from '../answers/secrets.js'
import type { Credential, Part, WireRequest } from '../types.js'
import { addressOf, apiRoot } from './address.js'

/** A word for a POSIX shell. */
const quoted = (text: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

const token = '$SVC_TOKEN'
const alertKey = '$SVC_ALERT_KEY'

/** In double quotes, so that the shell puts the variable in. */
const credentialArguments: Readonly<Record<Credential['kind'], string>> = {
  personal: `--header "PRIVATE-TOKEN: ${token}"`,
  oauth: `--header "Authorization: Bearer ${token}"`,
  session: `--header "Cookie: ${sessionCookie}=${token}"`,
  job: '--header "JOB-TOKEN: $SVC_JOB_TOKEN"',
  bearer: `--header "Authorization: Bearer ${alertKey}"`,
  basic: `--user ":${alertKey}"`,
}

const credentialArgument = (
  kind: Credential['kind'],
  words: Pick<Words, 'cookie'> | undefined,
): string =>
  kind === 'session' && words !== undefined
    ? `--header "Cookie: ${words.cookie(sessionCookie)}=${token}"`
    : credentialArguments[kind]

/** A secret's name as a shell variable. */
const variable = (name: string): string => name.toUpperCase().replace(/\W/g, '_')

const credentialHeaders: Readonly<Record<string, string>> = {
  authorization: `--header "Authorization: ${token}"`,
  'private-token': credentialArguments.personal,
  'job-token': credentialArguments.job,
  cookie: `--header "Cookie: ${token}"`,
}

/** Stands where a secret stood while the body is written; no JSON text holds it by itself. */
const mark = (name: string): string => `\uE000${variable(name)}\uE001`

/** The body as a word of the shell, its secrets replaced by variables named after them. */
const bodyWord = (body: string, secrets: readonly string[]): string => {
  if (secrets.length === 0) return quoted(body)
  const marked = secrets.reduce<unknown>(
    (value, name) => maskSecrets(value, (n) => n === name, mark(name)),
    JSON.parse(body),
  )
  return JSON.stringify(marked)
    .split(/(\uE000\w+\uE001)/)
    .map((piece) => (piece.startsWith('\uE000') ? `"$${piece.slice(1, -1)}"` : quoted(piece)))
    .join('')
}

const partArgument = (part: Part): string =>
  part.bytes === undefined
    ? `--form-string ${quoted(`${part.name}=${part.value}`)}`
    : `--form ${quoted(`${part.name}=@${part.path ?? part.filename}`)}`

const bodyArguments = ({ body, parts, secrets = [] }: WireRequest): string[] => {
  if (parts !== undefined) return parts.map(partArgument)
  return typeof body === 'string' ? [`--data-raw ${bodyWord(body, secrets)}`] : []
}

const methodArguments = (method: string): string[] => {
  if (method === 'GET') return []
  return method === 'HEAD' ? ['--head'] : [`--request ${quoted(method)}`]
}

/** What curl decides by itself. */
const left = new Set(['accept-encoding', 'content-length'])

const headerArgument = (name: string, value: string): string => {
  const known = credentialHeaders[name.toLowerCase()]
  if (known !== undefined) return known
  return mayBeSecretHeader(name)
    ? `--header "${name}: $${variable(name)}"`
    : `--header ${quoted(`${name}: ${value}`)}`
}

const headerArguments = ({ headers, parts }: WireRequest): string[] =>
  Object.entries(headers)
    .filter(([name, value]) => !left.has(name.toLowerCase()) && value !== '*/*')
    .filter(([name]) => parts === undefined || name.toLowerCase() !== 'content-type')
    .map(([name, value]) => headerArgument(name, value))

/**
 * A curl command for a request, for a POSIX shell. Credentials are `$SVC_TOKEN`, `$SVC_JOB_TOKEN`
 * or `$SVC_ALERT_KEY`; secrets in a JSON body are variables named after their attributes.
 * @throws Failure `usage` for a base URL that is none
 */
export const toCurl = (
  baseUrl: string,
  request: WireRequest,
  credential?: Credential['kind'],
  sudo?: string,
  words?: Pick<Words, 'cookie'>,
): string => {
  const root = apiRoot(normalizeBaseUrl(baseUrl))
  const address = request.absolute === true ? request.path : `${addressOf(root)}${request.path}`
  const own = Object.keys(request.headers).some((name) => name.toLowerCase() in credentialHeaders)
  return [
    'curl',
    // curl reads brackets and braces as ranges unless told not to.
    ...(/[[\]{}]/.test(address) ? ['--globoff'] : []),
    ...methodArguments(request.method),
    ...(credential === undefined || own ? [] : [credentialArgument(credential, words)]),
    ...(sudo === undefined ? [] : [`--header ${quoted(`Sudo: ${sudo}`)}`]),
    ...headerArguments(request),
    ...bodyArguments(request),
    quoted(address),
  ].join(' ')
}
