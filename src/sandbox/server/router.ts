/** Finds the route of a request: segment by segment, literal ones before placeholders. */

/** A path by segments: `runners`, `:id`, and at the end perhaps `*artifact_path`. */
type Segments = readonly string[]

interface Leaf<T> {
  /** The whole path, as it was added. */
  readonly path: string
  readonly names: readonly string[]
  readonly value: T
}

class Node<T> {
  readonly literal = new Map<string, Node<T>>()
  placeholder: Node<T> | undefined
  /** Method → what stands here. */
  readonly here = new Map<string, Leaf<T>>()
  /** Method → what takes all that follows. */
  readonly rest = new Map<string, Leaf<T>>()
}

export interface RouteMatch<T> {
  readonly value: T
  /** Placeholder → value, decoded. */
  readonly path: Readonly<Record<string, string>>
}

const split = (path: string): Segments => path.split('/').slice(1)

const isName = (segment: string): boolean => segment.startsWith(':') || segment.startsWith('*')

export class Router<T> {
  readonly #root = new Node<T>()

  /** Adds a route. @throws Error that names both where two routes of a method differ in the names of placeholders only */
  add(method: string, path: string, value: T): void {
    const segments = split(path)
    const names = segments.filter(isName).map((segment) => segment.slice(1))
    const wild = segments.at(-1)?.startsWith('*') === true
    let node = this.#root
    for (const segment of wild ? segments.slice(0, -1) : segments) {
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
    const leaves = wild ? node.rest : node.here
    const other = leaves.get(method)
    if (other !== undefined)
      throw new Error(
        `${method} ${path} is ambiguous: ${method} ${other.path} takes the same paths`,
      )
    leaves.set(method, { path, names, value })
  }

  /** All places where a path may end, best first, each with the values of its placeholders. */
  *#ends(
    node: Node<T>,
    segments: Segments,
    values: readonly string[],
  ): Generator<readonly [Map<string, Leaf<T>>, readonly string[]]> {
    const [segment, ...others] = segments
    if (segment === undefined) {
      yield [node.here, values]
      return
    }
    const literal = node.literal.get(segment)
    if (literal !== undefined) yield* this.#ends(literal, others, values)
    if (node.placeholder !== undefined && segment !== '')
      yield* this.#ends(node.placeholder, others, [...values, segment])
    if (node.rest.size > 0 && segments.some((s) => s !== ''))
      yield [node.rest, [...values, segments.join('/')]]
  }

  /**
   * The route of a request, or the methods that its path knows (none for an unknown path).
   * `path` is as it was sent, without the query. Throws URIError on a broken percent-encoding.
   */
  find(method: string, path: string): RouteMatch<T> | readonly string[] {
    const methods = new Set<string>()
    for (const [leaves, values] of this.#ends(this.#root, split(path), [])) {
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
