/** Credentials in answers: found by the name of their field, shown only on demand. */
import { Exact } from '../../base/json/json.js'
import { endsAsSecret, lastWords, masked } from '../../base/secrets/names.js'
import type { Words } from '../../catalogue/words.js'

/** `declared` is certain; of a `guessed` one only texts are masked, alone or in a list. */
export type Secrecy = 'declared' | 'guessed' | undefined

/** How secret a field of that name is. */
export type SecrecyOf = (name: string) => Secrecy

/** Whoever sends names without end gets no memory without end for them. */
const mostNames = 10_000

const secrecyOf = (
  name: string,
  declared: ReadonlySet<string>,
  words: OwnSecrets | undefined,
): Secrecy => {
  const names = words === undefined ? [name] : [name, words.neutral(name), words.name(name)]
  if (words?.named(name) === true || names.some((one) => declared.has(one))) return 'declared'
  return names.some(endsAsSecret) ? 'guessed' : undefined
}

/** What of an instance's words says which fields are secret: under either name. */
export type OwnSecrets = Pick<Words, 'name' | 'neutral' | 'secretEndings' | 'named'>

/**
 * How secret fields are: declared to hold credentials, or of a name that credentials have.
 * @param words the instance's own: they add secrets, and never take one away
 */
export const secrecies = (declared: ReadonlySet<string>, words?: OwnSecrets): SecrecyOf => {
  const known = new Map<string, Secrecy>()
  return (name) => {
    if (declared.has(name)) return 'declared'
    if (known.has(name)) return known.get(name)
    const found = secrecyOf(name, declared, words)
    if (known.size < mostNames) known.set(name, found)
    return found
  }
}

/** How secret the place under a dotted name is: as much as the most secret name on the way. */
export const secrecyAt = (secrecyOf: SecrecyOf, path: string): Secrecy => {
  const found = [path, ...path.split('.')].map(secrecyOf)
  return found.find((one) => one === 'declared') ?? found.find((one) => one !== undefined)
}

const hide = (value: unknown): unknown =>
  value === null || value === undefined || value === '' ? value : masked

const maskList = (list: readonly unknown[], secrecyOf: SecrecyOf, secrecy: Secrecy): unknown => {
  const items = list.map((item) => mask(item, secrecyOf, secrecy))
  return items.every((item, i) => item === list[i]) ? list : items
}

/**
 * The value with every secret field masked, at any depth; itself where it holds none.
 * An absent, null or empty secret is no secret: that it is not set may be seen. Numbers and
 * booleans under a name that only looks like a secret's say how it is used, not what it is.
 * @param secrecy how secret the place is where the value itself stands
 */
export const mask = (value: unknown, secrecyOf: SecrecyOf, secrecy?: Secrecy): unknown => {
  if (secrecy === 'declared') return hide(value)
  if (secrecy === 'guessed' && typeof value === 'string') return hide(value)
  if (typeof value !== 'object' || value === null || value instanceof Exact) return value
  if (Array.isArray(value)) return maskList(value, secrecyOf, secrecy)
  const fields = Object.entries(value)
  let found = false
  const hidden = fields.map(([key, inner]): [string, unknown] => {
    const shown = mask(inner, secrecyOf, secrecyOf(key))
    found ||= shown !== inner
    return [key, shown]
  })
  return found ? Object.fromEntries(hidden) : value
}

/** Words that names of secrets end in, without case: for a search that only looks for suspects. */
export const endingsOf = (declared: ReadonlySet<string>, words?: OwnSecrets): readonly string[] => [
  ...lastWords,
  ...declared,
  ...(words === undefined ? [] : [...words.secretEndings, ...[...declared].map(words.name)]),
]
