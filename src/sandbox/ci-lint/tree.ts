/** YAML of a CI configuration → a tree of plain values, with `!reference` kept as such. */
import type { CollectionTag, Tags } from 'yaml'

export type Hash = { [key: string]: unknown }

export const isHash = (value: unknown): value is Hash =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Reference) &&
  !(value instanceof Date)

/** `!reference [job, keyword, …]`: what stands there is put here. */
export class Reference {
  constructor(readonly path: readonly string[]) {}
  toString(): string {
    return `!reference ${JSON.stringify(this.path)}`
  }
}

/** What is wrong with the text itself; lists all errors of it. */
export class Unreadable extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'))
    this.name = 'Unreadable'
  }
}

/** Instances read `yes` and `on` as booleans, as YAML 1.1 has it, but not a lone `y` or `n`. */
const withoutLetters = (tag: Tags[number]): Tags[number] =>
  typeof tag !== 'string' && 'test' in tag && tag.test !== undefined && tag.tag.endsWith(':bool')
    ? { ...tag, test: new RegExp(`^(?![yYnN]$)(?:${tag.test.source})`) }
    : tag

/**
 * Reads a configuration as instances do: YAML 1.1 (`yes` is true, `<<` merges), the last of equal
 * keys counts.
 * @throws Unreadable when it is no YAML or no hash
 */
export const readTree = async (text: string): Promise<Hash> => {
  const { isSeq, LineCounter, parseAllDocuments } = await import('yaml')
  const reference: CollectionTag = {
    tag: '!reference',
    collection: 'seq',
    resolve: (node) => new Reference(isSeq(node) ? node.items.map((item) => String(item)) : []),
  }
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, {
    version: '1.1',
    uniqueKeys: false,
    prettyErrors: false,
    customTags: (tags) => [...tags.map(withoutLetters), reference],
    lineCounter: lines,
  })
  const [first] = Array.isArray(documents) ? documents : []
  const problems = (first?.errors ?? []).map(({ message, pos }) => {
    const { line, col } = lines.linePos(pos[0])
    return `(<unknown>): ${message} at line ${line} column ${col}`
  })
  if (problems.length > 0) throw new Unreadable(problems)
  let tree: unknown
  try {
    tree = first?.toJS()
  } catch (error) {
    throw new Unreadable([error instanceof Error ? error.message : String(error)])
  }
  if (!isHash(tree)) throw new Unreadable(['Invalid configuration format'])
  return tree
}

/** The tree as YAML again. */
export const writeTree = async (tree: Hash): Promise<string> => {
  const { stringify } = await import('yaml')
  const plain: unknown = JSON.parse(
    JSON.stringify(tree, (_key, value: unknown) =>
      value instanceof Reference ? value.toString() : value,
    ),
  )
  return `---\n${stringify(plain, { lineWidth: 0 })}`
}

/** Hashes are merged key by key; of anything else the later one counts. */
export const merged = (under: Hash, over: Hash): Hash => {
  const result: Hash = { ...under }
  for (const [key, value] of Object.entries(over)) {
    const below = result[key]
    result[key] = isHash(below) && isHash(value) ? merged(below, value) : value
  }
  return result
}
