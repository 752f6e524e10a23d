/** What is wrong with a glob of addresses, as far as the catalogue knows: one that can mean nothing is a slip. */
import { didYouMean, nearest } from '../base/suggest.js'
import { type Managed, managedKinds } from '../catalogue/managed.js'
import { usage } from '../errors.js'
import { isKindName } from './address.js'
import { attributesOf } from './attributes.js'

interface GlobMistake {
  readonly text: string
  readonly hint: string
}

const beginnings = { site: 'site:', group: 'groups/', project: 'projects/' } as const

const addressHint =
  'Addresses look like site:settings, groups/platform:members and projects/platform/app:approval_rules/Security; * matches anything.'

const namesOf = (kinds: readonly Managed[]): readonly string[] => [
  ...new Set(kinds.map(({ name }) => name)),
]

const noKind = (name: string, kinds: readonly Managed[], whose = ''): GlobMistake => {
  const names = namesOf(kinds)
  return {
    text: `unknown kind "${name}"${whose}`,
    hint: didYouMean(name, names) ?? `Kinds${whose} are ${names.join(', ')}.`,
  }
}

/** What is wrong with the bare name of a kind. */
export const kindMistake = (name: string): GlobMistake | undefined =>
  namesOf(managedKinds).includes(name) ? undefined : noKind(name, managedKinds)

/** The kinds that an address may have, by how it begins; undefined where none begins so. */
const kindsAt = (glob: string): readonly Managed[] | undefined => {
  const text = glob.toLowerCase()
  if (text === 'site') return managedKinds.filter(({ scope }) => scope === 'site')
  const head = text.split('*')[0] ?? ''
  const isOpen = text.includes('*')
  const scopes = Object.entries(beginnings).flatMap(([scope, begun]) =>
    head.startsWith(begun) || (isOpen && begun.startsWith(head)) ? [scope] : [],
  )
  return scopes.length === 0
    ? undefined
    : managedKinds.filter(({ scope }) => scopes.includes(scope))
}

const wordsOf = (kind: Managed): readonly string[] => [
  ...attributesOf(kind).keys(),
  ...(kind.families ?? []).flatMap((family) => [...attributesOf(kind, family).keys()]),
]

const attributeMistake = (
  name: string | undefined,
  kinds: readonly Managed[],
): GlobMistake | undefined => {
  const open = kinds.some((kind) => kind.open === true)
  if (name === undefined || open || /[*]/.test(name)) return undefined
  const known = kinds.flatMap(wordsOf)
  if (known.includes(name.toLowerCase())) return undefined
  // One that nobody documented may stand under $other.
  const near = nearest(name, known)
  return near === undefined
    ? undefined
    : { text: `unknown attribute "${name}"`, hint: `Did you mean ${near}?` }
}

/** What is wrong with a glob; undefined where it may mean something. */
const globMistake = (glob: string): GlobMistake | undefined => {
  if (isKindName(glob)) return kindMistake(glob)
  const kinds = kindsAt(glob)
  if (kinds === undefined) return { text: `"${glob}" is not an address`, hint: addressHint }
  const [, before = '', name = '', attribute] =
    /^([^:]*):([^/#*]+)(?:\/[^#]*)?(?:#(.*))?$/.exec(glob) ?? []
  if (name === '') return undefined
  const meant = kinds.filter((kind) => kind.name === name.toLowerCase())
  if (meant.length > 0) return attributeMistake(attribute, meant)
  // What an asterisk stands for may hold a colon as well.
  const isSlip = !before.includes('*') || nearest(name, namesOf(kinds)) !== undefined
  const whose = kinds.length === managedKinds.length ? '' : ` of a ${kinds[0]?.scope}`
  return isSlip ? noKind(name, kinds, whose) : undefined
}

/**
 * Refuses globs that can mean nothing, by the flags that have them: whatever was left out by a slip would
 * look as it should be.
 * @throws Failure `usage` with the nearest name
 */
export const checkGlobs = (
  flags: Readonly<Record<string, readonly string[] | undefined>>,
): void => {
  for (const [flag, globs = []] of Object.entries(flags))
    for (const glob of globs) {
      const mistake = globMistake(glob)
      if (mistake !== undefined) throw usage(`--${flag}: ${mistake.text}`, mistake.hint)
    }
}
