/**
 * Levels: what files say by one key, which of them speak of a place (the least specific first), and those of
 * one rank as one.
 */

import type { JsonValue } from '../../base/json/value.js'
import { isObject } from '../../base/objects.js'
import { managedKinds } from '../../catalogue/managed/index.js'
import type { Managed, ManagedScope } from '../../catalogue/managed/managed.js'
import { type ManagedPlace, pathsDownTo, type Reference } from '../address.js'
import { packed, unpacked } from '../packed.js'
import type { KnownPlaces, ProjectFacts } from '../reading/sight.js'
import { canonical } from '../values.js'
import type { Origin, SaidOnce, WantedValue } from '../wishes.js'
import type { LevelKey } from './selectors.js'

/** Levels by where they reach. */
export interface Levels {
  /** What is said of the instance. */
  readonly site: readonly DeclaredLevel[]
  readonly reach: KnownPlaces & { readonly origins: ReadonlyMap<string, Origin> }
  /**
   * @param isInGroup whether the project belongs to a group, and to no person
   * @returns none where no file reaches the project
   */
  ofProject(path: string, isInGroup: boolean, about?: ProjectFacts): readonly DeclaredLevel[]
  ofGroup(path: string): readonly DeclaredLevel[]
}

const depth = (path: string): number => (path === '' ? 0 : path.split('/').length)

/** The paths above a path, the outermost first, and `''` before them. */
const above = (path: string): readonly string[] => ['', ...pathsDownTo(path).slice(0, -1)]

type ByPath = ReadonlyMap<string, DeclaredLevel>

const byPath = (
  all: readonly DeclaredLevel[],
  form: DeclaredLevel['form'],
  scope: DeclaredLevel['scope'],
): ByPath =>
  new Map(
    all
      .filter((level) => level.form === form && level.scope === scope)
      .map((level) => [level.path.toLowerCase(), level]),
  )

const found = (levels: ByPath, paths: readonly string[]): readonly DeclaredLevel[] =>
  paths.flatMap((path) => levels.get(path) ?? [])

const pathsOf = (levels: ByPath): readonly string[] => [...levels.values()].map(({ path }) => path)

const reachOf = (all: readonly DeclaredLevel[]): Levels['reach'] => {
  const of = (form: DeclaredLevel['form'], scope: DeclaredLevel['scope']) =>
    byPath(all, form, scope)
  const [projectsBelow, membersBelow] = [of('below', 'project'), of('below', 'group')]
  const below = new Map([...membersBelow, ...projectsBelow])
  const origins = new Map<string, Origin>()
  for (const { form, scope, path, origin } of all) {
    const key = `${scope}s/${path}`
    if (form === 'exact' && scope !== 'site' && !origins.has(key)) origins.set(key, origin)
    const group = `groups/${path}`
    if (form === 'below' && path !== '' && !origins.has(group)) origins.set(group, origin)
  }
  return {
    site: of('exact', 'site').size > 0,
    groups: pathsOf(of('exact', 'group')),
    projects: pathsOf(of('exact', 'project')),
    below: pathsOf(below).toSorted((a, b) => depth(a) - depth(b)),
    membersBelow: pathsOf(membersBelow),
    selectors: all.flatMap(({ selector }) => selector ?? []),
    origins,
  }
}

/** Those of one rank by their text: in which order files have them makes no difference. */
const bySelector = (a: DeclaredLevel, b: DeclaredLevel): number =>
  (a.selector?.rank ?? 0) - (b.selector?.rank ?? 0) || (a.path < b.path ? -1 : 1)

/** Levels in the order of how specific they are. */
export const levelsOf = (all: readonly DeclaredLevel[]): Levels => {
  const defaults = byPath(all, 'defaults', 'project')
  const projects = byPath(all, 'exact', 'project')
  const groups = byPath(all, 'exact', 'group')
  const projectsBelow = byPath(all, 'below', 'project')
  const groupsBelow = byPath(all, 'below', 'group')
  const selecting = all.filter(({ form }) => form === 'selector').toSorted(bySelector)
  return {
    site: [...byPath(all, 'exact', 'site').values()],
    reach: reachOf(all),
    ofProject: (given, isInGroup, about = { path: given }) => {
      const path = given.toLowerCase()
      const paths = above(path).filter((group) => group !== '' || isInGroup)
      const chosen =
        isInGroup && about.archived !== true
          ? selecting.filter(({ selector }) => selector?.fits(about) === true)
          : []
      const reaching = [...found(projectsBelow, paths), ...chosen, ...found(projects, [path])]
      return reaching.length === 0 ? [] : [...found(defaults, ['']), ...reaching]
    },
    ofGroup: (given) => {
      const path = given.toLowerCase()
      return [...found(groupsBelow, [...above(path), path]), ...found(groups, [path])]
    },
  }
}

