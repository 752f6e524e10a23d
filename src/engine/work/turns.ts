/** Orders work in a tree of groups: a group is changed after everything inside it. */

/** A group or a project in a tree, by its path. */
export interface TreePlace {
  readonly kind: 'group' | 'project'
  readonly path: string
}

/** Parses a parent's name as a place in a tree; undefined if it is none. */
export const parseTreePlace = (parent: string | undefined): TreePlace | undefined => {
  const [, kind, path] = /^(group|project):(.+)$/s.exec(parent ?? '') ?? []
  if (path === undefined || (kind !== 'group' && kind !== 'project')) return undefined
  return { kind, path }
}

const getDepth = (parent: string | undefined): number =>
  parseTreePlace(parent)?.path.split('/').length ?? 0

/** Compares parents so that inner ones come before the groups around them. */
export const compareInnerFirst = (
  { parent: a }: { readonly parent?: string },
  { parent: b }: { readonly parent?: string },
): number => getDepth(b) - getDepth(a)

/**
 * Runs work on a group after all work inside it has ended. An instance may remove inner members along with outer ones,
 * and rejects an inner level below the outer one.
 */
export class TurnQueue {
  readonly #ended = new Map<string, Promise<unknown>>()

  /** Runs `work` after all earlier work inside a place has ended, successfully or not. */
  runAfterInner<T>(place: TreePlace | undefined, work: () => Promise<T>): Promise<T> {
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
