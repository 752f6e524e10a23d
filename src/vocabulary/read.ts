/** Reads a vocabulary file (YAML) and checks each entry; errors name the line. */

import type { Document, Node, Pair, YAMLMap } from 'yaml'
import { readRegular } from '../base/files/regular.js'
import { describeDistrust, distrust } from '../base/files/trust.js'
import { decodeText } from '../base/utf8.js'
import { isModestYaml, loadYamlParser, yamlFault } from '../base/yaml/texts.js'
import { integrationFamilies } from '../catalogue/areas/integrations.js'
import { getPath } from '../catalogue/endpoint.js'
import { implied } from '../catalogue/undocumented.js'
import { fixedNames, readHeaders, sessionCookie } from '../catalogue/words.js'
import { Failure, getReason, usage } from '../errors.js'

/** One name for another. */
export interface RenameEntry {
  readonly key: string
  readonly value: string
  readonly line: number
}

/** Several words for one. */
interface WordList {
  readonly key: string
  readonly values: readonly string[]
  readonly line: number
}

/** A parsed vocabulary, before it is checked against the catalogue. */
export interface Entries {
  readonly file: string
  readonly words: readonly RenameEntry[]
  readonly names: readonly RenameEntry[]
  readonly cookies: readonly RenameEntry[]
  readonly headers: readonly RenameEntry[]
  readonly paths: readonly RenameEntry[]
  readonly slugs: readonly WordList[]
  readonly values: readonly WordList[]
  readonly gone: readonly RenameEntry[]
  /** Keys alone. */
  readonly secrets: readonly RenameEntry[]
}

/** Creates the failure for a line of the file. */
export const wrongAt = (file: string, line: number, why: string, hint?: string): Failure =>
  usage(`${file}:${line}: ${why}`, hint)

/** Creates the failure for entries that contradict each other, with all of their lines. */
export const refuseConflict = (
  file: string,
  lines: readonly (number | undefined)[],
  why: string,
): Failure => {
  const known = new Set(lines.flatMap((line) => line ?? []))
  const [last = 1, ...others] = [...known].toSorted((a, b) => b - a)
  const also = others.map((line) => `${file}:${line}`).join(', ')
  return wrongAt(file, last, also === '' ? why : `${why} (see also ${also})`)
}

// Reads the file of a vocabulary: YAML, every entry with its line.

// What each section of a vocabulary takes: a vocabulary can rename, and never unprotect.

/** Why an entry cannot stand; undefined where it can. */
type Rule = (entry: Pick<RenameEntry, 'key' | 'value'>) => string | undefined

const name = /^[A-Za-z0-9_-]{1,64}$/
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/
const segment = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/

const notName = (text: string): string | undefined =>
  name.test(text)
    ? undefined
    : `"${text}" is not a valid name: use at most 64 letters, digits, _ and -`

const checkNames: Rule = ({ key, value }) => notName(key) ?? notName(value)

const checkWord: Rule = (entry) => {
  const { key, value } = entry
  if (/[_-]/.test(key) && name.test(key))
    return `"${key}" is more than one word; put whole names under "names"`
  return checkNames({ key, value })
}

const checkIdentifier: Rule = (entry) => {
  const { key, value } = entry
  if (key === value) return checkNames(entry)
  const fixed = [key, value].find((one) => fixedNames.has(one))
  return (
    checkNames(entry) ??
    (fixed === undefined ? undefined : `${fixed} has the same name on every instance`)
  )
}

const notToken = (text: string): string | undefined =>
  token.test(text) ? undefined : `"${text}" is not a valid name of a header or cookie`

const checkCookie: Rule = ({ key, value }) =>
  key === sessionCookie
    ? notToken(value)
    : `unknown cookie "${key}": only ${sessionCookie} can have another name`

/** Who asks, where to, and how a body is framed: never under another name. */
const unchangeable =
  /^(?:private-token|job-token|authorization|proxy-.*|sudo|host|content-.*|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|cookie2?|set-cookie2?|accept-encoding|location)$/i

const checkHeader: Rule = ({ key, value }) => {
  const bad = notToken(key) ?? notToken(value)
  if (bad !== undefined) return bad
  const held = [key, value].find((one) => unchangeable.test(one))
  if (held !== undefined) return `the header ${held} cannot be renamed or used as a new name`
  const other = key !== value && readHeaders.includes(value.toLowerCase())
  return other ? `${key} would become ${value}, which is another header` : undefined
}

const notPath = (text: string): string | undefined => {
  const segments = text.startsWith('/') ? text.slice(1).split('/') : []
  return segments.length > 0 && segments.every((one) => segment.test(one))
    ? undefined
    : `"${text}" is not a path of plain segments (/geo_nodes)`
}

const checkPathEntry: Rule = ({ key, value }) => notPath(key) ?? notPath(value)

const checkValue: Rule = ({ key, value }) => {
  if (!/^[a-z-]+\.[a-z0-9_]+$/.test(key))
    return `"${key}" is not a parameter of an area (runners.status)`
  return /^[\w.:-]{1,64}$/.test(value) ? undefined : `"${value}" is not a valid enumeration value`
}

