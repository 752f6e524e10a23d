/**
 * Translates between the documented names and those of an instance, in requests and responses. `vocabulary/` reads the names of an
 * instance from a file.
 */

import { ExactNumber } from '../base/json/json.js'
import type { SecretWords } from '../base/secrets/mask.js'
import { type Failure, usage } from '../errors.js'
import type { Endpoint } from './endpoint.js'

export interface Words extends SecretWords {
  /** Returns the names of a field on several instances, if the vocabulary is for more than one. */
  readonly each?: (name: string) => readonly string[]
  /** Returns the instance's name for a parameter or field. Each level of a name with brackets is translated. */
  name(neutral: string): string
  /** Returns the documented name for one of the instance's names. It is the same name unless they differ. */
  neutral(own: string): string
  /** Returns the path of a route with the instance's names in its literal segments. */
  path(path: string): string
  /** Returns the slugs of the integrations in a family. */
  slugs(family: string): readonly string[]
  /** Returns the only family that has a slug; undefined if there is none. */
  family(slug: string): string | undefined
  /** Returns the instance's name for a header, in lower case. */
  header(name: string): string
  /** Returns the instance's name for the session cookie. */
  cookie(name: string): string
  /** Returns further values of a parameter, by its area and name (`runners.status`). */
  values(of: string): readonly string[]
  /** Returns the advice for a route that the instance no longer has; undefined if the instance has the route. */
  gone(route: string): string | undefined
  /**
   * Checks the translation of an endpoint.
   * @throws Failure `usage` if two of its names become the same one, or if it becomes another endpoint
   */
  check(endpoint: Endpoint): Promise<void>
}

/**
 * The words that replace names of products in the documentation ("Naming rule" of the general rules). An instance uses its own word
 * everywhere. All other names are the same on all instances.
 */
export const neutralWords = [
  'avatarsvc',
  'cloud',
  'diagram_a',
  'diagram_b',
  'errsvc',
  'monitor',
  'spamsvc',
  'svc',
] as const

/** The names that the program itself uses for all lists. They cannot be translated. */
export const fixedNames: ReadonlySet<string> = new Set([
  'page',
  'per_page',
  'pagination',
  'order_by',
  'sort',
  'id_after',
  'id_before',
  'sudo',
])

/** The headers of responses that the program reads. */
export const readHeaders: readonly string[] = [
  'link',
  'retry-after',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'x-next-page',
  'x-page',
  'x-per-page',
  'x-prev-page',
  'x-request-id',
  'x-total',
  'x-total-pages',
]

/** The documented name of the session cookie. */
export const sessionCookie = '_svc_session'

/** The translation of names in both directions. */
export type Naming = Pick<Words, 'name' | 'neutral' | 'each'> & Partial<Pick<Words, 'family'>>

/**
 * Returns the key of a field in a record. If the record has both names of the field, it is the instance's.
 * @param name either name
 * @returns undefined if the record has neither
 */
export const findKey = (record: object, name: string, words?: Naming): string | undefined => {
  if (words === undefined) return Object.hasOwn(record, name) ? name : undefined
  const own = mapDottedName(name, words.name)
  const names = [own, ...(words.each?.(name) ?? []), name, mapDottedName(name, words.neutral)]
  return names.find((key) => Object.hasOwn(record, key))
}

/** Translates each level of a dotted name. Without a translation, the name stays as it is. */
export const mapDottedName = (
  path: string,
  word: ((name: string) => string) | undefined,
): string => (word === undefined ? path : path.split('.').map(word).join('.'))

/** Returns a name for messages: the instance's name, with the documented one if they differ. */
export const describeName = (name: string, words: Naming | undefined): string => {
  const neutral = mapDottedName(name, words?.neutral)
  const own = mapDottedName(neutral, words?.name)
  return own === neutral ? name : `${own} [${neutral}]`
}

/** Returns the names, each after the name that the instance has for it. */
export const addOwnNames = (
  names: readonly string[],
  words: Naming | undefined,
): readonly string[] =>
  names.flatMap((name) => [...new Set([mapDottedName(name, words?.name), name])])

/** Creates the failure for a command line with two names of the same parameter. */
export const createNameConflictFailure = (one: string, other: string): Failure =>
  usage(`${one} and ${other} are two names of the same parameter`, 'Pass only one of them.')

// Translation of responses.

const isHolder = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof ExactNumber)

/** Adds a property with the documented name to each translated field of an object. It is not enumerable. */
const addNeutralNames = (record: object, neutral: Words['neutral']): void => {
  for (const [own, value] of Object.entries(record)) {
    const name = neutral(own)
    if (name === own || Object.hasOwn(record, name)) continue
    Object.defineProperty(record, name, { value, enumerable: false, configurable: true })
  }
}

type NeutralNaming = Pick<Naming, 'neutral' | 'family'>

/** The translation that applies to each response. */
const namings = new WeakMap<object, NeutralNaming>()

/**
 * Adds the documented names to all fields of a value, and returns the same value. Printed output does not contain them, since they are not
 * enumerable. Without a vocabulary, nothing is added.
 */
export const makeLegible = (value: unknown, words: NeutralNaming | undefined): unknown => {
  if (words === undefined) return value
  const { neutral } = words
  if (isHolder(value)) namings.set(value, words)
  const open: unknown[] = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!isHolder(next)) continue
    if (!Array.isArray(next)) addNeutralNames(next, neutral)
    for (const inner of Object.values(next)) if (isHolder(inner)) open.push(inner)
  }
  return value
}

/**
 * Translates the names of all fields of a value, except the keys of custom attributes, which users set. The only translated value is the
 * slug of an integration.
 * @param translateSlug returns the other slug; undefined if it stays as it is
 */
export const renameFields = (
  value: unknown,
  translate: (name: string) => string,
  translateSlug: (slug: string) => string | undefined,
): unknown => {
  const rename = (one: unknown): unknown => renameFields(one, translate, translateSlug)
  if (!isHolder(value)) return value
  if (Array.isArray(value)) return value.map(rename)
  const fields = Object.entries(value).map(([before, inner]) => {
    const name = translate(before)
    const isOpen = [before, name].includes('custom_attributes')
    const slug = name === 'slug' && typeof inner === 'string' ? translateSlug(inner) : undefined
    return { before, name, value: slug ?? (isOpen ? inner : rename(inner)) }
  })
  // If a record has both names of a field, the translated one counts.
  const renamed = fields.filter(({ before, name }) => before !== name)
  return Object.fromEntries([...fields, ...renamed].map((one) => [one.name, one.value]))
}

/** Returns a response with only the documented names, for readers who never print the original. Other values are returned unchanged. */
export const toDocumented = (value: unknown): unknown => {
  const words = isHolder(value) ? namings.get(value) : undefined
  if (words === undefined) return value
  return renameFields(value, words.neutral, (slug) => words.family?.(slug))
}
