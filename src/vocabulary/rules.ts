/** What each section of a vocabulary takes: a vocabulary can rename, and never unprotect. */
import { fixedNames, readHeaders, sessionCookie } from '../catalogue/words.js'
import type { Renaming } from './entries.js'

/** Why an entry cannot stand; undefined where it can. */
export type Rule = (entry: Pick<Renaming, 'key' | 'value'>) => string | undefined

const name = /^[A-Za-z0-9_-]{1,64}$/
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/
const segment = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/

const notName = (text: string): string | undefined =>
  name.test(text) ? undefined : `"${text}" is no name: letters, digits, _ and -, at most 64`

const named: Rule = ({ key, value }) => notName(key) ?? notName(value)

const word: Rule = (entry) => {
  const { key, value } = entry
  if (/[_-]/.test(key) && name.test(key))
    return `"${key}" is more than one word: whole names stand under names`
  return named({ key, value })
}

const identifier: Rule = (entry) => {
  const { key, value } = entry
  if (key === value) return named(entry)
  const fixed = [key, value].find((one) => fixedNames.has(one))
  return named(entry) ?? (fixed === undefined ? undefined : `${fixed} is called so everywhere`)
}

const notToken = (text: string): string | undefined =>
  token.test(text) ? undefined : `"${text}" is no name of a header or cookie`

const cookie: Rule = ({ key, value }) =>
  key === sessionCookie
    ? notToken(value)
    : `there is no cookie "${key}": only ${sessionCookie} can have another name`

/** Who asks, where to, and how a body is framed: never under another name. */
const unchangeable =
  /^(?:private-token|job-token|authorization|proxy-.*|sudo|host|content-.*|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|cookie2?|set-cookie2?|accept-encoding|location)$/i

const header: Rule = ({ key, value }) => {
  const bad = notToken(key) ?? notToken(value)
  if (bad !== undefined) return bad
  const held = [key, value].find((one) => unchangeable.test(one))
  if (held !== undefined) return `the header ${held} cannot have or be another name`
  const other = key !== value && readHeaders.includes(value.toLowerCase())
  return other ? `${key} would become ${value}, which is another header` : undefined
}

const notPath = (text: string): string | undefined => {
  const segments = text.startsWith('/') ? text.slice(1).split('/') : []
  return segments.length > 0 && segments.every((one) => segment.test(one))
    ? undefined
    : `"${text}" is no path of plain segments (/geo_nodes)`
}

const path: Rule = ({ key, value }) => notPath(key) ?? notPath(value)

const slug: Rule = ({ key, value }) => notName(key) ?? notName(value)

const furtherValue: Rule = ({ key, value }) => {
  if (!/^[a-z-]+\.[a-z0-9_]+$/.test(key))
    return `"${key}" is no parameter of an area (runners.status)`
  return /^[\w.:-]{1,64}$/.test(value) ? undefined : `"${value}" is no value of an enumeration`
}

const plainText = /^[^\p{Cc}\p{Cf}]{1,200}$/u

const gone: Rule = ({ key, value }) => {
  if (!/^(?:GET|POST|PUT|PATCH|DELETE) \/\S+$/.test(key))
    return `"${key}" is no route (POST /ci/lint)`
  return plainText.test(value) ? undefined : 'what to do instead is one line of text'
}

const secret: Rule = ({ key }) => notName(key)

/** Sections whose entries are one word for another, and whether each word may stand there once. */
export const pairs = {
  words: { rule: word, single: true },
  names: { rule: identifier, single: true },
  cookies: { rule: cookie, single: true },
  headers: { rule: header, single: true },
  paths: { rule: path, single: true },
  gone: { rule: gone, single: false },
} as const

/** Sections with one word, or several, for one. */
export const lists = { slugs: slug, values: furtherValue } as const

export const secretRule: Rule = secret

/** All sections, as messages list them. */
export const sections: readonly string[] = [
  'vocabulary',
  ...Object.keys(pairs),
  ...Object.keys(lists),
  'secrets',
]