/** Which projects belong to a group, as far as known groups tell. */
export const inGroups = (groups: readonly string[]): ((project: string) => boolean) => {
  const known = new Set(groups.map((path) => path.toLowerCase()))
  // People have no groups below them.
  return (project) => {
    const parts = project.toLowerCase().split('/')
    return parts.length > 2 || known.has(parts.slice(0, -1).join('/'))
  }
}

export interface PlacesThereAre {
  readonly projects: readonly string[]
  readonly groups: readonly string[]
  /** What is known of a project besides. */
  readonly about?: (project: string) => ProjectFacts | undefined
}

/** The places that files might speak of, so that what they say together can be checked before any is known. */
export const placesSaid = ({ reach }: Levels): readonly (ManagedPlace & { inGroup: boolean })[] => {
  const within = reach.below.map((path) => (path === '' ? '\0/\0' : `${path}/\0`))
  return [...reach.projects, ...within].flatMap((path) =>
    [true, false].map((inGroup) => ({ scope: 'project' as const, path, inGroup })),
  )
}

// What files declare of one level: of each place, each kind, each item, what is said and where.

export interface DeclaredItem {
  readonly identity: Reference
  readonly origin: Origin
  /** Where it is said that it must not be there, and where that it must. */
  gone?: Origin
  body?: Origin
  rival?: Origin
  inherit?: SaidOnce<boolean>
  readonly attributes: Map<string, SaidOnce<WantedValue>>
  readonly other: Map<string, SaidOnce<WantedValue>>
  previously?: SaidOnce<readonly string[]>
  family?: SaidOnce<string>
  readonly match?: Readonly<Record<string, JsonValue>>
}

export interface DeclaredKind {
  readonly kind: Managed
  readonly origin: Origin
  exact?: SaidOnce<boolean>
  inherit?: SaidOnce<boolean>
  /** By what tells them apart in files. */
  readonly items: Map<string, DeclaredItem>
}

/** What is said of kinds, by their names. */
type DeclaredKinds = Map<string, DeclaredKind>

/** What is said for places of one scope, by one key. */
export class DeclaredLevel implements LevelKey {
  inherit?: SaidOnce<boolean>
  /** Whether a file that speaks of it may name a team. */
  mayNameTeams = false
  readonly form: LevelKey['form']
  readonly scope: ManagedScope
  readonly path: string
  readonly origin: Origin
  readonly selector?: LevelKey['selector']
  #kinds: DeclaredKinds | Uint8Array = new Map()

  constructor({ form, scope, path, origin, selector }: LevelKey) {
    this.form = form
    this.scope = scope
    this.path = path
    this.origin = origin
    this.selector = selector
  }

  /** Of a level that is packed a copy: what is added to it is lost. */
  get kinds(): DeclaredKinds {
    return this.#kinds instanceof Map ? this.#kinds : unpackedKinds(this.#kinds, this.scope)
  }

  set kinds(kinds: DeclaredKinds) {
    this.#kinds = kinds
  }

  /** Lets something be added. */
  unpack(): void {
    this.#kinds = this.kinds
  }

