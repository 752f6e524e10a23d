/**
 * An instance's own words for those of the catalogue, and answers in them for readers who know the catalogue's. Every
 * room takes them as a value; `vocabulary/` makes one from a file, and without a file everything is called as the
 * documents call it.
 */

import { ExactNumber } from '../base/json/json.js'
import { type Failure, usage } from '../errors.js'
import type { Endpoint } from './endpoint.js'

export interface Words {
  /** A field, as each of several instances calls it. */
  readonly each?: (name: string) => readonly string[]
  /** A parameter or field, as the instance calls it. Of a name with brackets each level. */
  name(neutral: string): string
  /** Returns the documents' name for one of the instance's; the name itself where they agree. */
  neutral(own: string): string
  /** The path of a route, its literal segments in the instance's words. */
  path(path: string): string
  /** The slugs of integrations of a family. */
  slugs(family: string): readonly string[]
  /** The family that has the slug, and no other; undefined where none has. */
  family(slug: string): string | undefined
  /** A header, in lower case. */
  header(name: string): string
  /** The cookie of a session. */
  cookie(name: string): string
  /** Further values of a parameter, by area and name (`runners.status`). */
  values(of: string): readonly string[]
  /** Returns what to do instead of a route that the instance no longer has; undefined where it has the route. */
  gone(route: string): string | undefined
  /** True if the file names the field as a secret. */
  named(own: string): boolean
  /** The endings of the names of secret fields. */
  readonly secretEndings: readonly string[]
  /**
   * Checks that the words leave an endpoint what it is.
   * @throws Failure `usage` where two of its names become one, or it becomes another one
   */
  check(endpoint: Endpoint): Promise<void>
}

/**
 * The words that stand for the name of a product in the documents ("Naming rule" of the general rules). An instance has its own
 * in their place, the same throughout; all else has the same name everywhere.
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

/** Names that the tool itself reads and writes wherever lists are: no instance has others. */
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

/** The headers of answers that anything depends on. */
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

/** The cookie of a session, as the documents call it. */
export const sessionCookie = '_svc_session'

/** The translation of names in both directions. */
export interface Naming extends Pick<Words, 'name' | 'neutral'> {
  /** A field, as each of several instances calls it. */
  readonly each?: (name: string) => readonly string[]
  readonly family?: Words['family']
}

/**
 * Returns the key under which a record has a field: where it has both names, the instance's.
 * @param name either of them
 * @returns undefined where the record has neither
 */
export const findKey = (record: object, name: string, words?: Naming): string | undefined =>
  (words === undefined
    ? [name]
    : [words.name(name), ...(words.each?.(name) ?? []), name, words.neutral(name)]
  ).find((key) => Object.hasOwn(record, key))

/** Translates each level of a dotted name. */
export const mapDottedName = (path: string, word: (name: string) => string): string =>
  path.split('.').map(word).join('.')

/** Returns a name for messages: the instance's, and beside it that of the documents. */
export const describeName = (name: string, words: Naming | undefined): string => {
  if (words === undefined) return name
  const neutral = mapDottedName(name, words.neutral)
  const own = mapDottedName(neutral, words.name)
  return own === neutral ? name : `${own} [${neutral}]`
}

/** Returns the names, each after the one that the instance has for it. */
export const addOwnNames = (
  names: readonly string[],
  words: Naming | undefined,
): readonly string[] =>
  words === undefined
    ? names
    : names.flatMap((name) => {
        const own = mapDottedName(name, words.name)
        return own === name ? [name] : [own, name]
      })

/** Creates the failure for a line with two names of one parameter. */
export const createNameConflictFailure = (one: string, other: string): Failure =>
  usage(`${one} and ${other} are two names of the same parameter`, 'Pass only one of them.')

// Answers in the words of their instance.

const isHolder = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof ExactNumber)

/** Gives each field of an object its other name, which is not enumerable. */
const rename = (record: object, neutral: Words['neutral']): void => {
  for (const [own, value] of Object.entries(record)) {
    const name = neutral(own)
    if (name === own || Object.hasOwn(record, name)) continue
    Object.defineProperty(record, name, { value, enumerable: false, configurable: true })
  }
}

type NeutralNaming = Pick<Naming, 'neutral' | 'family'>

/** The words in which each answer is. */
const heard = new WeakMap<object, NeutralNaming>()

/**
 * Makes every field of a value available by the documents' name, too, and returns the same value. Its output
 * shows the fields as they came: the other names are not listed.
 */
export const makeLegible = (value: unknown, words: NeutralNaming): unknown => {
  const { neutral } = words
  if (isHolder(value)) heard.set(value, words)
  const open: unknown[] = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!isHolder(next)) continue
    if (!Array.isArray(next)) rename(next, neutral)
    for (const inner of Object.values(next)) if (isHolder(inner)) open.push(inner)
  }
  return value
}

/** True for fields whose keys are the users' own: custom attributes. */
const isOpen = (name: string): boolean => name === 'custom_attributes'

/** Returns a field by the name of the documents; of values, the slug of an integration that a family has alone. */
const toNeutralField = (
  own: string,
  value: unknown,
  words: NeutralNaming,
): readonly [string, unknown] => {
  const name = words.neutral(own)
  if (name === 'slug' && typeof value === 'string') return [name, words.family?.(value) ?? value]
  return [name, isOpen(name) ? value : toNeutralValue(value, words)]
}

const toNeutralValue = (value: unknown, words: NeutralNaming): unknown => {
  if (!isHolder(value)) return value
  if (Array.isArray(value)) return value.map((item: unknown) => toNeutralValue(item, words))
  const fields = Object.entries(value)
  // Where a record has both names, the instance's own counts.
  const renamed = fields.filter(([own]) => words.neutral(own) !== own)
  return Object.fromEntries(
    [...fields, ...renamed].map(([own, inner]) => toNeutralField(own, inner, words)),
  )
}

/**
 * Returns a legible answer as the documents would have it, for readers who never show the original: every field has its
 * name, and no other. Anything else is left as it is.
 */
export const toDocumented = (value: unknown): unknown => {
  const words = isHolder(value) ? heard.get(value) : undefined
  return words === undefined ? value : toNeutralValue(value, words)
}

/** Returns the function that translates the fields of a legible answer to the documents' names. */
export const getNeutralNaming = (value: object): Words['neutral'] =>
  heard.get(value)?.neutral ?? ((own) => own)
