/** `-p` with several: names, patterns and tags, and which profiles they mean. */
import { didYouMean } from '../base/suggest.js'
import { type Failure, usage } from '../errors.js'
import type { Profile } from './types.js'

type Known = Pick<Profile, 'name' | 'tags'>

const partsOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** Whether a part of it is no name: which profiles are meant depends on what there is. */
export const isPattern = (part: string): boolean => /[*?]|^@/.test(part)

/** Whether it means several, decided by the text alone. */
const isSeveral = (text: string): boolean =>
  partsOf(text).some(isPattern) || new Set(partsOf(text)).size > 1

/** The one name that a text comes to where it has commas and yet means one; undefined for any other. */
const onlyName = (text: string): string | undefined => {
  const [name, ...others] = new Set(partsOf(text))
  return others.length === 0 ? name : undefined
}

/** A text of `-p` as it is meant: one name, or several. */
export const profilesIn = (
  text: string,
): { readonly one: string } | { readonly several: readonly string[] } =>
  isSeveral(text) ? { several: partsOf(text) } : { one: onlyName(text) ?? text }

/** `*` and `?`, and nothing else, stand for other characters. */
const matching = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
  )

const tagsOf = (profiles: readonly Known[]): readonly string[] =>
  [...new Set(profiles.flatMap(({ tags = [] }) => tags))].sort()

/** What there is, for whoever asked for what there is not. */
const there = (part: string, profiles: readonly Known[]): string => {
  const names = profiles.map(({ name }) => name)
  if (names.length === 0) return 'Create one with: svcctl auth login'
  if (!part.startsWith('@'))
    return `${(!isPattern(part) && didYouMean(part, names)) || ''} Profiles: ${names.join(', ')}.`.trim()
  const tags = tagsOf(profiles)
  return tags.length === 0
    ? 'No profile has a tag. Set one with: svcctl profile set <name> --tags <tag>'
    : `Tags: ${tags.join(', ')}. Profiles: ${names.join(', ')}.`
}

const nothing = (part: string, profiles: readonly Known[]): Failure => {
  const what = part.startsWith('@')
    ? `no profile has the tag "${part.slice(1)}"`
    : isPattern(part)
      ? `no profile matches "${part}"`
      : `unknown profile "${part}"`
  return usage(what, there(part, profiles))
}

/**
 * The profiles that parts of a list mean: in the order given, those of one part by name, each once.
 * @throws Failure `usage` for a part that means none
 */
export const resolveProfiles = <P extends Known>(
  parts: readonly string[],
  profiles: readonly P[],
): readonly P[] => {
  const found = parts.flatMap((part) => {
    const pattern = matching(part)
    const some = part.startsWith('@')
      ? profiles.filter(({ tags = [] }) => tags.includes(part.slice(1)))
      : profiles.filter(({ name }) => pattern.test(name))
    if (some.length === 0) throw nothing(part, profiles)
    return some.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  })
  return [...new Set(found)]
}
