/** Levels: what files say under one key, and which levels apply to a place, the least specific first. */

import { type Managed, type ManagedScope, managedKinds } from '../../catalogue/managed.js'
import { packed, unpacked } from '../actions.js'
import { groupsAbove, pathsDownTo, placeText } from '../address.js'
import type { DesiredItem, KnownPlaces, Origin, ProjectFacts, Said } from '../state.js'
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

type ByPath = ReadonlyMap<string, DeclaredLevel>

const byPath = (
  all: readonly DeclaredLevel[],
  form: LevelKey['form'],
  scope: LevelKey['scope'],
): ByPath =>
  new Map(
    all
      .filter(({ key }) => key.form === form && key.scope === scope)
      .map((level) => [level.key.path.toLowerCase(), level]),
  )

const found = (levels: ByPath, paths: readonly string[]): readonly DeclaredLevel[] =>
  paths.flatMap((path) => levels.get(path) ?? [])

const pathsOf = (levels: ByPath): readonly string[] =>
  [...levels.values()].map(({ key }) => key.path)

const reachOf = (all: readonly DeclaredLevel[]): Levels['reach'] => {
  const of = (form: LevelKey['form'], scope: LevelKey['scope']) => byPath(all, form, scope)
  const [projectsBelow, membersBelow] = [of('below', 'project'), of('below', 'group')]
  const below = new Map([...membersBelow, ...projectsBelow])
  const origins = new Map<string, Origin>()
  for (const { key } of all) {
    const { form, scope, path, origin } = key
    const place = placeText(key)
    if (form === 'exact' && scope !== 'site' && !origins.has(place)) origins.set(place, origin)
    const group = `groups/${path}`
    if (form === 'below' && path !== '' && !origins.has(group)) origins.set(group, origin)
  }
  return {
    site: of('exact', 'site').size > 0,
    groups: pathsOf(of('exact', 'group')),
    projects: pathsOf(of('exact', 'project')),
    below: pathsOf(below).toSorted((a, b) => depth(a) - depth(b)),
    membersBelow: pathsOf(membersBelow),
    selectors: all.flatMap(({ key }) => key.selector ?? []),
    origins,
  }
}

/** Levels in the order of how specific they are. */
export const levelsOf = (all: readonly DeclaredLevel[]): Levels => {
  const defaults = byPath(all, 'defaults', 'project')
  const projects = byPath(all, 'exact', 'project')
  const groups = byPath(all, 'exact', 'group')
  const projectsBelow = byPath(all, 'below', 'project')
  const groupsBelow = byPath(all, 'below', 'group')
  // Those of one rank by their text: in which order files have them makes no difference.
  const selecting = all
    .filter(({ key }) => key.form === 'selector')
    .toSorted(
      ({ key: a }, { key: b }) =>
        (a.selector?.rank ?? 0) - (b.selector?.rank ?? 0) || (a.path < b.path ? -1 : 1),
    )
  return {
    site: [...byPath(all, 'exact', 'site').values()],
    reach: reachOf(all),
    ofProject: (given, isInGroup, about = { path: given }) => {
      const path = given.toLowerCase()
      const paths = [...(isInGroup ? [''] : []), ...groupsAbove(path)]
      const chosen =
        isInGroup && about.archived !== true
          ? selecting.filter(({ key }) => key.selector?.fits(about) === true)
          : []
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

export interface PlacesThereAre {
  readonly projects: readonly string[]
  readonly groups: readonly string[]
  /** What is known of a project besides. */
  readonly about?: (project: string) => ProjectFacts | undefined
}

// What files declare at one level: of each kind its items.

export interface DeclaredKind {
  readonly kind: Managed
  readonly origin: Origin
  exact?: Said<boolean>
  inherit?: Said<boolean>
  /** By what tells them apart in files. */
  readonly items: Map<string, DesiredItem>
}

/** What is said of kinds, by their names. */
export type DeclaredKinds = Map<string, DeclaredKind>

/** What is said for places of one scope, by one key. */
export class DeclaredLevel {
  inherit?: Said<boolean>
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
