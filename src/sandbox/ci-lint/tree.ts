/** YAML of a CI configuration → a tree of plain values, with `!reference` kept as such and inputs in their places. */
import type { CollectionTag, Document, LineCounter, Tags } from 'yaml'
import { isModestYaml, untraced } from '../../base/json/yaml.js'
import { compileRegex, readyRegexes } from './expression.js'
import { checkNode } from './grammar/findings.js'
import { header } from './grammar/relations.js'
import {
  Budget,
  type Hash,
  isHash,
  type JudgedVersion,
  KeywordReference,
  UnreadableError,
} from './grammar/types.js'

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
    throw new UnreadableError(['The configuration is too large: at most 2 MiB are checked'])
  if (!(await isModestYaml(text, maxLexemes)))
    throw new UnreadableError(['The configuration is too large, or nested too deep, to be checked'])
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
  if (problems.length > 0) throw new UnreadableError(problems)
  return document
}

// A header with `spec: inputs:`, and what stands for `$[[ inputs.name ]]` in what follows it.

type Values = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.getPrototypeOf(value) === Object.prototype

/** What is written in place of inputs may be longer than they are, by so much. */
const maxWritten = 4 * 1024 * 1024
const place = /\$\[\[\s*inputs\.([\w-]+)\s*(?:\|[^\]]*)?\]\]/g
const whole = new RegExp(`^${place.source}$`)

/** Whether a document is the header of the next one. */
const isHeader = (document: unknown): document is { readonly spec: unknown } =>
  isObject(document) && Object.keys(document).join() === 'spec'

const isOfType: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
}

/** What is wrong with the value of an input; `which` of its values it is. */
const valueProblem = (options: Values, value: unknown, which: string): string | undefined => {
  const { type = 'string', options: choices, regex } = options
  if (isOfType[String(type)]?.(value) === false) return `${which} value is not a ${type}`
  const other = Array.isArray(choices) && [value].flat().find((one) => !choices.includes(one))
  if (other !== undefined && other !== false)
    return `\`${other}\` cannot be used because it is not in the list of allowed options`
  if (typeof regex !== 'string' || typeof value !== 'string') return undefined
  const pattern = compileRegex(regex.startsWith('/') ? regex : `/${regex}/`)
  return pattern?.matcher(value).find() === false
    ? `${which} value does not match required RE2 regex pattern`
    : undefined
}

/**
 * The value of each input: what was given, else its default.
 * @throws Unreadable for one that has neither, that is none, or that is not as its options say
 */
const inputsOf = (declared: Values, given: Values): Map<string, unknown> => {
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(declared, name))
  const problems = unknown.map((name) => `unknown input arguments: ${name}`)
  const values = new Map<string, unknown>()
  for (const [name, its] of Object.entries(declared)) {
    const options = isObject(its) ? its : {}
    const isGiven = Object.hasOwn(given, name)
    const value = isGiven ? given[name] : (options.default ?? null)
    if (isGiven || 'default' in options) values.set(name, value)
    else problems.push(`\`${name}\` input: required value has not been provided`)
    const which = isGiven ? 'provided' : 'default'
    const wrong = value === null ? undefined : valueProblem(options, value, which)
    if (wrong !== undefined) problems.push(`\`${name}\` input: ${wrong}`)
  }
  if (problems.length > 0) throw new UnreadableError(problems)
  return values
}

/**
 * What a header declares.
 * @throws Unreadable for what no version, or not this one, declares so
 */
const declaredIn = async (spec: unknown, asOf: JudgedVersion): Promise<Values> => {
  const inputs = isObject(spec) ? (spec.inputs ?? null) : spec
  const found = checkNode(header, { spec: isObject(spec) ? { inputs } : spec }, 'header', asOf)
  const wrong = found.filter(({ advice }) => advice !== true)
  if (wrong.length > 0) throw new UnreadableError(wrong.map(({ text }) => text))
  const declared = isObject(inputs) ? inputs : {}
  await readyRegexes(Object.values(declared).some((its) => isObject(its) && 'regex' in its))
  return declared
}

/**
 * A document with the inputs of its header in their places; a text that is nothing but a place
 * becomes the value itself.
 */
const withInputs = async (
  { spec }: { readonly spec: unknown },
  document: unknown,
  given: Values,
  asOf: JudgedVersion,
): Promise<unknown> => {
  const values = inputsOf(await declaredIn(spec, asOf), given)
  const budget = new Budget(maxWritten)
  const inputOf = (name: string): unknown => {
    if (values.has(name)) return values.get(name)
    throw new UnreadableError([`unknown interpolation key: \`${name}\``])
  }
  const written = (text: string): string =>
    text.replace(place, (_, name: string) => {
      const value = inputOf(name)
      const shown = typeof value === 'string' ? value : JSON.stringify(value ?? null)
      budget.spend(shown.length)
      return shown
    })
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const name = whole.exec(value)?.[1]
      return name === undefined ? written(value) : inputOf(name)
    }
    if (Array.isArray(value)) return value.map(fill)
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [written(k), fill(v)]))
  }
  return fill(document)
}

const read = async (text: string, inputs: Hash, asOf: JudgedVersion): Promise<Tree> => {
  const [{ parseValues }, documents] = [await import('./read.js'), await parsed(text)]
  const first = parseValues(clean(documents, 0)?.contents)
  const top = documents.all.length > 1 && isHeader(first.value) ? first.value : undefined
  const { value, numeric } = top === undefined ? first : parseValues(clean(documents, 1)?.contents)
  const tree = top === undefined ? value : await withInputs(top, value, inputs, asOf)
  if (!isHash(tree)) throw new UnreadableError(['Invalid configuration format'])
  return { tree, numeric }
}

/**
 * Reads a configuration as instances do: YAML 1.1 (`yes` is true, `<<` merges), the last of equal
 * keys counts, `inputs` of a header stand in their places.
 * @throws Unreadable when it is no YAML, no hash, or more than is checked
 */
export const readTree = async (text: string, inputs: Hash, asOf: JudgedVersion): Promise<Tree> => {
  await checkSize(text)
  try {
    return await read(text, inputs, asOf)
  } catch (error) {
    // Composing nests a call for each level of block collections.
    if (error instanceof RangeError) throw new UnreadableError(['The parsed YAML is too deep'])
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
