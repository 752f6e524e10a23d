/** What of an instance is meant: places by -P and -G, kinds, items and attributes by globs of addresses. */
import { didYouMean, nearest } from '../base/suggest.js'
import { type Managed, type ManagedScope, managedKinds } from '../catalogue/managed.js'
import { usage } from '../errors.js'
import { type Address, addressText, isKindName, type ManagedPlace, matches } from './address.js'
import { attributesOf } from './attributes.js'

/** What is looked at; what is not selected is not read. */
export interface SelectionOptions {
  /** Full paths, or numbers. */
  readonly projects?: readonly string[]
  readonly groups?: readonly string[]
  /** Globs of addresses, or names of kinds; `except` wins. */
  readonly only?: readonly string[]
  readonly except?: readonly string[]
  readonly withArchived?: boolean
  /** A named place that is not there is unreadable, and not an end. */
  readonly missing?: 'skip'
}

/** Which addresses are meant. */
export type AddressChoice = Pick<SelectionOptions, 'only' | 'except'> & {
  /** What is left out as well. */
  readonly ignore?: readonly string[]
}

/** Whether an address, with all that is below it, is meant. */
export const meant = (
  { only = [], except = [], ignore = [] }: AddressChoice,
  address: Address,
): boolean =>
  (only.length === 0 || only.some((glob) => matches(glob, address))) &&
  ![...except, ...ignore].some((glob) => matches(glob, address))

export const lower = (text: string): string => text.toLowerCase()

/** Whether a path is the one given, or below it; everything is below the empty one. */
export const within = (path: string, root: string): boolean =>
  root === '' || lower(path) === lower(root) || lower(path).startsWith(`${lower(root)}/`)

/** Whether something that begins with this text is meant by a glob: what follows is not known yet. */
export const mayMean = (glob: string, begun: string): boolean => {
  const pattern = lower(glob)
  let states = new Set([0])
  const skip = (state: number): number[] =>
    pattern[state] === '*' ? [state, ...skip(state + 1)] : [state]
  for (const sign of lower(begun)) {
    const next = [...states].flatMap(skip).flatMap((state) => {
      // What a glob names, all below it is meant, too.
      if (state === pattern.length) return /[:/#]/.test(sign) ? [-1] : []
      if (state === -1) return [-1]
      return pattern[state] === '*' ? [state] : pattern[state] === sign ? [state + 1] : []
    })
    states = new Set(next)
  }
  return states.size > 0
}

/** What the addresses of a scope begin with. */
const beginnings: Readonly<Record<ManagedScope, string>> = {
  site: 'site:',
  group: 'groups/',
  project: 'projects/',
}

/** Which places and kinds flags mean, before anything is read. */
export class PlaceChoice {
  readonly projects: readonly string[]
  readonly groups: readonly string[]
  /** By flags, so that nothing of the instance itself is meant. */
  readonly narrowed: boolean
  readonly #only: readonly string[]
  readonly #except: readonly string[]

  constructor({ projects = [], groups = [], only = [], except = [] }: SelectionOptions) {
    this.projects = projects
    this.groups = groups
    this.narrowed = projects.length > 0 || groups.length > 0
    this.#only = only
    this.#except = except
  }

  /** Whether any kind that such places have may be meant. */
  means(scope: ManagedScope): boolean {
    if (this.narrowed && (scope === 'site' || (scope === 'group' && this.groups.length === 0)))
      return false
    const names = managedKinds.filter((kind) => kind.scope === scope).map(({ name }) => name)
    const open = names.filter((name) => !this.#except.includes(name))
    const mayBe = (glob: string): boolean =>
      isKindName(glob) ? open.includes(glob) : mayMean(glob, beginnings[scope])
    return open.length > 0 && (this.#only.length === 0 || this.#only.some(mayBe))
  }

  /** Whether a kind in its place is meant, or something in it. */
  kind({ scope, path }: ManagedPlace, { name }: Pick<Managed, 'name'>): boolean {
    const address = { scope, path, kind: name }
    const text = addressText(address)
    const touches = (glob: string): boolean =>
      matches(glob, address) ||
      (!isKindName(glob) && (mayMean(glob, `${text}/`) || mayMean(glob, `${text}#`)))
    if (this.#except.some((glob) => matches(glob, address))) return false
    return this.#only.length === 0 || this.#only.some(touches)
  }

  /** Whether any kind of a place is meant. */
  place(place: ManagedPlace): boolean {
    return managedKinds.some((kind) => kind.scope === place.scope && this.kind(place, kind))
  }
}

// What is wrong with a glob, as far as the catalogue knows: one that can mean nothing is a slip.

interface GlobMistake {
  readonly text: string
  readonly hint: string
}

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

/** One that nobody documented may stand under $other: only a near name is a mistake. */
const attributeMistake = (name: string, kinds: readonly Managed[]): GlobMistake | undefined => {
  const known = kinds.flatMap((kind) => [
    ...attributesOf(kind).keys(),
    ...(kind.families ?? []).flatMap((family) => [...attributesOf(kind, family).keys()]),
  ])
  const isFree = kinds.some((kind) => kind.open === true) || name.includes('*')
  const near = isFree || known.includes(lower(name)) ? undefined : nearest(name, known)
  if (near === undefined) return undefined
  return { text: `unknown attribute "${name}"`, hint: `Did you mean ${near}?` }
}

/** What is wrong with a glob; undefined where it may mean something. */
const globMistake = (glob: string): GlobMistake | undefined => {
  if (isKindName(glob)) return kindMistake(glob)
  const kinds = managedKinds.filter(({ scope }) => mayMean(glob, beginnings[scope]))
  if (kinds.length === 0)
    return {
      text: `"${glob}" is not an address`,
      hint: 'Addresses look like site:settings, groups/platform:members and projects/platform/app:approval_rules/Security; * matches anything.',
    }
  const [, before = '', name = '', attribute = '*'] =
    /^([^:]*):([^/#*]+)(?:\/[^#]*)?(?:#(.*))?$/.exec(glob) ?? []
  const known = kinds.filter((kind) => kind.name === lower(name))
  if (name === '' || known.length > 0) return attributeMistake(attribute, known)
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
