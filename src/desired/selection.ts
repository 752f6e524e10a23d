/** Selects the part of the instance that is read: places by -P and -G; kinds, items and attributes by globs of addresses. */
import { findNearest, suggestSimilar } from '../base/suggest.js'
import { type Managed, type ManagedScope, managedKinds } from '../catalogue/managed.js'
import { usage } from '../errors.js'
import {
  type Address,
  isKindName,
  type ManagedPlace,
  matchesGlob,
  toAddressText,
} from './address.js'
import { getAttributes } from './attributes.js'

/** The options that select what to read; everything else is not read. */
export interface SelectionOptions {
  /** Full paths or numeric IDs. */
  readonly projects?: readonly string[]
  readonly groups?: readonly string[]
  /** Globs of addresses, or names of kinds; `except` takes precedence. */
  readonly only?: readonly string[]
  readonly except?: readonly string[]
  readonly withArchived?: boolean
  /** If set, a named place that does not exist is reported as unreadable instead of ending the run. */
  readonly missing?: 'skip'
}

/** The selection of addresses. */
export type AddressChoice = Pick<SelectionOptions, 'only' | 'except'> & {
  /** Globs of addresses that are left out as well. */
  readonly ignore?: readonly string[]
}

/** True if an address, with everything below it, is selected. */
export const isSelected = (
  { only = [], except = [], ignore = [] }: AddressChoice,
  address: Address,
): boolean =>
  (only.length === 0 || only.some((glob) => matchesGlob(glob, address))) &&
  ![...except, ...ignore].some((glob) => matchesGlob(glob, address))

export const lower = (text: string): string => text.toLowerCase()

/** True if a path equals the given one or is below it; every path is below the empty one. */
export const isPathWithin = (path: string, root: string): boolean =>
  root === '' || lower(path) === lower(root) || lower(path).startsWith(`${lower(root)}/`)

