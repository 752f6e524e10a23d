/** Declares levels, the declarations under one key, and finds the levels that apply to a place, the least specific first. */

import { deserialize, serialize } from 'node:v8'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { listPathsTo } from '../../base/text.js'
import { type Managed, type ManagedScope, managedKinds } from '../../catalogue/managed.js'
import { listParentGroups, toPlaceText } from '../address.js'
import type { DesiredItem, KnownPlaces, Origin, ProjectFacts, SourcedValue } from '../state.js'
import type { LevelKey } from './selectors.js'

/** The levels, sorted by the places that they apply to. */
export interface Levels {
  /** The level of the instance itself. */
  readonly site: readonly DeclaredLevel[]
  readonly reach: KnownPlaces & { readonly origins: ReadonlyMap<string, Origin> }
  /**
   * Lists the levels of a project.
   * @param isInGroup true if the project belongs to a group, not to a user
   * @returns none if no file reaches the project
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
    const place = form === 'exact' && scope !== 'site' ? toPlaceText(key) : below
    if (place !== undefined && !origins.has(place)) origins.set(place, origin)
  }
  return origins
}

/** Sorts the selectors by rank. Equal ranks are sorted by text, so that the order of files does not matter. */
const sortSelectors = (all: readonly DeclaredLevel[]): readonly DeclaredLevel[] =>
  all
    .filter(({ key }) => key.form === 'selector')
    .toSorted(
      ({ key: a }, { key: b }) =>
        (a.selector?.rank ?? 0) - (b.selector?.rank ?? 0) || (a.path < b.path ? -1 : 1),
    )

/** Sorts levels by how specific they are. */
export const buildLevels = (all: readonly DeclaredLevel[]): Levels => {
  const selectLevels = (form: LevelKey['form'], scope: LevelKey['scope']): ByPath => {
    const some = all.filter(({ key }) => key.form === form && key.scope === scope)
    return new Map(some.map((level) => [level.key.path.toLowerCase(), level]))
  }
  const [site, groups] = [selectLevels('exact', 'site'), selectLevels('exact', 'group')]
  const projects = selectLevels('exact', 'project')
  const [defaults, selectors] = [selectLevels('defaults', 'project'), sortSelectors(all)]
  const [groupsBelow, projectsBelow] = [
    selectLevels('below', 'group'),
    selectLevels('below', 'project'),
  ]
  const below = listLevelPaths(new Map([...groupsBelow, ...projectsBelow]))
  return {
    site: [...site.values()],
    reach: {
      groups: listLevelPaths(groups),
      projects: listLevelPaths(projects),
      below: below.toSorted((a, b) => countSegments(a) - countSegments(b)),
      membersBelow: listLevelPaths(groupsBelow),
      selectors: all.flatMap(({ key }) => key.selector ?? []),
      origins: collectOrigins(all),
    },
    ofProject: (projectPath, isInGroup, about = { path: projectPath }) => {
      const path = projectPath.toLowerCase()
      const paths = [...(isInGroup ? [''] : []), ...listParentGroups(path)]
      const isOpen = isInGroup && about.archived !== true
      const chosen = selectors.filter(({ key }) => isOpen && key.selector?.fits(about) === true)
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
  // A user's namespace has no groups, so a path of three segments belongs to a group.
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

// Packing. Thousands of places may be declared: as compressed bytes, their declarations take a twentieth of the memory. The bytes never leave
// this process.

/** Packs a value into bytes. @returns undefined if it cannot be serialized, as a secret that is written out in a file */
const packValue = (value: unknown): Uint8Array | undefined => {
  try {
    // The copy releases the larger buffer that the result is a view of.
    return Buffer.from(deflateRawSync(serialize(value), { level: 1 }))
  } catch {
    return undefined
  }
}

/** Returns the value of bytes that `packValue` returned. */
const readPackedValue = <T>(bytes: Uint8Array): T => deserialize(inflateRawSync(bytes)) as T

// The declarations of one level, by kind and item.

export interface DeclaredKind {
  readonly kind: Managed
  readonly origin: Origin
  exact?: SourcedValue<boolean>
  inherit?: SourcedValue<boolean>
  /** The items, by the key that distinguishes them in files. */
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

  /** The declared kinds. For a packed level it is a copy, so additions to it would be lost. */
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

  /** Unpacks the kinds, so that declarations can be added. */
  unpack(): void {
    this.#kinds = this.kinds
    this.#isChecked = undefined
  }

  /** Packs the declarations of a single place. */
  pack(): void {
    const { form, scope } = this.key
    if (form !== 'exact' || scope === 'site' || !(this.#kinds instanceof Map)) return
    // Every level is asked for this, and unpacking each would be slow.
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
