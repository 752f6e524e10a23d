/**
 * Decides by its name whether a field, header or parameter is secret. Everything that is shown, sent or stored uses this list: answers,
 * traces, `--curl`, journals and exports.
 */

import { decodeUri } from '../text.js'

/** The text that replaces the value of a field with the name of a secret. */
export const masked = '[masked]'

/** The words that a secret's name ends in, alone or combined. */
const endings: readonly string[] = [
  'password',
  'passwords',
  'password confirmation',
  'passwd',
  'pass',
  'passphrase',
  'secret',
  'secrets',
  'token',
  'tokens',
  'dsn',
  'webhook',
  'psk',
  'jwt',
  'kubeconfig',
  'credential',
  'credentials',
  'apikey',
  'access key',
  'access key id',
  'account key',
  'alert key',
  'api key',
  'application key',
  'auth key',
  'client key',
  'encryption key',
  'private key',
  'secret key',
  'shared key',
  'signing key',
  'subscription key',
  'user key',
]

const endingPattern = new RegExp(`(?:^| )(?:${endings.join('|')})$`)
/** Matches words before an ending of `json`, with any words in between: `service_account_file_json`. */
const jsonPrefix = /(?:^| )service account /
/** Matches words anywhere in a name: `db_connection_string_primary`. */
const innerPhrase = /connection strings?(?: |$)/

const boundaries = /[_.[\]-]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/

/** Splits a name into words in lower case: at `_`, `-`, `.`, brackets, and between lower and upper case. */
const splitWords = (name: string): string => name.split(boundaries).join(' ').trim().toLowerCase()

const isSecretWords = (words: string): boolean =>
  endingPattern.test(words) ||
  innerPhrase.test(words) ||
  (words.endsWith(' json') && jsonPrefix.test(words))

/**
 * True if a name is that of a credential, by its last words: `hub_api_key`, `signingKey`, `web-dsn`, `hook[token]`; not `token_expires_at`.
 */
export const isSecretName = (name: string): boolean => isSecretWords(splitWords(name))

/** The last words of such names, with which a search of bytes begins. */
export const lastWords: readonly string[] = [
  ...new Set([...endings.map((words) => words.split(' ').at(-1) ?? ''), 'json']),
]

/**
 * The last letters of such names in every spelling, for a search of bytes. "id" alone is in most records, so
 * it is searched with the word before it.
 */
export const lastLetters: readonly string[] = lastWords.flatMap((last) =>
  last.length > 2
    ? [last]
    : endings
        .filter((words) => words.endsWith(` ${last}`))
        .map((words) => words.split(' ').at(-2) ?? '')
        .flatMap((before) => ['_', '-', '.', ''].map((sign) => `${before}${sign}${last}`)),
)

/** The words that may stand anywhere in the name of a secret, for a search of bytes. */
export const innerWords = /connection[_.-]*string/i

/** The number of names that are kept, since each request of a run has the same headers and parameters. */
const maxKnown = 200

const createMemo = (
  judge: (name: string) => boolean,
  usual: Iterable<readonly [string, boolean]> = [],
): ((name: string) => boolean) => {
  const known = new Map(usual)
  return (name) => {
    const secret = known.get(name) ?? judge(name)
    if (known.size < maxKnown) known.set(name, secret)
    return secret
  }
}

/** Matches the words that make a header secret, anywhere in its name. Masking a header needlessly does no harm. */
const secretHeader =
  /(?:^|[-_])(?:auth|authorization|cookie2?|credentials?|key|passwd|passwords?|secrets?|session|sessionid|signature|tokens?)(?:$|[-_])/i

/** The headers of nearly every request, for which no pattern is compiled. */
const usualHeaders = [
  ['accept', false],
  ['accept-encoding', false],
  ['content-type', false],
  ['user-agent', false],
  ['private-token', true],
] as const

/** True if the value of a header with this name is masked. */
export const isSecretHeader = createMemo(
  (name) => secretHeader.test(name) || isSecretName(name),
  usualHeaders,
)

/** Matches the last words of names that hold a secret only in a query, such as keys of signed addresses. */
const secretParameter = /(?:^| )(?:auth|code|key|sig|signature)$/

/** True if the value of a query parameter is masked; of a name with brackets, each level counts. */
export const isSecretParameter = createMemo((name) => {
  const words = splitWords(decodeUri(name))
  return secretParameter.test(words) || isSecretWords(words)
})

/** True if a path of the API leads to variables, whose `value` is a secret: `/projects/1/variables/KEY`. */
export const isVariablePath = (path: string): boolean => /\/variables(?:[/?]|$)/.test(path)
