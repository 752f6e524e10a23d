/**
 * Translates between the documented names and those of an instance, in requests and responses. `vocabulary/` reads the names of an
 * instance from a file.
 */

import { hasParts } from '../base/objects.js'
import type { SecretWords } from '../base/secrets/mask.js'
import type { Endpoint } from './endpoint.js'

/** The names of an instance for parameters and fields, next to the documented ones. */
export interface Naming {
  /** Returns the instance's name for a parameter or field. Each level of a name with dots or brackets is translated. */
  name(neutral: string): string
  /** Returns the documented name for one of the instance's names. It is the same name unless they differ. */
  neutral(own: string): string
  /** Returns the names that a vocabulary has for a documented one: several if it is for more than one instance. */
  listOwnNames(neutral: string): readonly string[]
  /** Returns a name for messages: the instance's name, with the documented one if they differ. */
  describeName(name: string): string
  /** Returns the names, each after the name that the instance has for it. */
  addOwnNames(names: readonly string[]): readonly string[]
  /**
   * Adds the documented names to all fields of a value, and returns the same value. Printed output does not contain
   * them, since they are not enumerable. If a record has both names of a field, the instance's own counts.
   */
  makeLegible(value: unknown): unknown
}

export interface Words extends SecretWords, Naming {
  /** The address of the only instance that it applies to; undefined if it applies to any. */
  readonly serves?: string | undefined
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
   * Returns an endpoint with the instance's path and names of parameters; its fields keep the documented names.
   * @throws Failure `usage` if two of its names become the same one, or if it becomes another endpoint
   */
  rename(endpoint: Endpoint): Promise<Endpoint>
}

// Translation of responses.

/** Adds a property with the documented name to each translated field of an object. It is not enumerable. */
const addNeutralNames = (record: object, neutral: Words['neutral']): void => {
  for (const [own, value] of Object.entries(record)) {
    const name = neutral(own)
    if (name !== own) Object.defineProperty(record, name, { value, configurable: true })
  }
}

type NamingSource = Pick<Words, 'name' | 'neutral' | 'family'> &
  Partial<Pick<Words, 'listOwnNames'>>

/** The names of each response. */
const sources = new WeakMap<object, NamingSource>()

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
  if (!hasParts(value)) return value
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
  const words = hasParts(value) ? sources.get(value) : undefined
  if (words === undefined) return value
  return renameFields(value, words.neutral, words.family)
}

// Names of fields.

/** Creates the look-ups of names from those in both directions. */
export const createNaming = (source: NamingSource): Naming => {
  const { name, neutral, listOwnNames = (field) => [name(field)] } = source
  return {
    name,
    neutral,
    listOwnNames,
    describeName: (field) => {
      const documented = neutral(field)
      const own = name(documented)
      return own === documented ? field : `${own} [${documented}]`
    },
    addOwnNames: (fields) => fields.flatMap((field) => [...new Set([name(field), field])]),
    makeLegible: (value) => {
      if (!hasParts(value) || sources.has(value)) return value
      sources.set(value, source)
      const open: unknown[] = [value]
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        if (!hasParts(next)) continue
        if (!Array.isArray(next)) addNeutralNames(next, neutral)
        for (const inner of Object.values(next)) if (hasParts(inner)) open.push(inner)
      }
      return value
    },
  }
}

const keep = <T>(value: T): T => value

/** The vocabulary of an instance without names of its own. */
export const documentedWords: Words = {
  name: keep,
  neutral: keep,
  listOwnNames: () => [],
  describeName: keep,
  addOwnNames: keep,
  makeLegible: keep,
  path: keep,
  slugs: () => [],
  family: () => undefined,
  header: keep,
  cookie: keep,
  values: () => [],
  gone: () => undefined,
  named: () => false,
  secretEndings: [],
  rename: async (endpoint) => endpoint,
}
