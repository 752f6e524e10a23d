/** Credentials in answers: found by the name of their field, shown only on demand. */
import { Exact } from '../base/json/json.js'
import { endsAsSecret, lastWords } from '../base/secrets/names.js'

/** What stands in a secret's place. */
export const masked = '[masked]'

/** `declared` is certain; of a `guessed` one only texts are masked, alone or in a list. */
export type Secrecy = 'declared' | 'guessed' | undefined

/** How secret a field is: declared to hold credentials, or of a name that credentials have. */
export const secrecyOf = (declared: ReadonlySet<string>, name: string): Secrecy => {
  if (declared.has(name)) return 'declared'
  return endsAsSecret(name) ? 'guessed' : undefined
}

const hide = (value: unknown): unknown =>
  value === null || value === undefined || value === '' ? value : masked

/**
 * The value with every secret field masked, at any depth.
 * An absent, null or empty secret is no secret: that it is not set may be seen. Numbers and
 * booleans under a name that only looks like a secret's say how it is used, not what it is.
 * @param secrecy how secret the place is where the value itself stands
 */
export const mask = (value: unknown, declared: ReadonlySet<string>, secrecy?: Secrecy): unknown => {
  if (secrecy === 'declared') return hide(value)
  if (secrecy === 'guessed' && typeof value === 'string') return hide(value)
  if (typeof value !== 'object' || value === null || value instanceof Exact) return value
  if (Array.isArray(value)) return value.map((item) => mask(item, declared, secrecy))
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      mask(inner, declared, secrecyOf(declared, key)),
    ]),
  )
}

/** Words that names of secrets end in, without case: for a search that only looks for suspects. */
export const endingsOf = (declared: ReadonlySet<string>): readonly string[] => [
  ...lastWords,
  ...declared,
]
