/** Parses a YAML text into nodes with their positions. It accepts exactly the texts that libyaml accepts. */
import { YamlScanner } from './scanner.js'
import { type Mark, YamlProblem, type YamlToken, type YamlTokenKind } from './tokens.js'

export { type Mark, YamlProblem } from './tokens.js'

interface NodeFacts {
  /** The place at which the node begins. */
  readonly at: Mark
  readonly anchor?: string
  readonly tag?: string
}

export interface ScalarNode extends NodeFacts {
  readonly kind: 'scalar'
  readonly value: string
  /** True if the scalar has no quotes and is no block; such a text may be a number or a word. */
  readonly plain: boolean
}
export interface ListNode extends NodeFacts {
  readonly kind: 'list'
  readonly items: readonly YamlNode[]
}
export interface MapNode extends NodeFacts {
  readonly kind: 'map'
  readonly pairs: readonly (readonly [key: YamlNode, value: YamlNode])[]
}
export interface AliasNode extends NodeFacts {
  readonly kind: 'alias'
  readonly name: string
}
export type YamlNode = ScalarNode | ListNode | MapNode | AliasNode

/** The maximum depth of nodes: each level nests a call, and real files are never so deep. */
const maxDepth = 500
export class DeepYamlError extends Error {}

type Pairs = (readonly [YamlNode, YamlNode])[]

class NodeParser {
  readonly #scanner: YamlScanner
  #index = 0
  #depth = 0

  constructor(text: string) {
    this.#scanner = new YamlScanner(text)
  }

