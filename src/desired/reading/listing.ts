/** Which projects and groups an instance has: its list of projects, and of groups where it has one. */
import { type Fields, isObject, textOf } from '../../base/objects.js'
import { quoted } from '../../base/quoted.js'
import { projects } from '../../catalogue/areas/projects.js'
import { groupsAll } from '../../catalogue/implied.js'
import { Failure, survived } from '../../errors.js'
import { isPlacePath } from '../address.js'
import type { Book } from './names.js'
import type { KindReader } from './records.js'
import { isDenied } from './refusals.js'
import { lower, within } from './scoping.js'
import type { GroupPlace, ProjectPlace } from './sight.js'

/** A project with the group that it is in; undefined where it is a person's own. */
export interface ListedProject extends ProjectPlace {
  readonly group: string | undefined
}

/** What is asked here of a project's record; undefined for one that does not say which it is. */
const projectIn = (record: Fields): ListedProject | undefined => {
  const path = textOf(record.path_with_namespace)
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
    visibility: textOf(record.visibility),
    group: kind === 'group' ? textOf(namespace.full_path) : undefined,
  }
}

/** A path, and every group above it. */
const above = (path: string): readonly string[] =>
  path.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'))

export class PlaceListing {
  readonly #reader: KindReader
  readonly #book: Pick<Book, 'learn' | 'knownGroup'>
  readonly #archived: boolean

  constructor(reader: KindReader, book: Pick<Book, 'learn' | 'knownGroup'>, archived: boolean) {
    this.#reader = reader
    this.#book = book
    this.#archived = archived
  }

  /** Every project that can be seen, of each only what is asked here; archived ones where they are wanted. */
  all(): Promise<readonly ListedProject[]> {
    const { instance, once } = this.#reader
    return once.ask('', 'projects', async () => {
      const found = new Map<number, ListedProject>()
      const order = { order_by: 'id', sort: 'asc' }
      const values = this.#archived ? order : { ...order, archived: false }
      await instance.records({ endpoint: projects.list, values }, (record) => {
        this.#book.learn(record.namespace)
        const project = projectIn(record)
        if (project !== undefined && this.#isNamed(project.path)) found.set(project.id, project)
        return false
      })
      return [...found.values()].filter(({ archived }) => this.#archived || !archived)
    })
  }

  /**
   * A project by its path or number, archived or not.
   * @returns undefined where the instance shows none by itself, and its list does not have it
   * @throws Failure as the instance answers
   */
  project(name: string): Promise<ListedProject | undefined> {
    const { instance, once } = this.#reader
    return once.ask('', `project ${lower(name)}`, async () => {
      try {
        const { data } = await instance.get({ endpoint: projects.get, values: { id: name } })
        const project = isObject(data) ? projectIn(data) : undefined
        if (isObject(data)) this.#book.learn(data.namespace)
        if (project === undefined || !isPlacePath(project.path))
          throw new Failure('unreachable', `the instance answered without the project ${name}`)
        return project
      } catch (error) {
        if (survived(error).details.lacks !== 'route') throw error
        const all = await this.all()
        return all.find(({ path, id }) => lower(path) === lower(name) || String(id) === name)
      }
    })
  }

  /** The groups of projects, those above them, and what the instance's own list of groups has. */
  groups(): Promise<readonly GroupPlace[]> {
    return this.#reader.once.ask('', 'groups', async () => {
      const found = new Map<string, string>()
      const add = (path: string): void => {
        if (!found.has(lower(path)) && this.#isNamed(path)) found.set(lower(path), path)
      }
      for (const { group } of await this.all()) if (group !== undefined) above(group).forEach(add)
      for (const { full_path } of await this.#ownList()) {
        const path = textOf(full_path)
        if (path !== undefined) add(path)
      }
      return [...found.values()].map((path) => this.group(path))
    })
  }

  /** Whether files can name a place: what they could take for many places is left out. */
  #isNamed(path: string): boolean {
    const isPath = isPlacePath(path)
    if (!isPath) this.#reader.note(`${quoted(path)} is no path that files can name: left out`)
    return isPath
  }

  /** A group of that path, its number where anything that was read shows it. */
  group(path: string): GroupPlace {
    return { scope: 'group', path, id: this.#book.knownGroup(path) }
  }

  async #ownList(): Promise<readonly Fields[]> {
    const { instance, note } = this.#reader
    try {
      const records = await instance.records({ endpoint: groupsAll, values: {} })
      this.#book.learn(records)
      return records
    } catch (error) {
      if (!isDenied(survived(error))) throw error
      note('the instance lists no groups: those without projects are not included')
      return []
    }
  }
}

/** The groups at a path and below it. */
export const groupsWithin = (groups: readonly GroupPlace[], root: string): readonly GroupPlace[] =>
  groups.filter(({ path }) => within(path, root))