const plainText = /^[^\p{Cc}\p{Cf}]{1,200}$/u

const checkGone: Rule = ({ key, value }) => {
  if (!/^(?:GET|POST|PUT|PATCH|DELETE) \/\S+$/.test(key))
    return `"${key}" is not a route (POST /ci/lint)`
  return plainText.test(value) ? undefined : 'the replacement must be one line of text'
}

const secret: Rule = ({ key }) => notName(key)

/** Sections whose entries are one word for another, and whether each word may stand there once. */
const pairs = {
  words: { rule: checkWord, single: true },
  names: { rule: checkIdentifier, single: true },
  cookies: { rule: checkCookie, single: true },
  headers: { rule: checkHeader, single: true },
  paths: { rule: checkPathEntry, single: true },
  gone: { rule: checkGone, single: false },
} as const

/** Sections with one word, or several, for one. */
const lists = { slugs: checkNames, values: checkValue } as const

/** All sections, as messages list them. */
const sections: readonly string[] = [
  'vocabulary',
  ...Object.keys(pairs),
  ...Object.keys(lists),
  'secrets',
]

// What may not be another name of anything, since it means something already: known without the catalogue's areas.

/** Whether segments stand in a path, one after the other. */
const containsPath = (path: string, run: string): boolean => `${path}/`.includes(`${run}/`)

/** @throws Failure `usage` for a path that becomes one which the documents do not show */
const checkPaths = ({ file, paths }: Entries): void => {
  for (const { key, value, line } of paths) {
    const other = implied.find(
      (one) => containsPath(getPath(one), value) && !containsPath(getPath(one), key),
    )
    if (other !== undefined)
      throw refuseConflict(file, [line], `${key} would become ${value}, which is ${other.route}`)
  }
}

/** @throws Failure `usage` for a family that gets the slug, or the name, of another one */
const checkSlugs = ({ file, slugs }: Entries): void => {
  for (const { key, values, line } of slugs)
    for (const slug of values) {
      const again = slugs.find((one) => one.key !== key && one.values.includes(slug))
      if (again !== undefined)
        throw refuseConflict(
          file,
          [again.line, line],
          `${again.key} and ${key} would both be ${slug}`,
        )
      const other = integrationFamilies.find(
        ({ name, slugs: theirs }) => name !== key && (name === slug || theirs.includes(slug)),
      )
      if (other !== undefined)
        throw refuseConflict(
          file,
          [line],
          `${key} would be ${slug}, which is of the family ${other.name}`,
        )
    }
}

/** A vocabulary is written by hand, or by `learn`. */
const maxBytes = 1 << 20
const maxLexemes = 500_000

type YamlModule = typeof import('yaml')

/** A text with its line. */
interface SourceText {
  readonly text: string
  readonly line: number
}

/** The nodes of one file, with what is wrong in them. */
class VocabularyReader {
  readonly #counter: InstanceType<YamlModule['LineCounter']>

  constructor(
    readonly file: string,
    private readonly yaml: YamlModule,
  ) {
    this.#counter = new yaml.LineCounter()
  }

