/** Reads the YAML of a CI configuration as a tree of plain values, with `!reference` objects and with the values of inputs. */

import { DeepYamlError, parseYamlNodes, type YamlNode, YamlProblem } from '../../base/yaml/nodes.js'
import { isModestYaml } from '../../base/yaml/texts.js'
import { isHeader, withInputs } from './inputs.js'
import { type OddKeys, readValues } from './read.js'
import {
  type Budget,
  type Hash,
  isHash,
  type JudgedVersion,
  KeywordReference,
  UnreadableError,
} from './types.js'

/** A configuration after parsing. */
export interface Tree {
  readonly tree: Hash
  /** The top-level keys that are not texts, and so are not names of jobs. */
  readonly odd: OddKeys
  /** The input files that the header names. They are not fetched. */
  readonly left: readonly string[]
}

const maxBytes = 2 * 1024 * 1024
const maxLexemes = 250_000

const checkSize = async (text: string): Promise<void> => {
  if (Buffer.byteLength(text) > maxBytes)
    throw new UnreadableError(['The configuration is too large: at most 2 MiB are checked'])
  if (!(await isModestYaml(text, maxLexemes)))
    throw new UnreadableError(['The configuration is too large, or nested too deep, to be checked'])
}

/** Parses the documents of a text. Errors have the messages of instances, with their positions in this text. */
const parseDocuments = (text: string): readonly YamlNode[] => {
  // Instances divide a text into documents before they parse it, which leaves a directive without its document.
  if (/^[ \t]*[^\s#]/m.exec(text)?.[0] === '%')
    throw new UnreadableError([
      '(<unknown>): did not find expected <document start> at line 1 column 1',
    ])
  try {
    return parseYamlNodes(text)
  } catch (error) {
    if (error instanceof DeepYamlError) throw new UnreadableError(['The parsed YAML is too deep'])
    if (!(error instanceof YamlProblem)) throw error
    const { line, column } = error.at
    throw new UnreadableError([
      `(<unknown>): ${error.message} at line ${line + 1} column ${column + 1}`,
    ])
  }
}

const isNothing = (node: YamlNode): boolean =>
  node.kind === 'scalar' && node.plain && node.value === '' && node.tag === undefined

/** True for the value of a document that instances skip, such as `{}` or `~`. */
const isBlank = (value: unknown): boolean =>
  (value ?? false) === false ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value ?? {}).length === 0)

/** Instances divide a text at two markers (`---`) and ignore what follows. One at the beginning counts. */
const countParts = (text: string): number =>
  /^---(?!\S)/.test(/^[ \t]*[^\s#].*/m.exec(text)?.[0] ?? '') ? 2 : 3

/** Reads the header and the last document after it. Empty documents are ignored. A text of comments has no keys. */
const read = async (text: string, inputs: Hash, asOf: JudgedVersion): Promise<Tree> => {
  const documents = parseDocuments(text).filter((node) => !isNothing(node))
  const [first, ...others] = documents
    .slice(0, countParts(text))
    .map(readValues)
    .filter(({ value }) => !isBlank(value))
  if (first === undefined && text.trim() !== '') return { tree: {}, odd: new Map(), left: [] }
  if (!isHash(first?.value) || others.some(({ value }) => !isHash(value)))
    throw new UnreadableError(['Invalid configuration format'])
  const last = others.at(-1)
  if (last !== undefined && isHeader(first.value)) {
    const { value, odd, left } = await withInputs(first.value, last.value, inputs, asOf)
    return { tree: isHash(value) ? value : {}, odd: new Map([...last.odd, ...odd]), left }
  }
  if (Object.keys(inputs).length > 0)
    throw new UnreadableError([
      'Given inputs not defined in the `spec` section of the included configuration file',
    ])
  return { tree: first.value, odd: first.odd, left: [] }
}

/**
 * Reads a configuration as instances do: as YAML 1.1 (`yes` is true, `<<` merges), where the last of equal keys counts. It also replaces
 * inputs.
 * @throws UnreadableError if the text is not YAML, not a hash, or too big
 */
export const readTree = async (text: string, inputs: Hash, asOf: JudgedVersion): Promise<Tree> => {
  await checkSize(text)
  return read(text, inputs, asOf)
}

/** Converts a tree to YAML that means the same again when it is checked: by the rules of YAML 1.1, in which `yes` is no text. */
export const writeYaml = async (tree: Hash): Promise<string> => {
  const { Document, Scalar, visit } = await import('yaml')
  const plain: unknown = JSON.parse(
    JSON.stringify(tree, (_key, value: unknown) =>
      value instanceof KeywordReference ? value.toString() : value,
    ),
  )
  const document = new Document(plain, { version: '1.1' })
  visit(document, {
    Scalar: (_key, node) => {
      // libyaml takes no tab in a text without quotes.
      if (typeof node.value === 'string' && node.value.includes('\t'))
        node.type = Scalar.QUOTE_DOUBLE
    },
  })
  return `---\n${document.toString({ lineWidth: 0 })}`
}

/** Merges hashes at any depth. For values that are not hashes, the one in `over` counts. */
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
