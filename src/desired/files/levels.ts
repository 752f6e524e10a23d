/** Levels: what files say under one key, and which levels apply to a place, the least specific first. */

import { type Managed, type ManagedScope, managedKinds } from '../../catalogue/managed.js'
import { packed, unpacked } from '../actions.js'
import { groupsAbove, pathsDownTo, placeText } from '../address.js'
import type { DesiredItem, KnownPlaces, Origin, ProjectFacts, SourcedValue } from '../state.js'
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

type ByPath = ReadonlyMap<string, DeclaredLevel>

const found = (levels: ByPath, paths: readonly string[]): readonly DeclaredLevel[] =>
  paths.flatMap((path) => levels.get(path) ?? [])

const pathsOf = (levels: ByPath): readonly string[] =>
  [...levels.values()].map(({ key }) => key.path)

const depth = (path: string): number => (path === '' ? 0 : path.split('/').length)

/** Where a place is first named, by its text. */
const originsIn = (all: readonly DeclaredLevel[]): ReadonlyMap<string, Origin> => {
  const origins = new Map<string, Origin>()
  for (const { key } of all) {
    const { form, scope, path, origin } = key
    const below = form === 'below' && path !== '' ? `groups/${path}` : undefined
    const place = form === 'exact' && scope !== 'site' ? placeText(key) : below
    if (place !== undefined && !origins.has(place)) origins.set(place, origin)
  }
  return origins
}

/** Keys of projects that are no path: those of one rank by their text, in whichever order files have them. */
const selectingIn = (all: readonly DeclaredLevel[]): readonly DeclaredLevel[] =>
  all
    .filter(({ key }) => key.form === 'selector')
    .toSorted(
      ({ key: a }, { key: b }) =>
        (a.selector?.rank ?? 0) - (b.selector?.rank ?? 0) || (a.path < b.path ? -1 : 1),
    )

/** Levels in the order of how specific they are. */
export const levelsOf = (all: readonly DeclaredLevel[]): Levels => {
  const of = (form: LevelKey['form'], scope: LevelKey['scope']): ByPath => {
    const some = all.filter(({ key }) => key.form === form && key.scope === scope)
    return new Map(some.map((level) => [level.key.path.toLowerCase(), level]))
  }
  const [site, groups, projects] = [
    of('exact', 'site'),
    of('exact', 'group'),
    of('exact', 'project'),
  ]
  const [defaults, selecting] = [of('defaults', 'project'), selectingIn(all)]
  const [groupsBelow, projectsBelow] = [of('below', 'group'), of('below', 'project')]
  const below = pathsOf(new Map([...groupsBelow, ...projectsBelow]))
  return {
    site: [...site.values()],
    reach: {
      site: site.size > 0,
      groups: pathsOf(groups),
      projects: pathsOf(projects),
      below: below.toSorted((a, b) => depth(a) - depth(b)),
      membersBelow: pathsOf(groupsBelow),
      selectors: all.flatMap(({ key }) => key.selector ?? []),
      origins: originsIn(all),
    },
    ofProject: (given, isInGroup, about = { path: given }) => {
      const path = given.toLowerCase()
      const paths = [...(isInGroup ? [''] : []), ...groupsAbove(path)]
      const isOpen = isInGroup && about.archived !== true
      const chosen = selecting.filter(({ key }) => isOpen && key.selector?.fits(about) === true)
      const reaching = [...found(projectsBelow, paths), ...chosen, ...found(projects, [path])]
      return reaching.length === 0 ? [] : [...found(defaults, ['']), ...reaching]
    },
    ofGroup: (given) => {
      const path = given.toLowerCase()
      return [...found(groupsBelow, ['', ...pathsDownTo(path)]), ...found(groups, [path])]
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

export interface ExistingPlaces {
  readonly projects: readonly string[]
  readonly groups: readonly string[]
  /** What is known of a project besides. */
  readonly about?: (project: string) => ProjectFacts | undefined
}

// What files declare at one level: of each kind its items.

export interface DeclaredKind {
  readonly kind: Managed
  readonly origin: Origin
  exact?: SourcedValue<boolean>
  inherit?: SourcedValue<boolean>
  /** By what tells them apart in files. */
  readonly items: Map<string, DesiredItem>
}

/** What is said of kinds, by their names. */
export type DeclaredKinds = Map<string, DeclaredKind>

/** What is said for places of one scope, by one key. */
export class DeclaredLevel {
  inherit?: SourcedValue<boolean>
  /** Whether a file that speaks of it may name a team. */
  mayNameTeams = false
  #kinds: DeclaredKinds | Uint8Array = new Map()
  #isChecked: boolean | undefined

  constructor(readonly key: LevelKey) {}

  /** Of a level that is packed a copy: what is added to it is lost. */
  get kinds(): DeclaredKinds {
    return this.#kinds instanceof Map ? this.#kinds : unpackedKinds(this.#kinds, this.key.scope)
  }

  set kinds(kinds: DeclaredKinds) {
    this.#kinds = kinds
  }

  /** Whether anything can be wrong that only several levels together show. */
  get isCheckedTogether(): boolean {
    const isChecked = ({ kind, items }: DeclaredKind): boolean =>
      kind.families !== undefined ||
      (kind.holds === 'set' && kind.label !== undefined) ||
      [...items.values()].some(({ previously }) => previously !== undefined)
    return this.#isChecked ?? [...this.kinds.values()].some(isChecked)
  }

  /** Lets something be added. */
  unpack(): void {
    this.#kinds = this.kinds
    this.#isChecked = undefined
  }

  /** Keeps what is said of one place as bytes: thousands of places take a twentieth of the room. */
  pack(): void {
    const { form, scope } = this.key
    if (form !== 'exact' || scope === 'site' || !(this.#kinds instanceof Map)) return
    // Asked for of every level, and too dear to unpack it.
    this.#isChecked = this.isCheckedTogether
    const all = [...this.#kinds].map(([name, { kind: _, ...said }]) => [name, said])
    this.#kinds = packed(all) ?? this.#kinds
  }
}

const unpackedKinds = (bytes: Uint8Array, scope: ManagedScope): DeclaredKinds =>
  new Map(
    unpacked<[string, Omit<DeclaredKind, 'kind'>][]>(bytes).flatMap(([name, said]) => {
      const kind = managedKinds.find((one) => one.name === name && one.scope === scope)
      return kind === undefined ? [] : [[name, { ...said, kind }] as const]
    }),
  )
