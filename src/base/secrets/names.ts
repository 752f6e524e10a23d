/**
 * The names of secrets: one list for answers, traces, `--curl`, journals, exports and everything else that is shown, sent or written down.
 */

/** The text that replaces the value of a field with the name of a secret. */
export const masked = '[masked]'

/** The words that a secret's name ends in, singly or together. */
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

const ending = new RegExp(`(?:^| )(?:${endings.join('|')})$`)
/** Of names that end in `json`, with any words in between: `service_account_file_json`. */
const distant = /(?:^| )service account /
/** Anywhere in a name: `db_connection_string_primary`. */
const inside = /connection strings?(?: |$)/

const boundaries = /[_.[\]-]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/

/** A name's words: split at `_`, `-`, `.`, brackets and between lower and upper case, without case. */
const splitWords = (name: string): string => name.split(boundaries).join(' ').trim().toLowerCase()

const isSecretWords = (words: string): boolean =>
  ending.test(words) || inside.test(words) || (words.endsWith(' json') && distant.test(words))

/**
 * True if a name says that it holds a credential, by its last words: `hub_api_key`, `signingKey`, `web-dsn`, `hook[token]`; not
 * `token_expires_at`.
 */
export const isSecretName = (name: string): boolean => isSecretWords(splitWords(name))

/** The last words of such names: how a search of bytes begins. */
export const lastWords: readonly string[] = [
  ...new Set([...endings.map((words) => words.split(' ').at(-1) ?? ''), 'json']),
]

/** The last letters of such names, in every spelling: what a search of bytes finds. "id" alone ends most records. */
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

const createMemo = (judge: (name: string) => boolean): ((name: string) => boolean) => {
  const known = new Map<string, boolean>()
  return (name) => {
    const secret = known.get(name) ?? judge(name)
    if (known.size < maxKnown) known.set(name, secret)
    return secret
  }
}

/** The words that make a header secret, anywhere in its name: a header that is masked needlessly does no harm. */
const header =
  /(?:^|[-_])(?:auth|authorization|cookie2?|credentials?|key|passwd|passwords?|secrets?|session|sessionid|signature|tokens?)(?:$|[-_])/i

/** True if a header of this name is shown without its value. */
export const isSecretHeader = createMemo((name) => header.test(name) || isSecretName(name))

/** The last words of names that hold a secret only in a query: keys of signed addresses and of functions. */
const parameter = /(?:^| )(?:auth|code|key|sig|signature)$/

const decodeParameter = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** True if a parameter of a query is shown without its value; with brackets, each level counts. */
export const isSecretParameter = createMemo((name) => {
  const words = splitWords(decodeParameter(name))
  return parameter.test(words) || isSecretWords(words)
})

/** Returns true if a path of the API leads to variables, whose `value` is a secret: `/projects/1/variables/KEY`. */
export const isVariablePath = (path: string): boolean => /\/variables(?:[/?]|$)/.test(path)