/** True if a glob may match an address that begins with this text. */
export const mayMatch = (glob: string, begun: string): boolean => {
  const pattern = lower(glob)
  let states = new Set([0])
  const skip = (state: number): number[] =>
    pattern[state] === '*' ? [state, ...skip(state + 1)] : [state]
  for (const sign of lower(begun)) {
    const next = [...states].flatMap(skip).flatMap((state) => {
      // A glob that ends at a boundary also matches everything below it.
      if (state === pattern.length) return /[:/#]/.test(sign) ? [-1] : []
      if (state === -1) return [-1]
      return pattern[state] === '*' ? [state] : pattern[state] === sign ? [state + 1] : []
    })
    states = new Set(next)
  }
  return states.size > 0
}

/** The beginning of the addresses of each scope. */
const beginnings: Readonly<Record<ManagedScope, string>> = {
  site: 'site:',
  group: 'groups/',
  project: 'projects/',
}

/** The places and kinds that flags select, before anything is read. */
export class PlaceChoice {
  readonly projects: readonly string[]
  readonly groups: readonly string[]
  /** True if flags name projects or groups, so that the instance itself is not selected. */
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

  /** True if any kind of a scope may be selected. */
  mayUse(scope: ManagedScope): boolean {
    if (this.narrowed && (scope === 'site' || (scope === 'group' && this.groups.length === 0)))
      return false
    const names = managedKinds.filter((kind) => kind.scope === scope).map(({ name }) => name)
    const open = names.filter((name) => !this.#except.includes(name))
    const mayBe = (glob: string): boolean =>
      isKindName(glob) ? open.includes(glob) : mayMatch(glob, beginnings[scope])
    return open.length > 0 && (this.#only.length === 0 || this.#only.some(mayBe))
  }

  /** True if a kind in its place, or an item of it, may be selected. */
  kind({ scope, path }: ManagedPlace, { name }: Pick<Managed, 'name'>): boolean {
    const address = { scope, path, kind: name }
    const text = toAddressText(address)
    const mayTouch = (glob: string): boolean =>
      matchesGlob(glob, address) ||
      (!isKindName(glob) && (mayMatch(glob, `${text}/`) || mayMatch(glob, `${text}#`)))
    if (this.#except.some((glob) => matchesGlob(glob, address))) return false
    return this.#only.length === 0 || this.#only.some(mayTouch)
  }

  /** True if any kind of a place is selected. */
  place(includesPlace: ManagedPlace): boolean {
    return managedKinds.some(
      (kind) => kind.scope === includesPlace.scope && this.kind(includesPlace, kind),
    )
  }
}

// Mistakes in globs, as far as the catalogue can tell: a glob that cannot match anything is a typing mistake.

interface GlobMistake {
  readonly text: string
  readonly hint: string
}

const listKindNames = (kinds: readonly Managed[]): readonly string[] => [
  ...new Set(kinds.map(({ name }) => name)),
]

const createUnknownKind = (name: string, kinds: readonly Managed[], whose = ''): GlobMistake => {
  const names = listKindNames(kinds)
  return {
    text: `unknown kind "${name}"${whose}`,
    hint: suggestSimilar(name, names) ?? `Kinds${whose} are ${names.join(', ')}.`,
  }
}

/** Returns the mistake in the bare name of a kind; undefined if the kind exists. */
export const findKindMistake = (name: string): GlobMistake | undefined =>
  listKindNames(managedKinds).includes(name) ? undefined : createUnknownKind(name, managedKinds)

/**
 * Returns the mistake in an attribute's name. Undocumented names may stand under $other, so only a name similar to a known one is a
 * mistake.
 */
const findAttributeMistake = (name: string, kinds: readonly Managed[]): GlobMistake | undefined => {
  const known = kinds.flatMap((kind) => [
    ...getAttributes(kind).keys(),
    ...(kind.families ?? []).flatMap((family) => [...getAttributes(kind, family).keys()]),
  ])
  const isFree = kinds.some((kind) => kind.open === true) || name.includes('*')
  const near = isFree || known.includes(lower(name)) ? undefined : findNearest(name, known)
  if (near === undefined) return undefined
  return { text: `unknown attribute "${name}"`, hint: `Did you mean ${near}?` }
}

/** Returns the mistake in a glob; undefined if the glob can match something. */
const findGlobMistake = (glob: string): GlobMistake | undefined => {
  if (isKindName(glob)) return findKindMistake(glob)
  const kinds = managedKinds.filter(({ scope }) => mayMatch(glob, beginnings[scope]))
  if (kinds.length === 0)
    return {
      text: `"${glob}" is not an address`,
      hint: 'Addresses look like site:settings, groups/platform:members and projects/platform/app:approval_rules/Security; * matches anything.',
    }
  const [, before = '', name = '', attribute = '*'] =
    /^([^:]*):([^/#*]+)(?:\/[^#]*)?(?:#(.*))?$/.exec(glob) ?? []
  const known = kinds.filter((kind) => kind.name === lower(name))
  if (name === '' || known.length > 0) return findAttributeMistake(attribute, known)
  // An asterisk may also match a colon, so the part after the glob's colon need not be a kind.
  const isMistake = !before.includes('*') || findNearest(name, listKindNames(kinds)) !== undefined
  const whose = kinds.length === managedKinds.length ? '' : ` of a ${kinds[0]?.scope}`
  return isMistake ? createUnknownKind(name, kinds, whose) : undefined
}

/**
 * Refuses globs that cannot match anything. Otherwise a typing mistake would exclude objects, and they would look unchanged.
 * @param flags the globs by the name of their flag
 * @throws Failure `usage` with the nearest name
 */
export const checkGlobs = (
  flags: Readonly<Record<string, readonly string[] | undefined>>,
): void => {
  for (const [flag, globs = []] of Object.entries(flags))
    for (const glob of globs) {
      const mistake = findGlobMistake(glob)
      if (mistake !== undefined) throw usage(`--${flag}: ${mistake.text}`, mistake.hint)
    }
}
