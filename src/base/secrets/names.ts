/**
 * What a secret's name is, where nothing declares it: of answers, whose other fields must stay
 * readable, by its last words; of what is sent, where too much may be hidden, by any word.
 */

/** What stands in the place of a field that is secret by its name. */
export const masked = '[masked]'

/** The words that a secret's name ends in, singly or together. */
const endings: readonly (readonly string[])[] = [
  ['password'],
  ['secret'],
  ['token'],
  ['dsn'],
  ['webhook'],
  ['api', 'key'],
  ['private', 'key'],
  ['access', 'key'],
  ['secret', 'key'],
  ['signing', 'key'],
  ['client', 'key'],
  ['application', 'key'],
]

const boundaries = /[_.-]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/

/** A name's words: split at `_`, `-`, `.` and between lower and upper case, without case. */
const wordsOf = (name: string): string[] => name.split(boundaries).map((word) => word.toLowerCase())

/**
 * Whether a name's last words say that it holds a credential: `hub_api_key`, `signingKey`,
 * `web-dsn`; not `token_expires_at`.
 */
export const endsAsSecret = (name: string): boolean => {
  const words = wordsOf(name)
  return endings.some((ending) =>
    ending.every((word, i) => words[words.length - ending.length + i] === word),
  )
}

/** The last words of such names: how a search of bytes begins. */
export const lastWords: readonly string[] = [
  ...new Set(endings.flatMap((ending) => ending.slice(-1))),
]

const anyWord =
  /(^|[_-])(tokens?|passwords?|passwd|secrets?|dsn|webhook|signature|sig|credentials?|(?!public)\w*key)($|[_-])/i
const publicKey = /public_?key/i

/** Whether an attribute of this name, on its way to the instance, is shown without its value. */
export const mayBeSecret = (name: string): boolean =>
  !publicKey.test(name) && (anyWord.test(name) || endsAsSecret(name))

/** Headers that hold a secret though their names do not end as other secrets' do. */
const header = /(^|-)(auth|authorization|cookie2?|session|session-?id)$/i

/** Whether a header of this name is shown without its value. */
export const mayBeSecretHeader = (name: string): boolean => header.test(name) || mayBeSecret(name)
