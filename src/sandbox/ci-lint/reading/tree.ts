/** YAML of a CI configuration → a tree of plain values, with `!reference` kept as such. */
import type { CollectionTag, Document, LineCounter, Tags } from 'yaml'
import { isModestYaml, untraced } from '../../../base/json/yaml.js'
import type { AsOf } from '../grammar/types.js'
import { type Budget, type Hash, isHash, KeywordReference, Unreadable } from '../values.js'

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
  const [{ parseValues }, documents] = [await import('./read.js'), await parsed(text)]
  const first = parseValues(clean(documents, 0)?.contents)
  const { isHeader, withInputs } = await import('./inputs.js')
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