  get #token(): YamlToken {
    return this.#scanner.tokenAt(this.#index)
  }

  #isNext(...kinds: readonly YamlTokenKind[]): boolean {
    return kinds.includes(this.#token.kind)
  }

  #acceptToken(kind: YamlTokenKind): boolean {
    if (!this.#isNext(kind)) return false
    this.#index++
    return true
  }

  #fail(problem: string, context: string): never {
    throw new YamlProblem(problem, context, this.#token.at)
  }

  #createEmptyNode(): ScalarNode {
    return { kind: 'scalar', at: this.#token.at, value: '', plain: true }
  }

  // Documents.

  documents(): readonly YamlNode[] {
    const documents: YamlNode[] = []
    let isFirst = true
    for (;;) {
      while (this.#acceptToken('document end')) isFirst = true
      if (this.#isNext('end')) return documents
      this.#openDocument(isFirst)
      isFirst = false
      const isEmpty = this.#isNext('directive', 'document start', 'document end', 'end')
      documents.push(isEmpty ? this.#createEmptyNode() : this.#parseNode(true, false))
    }
  }

  /** @param implicit true if a document may begin without `---` */
  #openDocument(implicit: boolean): void {
    if (implicit && !this.#isNext('directive', 'document start')) return
    const versions = new Set<string>()
    while (this.#isNext('directive')) {
      const [name = '', version = ''] = this.#token.value.split(/[ \t]+/)
      if (name === 'YAML' && versions.size > 0) this.#fail('found duplicate %YAML directive', '')
      if (name === 'YAML' && !/^1\.[12]$/.test(version))
        this.#fail('found incompatible YAML document', '')
      if (name === 'YAML') versions.add(version)
      this.#index++
    }
    if (!this.#acceptToken('document start'))
      this.#fail('did not find expected <document start>', '')
  }

  // Nodes.

  /** @param isIndentless true if a list may be at the column of the key that it belongs to */
  #parseNode(isBlock: boolean, isIndentless: boolean): YamlNode {
    this.#depth++
    if (this.#depth > maxDepth) throw new DeepYamlError()
    const { at } = this.#token
    const facts: { at: Mark; anchor?: string; tag?: string } = { at }
    while (
      (this.#isNext('anchor') && facts.anchor === undefined) ||
      (this.#isNext('tag') && facts.tag === undefined)
    ) {
      if (this.#isNext('anchor')) facts.anchor = this.#token.value
      else facts.tag = this.#token.value
      this.#index++
    }
    const node = this.#parseContent(facts, isBlock, isIndentless)
    this.#depth--
    return node
  }

  #parseContent(facts: NodeFacts, isBlock: boolean, isIndentless: boolean): YamlNode {
    const { kind, value, plain } = this.#token
    const hasFacts = facts.anchor !== undefined || facts.tag !== undefined
    if (kind === 'alias' && !hasFacts) {
      this.#index++
      return { kind: 'alias', name: value, ...facts }
    }
    if (kind === 'block entry' && isIndentless)
      return this.#createList(facts, this.#parseItems('key', 'value'))
    if (kind === 'scalar') {
      this.#index++
      return { kind, value, plain, ...facts }
    }
    if (this.#acceptToken('flow list')) return this.#createList(facts, this.#parseFlowItems())
    if (this.#acceptToken('flow map'))
      return { kind: 'map', pairs: this.#parseFlowPairs(), ...facts }
    if (isBlock && this.#acceptToken('block list'))
      return this.#createList(facts, this.#parseBlockItems())
    if (isBlock && this.#acceptToken('block map'))
      return { kind: 'map', pairs: this.#parseBlockPairs(), ...facts }
    if (hasFacts) return { ...this.#createEmptyNode(), ...facts }
    const where = isBlock ? 'a block node' : 'a flow node'
    return this.#fail('did not find expected node content', `while parsing ${where}`)
  }

  #createList(facts: NodeFacts, items: readonly YamlNode[]): ListNode {
    return { kind: 'list', items, ...facts }
  }

  /** Parses a node; an empty one if one of these tokens follows. */
  #parseNodeUnless(
    isBlock: boolean,
    isIndentless: boolean,
    ...ends: readonly YamlTokenKind[]
  ): YamlNode {
    return this.#isNext(...ends) ? this.#createEmptyNode() : this.#parseNode(isBlock, isIndentless)
  }

  #parseItems(...ends: readonly YamlTokenKind[]): YamlNode[] {
    const items: YamlNode[] = []
    while (this.#acceptToken('block entry'))
      items.push(this.#parseNodeUnless(true, false, 'block entry', 'block end', ...ends))
    return items
  }

  #parseBlockItems(): YamlNode[] {
    const items = this.#parseItems()
    if (!this.#acceptToken('block end'))
      this.#fail("did not find expected '-' indicator", 'while parsing a block collection')
    return items
  }

  #parseBlockPairs(): Pairs {
    const pairs: Pairs = []
    const ends = ['key', 'value', 'block end'] as const
    while (this.#acceptToken('key')) {
      const key = this.#parseNodeUnless(true, true, ...ends)
      const value = this.#acceptToken('value')
        ? this.#parseNodeUnless(true, true, ...ends)
        : this.#createEmptyNode()
      pairs.push([key, value])
    }
    if (!this.#acceptToken('block end'))
      this.#fail('did not find expected key', 'while parsing a block mapping')
    return pairs
  }

  /** Parses a key and its value in brackets. Without a key there is no value. */
  #parseFlowPair(end: YamlTokenKind): readonly [YamlNode, YamlNode] {
    const hasKey = this.#acceptToken('key')
    const key = hasKey
      ? this.#parseNodeUnless(false, false, 'value', 'flow entry', end)
      : this.#parseNode(false, false)
    const value =
      hasKey && this.#acceptToken('value')
        ? this.#parseNodeUnless(false, false, 'flow entry', end)
        : this.#createEmptyNode()
    return [key, value]
  }

  #parseFlowPairs(): Pairs {
    const pairs: Pairs = []
    while (!this.#acceptToken('flow map end')) {
      if (pairs.length > 0 && !this.#acceptToken('flow entry'))
        this.#fail("did not find expected ',' or '}'", 'while parsing a flow mapping')
      if (!this.#isNext('flow map end')) pairs.push(this.#parseFlowPair('flow map end'))
    }
    return pairs
  }

  #parseFlowItems(): YamlNode[] {
    const items: YamlNode[] = []
    while (!this.#acceptToken('flow list end')) {
      if (items.length > 0 && !this.#acceptToken('flow entry'))
        this.#fail("did not find expected ',' or ']'", 'while parsing a flow sequence')
      const { at } = this.#token
      if (this.#isNext('key'))
        items.push({ kind: 'map', at, pairs: [this.#parseFlowPair('flow list end')] })
      else if (!this.#isNext('flow list end')) items.push(this.#parseNode(false, false))
    }
    return items
  }
}

/** The characters that libyaml cannot read at all. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u0084\u0086-\u009f\ufffe\uffff]/

const checkCharacters = (text: string): void => {
  const offset = text.search(forbidden)
  if (offset < 0) return
  const lines = text.slice(0, offset).split('\n')
  const column = lines.at(-1)?.length ?? 0
  const at = { offset, line: lines.length - 1, column }
  throw new YamlProblem('control characters are not allowed', '', at)
}

/** Parses the documents of a text. @throws YamlProblem for the first mistake; DeepYamlError for a text that is nested too deeply */
export const parseYamlNodes = (text: string): readonly YamlNode[] => {
  checkCharacters(text)
  return new NodeParser(text).documents()
}
