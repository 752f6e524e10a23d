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
  /** What the documents call what the instance calls so; itself where they agree. */
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
  /** What to do instead of a route that the instance has no more; undefined where it has it. */
  gone(route: string): string | undefined
  /** Whether the file names it as a secret. */
  named(own: string): boolean
  /** What the names of such fields end in. */
  readonly secretEndings: readonly string[]
  /**
   * Whether the words leave an endpoint what it is.
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

/** What names are in both directions. */
export interface Naming extends Pick<Words, 'name' | 'neutral'> {
  /** A field, as each of several instances calls it. */
  readonly each?: (name: string) => readonly string[]
  readonly family?: Words['family']
}

/**
 * The key under which a record has a field: where it has both names, the instance's.
 * @param name either of them
 * @returns undefined where the record has neither
 */
export const keyIn = (record: object, name: string, words?: Naming): string | undefined =>
  (words === undefined
    ? [name]
    : [words.name(name), ...(words.each?.(name) ?? []), name, words.neutral(name)]
  ).find((key) => Object.hasOwn(record, key))

/** Each level of a dotted name. */
export const dotted = (path: string, word: (name: string) => string): string =>
  path.split('.').map(word).join('.')

/** A name as messages have it: the instance's, and beside it that of the documents. */
export const called = (name: string, words: Naming | undefined): string => {
  if (words === undefined) return name
  const neutral = dotted(name, words.neutral)
  const own = dotted(neutral, words.name)
  return own === neutral ? name : `${own} [${neutral}]`
}

/** Names, each after that which the instance has for it. */
export const namesIn = (names: readonly string[], words: Naming | undefined): readonly string[] =>
  words === undefined
    ? names
    : names.flatMap((name) => {
        const own = dotted(name, words.name)
        return own === name ? [name] : [own, name]
      })

/** Two names of one parameter. */
export const bothNames = (one: string, other: string): Failure =>
  usage(`${one} and ${other} are two names of the same parameter`, 'Pass only one of them.')

// Answers in the words of their instance.

const isHolder = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof ExactNumber)

/** Gives each field of an object its other name, which is not listed. */
const rename = (record: object, neutral: Words['neutral']): void => {
  for (const [own, value] of Object.entries(record)) {
    const name = neutral(own)
    if (name === own || Object.hasOwn(record, name)) continue
    Object.defineProperty(record, name, { value, enumerable: false, configurable: true })
  }
}

type NeutralNaming = Pick<Naming, 'neutral' | 'family'>

/** In whose words an answer is. */
const heard = new WeakMap<object, NeutralNaming>()

/**
 * The same value, in which every field is found by the name of the documents, too. What is written of it
 * shows the fields as they came: the other names are not listed.
 */
export const legible = (value: unknown, words: NeutralNaming): unknown => {
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

/** Keys of custom attributes are their users'. */
const isOpen = (name: string): boolean => name === 'custom_attributes'

/** A field by the name of the documents; of values the slug of an integration that a family has alone. */
const neutralField = (
  own: string,
  value: unknown,
  words: NeutralNaming,
): readonly [string, unknown] => {
  const name = words.neutral(own)
  if (name === 'slug' && typeof value === 'string') return [name, words.family?.(value) ?? value]
  return [name, isOpen(name) ? value : neutrally(value, words)]
}

const neutrally = (value: unknown, words: NeutralNaming): unknown => {
  if (!isHolder(value)) return value
  if (Array.isArray(value)) return value.map((item: unknown) => neutrally(item, words))
  const fields = Object.entries(value)
  // Where a record has both names, the instance's own counts.
  const renamed = fields.filter(([own]) => words.neutral(own) !== own)
  return Object.fromEntries(
    [...fields, ...renamed].map(([own, inner]) => neutralField(own, inner, words)),
  )
}

/**
 * A legible answer as the documents would have it, for who never shows what came: every field has its
 * name, and no other. Anything else is left as it is.
 */
export const documented = (value: unknown): unknown => {
  const words = isHolder(value) ? heard.get(value) : undefined
  return words === undefined ? value : neutrally(value, words)
}

/** What the documents call the fields of a legible answer. */
export const meaningIn = (value: object): Words['neutral'] =>
  heard.get(value)?.neutral ?? ((own) => own)
