/** Who waits for whom in a tree: what is done to a group goes after what is done inside of it. */

/** A parent of a tree, in which there are groups and projects: which it is, and its path. */
export interface TreePlace {
  readonly kind: 'group' | 'project'
  readonly path: string
}

/** The place that a parent's name has in a tree; undefined for what is none. */
export const treePlaceOf = (parent: string | undefined): TreePlace | undefined => {
  const [, kind, path] = /^(group|project):(.+)$/s.exec(parent ?? '') ?? []
  if (path === undefined || (kind !== 'group' && kind !== 'project')) return undefined
  return { kind, path }
}

const depth = (parent: string | undefined): number =>
  treePlaceOf(parent)?.path.split('/').length ?? 0

/** What is inside comes before what is around it. */
export const innerFirst = (
  { parent: a }: { readonly parent?: string },
  { parent: b }: { readonly parent?: string },
): number => depth(b) - depth(a)

/**
 * An instance may end what is inside along with what is around it, and takes no lower level inside than around.
 * Those that are inside have to take their turn first.
 */
export class Turns {
  readonly #ended = new Map<string, Promise<unknown>>()

  /** Does `work` when all that was begun inside of a place has ended, however it did. */
  take<T>(place: TreePlace | undefined, work: () => Promise<T>): Promise<T> {
    if (place === undefined) return work()
    const path = place.path.toLowerCase()
    const inside = [...this.#ended].filter(([other]) => other.startsWith(`${path}/`))
    const before = place.kind === 'group' ? inside.map(([, ended]) => ended) : []
    const turn = Promise.all(before).then(work)
    this.#ended.set(
      place.kind === 'group' ? `${path}/` : path,
      turn.catch(() => {}),
    )
    return turn
  }
}
