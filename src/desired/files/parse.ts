/** Finds the files to read, and parses the text of a file into its documents, each value with its position. */

import { createHash } from 'node:crypto'
import { promises as fs, type Stats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Alias, Document, LineCounter, Node, Scalar, YAMLError } from 'yaml'
import { readRegular } from '../../base/files/regular.js'
import { quoteText } from '../../base/text.js'
import { isModestYaml, loadYamlParser, yamlFault } from '../../base/yaml/texts.js'
import { Failure, getErrorCode, getReason, usage } from '../../errors.js'
import type { Origin } from '../state.js'
import type { Mistakes, WrittenEntry, WrittenValue } from './nodes.js'
import { liesIn } from './secret.js'

/** A parser builds some hundred bytes for each lexeme. */
const maxLexemes = 4_000_000
/** A larger file has more lexemes than that, or values that no setting takes; in bytes. */
const maxBytes = 32e6
const tooLarge = 'Split it into several files.'
/** More aliases than that are no abbreviation: what they stand for may grow without end. */
const maxAliases = 100

const isAlias = 'Quote it: * begins an alias, and @ and ` are reserved.'
const hints: readonly (readonly [RegExp, string])[] = [
  [/^[^#]*[:,{[]\s*@/, 'Write {file: path}: an unquoted @ is not valid YAML.'],
  [/command:\s*\[/, 'Write {command: [program, argument]}: the short form does not work here.'],
  [/(?:^|[\s{,])\*\*/, "Quote '**': an unquoted * begins an alias."],
  [/`/, isAlias],
]

type YamlModule = typeof import('yaml')

/** A file that is being parsed. */
interface ParseContext {
  readonly yaml: YamlModule
  readonly text: string
  readonly file: string
  readonly lines: LineCounter
  readonly mistakes: Mistakes
}

const originAt = ({ lines, file }: ParseContext, offset: number): Origin => {
  const { line, col } = lines.linePos(offset)
  return { file, line: Math.max(1, line), column: Math.max(1, col) }
}

const report = (reading: ParseContext, problem: YAMLError): void => {
  const [at] = problem.pos
  const { text } = reading
  const [line = ''] = text.slice(text.lastIndexOf('\n', at - 1) + 1).split('\n', 1)
  const hint = hints.find(([pattern]) => pattern.test(line))?.[1]
  reading.mistakes.add(originAt(reading, at), `invalid YAML: ${yamlFault(problem)}`, hint)
}

/** Converts the nodes of a YAML document to values with their positions; an alias becomes the value that it names. */
class NodeConverter {
  #aliases = 0
  /** Whether an alias could not be resolved, or there were too many: then the document is left out. */
  broken = false
  readonly #open = new Set<Node>()

  constructor(
    readonly reading: ParseContext,
    readonly document: Document.Parsed,
  ) {}

  #originOf(node: Node): Origin {
    return originAt(this.reading, node.range?.[0] ?? 0)
  }

  #nothing(origin: Origin): WrittenValue {
    return { is: 'scalar', origin, value: null, text: '' }
  }

  value(node: Node | null | undefined, fallback: Origin): WrittenValue {
    const { yaml } = this.reading
    if (node === null || node === undefined) return this.#nothing(fallback)
    const origin = this.#originOf(node)
    if (yaml.isAlias(node)) return this.#named(node, origin)
    if (yaml.isScalar(node)) return scalarOf(node, origin)
    if (!yaml.isCollection(node)) return this.#nothing(origin)
    this.#open.add(node)
    const written: WrittenValue = yaml.isMap(node)
      ? { is: 'map', origin, entries: this.#entries(node.items, origin) }
      : {
          is: 'list',
          origin,
          items: node.items.map((item) => this.value(yaml.isNode(item) ? item : null, origin)),
        }
    this.#open.delete(node)
    return written
  }

  #named(alias: Alias, origin: Origin): WrittenValue {
    const { mistakes } = this.reading
    // Looking for what an alias names takes as long as the document is.
    if (this.broken) return this.#nothing(origin)
    const node = alias.resolve(this.document)
    if (node === undefined || this.#open.has(node)) {
      const hint = alias.source.startsWith('*') ? "Quote '**'." : undefined
      mistakes.add(origin, 'this alias has no anchor before it', hint)
      this.broken = true
      return this.#nothing(origin)
    }
    this.#aliases++
    if (this.#aliases === maxAliases + 1)
      mistakes.add(origin, `more than ${maxAliases} aliases in one document`)
    this.broken ||= this.#aliases > maxAliases
    return this.broken ? this.#nothing(origin) : this.value(node, origin)
  }

  #entries(
    pairs: readonly { readonly key: unknown; readonly value: unknown }[],
    origin: Origin,
  ): readonly WrittenEntry[] {
    const entries = new Map<string, WrittenEntry>()
    for (const pair of pairs) {
      const entry = this.#entry(pair, origin)
      if (entry === undefined) continue
      const twice = entries.get(entry.key)
      if (twice === undefined) entries.set(entry.key, entry)
      else this.reading.mistakes.twice(entry.origin, 'the key appears twice here', twice.origin)
    }
    return [...entries.values()]
  }

  #entry(
    { key, value }: { readonly key: unknown; readonly value: unknown },
    fallback: Origin,
  ): WrittenEntry | undefined {
    const { yaml, mistakes, text: whole } = this.reading
    const origin = yaml.isNode(key) ? this.#originOf(key) : fallback
    if (!yaml.isScalar(key)) {
      const [from = 0, to = 0] = yaml.isMap(key) ? (key.range ?? []) : []
      const map = to > 0 ? `Quote it: '${quoteText(whole.slice(from, to))}'.` : undefined
      mistakes.add(origin, 'a key must be text', yaml.isAlias(key) ? isAlias : map)
      return undefined
    }
    // As the text was written, so that 007 is not 7.
    const plain = key.type === 'PLAIN' ? key.source : undefined
    const text = plain ?? String(key.value)
    if (text === '') {
      mistakes.add(origin, 'a key is missing here')
      return undefined
    }
    if (plain === '<<' && (yaml.isAlias(value) || yaml.isSeq(value))) {
      mistakes.add(
        origin,
        'YAML 1.2 has no merge keys (<<)',
        'Repeat the attributes, or declare them once under defaults or group/**.',
      )
      return undefined
    }
    return { key: text, origin, value: this.value(yaml.isNode(value) ? value : null, origin) }
  }
}

/** Nothing but these words says null: what is left out, or tagged as null, is a null without a text. */
const nulls = /^(?:~|null|Null|NULL)$/

const scalarOf = ({ value, source = '', type }: Scalar, origin: Origin): WrittenValue => {
  const isWord = type === 'PLAIN' && nulls.test(source)
  if (value === null) return { is: 'scalar', origin, value, text: isWord ? source : '' }
  return typeof value === 'number' || typeof value === 'boolean'
    ? { is: 'scalar', origin, value, text: source }
    : { is: 'scalar', origin, value: String(value), text: String(value) }
}

/** The value of a flow map in the text of a key; undefined where it is none. */
export const flowReader = async (): Promise<(text: string) => unknown> => {
  const parse = await loadYamlParser()
  return (text) => {
    const [document, more] = parse(text, { version: '1.2', schema: 'core' })
    const isOne = document?.errors.length === 0 && more === undefined
    return isOne ? (document.toJS({ maxAliasCount: 0 }) as unknown) : undefined
  }
}

/**
 * The documents of a text. Mistakes of grammar are reported, and a document with any is left out.
 * @param file how the text is called where something is wrong in it
 */
export const parsedDocuments = async (
  text: string,
  file: string,
  mistakes: Mistakes,
): Promise<readonly WrittenValue[]> => {
  const yaml = await import('yaml')
  const reading: ParseContext = { yaml, text, file, lines: new yaml.LineCounter(), mistakes }
  const first: Origin = { file, line: 1, column: 1 }
  if (!(await isModestYaml(text, maxLexemes))) {
    mistakes.add(first, 'the file is too large or too deeply nested', tooLarge)
    return []
  }
  const parse = await loadYamlParser()
  // Dates stay text, a key twice is found on the way: each knows where both stand.
  const how = { version: '1.2', schema: 'core', uniqueKeys: false } as const
  const documents = parse(text, { ...how, lineCounter: reading.lines })
  if (documents.length === 0) mistakes.add(first, 'the file is empty: version is missing')
  return documents.flatMap((document) => {
    // The others follow from the first: a parser that lost its way finds something on every line.
    const problems = [...document.errors, ...document.warnings]
    const [problem] = problems.toSorted((a, b) => a.pos[0] - b.pos[0])
    if (problem !== undefined) {
      report(reading, problem)
      return []
    }
    const converter = new NodeConverter(reading, document)
    const written = converter.value(document.contents, first)
    return converter.broken ? [] : [written]
  })
}

// Which files are read: those that are named, and those of folders, in the order of their bytes.

/** What a file held when it was read. */
export interface ReadText {
  /** As it was named; `-` of standard input. */
  readonly path: string
  /** The folder that was given, or that the file lies in. */
  readonly folder: string
  readonly bytes: Uint8Array
}

export interface PathOptions {
  readonly cwd: string
  readonly stdin: () => Promise<string>
}

interface FoundFile {
  readonly path: string
  readonly folder: string
}

/** What a document is called. */
export const documentName = /\.(?:ya?ml|json)$/
const tried = async <T>(path: string, work: () => Promise<T>, hint?: string): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure('usage', `cannot read ${path}: ${getReason(error)}`, {
      hint,
      cause: error,
    })
  }
}

/** Files in the order of the bytes of their paths: the same everywhere. */
export const byPathBytes = (a: { readonly path: string }, b: { readonly path: string }): number =>
  Buffer.compare(Buffer.from(a.path), Buffer.from(b.path))

/** A link of a folder: to a file in it, or it is left alone; nothing in a folder leads out of it. */
const linked = async (found: FoundFile, cwd: string): Promise<readonly FoundFile[]> => {
  const at = resolve(cwd, found.path)
  const stats: Stats | undefined = await fs.stat(at).catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return undefined
    throw error
  })
  if (stats?.isDirectory() === true || !documentName.test(found.path)) return []
  if (stats === undefined) throw usage(`${found.path}: the link is broken`)
  if (!liesIn(resolve(cwd, found.folder), at))
    throw usage(
      `${found.path}: the link points outside ${found.folder}`,
      'Pass the target of the link as well, or copy it.',
    )
  return [found]
}

const inFolder = async (
  path: string,
  folder: string,
  cwd: string,
): Promise<readonly FoundFile[]> => {
  const entries = await tried(path, () => fs.readdir(resolve(cwd, path), { withFileTypes: true }))
  const found: FoundFile[] = []
  for (const entry of entries) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    const below = { path: join(path, entry.name), folder }
    if (entry.isSymbolicLink()) found.push(...(await tried(below.path, () => linked(below, cwd))))
    else if (entry.isDirectory()) found.push(...(await inFolder(below.path, folder, cwd)))
    else if (documentName.test(entry.name)) found.push(below)
  }
  return found
}

const named = async (path: string, cwd: string): Promise<readonly FoundFile[]> => {
  if (path === '-') return [{ path, folder: '.' }]
  if (path === '') throw usage('the name of a file or folder is empty', 'Pass its path.')
  const stats = await tried(path, () => fs.stat(resolve(cwd, path)))
  if (!stats.isDirectory()) return [{ path, folder: dirname(path) }]
  const found = (await inFolder(path, path, cwd)).toSorted(byPathBytes)
  if (found.length > 0) return found
  throw usage(
    `${path}: the folder contains no .yml, .yaml or .json file`,
    'svcctl export --to <folder> writes what there is.',
  )
}

/**
 * The files that paths name, each once.
 * @throws Failure `usage` for what cannot be read, and where a folder has none
 */
export const filesAt = async (
  paths: readonly string[],
  { cwd, stdin }: PathOptions,
): Promise<readonly ReadText[]> => {
  if (paths.length === 0)
    throw usage('no file or folder given', 'Pass the files, a folder, or - for standard input.')
  const found = (await Promise.all(paths.map((path) => named(path, cwd)))).flat()
  // A file that was named in two ways, or that a link leads to, is read once.
  const known = new Map<string, FoundFile>()
  for (const one of found) {
    const at = resolve(cwd, one.path)
    const real = one.path === '-' ? '-' : await tried(one.path, () => fs.realpath(at))
    if (!known.has(real)) known.set(real, one)
  }
  const texts: ReadText[] = []
  for (const { path, folder } of known.values()) {
    const read = async () =>
      path === '-' ? Buffer.from(await stdin()) : readRegular(resolve(cwd, path), maxBytes)
    const bytes = await tried(path, read, `Pass regular files of at most ${maxBytes / 1e6} MB.`)
    if (bytes.length > maxBytes)
      throw usage(`${shownPath(path)} is larger than ${maxBytes / 1e6} MB`, tooLarge)
    texts.push({ path, folder, bytes })
  }
  return texts
}

export const sha256 = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex')

/** How a file is called in messages. */
export const shownPath = (path: string): string => (path === '-' ? 'standard input' : path)
