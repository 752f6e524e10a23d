/** Finds the places to read: the projects and groups that files name, or all of them, narrowed by the selection. */

import { type Fields, isObject, toText } from '../../base/objects.js'
import { suggestSimilar } from '../../base/suggest.js'
import { listPathsTo, quoteText } from '../../base/text.js'
import { projects } from '../../catalogue/areas/projects.js'
import { groupsAll } from '../../catalogue/undocumented.js'
import { Failure, isDenied, isMissing, recoverFrom, usage } from '../../errors.js'
import { findSegmentProblem } from '../../http/request/address.js'
import { isPlacePath, type ManagedPlace, toPlaceText } from '../address.js'
import { isPathWithin, lower, type PlaceChoice } from '../selection.js'
import {
  type CurrentKind,
  formatOrigin,
  type GroupPlace,
  type KnownPlaces,
  type ProjectPlace,
  type UnreadPlace,
} from '../state.js'
import type { NameIndex } from './names.js'
import { type KindReader, mapSideBySide } from './records.js'

/** Above this number of named projects, the list of all projects is cheaper than a request for each. */
const maxNamed = 50

interface MissingPlace {
  readonly place: ManagedPlace
  readonly failure: Failure
  readonly text: string
}

const describeMissing = ({ scope, path }: ManagedPlace): string =>
  `the ${scope} ${path} does not exist, or this token cannot see it`

/** Creates the failure of a place whose path no request can contain. */
const createUnsentFailure = ({ path }: ManagedPlace): Failure =>
  new Failure('failed', `its path cannot be sent: ${findSegmentProblem(path) ?? ''}`)

/** The reach of a full export: the instance, and everything below any group. */
const everything: KnownPlaces = {
  groups: [],
  projects: [],
  below: [''],
  membersBelow: [''],
}

/** Finds the places that one set of declarations and flags selects. */
export class Places {
  readonly #projects = new Map<string, ProjectPlace>()
  readonly #groups = new Map<string, GroupPlace>()
  readonly #unread: UnreadPlace[] = []
  readonly #missing: MissingPlace[] = []
  readonly #reach: KnownPlaces
  /** True if all places are wanted, including those outside of any group. */
  readonly #isEverything: boolean
  /** The projects that files name. */
  readonly #reached: ReadonlySet<string>

  /** @param readKind reads the members of a group, which shows whether the group exists */
  constructor(
    reach: KnownPlaces | 'everything',
    private readonly choice: PlaceChoice,
    private readonly listing: PlaceFinder,
    private readonly readKind: (place: ManagedPlace) => Promise<CurrentKind>,
  ) {
    this.#isEverything = reach === 'everything'
    this.#reach = reach === 'everything' ? everything : reach
    this.#reached = new Set(this.#reach.projects.map(lower))
  }