  /** The root of the one document. */
  async parse(text: string): Promise<Document.Parsed['contents'] | undefined> {
    if (!(await isModestYaml(text, maxLexemes)))
      throw wrongAt(this.file, 1, 'the vocabulary is too large or too deeply nested')
    const parse = await loadYamlParser()
    const [document, second] = parse(text, { lineCounter: this.#counter, schema: 'core' })
    const [error] = document?.errors ?? []
    if (error !== undefined) throw this.wrong(error.pos[0], `no YAML: ${yamlFault(error)}`)
    if (second !== undefined)
      throw this.wrong(
        second.range[0],
        'a vocabulary is a single document, and a second one begins',
      )
    return document?.contents
  }

  wrong(at: number, why: string): Failure {
    return wrongAt(this.file, this.#line(at), why)
  }

  /** The pairs of a mapping; none where nothing stands. */
  pairsOf(node: unknown, what: string, at = 0): readonly (readonly [SourceText, unknown])[] {
    const { isMap, isScalar } = this.yaml
    if (node === undefined || node === null) return []
    if (isScalar(node) && node.value === null) return []
    if (!isMap(node)) throw this.wrong(getStart(node) ?? at, `${what} must be a mapping`)
    return (node as YAMLMap<Node, Node | null>).items.map(
      ({ key, value }: Pair<Node, Node | null>) => [this.text(key, what), value],
    )
  }

  /** A scalar as it is written. */
  text(node: unknown, what: string, at = 0): SourceText {
    const { isScalar } = this.yaml
    const start = getStart(node) ?? at
    if (!isScalar(node) || node.value === null || typeof node.value === 'object')
      throw this.wrong(start, `${what}: expected a word`)
    return { text: node.source ?? String(node.value), line: this.#line(start) }
  }

  /** One text, or a list of them. */
  texts(node: unknown, what: string, at: number): readonly SourceText[] {
    if (!this.yaml.isSeq(node)) return [this.text(node, what, at)]
    return node.items.map((item) => this.text(item, what, at))
  }

  #line(at: number): number {
    return this.#counter.linePos(at).line
  }
}

const getStart = (node: unknown): number | undefined =>
  typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)
    ? Number(node.range[0])
    : undefined

const applyRule = (file: string, rule: Rule, entry: RenameEntry): RenameEntry => {
  const why = rule(entry)
  if (why !== undefined) throw wrongAt(file, entry.line, why)
  return entry
}

const readEntries = (
  reader: VocabularyReader,
  node: unknown,
  what: string,
  rule: Rule,
): readonly RenameEntry[] =>
  reader.pairsOf(node, what).map(([{ text: key, line }, value]) => {
    const said = reader.text(value, `${what} ${key}`, getStart(value) ?? 0)
    return applyRule(reader.file, rule, { key, value: said.text, line })
  })

const readLists = (
  reader: VocabularyReader,
  node: unknown,
  what: string,
  rule: Rule,
): readonly WordList[] =>
  reader.pairsOf(node, what).map(([{ text: key, line }, value]) => {
    const values = reader.texts(value, `${what} ${key}`, getStart(value) ?? 0)
    for (const { text, line: own } of values)
      applyRule(reader.file, rule, { key, value: text, line: own })
    return { key, values: values.map(({ text }) => text), line }
  })

const readSecrets = (reader: VocabularyReader, node: unknown): readonly RenameEntry[] => {
  if (node === undefined || node === null) return []
  return reader
    .texts(node, 'secrets', getStart(node) ?? 0)
    .map(({ text, line }) => applyRule(reader.file, secret, { key: text, value: text, line }))
}

/** No two words become one, and none becomes another that has another name itself. */
const checkSingle = (file: string, entries: readonly RenameEntry[]): void => {
  const taken = new Map<string, RenameEntry>()
  const keys = new Map(entries.map((entry) => [entry.key, entry] as const))
  for (const entry of entries) {
    const before = taken.get(entry.value)
    if (before !== undefined)
      throw refuseConflict(
        file,
        [before.line, entry.line],
        `${before.key} and ${entry.key} would both become ${entry.value}`,
      )
    taken.set(entry.value, entry)
    const other = keys.get(entry.value)
    if (other !== undefined && other !== entry && other.key !== other.value)
      throw refuseConflict(
        file,
        [entry.line, other.line],
        `${entry.key} becomes ${entry.value}, which is itself renamed`,
      )
  }
}

const checkVersion = (reader: VocabularyReader, version: unknown): void => {
  if (version === undefined) throw reader.wrong(0, 'vocabulary: 1 must stand at the top')
  const { text, line } = reader.text(version, 'vocabulary')
  if (text !== '1') throw wrongAt(reader.file, line, 'vocabulary must be the number 1')
}

/**
 * Parses the text of a vocabulary.
 * @throws Failure `usage` with the line of what is wrong
 */
export const parseVocabulary = async (text: string, file: string): Promise<Entries> => {
  const yaml = await import('yaml')
  const reader = new VocabularyReader(file, yaml)
  const contents = await reader.parse(text)
  const found = new Map<string, unknown>()
  const sectionsRead = reader.pairsOf(contents, 'a vocabulary')
  // Any file may have been named: of one that is no vocabulary nothing is quoted.
  checkVersion(reader, sectionsRead.find(([{ text: key }]) => key === 'vocabulary')?.[1])
  for (const [{ text: key, line }, value] of sectionsRead) {
    if (!sections.includes(key))
      throw wrongAt(file, line, `unknown section "${key}"`, `Sections: ${sections.join(', ')}.`)
    found.set(key, value)
  }
  const entries = (section: keyof typeof pairs): readonly RenameEntry[] => {
    const { rule, single } = pairs[section]
    const all = readEntries(reader, found.get(section), section, rule)
    if (single) checkSingle(file, all)
    return all
  }
  const all: Entries = {
    file,
    words: entries('words'),
    names: entries('names'),
    cookies: entries('cookies'),
    headers: entries('headers'),
    paths: entries('paths'),
    gone: entries('gone'),
    slugs: readLists(reader, found.get('slugs'), 'slugs', lists.slugs),
    values: readLists(reader, found.get('values'), 'values', lists.values),
    secrets: readSecrets(reader, found.get('secrets')),
  }
  checkPaths(all)
  checkSlugs(all)
  return all
}

const readBytes = (file: string): Buffer => {
  try {
    return readRegular(file, maxBytes)
  } catch (cause) {
    throw new Failure('usage', `cannot read the vocabulary ${file}: ${getReason(cause)}`, {
      cause,
    })
  }
}

/**
 * Reads a vocabulary file. Whoever can write it decides what is sent under which name, so its path must be as
 * trustworthy as that of the configuration.
 * @throws Failure `usage` if it cannot be read or is invalid
 */
export const readVocabulary = async (file: string): Promise<Entries> => {
  const found = distrust(file)
  if (found !== undefined) {
    const { message, remedy } = describeDistrust(found)
    throw usage(`ignoring the vocabulary ${file}: ${message}`, `Correct it with: ${remedy}`)
  }
  return parseVocabulary(decodeText(readBytes(file), `the vocabulary ${file}`), file)
}