  /** Keeps what is said of one place as bytes: thousands of places take a twentieth of the room. */
  pack(): void {
    if (this.form !== 'exact' || this.scope === 'site' || !(this.#kinds instanceof Map)) return
    this.#kinds = packedKinds(this.#kinds) ?? this.#kinds
  }
}

const packedKinds = (kinds: DeclaredKinds): Uint8Array | undefined =>
  packed([...kinds].map(([name, { kind: _, ...said }]) => [name, said]))

const unpackedKinds = (bytes: Uint8Array, scope: ManagedScope): DeclaredKinds =>
  new Map(
    unpacked<[string, Omit<DeclaredKind, 'kind'>][]>(bytes).flatMap(([name, said]) => {
      const kind = managedKinds.find((one) => one.name === name && one.scope === scope)
      return kind === undefined ? [] : [[name, { ...said, kind }] as const]
    }),
  )

// Levels of equal rank as one: what they say alike unites, and where they differ something more specific has
// to say it.

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

const textOf = (value: unknown): string => JSON.stringify(value)

/** Whether two say the same: lists in any order, and never secrets that are written out. */
const isSame = (a: unknown, b: unknown): boolean => {
  if (!isObject(a) || !isObject(b)) return textOf(a) === textOf(b)
  if (isObject(a.source) && 'literal' in a.source) return false
  if (!isList(a.value) || !isList(b.value)) return textOf(a) === textOf(b)
  return textOf(a.value.map(textOf).sort()) === textOf(b.value.map(textOf).sort())
}

const shares = (some: readonly unknown[], others: readonly unknown[]): boolean => {
  const known = new Set(others.map(textOf))
  return some.some((one) => known.has(textOf(one)))
}

/** Two changes of a list as one; undefined where one takes what the other puts in. */
const bothChanges = (a: WantedValue, b: WantedValue): WantedValue | undefined => {
  if (a.is !== 'change' || b.is !== 'change') return undefined
  if (shares(a.add, b.remove) || shares(a.remove, b.add)) return undefined
  const both = (ones: typeof a.add, others: typeof a.add) => [
    ...new Map([...ones, ...others].map((one) => [canonical(one), one])).values(),
  ]
  return { is: 'change', add: both(a.add, b.add), remove: both(a.remove, b.remove) }
}

/** What is said once by each of several; where they differ, the first with its rival. */
const agreed = <T>(
  all: readonly (SaidOnce<T> | undefined)[],
  join: (a: T, b: T) => T | undefined = () => undefined,
): SaidOnce<T> | undefined => {
  let known: SaidOnce<T> | undefined
  for (const next of all) {
    if (known === undefined || next === undefined) known ??= next
    else if (!isSame(known.value, next.value)) {
      const value = join(known.value, next.value)
      known =
        value === undefined ? { ...known, rival: known.rival ?? next.origin } : { ...known, value }
    }
  }
  return known
}

type Values = ReadonlyMap<string, SaidOnce<WantedValue>>

/** Maps with a value for each key of any of them. */
const joined = <T>(
  maps: readonly ReadonlyMap<string, T>[],
  join: (all: readonly T[]) => T | undefined,
): Map<string, T> => {
  const all = new Map<string, T>()
  for (const key of new Set(maps.flatMap((map) => [...map.keys()]))) {
    const one = join(maps.flatMap((map) => map.get(key) ?? []))
    if (one !== undefined) all.set(key, one)
  }
  return all
}

const valuesOf = (maps: readonly Values[]): Map<string, SaidOnce<WantedValue>> =>
  joined(maps, (all) => agreed(all, bothChanges))

const itemOf = (all: readonly DeclaredItem[]): DeclaredItem | undefined => {
  const [first, ...others] = all
  if (first === undefined || others.length === 0) return first
  const isGone = first.gone !== undefined
  const rival = others.find(({ gone }) => (gone !== undefined) !== isGone)
  return {
    ...first,
    // Whether it must be there is for something more specific to say, which goes on with what is said of it.
    gone: rival === undefined ? first.gone : undefined,
    rival: first.rival ?? rival?.origin,
    inherit: agreed(all.map(({ inherit }) => inherit)),
    attributes: valuesOf(all.map(({ attributes }) => attributes)),
    other: valuesOf(all.map(({ other }) => other)),
    previously: agreed(all.map(({ previously }) => previously)),
    family: agreed(all.map(({ family }) => family)),
  }
}

const kindOf = (all: readonly DeclaredKind[]): DeclaredKind | undefined => {
  const [first] = all
  return (
    first && {
      ...first,
      exact: agreed(all.map(({ exact }) => exact)),
      inherit: agreed(all.map(({ inherit }) => inherit)),
      items: joined(
        all.map(({ items }) => items),
        itemOf,
      ),
    }
  )
}

/** What levels of one rank say. */
export type SaidTogether = Pick<DeclaredLevel, 'inherit' | 'kinds'>

/** Levels of one rank as one level. */
export const united = (levels: readonly SaidTogether[]): readonly SaidTogether[] => {
  const [first, ...others] = levels
  if (first === undefined || others.length === 0) return levels
  const inherit = agreed(levels.map((level) => level.inherit))
  const kinds = joined(
    levels.map((level) => level.kinds),
    kindOf,
  )
  return [{ inherit, kinds }]
}
