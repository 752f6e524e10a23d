/**
 * An instance's own words for those of the catalogue. Every room takes them as a value; `vocabulary/`
 * makes one from a file, and without a file everything is called as the documents call it.
 */
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

/** What instances call it, where that is something else. */
export const ownNames = (name: string, words: Naming): readonly string[] =>
  [...new Set([words.name(name), ...(words.each?.(name) ?? [])])].filter((own) => own !== name)

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