  /** Finds all places. @throws Failure `usage` naming every missing place, unless `skip` is true */
  async find(skip: boolean) {
    const roots = await this.#resolveRoots()
    if (this.choice.mayUse('project')) await this.#findProjects(roots)
    if (this.choice.mayUse('group')) await this.#findGroups(roots)
    if (this.choice.mayUse('project') || this.choice.mayUse('group')) await this.#checkRoots(roots)
    if (this.#missing.length > 0 && !skip) throw await this.#createRefusal()
    const selectPlaces = <P extends ManagedPlace>(places: ReadonlyMap<string, P>): readonly P[] =>
      [...places.values()]
        .filter((place) => this.choice.place(place))
        .sort((a, b) => (lower(a.path) < lower(b.path) ? -1 : 1))
    return {
      projects: selectPlaces(this.#projects),
      groups: selectPlaces(this.#groups),
      unread: [...this.#unread, ...this.#missing.map(({ place, failure }) => ({ place, failure }))],
    }
  }

  /** Returns the paths of the groups that -G names; undefined if no flag narrows the selection. */
  async #resolveRoots(): Promise<readonly string[] | undefined> {
    const { narrowed, groups } = this.choice
    if (!narrowed) return undefined
    const paths = await mapSideBySide(groups, async (name) => {
      if (!/^\d+$/.test(name)) return [name]
      const all = await this.listing.groups()
      const found = all.find(({ id }) => id === Number(name))
      if (found !== undefined) return [found.path]
      this.#addMissing({ scope: 'group', path: name })
      return []
    })
    return paths.flat()
  }

  /** True if files name a project, by path or selector, or if everything is exported. */
  #isReached(project: ListedProject): boolean {
    if (this.#isEverything) return true
    if (this.#reached.has(lower(project.path))) return true
    if (this.#testSelectors(project).some((fits) => fits !== false)) return true
    return project.group !== undefined && isWithinAny(project.group, this.#reach.below)
  }

  /** Returns the results of the selectors for a project; selectors apply only to unarchived projects of groups. */
  #testSelectors(project: ListedProject): readonly (boolean | undefined)[] {
    if (project.group === undefined || project.archived) return []
    return (this.#reach.selectors ?? []).map((selector) => selector.fits(project))
  }

  async #findProjects(roots: readonly string[] | undefined): Promise<void> {
    const { below, projects: named, selectors = [] } = this.#reach
    const isUnderRoots = (path: string): boolean => roots === undefined || isWithinAny(path, roots)
    // The list of all projects is needed if a selected group and a declared group overlap.
    const all = selectors.length > 0 ? [...below, ''] : below
    const lists = all.some(
      (root) =>
        roots === undefined ||
        roots.some((one) => isPathWithin(one, root) || isPathWithin(root, one)),
    )
    if (lists || (roots === undefined && named.length > maxNamed))
      for (const project of await this.listing.all())
        if (isUnderRoots(project.group ?? project.path) && this.#isReached(project))
          this.#add(project)
    for (const project of this.listing.unsent.projects)
      if (lists && isUnderRoots(project.group ?? project.path) && this.#isReached(project))
        this.#unread.push({ place: project, failure: createUnsentFailure(project) })
    for (const name of this.choice.projects) await this.#addNamed(name, (p) => this.#isReached(p))
    const left = named.filter((path) => isUnderRoots(path) && !this.#projects.has(lower(path)))
    await mapSideBySide(left, (path) => this.#addNamed(path))
  }

  /** Adds a project that files or flags name, by its ID or its current path. A former path is reported as missing. */
  async #addNamed(
    name: string,
    isMeant: (project: ListedProject) => boolean = () => true,
  ): Promise<void> {
    const place: ManagedPlace = { scope: 'project', path: name }
    try {
      const project = await this.listing.project(name)
      if (project === undefined) return this.#addMissing(place)
      const moved = !/^\d+$/.test(name) && lower(project.path) !== lower(name)
      if (moved) return this.#addMissing(place, `the project ${name} is now ${project.path}`)
      if (isMeant(project)) this.#add(project)
    } catch (error) {
      const failure = recoverFrom(error)
      if (isMissing(failure)) return this.#addMissing(place, undefined, failure)
      this.#unread.push({ place, failure })
    }
  }

  async #findGroups(roots: readonly string[] | undefined): Promise<void> {
    const { groups: named, membersBelow: below } = this.#reach
    const isUnderRoots = (path: string): boolean => roots === undefined || isWithinAny(path, roots)
    const all = below.length > 0 ? await this.listing.groups() : []
    for (const root of below)
      for (const group of all)
        if (isPathWithin(group.path, root) && isUnderRoots(group.path))
          this.#groups.set(lower(group.path), group)
    for (const path of this.listing.unsent.groups) {
      const place: ManagedPlace = { scope: 'group', path }
      if (isUnderRoots(path) && below.some((root) => isPathWithin(path, root)))
        this.#unread.push({ place, failure: createUnsentFailure(place) })
    }
    const left = named.filter((path) => isUnderRoots(path) && !this.#groups.has(lower(path)))
    await mapSideBySide(left, (path) => this.#checkGroup(path, true))
  }

  /** Checks groups in which nothing was found: they may be empty, or may not exist. */
  async #checkRoots(roots: readonly string[] | undefined): Promise<void> {
    const { below, membersBelow } = this.#reach
    const found = [...this.#projects.values(), ...this.#groups.values()]
    const empty = [...new Set(roots ?? below)].filter(
      (root) => root !== '' && !found.some(({ path }) => isPathWithin(path, root)),
    )
    await mapSideBySide(empty, (root) =>
      this.#checkGroup(root, this.#isEverything || membersBelow.includes(root)),
    )
  }

  /** Checks by its members whether a group exists that no list showed. @param isGroupSelected true if the group itself is selected */
  async #checkGroup(path: string, isGroupSelected: boolean): Promise<void> {
    const group = this.listing.group(path)
    const current = await this.readKind(group)
    if (current.is === 'unreadable' && isMissing(current.failure))
      return this.#addMissing(group, undefined, current.failure)
    if (isGroupSelected) this.#groups.set(lower(path), group)
  }

  #add(listed: ListedProject): void {
    const { group: _, ...project } = listed
    if (!this.#testSelectors(listed).includes(undefined))
      this.#projects.set(lower(project.path), project)
    else
      this.#unread.push({
        place: { scope: 'project', path: project.path },
        failure: new Failure('unreachable', 'its record lacks a field that a selector needs'),
      })
  }

  #addMissing(
    place: ManagedPlace,
    text = describeMissing(place),
    failure: Failure = usage(text),
  ): void {
    this.#missing.push({ place, text, failure })
  }

  /** Returns a suggestion of a similar path for a place that does not exist; empty if there is none. */
  async #suggestPath({ scope, path }: ManagedPlace): Promise<string> {
    const all = scope === 'group' ? this.listing.groups() : this.listing.all()
    const known: readonly ManagedPlace[] = await all.catch(() => [])
    const paths = known.map((one) => one.path)
    const near = suggestSimilar(path, paths)
    return near === undefined ? '' : `. ${near}`
  }

  async #createRefusal(): Promise<Failure> {
    const { origins } = this.#reach
    const lines = await mapSideBySide(this.#missing, async ({ place, text }) => {
      const origin = origins?.get(toPlaceText(place))
      const near = await this.#suggestPath(place)
      return `${origin === undefined ? '' : `${formatOrigin(origin)}: `}${text}${near}`
    })
    return usage(lines.join('\n'), 'Correct the path, or skip missing objects with --missing skip.')
  }
}

const isWithinAny = (path: string, roots: readonly string[]): boolean =>
  roots.some((root) => isPathWithin(path, root))

// The projects and groups of an instance, from its list of projects and, if it has one, its list of groups.

/** A project with its group; undefined for a project in a user's namespace. */
export interface ListedProject extends ProjectPlace {
  readonly group: string | undefined
}

/** Reads the fields of a project's record that are used here; undefined for a record without path or ID. */
const parseProject = (record: Fields): ListedProject | undefined => {
  const path = toText(record.path_with_namespace)
  if (path === undefined || !Number.isInteger(record.id)) return undefined
  const namespace = isObject(record.namespace) ? record.namespace : {}
  const topics = record.topics ?? record.tag_list
  const kind = namespace.kind === 'group' || namespace.kind === 'user' ? namespace.kind : undefined
  return {
    scope: 'project',
    path,
    id: Number(record.id),
    archived: record.archived === true,
    namespace: kind,
    shared:
      (Array.isArray(record.shared_with_groups) && record.shared_with_groups.length > 0) ||
      undefined,
    topics: Array.isArray(topics) ? topics.map(String) : undefined,
    visibility: toText(record.visibility),
    group: kind === 'group' ? toText(namespace.full_path) : undefined,
  }
}

export class PlaceFinder {
  /** The listed places whose paths no request can contain. */
  readonly unsent = { projects: new Set<ListedProject>(), groups: new Set<string>() }

  constructor(
    private readonly reader: KindReader,
    private readonly book: Pick<NameIndex, 'learn' | 'knownGroup'>,
    private readonly archived: boolean,
  ) {}

  /** Reads every visible project, with only the fields that are used here; archived ones if they are wanted. */
  all(): Promise<readonly ListedProject[]> {
    const { instance, once } = this.reader
    return once.ask('', 'projects', async () => {
      const found = new Map<number, ListedProject>()
      const order = { order_by: 'id', sort: 'asc' }
      const values = this.archived ? order : { ...order, archived: false }
      await instance.records({ endpoint: projects.list, values }, (record) => {
        this.book.learn(record.namespace)
        const project = parseProject(record)
        // Without it, the plan would leave out a project in silence.
        if (project === undefined)
          throw new Failure('unreachable', 'the instance returned a project without ID or path', {
            hint: 'Check the base URL and any proxy in front of the instance.',
          })
        if (findSegmentProblem(project.path) !== undefined) this.unsent.projects.add(project)
        else if (this.#canBeNamed(project.path)) found.set(project.id, project)
        return false
      })
      return [...found.values()].filter(({ archived }) => this.archived || !archived)
    })
  }

  /**
   * Reads a project by its path or number, archived or not.
   * @returns undefined if the instance has no route for it, and the list of all does not contain it
   * @throws Failure for an error of the instance
   */
  project(name: string): Promise<ListedProject | undefined> {
    const { instance, once } = this.reader
    return once.ask('', `project ${lower(name)}`, async () => {
      try {
        const { data } = await instance.get({ endpoint: projects.get, values: { id: name } })
        const project = isObject(data) ? parseProject(data) : undefined
        if (isObject(data)) this.book.learn(data.namespace)
        if (project === undefined || !isPlacePath(project.path))
          throw new Failure('unreachable', `the response does not contain the project ${name}`)
        return project
      } catch (error) {
        if (recoverFrom(error).details.lacks !== 'route') throw error
        const all = await this.all()
        return all.find(({ path, id }) => lower(path) === lower(name) || String(id) === name)
      }
    })
  }

  /** Lists the groups of all projects, the groups above them, and those of the instance's own list. */
  groups(): Promise<readonly GroupPlace[]> {
    return this.reader.once.ask('', 'groups', async () => {
      const found = new Map<string, string>()
      const add = (path: string): void => {
        if (findSegmentProblem(path) !== undefined) this.unsent.groups.add(path)
        else if (!found.has(lower(path)) && this.#canBeNamed(path)) found.set(lower(path), path)
      }
      for (const { group } of await this.all())
        if (group !== undefined) listPathsTo(group).forEach(add)
      for (const path of (await this.#readGroupList()).map((one) => toText(one.full_path)))
        if (path !== undefined) add(path)
      return [...found.values()].map((path) => this.group(path))
    })
  }

  /** True if files can name a place. Paths that files would read as a pattern are skipped, with a note. */
  #canBeNamed(path: string): boolean {
    const isPath = isPlacePath(path)
    if (!isPath)
      this.reader.note(`${quoteText(path)}: declared files cannot contain this path; skipped`)
    return isPath
  }

  /** Returns a group, with its ID if any record read so far showed it. */
  group(path: string): GroupPlace {
    return { scope: 'group', path, id: this.book.knownGroup(path) }
  }

  async #readGroupList(): Promise<readonly Fields[]> {
    const { instance, note } = this.reader
    try {
      const records = await instance.records({ endpoint: groupsAll, values: {} })
      this.book.learn(records)
      return records
    } catch (error) {
      if (!isDenied(recoverFrom(error))) throw error
      note('the instance does not list groups, so groups without projects are not included')
      return []
    }
  }
}
