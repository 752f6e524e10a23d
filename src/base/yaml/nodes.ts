/** Parses a YAML text into nodes that know their places, as libyaml does: the same texts are YAML, the same are none. */
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
const deepest = 500
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

  #is(...kinds: readonly YamlTokenKind[]): boolean {
    return kinds.includes(this.#token.kind)
  }

  #accepts(kind: YamlTokenKind): boolean {
    if (!this.#is(kind)) return false
    this.#index++
    return true
  }

  #fail(problem: string, context: string): never {
    throw new YamlProblem(problem, context, this.#token.at)
  }

  #nothing(): ScalarNode {
    return { kind: 'scalar', at: this.#token.at, value: '', plain: true }
  }

  // Documents.

  documents(): readonly YamlNode[] {
    const documents: YamlNode[] = []
    let isFirst = true
    for (;;) {
      while (this.#accepts('document end')) isFirst = true
      if (this.#is('end')) return documents
      this.#openDocument(isFirst)
      isFirst = false
      const isEmpty = this.#is('directive', 'document start', 'document end', 'end')
      documents.push(isEmpty ? this.#nothing() : this.#node(true, false))
    }
  }

  /** @param implicit whether a document may begin without a sign */
  #openDocument(implicit: boolean): void {
    if (implicit && !this.#is('directive', 'document start')) return
    const versions = new Set<string>()
    while (this.#is('directive')) {
      const [name = '', version = ''] = this.#token.value.split(/[ \t]+/)
      if (name === 'YAML' && versions.size > 0) this.#fail('found duplicate %YAML directive', '')
      if (name === 'YAML' && !/^1\.[12]$/.test(version))
        this.#fail('found incompatible YAML document', '')
      if (name === 'YAML') versions.add(version)
      this.#index++
    }
    if (!this.#accepts('document start')) this.#fail('did not find expected <document start>', '')
  }

  // Nodes.

  /** @param isIndentless whether a list may stand at the column of the key that it belongs to */
  #node(isBlock: boolean, isIndentless: boolean): YamlNode {
    this.#depth++
    if (this.#depth > deepest) throw new DeepYamlError()
    const { at } = this.#token
    const facts: { at: Mark; anchor?: string; tag?: string } = { at }
    while (
      (this.#is('anchor') && facts.anchor === undefined) ||
      (this.#is('tag') && facts.tag === undefined)
    ) {
      if (this.#is('anchor')) facts.anchor = this.#token.value
      else facts.tag = this.#token.value
      this.#index++
    }
    const node = this.#content(facts, isBlock, isIndentless)
    this.#depth--
    return node
  }

  #content(facts: NodeFacts, isBlock: boolean, isIndentless: boolean): YamlNode {
    const { kind, value, plain } = this.#token
    const hasFacts = facts.anchor !== undefined || facts.tag !== undefined
    if (kind === 'alias' && !hasFacts) {
      this.#index++
      return { kind: 'alias', name: value, ...facts }
    }
    if (kind === 'block entry' && isIndentless) return this.#list(facts, this.#indentlessItems())
    if (kind === 'scalar') {
      this.#index++
      return { kind, value, plain, ...facts }
    }
    if (this.#accepts('flow list')) return this.#list(facts, this.#flowItems())
    if (this.#accepts('flow map')) return { kind: 'map', pairs: this.#flowPairs(), ...facts }
    if (isBlock && this.#accepts('block list')) return this.#list(facts, this.#blockItems())
    if (isBlock && this.#accepts('block map'))
      return { kind: 'map', pairs: this.#blockPairs(), ...facts }
    if (hasFacts) return { ...this.#nothing(), ...facts }
    const where = isBlock ? 'a block node' : 'a flow node'
    return this.#fail('did not find expected node content', `while parsing ${where}`)
  }

  #list(facts: NodeFacts, items: readonly YamlNode[]): ListNode {
    return { kind: 'list', items, ...facts }
  }

  /** Parses a node; an empty one if one of these tokens follows. */
  #nodeUnless(
    isBlock: boolean,
    isIndentless: boolean,
    ...ends: readonly YamlTokenKind[]
  ): YamlNode {
    return this.#is(...ends) ? this.#nothing() : this.#node(isBlock, isIndentless)
  }

  #indentlessItems(): YamlNode[] {
    const items: YamlNode[] = []
    while (this.#accepts('block entry'))
      items.push(this.#nodeUnless(true, false, 'block entry', 'key', 'value', 'block end'))
    return items
  }

  #blockItems(): YamlNode[] {
    const items: YamlNode[] = []
    while (this.#accepts('block entry'))
      items.push(this.#nodeUnless(true, false, 'block entry', 'block end'))
    if (!this.#accepts('block end'))
      this.#fail("did not find expected '-' indicator", 'while parsing a block collection')
    return items
  }

  #blockPairs(): Pairs {
    const pairs: Pairs = []
    const ends = ['key', 'value', 'block end'] as const
    while (this.#accepts('key')) {
      const key = this.#nodeUnless(true, true, ...ends)
      const value = this.#accepts('value') ? this.#nodeUnless(true, true, ...ends) : this.#nothing()
      pairs.push([key, value])
    }
    if (!this.#accepts('block end'))
      this.#fail('did not find expected key', 'while parsing a block mapping')
    return pairs
  }

  /** A key and its value in brackets; a value without its key is none. */
  #flowPair(end: YamlTokenKind): readonly [YamlNode, YamlNode] {
    const hasKey = this.#accepts('key')
    const key = hasKey
      ? this.#nodeUnless(false, false, 'value', 'flow entry', end)
      : this.#node(false, false)
    const value =
      hasKey && this.#accepts('value')
        ? this.#nodeUnless(false, false, 'flow entry', end)
        : this.#nothing()
    return [key, value]
  }

  #flowPairs(): Pairs {
    const pairs: Pairs = []
    while (!this.#accepts('flow map end')) {
      if (pairs.length > 0 && !this.#accepts('flow entry'))
        this.#fail("did not find expected ',' or '}'", 'while parsing a flow mapping')
      if (!this.#is('flow map end')) pairs.push(this.#flowPair('flow map end'))
    }
    return pairs
  }

  #flowItems(): YamlNode[] {
    const items: YamlNode[] = []
    while (!this.#accepts('flow list end')) {
      if (items.length > 0 && !this.#accepts('flow entry'))
        this.#fail("did not find expected ',' or ']'", 'while parsing a flow sequence')
      const { at } = this.#token
      if (this.#is('key')) items.push({ kind: 'map', at, pairs: [this.#flowPair('flow list end')] })
      else if (!this.#is('flow list end')) items.push(this.#node(false, false))
    }
    return items
  }
}

/** The characters that libyaml cannot read at all. */
const forbidden = /[^\P{Cc}\t\n\r\u0085]|[\ufffe\uffff]/u

const checkCharacters = (text: string): void => {
  const offset = text.search(forbidden)
  if (offset < 0) return
  const lines = text.slice(0, offset).split('\n')
  const column = lines.at(-1)?.length ?? 0
  const at = { offset, line: lines.length - 1, column }
  throw new YamlProblem('control characters are not allowed', '', at)
}

/**
 * The documents of a text.
 * @throws YamlProblem for the first thing that makes it no YAML; DeepYamlError for what nests too deep
 */
export const parseYamlNodes = (text: string): readonly YamlNode[] => {
  checkCharacters(text)
  return new NodeParser(text).documents()
}
