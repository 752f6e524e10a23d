/** The groups and projects that the caller sees, one after the other: those of the instance's lists. */

import { isObject, objects, toText } from '../../base/objects.js'
import { projects } from '../../catalogue/areas/projects.js'
import { groupsAll } from '../../catalogue/implied.js'
import type { RecordOf } from '../../client/typed.js'
import type { InstanceService } from '../../engine/command/services.js'
import { Failure, survived } from '../../errors.js'

/** Something that has members. */
export interface MemberPlace {
  readonly kind: 'group' | 'project'
  readonly path: string
  /** The user in whose own namespace a project stands. */
  readonly holder?: string
}

/** A place as answers and journals name it. */
export const textOfPlace = ({ kind, path }: MemberPlace): string => `${kind}:${path}`

/** So many projects are in hand at once. */
const chunk = 1000

interface SeenProject {
  readonly id: number
  readonly path: string
  readonly group?: string
  readonly holder?: string
}

const projectIn = (record: RecordOf<typeof projects.list>): SeenProject | undefined => {
  const { id, path_with_namespace, namespace } = record
  const path = toText(path_with_namespace)
  if (path === undefined || !Number.isInteger(id)) return undefined
  const full = toText(namespace?.full_path)
  const own = { id: Number(id), path }
  if (full === undefined) return own
  return namespace?.kind === 'user' ? { ...own, holder: full } : { ...own, group: full }
}

/** A path, and every group above it, the widest first. */
export const withAbove = (path: string): readonly string[] =>
  path.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'))

/** A walk through all of them; what it came by is known as it goes. */
export class MemberPlaces {
  readonly #instance: Pick<InstanceService, 'records'>
  /** By paths without case. */
  readonly #groups = new Set<string>()
  #projects = 0
  #listsGroups = true

  constructor(instance: Pick<InstanceService, 'records'>) {
    this.#instance = instance
  }

  /** What the walk has covered, in words. */
  get coverage(): string {
    const [groups, own] = [this.#groups.size, this.#projects]
    const counted = `${own} project${own === 1 ? '' : 's'} and ${groups} group${groups === 1 ? '' : 's'}`
    const listed = this.#listsGroups
      ? ", and the instance's list of groups"
      : '; the instance does not list groups, so groups without projects are not included'
    return `checked ${counted}: the projects that you can see, the groups of their namespaces${listed}`
  }

  /** Every group once, every project once; archived ones, too. @throws Failure where projects cannot be listed */
  async *each(): AsyncGenerator<MemberPlace> {
    for (const path of await this.#listed()) yield* this.#group(path)
    for (let after = 0; ; ) {
      const found = await this.#projectsAfter(after)
      for (const { id, path, group, holder } of found) {
        if (group !== undefined) for (const one of withAbove(group)) yield* this.#group(one)
        this.#projects += 1
        yield { kind: 'project', path, holder }
        after = id
      }
      if (found.length < chunk) return
    }
  }

  *#group(path: string): Generator<MemberPlace> {
    const key = path.toLowerCase()
    if (this.#groups.has(key)) return
    this.#groups.add(key)
    yield { kind: 'group', path }
  }

  /** The groups of the instance's own list; none where it has no such list. */
  async #listed(): Promise<readonly string[]> {
    try {
      const found = objects(await this.#instance.records(groupsAll, {}))
      return found.flatMap((group) => toText(group.full_path) ?? []).sort()
    } catch (error) {
      const { details, category } = survived(error)
      const denied = category === 'not_found' || details.status === 403
      if (!denied) throw error
      this.#listsGroups = false
      return []
    }
  }

  /** The next projects by their ids. */
  async #projectsAfter(after: number): Promise<readonly SeenProject[]> {
    const found: SeenProject[] = []
    const order = { order_by: 'id', sort: 'asc' } as const
    await this.#instance.records(
      projects.list,
      after === 0 ? order : { ...order, id_after: after },
      {
        limit: chunk,
        where: (record) => {
          const project = isObject(record) ? projectIn(record) : undefined
          if (project !== undefined) found.push(project)
          return false
        },
      },
    )
    // Without an end to it, the same would be looked at for ever.
    if (found.some(({ id }) => id <= after))
      throw new Failure('unreachable', 'the list of projects starts again instead of continuing', {
        request: projects.list.route,
      })
    return found
  }
}
