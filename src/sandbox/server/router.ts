/** Finds the value of a request's path. Paths are compared segment by segment; literal segments are preferred to placeholders. */

/** The segments of a path, such as `runners` and `:id`. The last one may be `*artifact_path`. */
type Segments = readonly string[]

interface Leaf<T> {
  /** The whole path as it was added. */
  readonly path: string
  readonly names: readonly string[]
  readonly value: T
}

class Node<T> {
  readonly literal = new Map<string, Node<T>>()
  placeholder: Node<T> | undefined
  /** The routes that end at this node, by method. */
  readonly leaves = new Map<string, Leaf<T>>()
  /** The routes whose last segment matches the rest of a path, by method. */
  readonly wildLeaves = new Map<string, Leaf<T>>()
}

export interface RouteMatch<T> {
  readonly value: T
  /** The decoded values of the placeholders, by name. */
  readonly path: Readonly<Record<string, string>>
}

const splitPath = (path: string): Segments => path.split('/').slice(1)

const isPlaceholder = (segment: string): boolean =>
  segment.startsWith(':') || segment.startsWith('*')

export class Router<T> {
  readonly #root = new Node<T>()

  /** Adds a route. @throws Error with both paths if two routes of a method differ only in the names of placeholders */
  add(method: string, path: string, value: T): void {
    const segments = splitPath(path)
    const names = segments.filter(isPlaceholder).map((segment) => segment.slice(1))
    const isWild = segments.at(-1)?.startsWith('*') === true
    let node = this.#root
    for (const segment of isWild ? segments.slice(0, -1) : segments) {
      if (segment.startsWith(':')) {
        node.placeholder ??= new Node()
        node = node.placeholder
        continue
      }
      let next = node.literal.get(segment)
      if (next === undefined) {
        next = new Node()
        node.literal.set(segment, next)
      }
      node = next
    }
    const leaves = isWild ? node.wildLeaves : node.leaves
    const other = leaves.get(method)
    if (other !== undefined)
      throw new Error(
        `${method} ${path} is ambiguous: ${method} ${other.path} takes the same paths`,
      )
    leaves.set(method, { path, names, value })
  }

  /** Yields all nodes at which a path may end, the best match first, each with the values of its placeholders. */
  *#findEnds(
    node: Node<T>,
    segments: Segments,
    values: readonly string[],
  ): Generator<readonly [Map<string, Leaf<T>>, readonly string[]]> {
    const [segment, ...others] = segments
    if (segment === undefined) {
      yield [node.leaves, values]
      return
    }
    const literal = node.literal.get(decodeURIComponent(segment))
    if (literal !== undefined) yield* this.#findEnds(literal, others, values)
    if (node.placeholder !== undefined && segment !== '')
      yield* this.#findEnds(node.placeholder, others, [...values, segment])
    if (node.wildLeaves.size > 0 && segments.some((s) => s !== ''))
      yield [node.wildLeaves, [...values, segments.join('/')]]
  }

  /**
   * Finds the route of a request, or the methods that its path has (none for an unknown path). `path` is the raw path without the query,
   * in which any letter may be percent-encoded.
   * @throws URIError if the percent-encoding is invalid
   */
  find(method: string, path: string): RouteMatch<T> | readonly string[] {
    const methods = new Set<string>()
    for (const [leaves, values] of this.#findEnds(this.#root, splitPath(path), [])) {
      const leaf = leaves.get(method)
      if (leaf === undefined) {
        for (const other of leaves.keys()) methods.add(other)
        continue
      }
      const pairs = leaf.names.map((name, index) => {
        const value = decodeURIComponent(values[index] ?? '')
        return [name, value] as const
      })
      return { value: leaf.value, path: Object.fromEntries(pairs) }
    }
    return [...methods]
  }
}
