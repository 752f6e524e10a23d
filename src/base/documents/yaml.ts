/** Parses YAML text into documents whose values have their positions. JSON is YAML as well. */
import type { Alias, Document, LineCounter, Node, Scalar, YAMLError } from 'yaml'
import { quoteText } from '../text.js'
import { describeYamlFault, isModestYaml, loadYamlParser } from '../yaml/texts.js'
import type { Findings } from './findings.js'
import type { Origin, WrittenEntry, WrittenValue } from './written.js'

/** The maximum number of lexemes of a text. A parser allocates some hundred bytes for each. */
const maxLexemes = 4_000_000

/** The maximum number of aliases. More aliases are not abbreviations, and may expand without limit. */
const maxAliases = 100

const aliasHint = 'Quote it: * begins an alias, and @ and the backtick are reserved.'
const tooLargeHint = 'Split it into several files.'

/** Hints for common mistakes, by a pattern of the line where the parser stopped. */
const hints: readonly (readonly [RegExp, string])[] = [
  [/^[^#]*[:,{[]\s*@/, 'Write {file: path}: an unquoted @ is not valid YAML.'],
  [/command:\s*\[/, 'Write {command: [program, argument]}: the short form does not work here.'],
  [/(?:^|[\s{,])\*\*/, "Quote '**': an unquoted * begins an alias."],
  [/`/, aliasHint],
]

type YamlModule = typeof import('yaml')

/** A file that is being parsed. */
interface ParseContext {
  readonly yaml: YamlModule
  readonly text: string
  readonly file: string
  readonly lines: LineCounter
  readonly findings: Findings
}

const getOrigin = ({ lines, file }: ParseContext, offset: number): Origin => {
  const { line, col } = lines.linePos(offset)
  return { file, line: Math.max(1, line), column: Math.max(1, col) }
}

const reportProblem = (context: ParseContext, problem: YAMLError): void => {
  const [at] = problem.pos
  const { text } = context
  const [line = ''] = text.slice(text.lastIndexOf('\n', at - 1) + 1).split('\n', 1)
  const hint = hints.find(([pattern]) => pattern.test(line))?.[1]
  context.findings.add(getOrigin(context, at), `invalid YAML: ${describeYamlFault(problem)}`, hint)
}

/** Converts the nodes of a YAML document to values with their positions. An alias becomes the value that it names. */
class NodeConverter {
  #aliases = 0
  /** True if an alias could not be resolved, or if there were too many; then the document is left out. */
  broken = false
  /** The collections around the present node. An alias to one of them would never end. */
  readonly #open = new Set<Node>()

  constructor(
    readonly context: ParseContext,
    readonly document: Document.Parsed,
  ) {}

  #getNodeOrigin(node: Node): Origin {
    return getOrigin(this.context, node.range?.[0] ?? 0)
  }

  #createNull(origin: Origin): WrittenValue {
    return { is: 'scalar', origin, value: null, text: '' }
  }

  convert(node: Node | null | undefined, fallback: Origin): WrittenValue {
    const { yaml } = this.context
    if (node === null || node === undefined) return this.#createNull(fallback)
    const origin = this.#getNodeOrigin(node)
    if (yaml.isAlias(node)) return this.#resolveAlias(node, origin)
    if (yaml.isScalar(node)) return toScalar(node, origin)
    if (!yaml.isCollection(node)) return this.#createNull(origin)
    this.#open.add(node)
    const written: WrittenValue = yaml.isMap(node)
      ? { is: 'map', origin, entries: this.#convertEntries(node.items, origin) }
      : {
          is: 'list',
          origin,
          items: node.items.map((item) => this.convert(yaml.isNode(item) ? item : null, origin)),
        }
    this.#open.delete(node)
    return written
  }

  #refuseAlias(origin: Origin, text: string, hint?: string): WrittenValue {
    this.context.findings.add(origin, text, hint)
    this.broken = true
    return this.#createNull(origin)
  }

  #resolveAlias(alias: Alias, origin: Origin): WrittenValue {
    // Resolving an alias searches the whole document.
    if (this.broken) return this.#createNull(origin)
    const node = alias.resolve(this.document)
    if (node === undefined || this.#open.has(node)) {
      const hint = alias.source.startsWith('*') ? "Quote '**'." : undefined
      return this.#refuseAlias(origin, 'this alias has no anchor before it', hint)
    }
    this.#aliases++
    return this.#aliases > maxAliases
      ? this.#refuseAlias(origin, `more than ${maxAliases} aliases in one document`)
      : this.convert(node, origin)
  }

  #convertEntries(
    pairs: readonly { readonly key: unknown; readonly value: unknown }[],
    origin: Origin,
  ): readonly WrittenEntry[] {
    const entries = new Map<string, WrittenEntry>()
    for (const pair of pairs) {
      const entry = this.#convertEntry(pair, origin)
      if (entry === undefined) continue
      const first = entries.get(entry.key)
      if (first === undefined) entries.set(entry.key, entry)
      else
        this.context.findings.addDuplicate(entry.origin, 'the key appears twice here', first.origin)
    }
    return [...entries.values()]
  }

  #convertEntry(
    { key, value }: { readonly key: unknown; readonly value: unknown },
    fallback: Origin,
  ): WrittenEntry | undefined {
    const { yaml, findings, text } = this.context
    const origin = yaml.isNode(key) ? this.#getNodeOrigin(key) : fallback
    if (!yaml.isScalar(key)) {
      const [from = 0, to = 0] = yaml.isMap(key) ? (key.range ?? []) : []
      const map = to > 0 ? `Quote it: '${quoteText(text.slice(from, to))}'.` : undefined
      findings.add(origin, 'a key must be text', yaml.isAlias(key) ? aliasHint : map)
      return undefined
    }
    // The key is the text as written, so that 007 does not become 7.
    const plain = key.type === 'PLAIN' ? key.source : undefined
    const keyText = plain ?? String(key.value)
    if (keyText === '') {
      findings.add(origin, 'a key is missing here')
      return undefined
    }
    if (plain === '<<' && (yaml.isAlias(value) || yaml.isSeq(value))) {
      findings.add(origin, 'YAML 1.2 has no merge keys (<<)', 'Repeat the keys instead.')
      return undefined
    }
    return { key: keyText, origin, value: this.convert(yaml.isNode(value) ? value : null, origin) }
  }
}

/** Matches the words for null. A null that was left out, or that only a tag makes null, has no text. */
const nullWords = /^(?:~|null|Null|NULL)$/

const toScalar = ({ value, source = '', type }: Scalar, origin: Origin): WrittenValue => {
  const isWord = type === 'PLAIN' && nullWords.test(source)
  if (value === null) return { is: 'scalar', origin, value, text: isWord ? source : '' }
  return typeof value === 'number' || typeof value === 'boolean'
    ? { is: 'scalar', origin, value, text: source }
    : { is: 'scalar', origin, value: String(value), text: String(value) }
}

/** Loads a reader of flow maps in the text of a key; the reader returns undefined for other texts. */
export const loadFlowReader = async (): Promise<(text: string) => unknown> => {
  const parse = await loadYamlParser()
  return (text) => {
    const [document, more] = parse(text, { version: '1.2', schema: 'core' })
    const isOne = document?.errors.length === 0 && more === undefined
    return isOne ? (document.toJS({ maxAliasCount: 0 }) as unknown) : undefined
  }
}

/**
 * Parses the documents of a text. Mistakes are reported, and a document with a mistake is left out.
 * @param file the name of the file in messages
 */
export const parseDocuments = async (
  text: string,
  file: string,
  findings: Findings,
): Promise<readonly WrittenValue[]> => {
  const yaml = await import('yaml')
  const context: ParseContext = { yaml, text, file, lines: new yaml.LineCounter(), findings }
  const start: Origin = { file, line: 1, column: 1 }
  if (!(await isModestYaml(text, maxLexemes))) {
    findings.add(start, 'the file is too large or too deeply nested', tooLargeHint)
    return []
  }
  const parse = await loadYamlParser()
  // Dates stay text. Duplicate keys are reported later, with both positions.
  const options = { version: '1.2', schema: 'core', uniqueKeys: false } as const
  const documents = parse(text, { ...options, lineCounter: context.lines })
  // A document may be left empty, such as one behind the last `---`. A null that is written out is a value.
  const filled = documents.filter(
    ({ contents, errors }) =>
      errors.length > 0 || !yaml.isScalar(contents) || contents.value !== null || contents.source,
  )
  if (filled.length === 0) findings.add(start, 'the file is empty')
  return filled.flatMap((document) => {
    // Only the first mistake is reported: later ones are often consequences of it.
    const problems = [...document.errors, ...document.warnings]
    const [problem] = problems.toSorted((a, b) => a.pos[0] - b.pos[0])
    if (problem !== undefined) {
      reportProblem(context, problem)
      return []
    }
    const converter = new NodeConverter(context, document)
    const written = converter.convert(document.contents, start)
    return converter.broken ? [] : [written]
  })
}
