/** YAML of a CI configuration → a tree of plain values, with `!reference` kept as such. */
import {
  type CollectionTag,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type LineCounter,
  type Pair,
  type Tags,
} from 'yaml'
import { isModestYaml, untraced } from '../../../base/json/yaml.js'
import type { AsOf } from '../grammar/values.js'
import { Budget, type Hash, isHash, KeywordReference, Unreadable } from '../values.js'

/** A configuration as it was read. */
export interface Tree {
  readonly tree: Hash
  /** Its outermost keys that are numbers: no names of jobs. */
  readonly numeric: readonly string[]
}

const maxBytes = 2 * 1024 * 1024
const maxLexemes = 250_000
const maxProblems = 10

/** Of no use in a configuration; some take time by the square of their length. */
const refused = /:(?:binary|omap|pairs|set)$/

/** Instances read `yes` and `on` as booleans, as YAML 1.1 has it, but not a lone `y` or `n`. */
const withoutLetters = (tag: Tags[number]): Tags[number] =>
  typeof tag !== 'string' && 'test' in tag && tag.test !== undefined && tag.tag.endsWith(':bool')
    ? { ...tag, test: new RegExp(`^(?![yYnN]$)(?:${tag.test.source})`) }
    : tag

const checkSize = async (text: string): Promise<void> => {
  if (Buffer.byteLength(text) > maxBytes)
    throw new Unreadable(['The configuration is too large: at most 2 MiB are checked'])
  if (!(await isModestYaml(text, maxLexemes)))
    throw new Unreadable(['The configuration is too large, or nested too deep, to be checked'])
}

interface Documents {
  readonly all: readonly Document.Parsed[]
  readonly lines: LineCounter
}

const parsed = async (text: string): Promise<Documents> => {
  const { isSeq, LineCounter, parseAllDocuments } = await import('yaml')
  const reference: CollectionTag = {
    tag: '!reference',
    collection: 'seq',
    resolve: (node) =>
      new KeywordReference(isSeq(node) ? node.items.map((item) => String(item)) : []),
  }
  const lines = new LineCounter()
  const documents = untraced(() =>
    parseAllDocuments(text, {
      version: '1.1',
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'silent',
      customTags: (tags) => [
        ...tags
          .filter((tag) => typeof tag !== 'object' || !refused.test(tag.tag))
          .map(withoutLetters),
        reference,
      ],
      lineCounter: lines,
    }),
  )
  return { all: Array.isArray(documents) ? documents : [], lines }
}

/** A document that has no errors. */
const clean = ({ all, lines }: Documents, index: number): Document.Parsed | undefined => {
  const document = all[index]
  const problems = (document?.errors ?? []).slice(0, maxProblems).map(({ message, pos }) => {
    const { line, col } = lines.linePos(pos[0])
    return `(<unknown>): ${message} at line ${line} column ${col}`
  })
  if (problems.length > 0) throw new Unreadable(problems)
  return document
}

const read = async (text: string, inputs: Hash, asOf: AsOf): Promise<Tree> => {
  const [{ parseValues }, documents] = [await import('./tree.js'), await parsed(text)]
  const first = parseValues(clean(documents, 0)?.contents)
  const { isHeader, withInputs } = await import('./expand.js')
  const header = documents.all.length > 1 && isHeader(first.value) ? first.value : undefined
  const { value, numeric } =
    header === undefined ? first : parseValues(clean(documents, 1)?.contents)
  const tree = header === undefined ? value : await withInputs(header, value, inputs, asOf)
  if (!isHash(tree)) throw new Unreadable(['Invalid configuration format'])
  return { tree, numeric }
}

/**
 * Reads a configuration as instances do: YAML 1.1 (`yes` is true, `<<` merges), the last of equal
 * keys counts, `inputs` of a header stand in their places.
 * @throws Unreadable when it is no YAML, no hash, or more than is checked
 */
export const readTree = async (text: string, inputs: Hash, asOf: AsOf): Promise<Tree> => {
  await checkSize(text)
  try {
    return await read(text, inputs, asOf)
  } catch (error) {
    // Composing nests a call for each level of block collections.
    if (error instanceof RangeError) throw new Unreadable(['The parsed YAML is too deep'])
    throw error
  }
}

/** The tree as YAML again. */
export const writeYaml = async (tree: Hash): Promise<string> => {
  const { stringify } = await import('yaml')
  const plain: unknown = JSON.parse(
    JSON.stringify(tree, (_key, value: unknown) =>
      value instanceof KeywordReference ? value.toString() : value,
    ),
  )
  return `---\n${stringify(plain, { lineWidth: 0 })}`
}

/** Hashes are merged key by key; of anything else the later one counts. */
export const mergeHashes = (under: Hash, over: Hash, budget: Budget): Hash => {
  const result: Hash = { ...under }
  const entries = Object.entries(over)
  budget.spend(Object.keys(under).length + entries.length)
  for (const [key, value] of entries) {
    const below = result[key]
    result[key] = isHash(below) && isHash(value) ? mergeHashes(below, value, budget) : value
  }
  return result
}

// Nodes of a YAML document → plain values, counted: aliases cost what they stand for.

/** Instances take no deeper tree. */
const deepest = 100
const maxValues = 250_000

/** What an anchor stands for; no size while it is still being read. */
interface Anchored {
  value?: unknown
  size?: number
}

const isMerge = (key: unknown): boolean =>
  isScalar(key) &&
  (typeof key.value === 'symbol' || (key.value === '<<' && (key.type ?? 'PLAIN') === 'PLAIN'))

const getName = (key: unknown): string => {
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
  readonly #anchors = new Map<string, Anchored>()

  value(node: unknown, depth: number): unknown {
    if (isAlias(node)) return this.#alias(node.source)
    const anchor = node !== null && typeof node === 'object' && 'anchor' in node && node.anchor
    if (typeof anchor !== 'string') return this.#plain(node, depth)
    const entry: Anchored = {}
    this.#anchors.set(anchor, entry)
    const before = this.#budget.left
    entry.value = this.#plain(node, depth)
    entry.size = before - this.#budget.left
    return entry.value
  }

  #alias(name: string): unknown {
    const entry = this.#anchors.get(name)
    if (entry?.size === undefined) throw new Unreadable([`(<unknown>): Unknown alias: ${name}`])
    this.#budget.spend(entry.size)
    return entry.value
  }

  #plain(node: unknown, depth: number): unknown {
    this.#budget.spend(1)
    if (depth > deepest) throw new Unreadable(['The parsed YAML is too deep'])
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
    return getName(key)
  }

  /** Keys that stand there themselves, or came with an earlier source, win. */
  #merge(result: Record<string, unknown>, source: unknown): void {
    if (!isPlain(source)) throw new Unreadable(['(<unknown>): a merge key takes hashes only'])
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
        isScalar(key) && typeof key.value === 'number' ? [getName(key)] : [],
      )
    : [],
})
