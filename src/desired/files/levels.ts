/** Levels: what files say under one key, and which levels apply to a place, the least specific first. */

import { type Managed, type ManagedScope, managedKinds } from '../../catalogue/managed.js'
import { packValue, readPackedValue } from '../actions.js'
import { listParentGroups, listPathsTo, placeText } from '../address.js'
import type { DesiredItem, KnownPlaces, Origin, ProjectFacts, SourcedValue } from '../state.js'
import type { LevelKey } from './selectors.js'

/** The levels, sorted by the places that they apply to. */
export interface Levels {
  /** The level of the instance itself. */
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

const findLevels = (levels: ByPath, paths: readonly string[]): readonly DeclaredLevel[] =>
  paths.flatMap((path) => levels.get(path) ?? [])

const listLevelPaths = (levels: ByPath): readonly string[] =>
  [...levels.values()].map(({ key }) => key.path)

const countSegments = (path: string): number => (path === '' ? 0 : path.split('/').length)

/** Returns the position at which each place is first named, by the text of the place. */
const collectOrigins = (all: readonly DeclaredLevel[]): ReadonlyMap<string, Origin> => {
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
const sortSelectors = (all: readonly DeclaredLevel[]): readonly DeclaredLevel[] =>
  all
    .filter(({ key }) => key.form === 'selector')
    .toSorted(
      ({ key: a }, { key: b }) =>
        (a.selector?.rank ?? 0) - (b.selector?.rank ?? 0) || (a.path < b.path ? -1 : 1),
    )

/** Levels in the order of how specific they are. */
export const buildLevels = (all: readonly DeclaredLevel[]): Levels => {
  const of = (form: LevelKey['form'], scope: LevelKey['scope']): ByPath => {
    const some = all.filter(({ key }) => key.form === form && key.scope === scope)
    return new Map(some.map((level) => [level.key.path.toLowerCase(), level]))
  }
  const [site, groups] = [of('exact', 'site'), of('exact', 'group')]
  const projects = of('exact', 'project')
  const [defaults, selecting] = [of('defaults', 'project'), sortSelectors(all)]
  const [groupsBelow, projectsBelow] = [of('below', 'group'), of('below', 'project')]
  const below = listLevelPaths(new Map([...groupsBelow, ...projectsBelow]))
  return {
    site: [...site.values()],
    reach: {
      site: site.size > 0,
      groups: listLevelPaths(groups),
      projects: listLevelPaths(projects),
      below: below.toSorted((a, b) => countSegments(a) - countSegments(b)),
      membersBelow: listLevelPaths(groupsBelow),
      selectors: all.flatMap(({ key }) => key.selector ?? []),
      origins: collectOrigins(all),
    },
    ofProject: (given, isInGroup, about = { path: given }) => {
      const path = given.toLowerCase()
      const paths = [...(isInGroup ? [''] : []), ...listParentGroups(path)]
      const isOpen = isInGroup && about.archived !== true
      const chosen = selecting.filter(({ key }) => isOpen && key.selector?.fits(about) === true)
      const reaching = [
        ...findLevels(projectsBelow, paths),
        ...chosen,
        ...findLevels(projects, [path]),
      ]
      return reaching.length === 0 ? [] : [...findLevels(defaults, ['']), ...reaching]
    },
    ofGroup: (given) => {
      const path = given.toLowerCase()
      return [...findLevels(groupsBelow, ['', ...listPathsTo(path)]), ...findLevels(groups, [path])]
    },
  }
}

/** Creates a test of whether a project belongs to a group, as far as the known groups show. */
export const createGroupTest = (groups: readonly string[]): ((project: string) => boolean) => {
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
  /** Returns the known facts of a project, if there are any. */
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

/** The declared kinds by their names. */
export type DeclaredKinds = Map<string, DeclaredKind>

/** The declarations under one key, for places of one scope. */
export class DeclaredLevel {
  inherit?: SourcedValue<boolean>
  /** True if a file with declarations for the level may name a team. */
  mayNameTeams = false
  #kinds: DeclaredKinds | Uint8Array = new Map()
  #isChecked: boolean | undefined

  constructor(readonly key: LevelKey) {}

  /** Of a level that is packed a copy: what is added to it is lost. */
  get kinds(): DeclaredKinds {
    return this.#kinds instanceof Map ? this.#kinds : readPackedKinds(this.#kinds, this.key.scope)
  }

  set kinds(kinds: DeclaredKinds) {
    this.#kinds = kinds
  }

  /** True if the level can have mistakes that only several levels together show. */
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
    this.#kinds = packValue(all) ?? this.#kinds
  }
}

const readPackedKinds = (bytes: Uint8Array, scope: ManagedScope): DeclaredKinds =>
  new Map(
    readPackedValue<[string, Omit<DeclaredKind, 'kind'>][]>(bytes).flatMap(([name, said]) => {
      const kind = managedKinds.find((one) => one.name === name && one.scope === scope)
      return kind === undefined ? [] : [[name, { ...said, kind }] as const]
    }),
  )
