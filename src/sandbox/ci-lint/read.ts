/** Nodes of a YAML document → plain values, counted: aliases cost what they stand for. */
import { isAlias, isMap, isScalar, isSeq, type Pair } from 'yaml'
import { Budget, UnreadableError } from './grammar/types.js'

/** Instances take no deeper tree. */
const deepest = 100
const maxValues = 250_000

/** What an anchor stands for; no size while it is still being read. */
interface AnchorValue {
  value?: unknown
  size?: number
}

const isMerge = (key: unknown): boolean =>
  isScalar(key) &&
  (typeof key.value === 'symbol' || (key.value === '<<' && (key.type ?? 'PLAIN') === 'PLAIN'))

const nameOf = (key: unknown): string => {
  const name = isScalar(key) ? key.value : key
  return name === null ? '' : typeof name === 'object' ? '?' : String(name)
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** A key of a configuration may be `__proto__`. */
const set = (into: object, key: string, value: unknown): void => {
  Object.defineProperty(into, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  })
}

class Reader {
  readonly #budget = new Budget(maxValues)
  readonly #anchors = new Map<string, AnchorValue>()

  value(node: unknown, depth: number): unknown {
    if (isAlias(node)) return this.#alias(node.source)
    const anchor = node !== null && typeof node === 'object' && 'anchor' in node && node.anchor
    if (typeof anchor !== 'string') return this.#plain(node, depth)
    const entry: AnchorValue = {}
    this.#anchors.set(anchor, entry)
    const before = this.#budget.left
    entry.value = this.#plain(node, depth)
    entry.size = before - this.#budget.left
    return entry.value
  }

  #alias(name: string): unknown {
    const entry = this.#anchors.get(name)
    if (entry?.size === undefined)
      throw new UnreadableError([`(<unknown>): Unknown alias: ${name}`])
    this.#budget.spend(entry.size)
    return entry.value
  }

  #plain(node: unknown, depth: number): unknown {
    this.#budget.spend(1)
    if (depth > deepest) throw new UnreadableError(['The parsed YAML is too deep'])
    if (isScalar(node)) return node.value
    if (isSeq(node)) return node.items.map((item) => this.value(item, depth + 1))
    return isMap(node) ? this.#hash(node.items, depth) : null
  }

  #hash(pairs: readonly Pair[], depth: number): Record<string, unknown> {
    const result: Record<string, unknown> = {}
    const under: unknown[] = []
    for (const { key, value } of pairs) {
      const read = this.value(value, depth + 1)
      if (isMerge(key)) under.push(...[read].flat())
      else set(result, isAlias(key) ? String(this.#alias(key.source)) : this.#key(key), read)
    }
    for (const source of under) this.#merge(result, source)
    return result
  }

  #key(key: unknown): string {
    if (isScalar(key) && key.anchor !== undefined) this.value(key, 0)
    return nameOf(key)
  }

  /** Keys that stand there themselves, or came with an earlier source, win. */
  #merge(result: Record<string, unknown>, source: unknown): void {
    if (!isPlain(source)) throw new UnreadableError(['(<unknown>): a merge key takes hashes only'])
    const entries = Object.entries(source)
    this.#budget.spend(entries.length)
    for (const [key, value] of entries) if (!Object.hasOwn(result, key)) set(result, key, value)
  }
}

/**
 * The values of a document's root node; the keys of the outermost hash that are numbers.
 * @throws Unreadable where it nests too deep, grows too big, or names an anchor that is not there
 */
export const parseValues = (root: unknown): { value: unknown; numeric: readonly string[] } => ({
  value: new Reader().value(root, 0),
  numeric: isMap(root)
    ? root.items.flatMap(({ key }) =>
        isScalar(key) && typeof key.value === 'number' ? [nameOf(key)] : [],
      )
    : [],
})
