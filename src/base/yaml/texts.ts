/** Parses foreign YAML texts: limits their cost, reads their documents, and describes their mistakes. */

import type { Document, DocumentOptions, Lexer, ParseOptions, SchemaOptions, YAMLError } from 'yaml'
import { usage } from '../../errors.js'
import { isTooDeep } from '../json/nesting.js'
import { tryParseJson } from '../objects.js'
import { type HeldText, openHeld } from '../secrets/redact.js'

/**
 * The maximum depth of collections; real configuration is never deeper. A parser nests calls for each level, and V8 ends the process if a
 * pattern is compiled near the end of the stack.
 */
const maxDepths = { flow: 100, block: 500 } as const

/** The marks that `yaml`'s lexer puts between lexemes: the beginning of a document, an error in a flow, a scalar. */
const marks = new Set(['\u0002', '\u0018', '\u001f'])

/** Creates a test of whether collections are nested too deeply, which is called with each lexeme. */
const createNestingTest = (): ((lexeme: string) => boolean) => {
  let flow = 0
  let column = 0
  /** The columns at which the surrounding block collections begin. */
  const columns: number[] = []
  const begin = (): void => {
    while ((columns.at(-1) ?? -1) > column) columns.pop()
    if ((columns.at(-1) ?? -1) < column) columns.push(column)
  }
  return (lexeme) => {
    if (lexeme === '[' || lexeme === '{') flow++
    else if (lexeme === ']' || lexeme === '}') flow = Math.max(0, flow - 1)
    else if (flow === 0 && !marks.has(lexeme) && lexeme.trim() !== '') begin()
    const line = lexeme.lastIndexOf('\n')
    if (line >= 0) column = lexeme.length - line - 1
    else if (!marks.has(lexeme)) column += lexeme.length
    return flow > maxDepths.flow || columns.length > maxDepths.block
  }
}

/** Runs a parser without stack traces. It creates an error for each wrong escape, and traces of a million errors take half a minute. */
const runUntraced = <T>(parse: () => T): T => {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return parse()
  } finally {
    Error.stackTraceLimit = limit
  }
}

// Documents as PyYAML, libyaml and Go's yaml read them: indentation inside brackets and quotes has no meaning.

/** The parts of the lexer that measure indentation, which its types do not show. */
interface IndentingLexer {
  /** The indentation that the next line needs to belong to the current value. */
  indentNext: number
  parseFlowCollection: () => Generator<string, unknown>
  parseQuotedScalar: () => Generator<string, unknown>
}

const isIndenting = (lexer: object): lexer is IndentingLexer =>
  'indentNext' in lexer && 'parseFlowCollection' in lexer && 'parseQuotedScalar' in lexer

/** Makes a lexer ignore indentation in brackets and quotes, where YAML 1.2 requires it. */
const toTolerantLexer = (lexer: Lexer): Lexer => {
  const parts: object = lexer
  if (!isIndenting(parts)) return lexer
  for (const name of ['parseFlowCollection', 'parseQuotedScalar'] as const) {
    const strict = parts[name]
    parts[name] = function* () {
      const before = parts.indentNext
      parts.indentNext = 0
      const next = yield* strict.call(parts)
      parts.indentNext = before
      return next
    }
  }
  return lexer
}

/** The options for parsing documents; `lineCounter` learns the lines of the text. */
type YamlOptions = ParseOptions & DocumentOptions & SchemaOptions

/** A function that parses a text into documents, each with its mistakes. An empty text has no documents. */
type YamlParser = (text: string, options?: YamlOptions) => readonly Document.Parsed[]

/** True if other parsers accept the problem: a bracket at the column of its key, or a comment right after a value. */
const isAccepted = ({ code, message }: YAMLError): boolean =>
  (code === 'BAD_INDENT' && message.startsWith('Flow end indicator')) ||
  message.startsWith('Comments must be separated')

/** Loads the parser of YAML texts of others. It writes nothing to standard error. */
export const loadYamlParser = async (): Promise<YamlParser> => {
  const { Composer, Lexer, Parser } = await import('yaml')
  return (text, options = {}) => {
    const { lineCounter } = options
    lineCounter?.addNewLine(0)
    const parser = new Parser(lineCounter?.addNewLine)
    const composer = new Composer({ ...options, logLevel: 'silent' })
    const compose = function* () {
      for (const lexeme of toTolerantLexer(new Lexer()).lex(text))
        for (const token of parser.next(lexeme)) yield* composer.next(token)
      for (const token of parser.end()) yield* composer.next(token)
      // A mistake before the first document creates a document that has it.
      yield* composer.end(composer.streamInfo().errors.length > 0, text.length)
    }
    const documents = runUntraced(() => [...compose()])
    for (const document of documents) {
      document.errors = document.errors.filter((error) => !isAccepted(error))
      document.warnings = document.warnings.filter((warning) => !isAccepted(warning))
    }
    return documents
  }
}

/** The number of characters that cost as much memory as a lexeme: the parser builds a text in double quotes one character at a time. */
const charactersPerLexeme = 8

/** Returns the cost of a lexeme. The parser may also make an error of each escape in double quotes. */
const getCost = (lexeme: string): number => {
  if (!lexeme.startsWith('"')) return 1
  let escapes = 0
  for (let at = lexeme.indexOf('\\'); at >= 0; at = lexeme.indexOf('\\', at + 2)) escapes++
  return 1 + escapes + Math.floor(lexeme.length / charactersPerLexeme)
}

/**
 * True if a text costs at most `most` lexemes, and its collections are nested no deeper than `deepest`. A parser allocates some hundred
 * bytes for each lexeme, and nests a call for each level.
 */
export const isModestYaml = async (text: string, most: number): Promise<boolean> => {
  const { Lexer } = await import('yaml')
  const tooDeep = createNestingTest()
  let count = 0
  for (const lexeme of toTolerantLexer(new Lexer()).lex(text)) {
    count += getCost(lexeme)
    if (count > most || tooDeep(lexeme)) return false
  }
  return true
}

/** The messages for mistakes whose original message quotes the text. */
const faults: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  BAD_ALIAS: 'an alias has no anchor before it',
  BAD_DIRECTIVE: 'unknown directive',
  BAD_DQ_ESCAPE: 'unknown escape sequence',
  TAG_RESOLVE_FAILED: 'unknown tag',
  BAD_COLLECTION_TYPE: 'the tag does not fit this kind of value',
}

/** Describes the fault in a text without quoting it: a parser quotes what it met, which may be a secret. */
export const describeYamlFault = ({
  code,
  message,
}: Pick<YAMLError, 'code' | 'message'>): string => {
  // The parser reports the indentation, but the actual mistake is that the bracket is not closed.
  const [, collection] = /^Flow (sequence|map) .* must .*end with a /.exec(message) ?? []
  if (collection !== undefined) return `${collection === 'map' ? '{' : '['} is not closed`
  return faults[code] ?? message.replace(/(?:(?<=\w): |\n).*/s, '')
}

/** A value, or the description of a mistake and its position, which quotes nothing of the text. */
type ReadValue = { readonly value: unknown } | { readonly wrong: string }

/** True if a value has parts that JSON cannot express: the bytes of `!!binary`, and the keys of `!!set` and `!!omap`. */
const hasForeignPart = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
  return !isPlain || Object.values(value).some(hasForeignPart)
}

const parseYaml = async (text: string): Promise<ReadValue> => {
  const { LineCounter } = await import('yaml')
  const lines = new LineCounter()
  const parse = await loadYamlParser()
  const [document, second] = parse(text, { lineCounter: lines, merge: true })
  const [error] = document?.errors ?? []
  const at = error?.pos[0] ?? second?.range[0]
  if (at !== undefined) {
    const { line, col } = lines.linePos(at)
    const fault = error === undefined ? 'a second document begins' : describeYamlFault(error)
    return { wrong: `${fault}, at line ${line}, column ${col}` }
  }
  try {
    const value: unknown = document?.toJS() ?? null
    return hasForeignPart(value)
      ? { wrong: 'a value that JSON cannot express, such as !!binary or a date of YAML 1.1' }
      : { value }
  } catch {
    return { wrong: 'an alias has no anchor before it, or expands too far' }
  }
}

/** The maximum number of lexemes in a file of values; beyond it a parser takes a gigabyte. */
const maxLexemes = 4_000_000

const tooLarge: ReadValue = { wrong: 'too large or too deeply nested' }

/** Reads a text that may be secret, as JSON, which the API uses, or else as YAML. */
export const readHeld = async (held: HeldText): Promise<ReadValue> => {
  const text = openHeld(held)
  const value = tryParseJson(text)
  if (value === undefined)
    return (await isModestYaml(text, maxLexemes)) ? parseYaml(text) : tooLarge
  return isTooDeep(value) ? tooLarge : { value }
}

/**
 * Parses a text that may be secret, in JSON or YAML.
 * @param label the name of the text in messages
 * @throws Failure `usage` that does not repeat the text
 */
export const parseHeld = async (held: HeldText, label: string): Promise<unknown> => {
  const read = await readHeld(held)
  if ('wrong' in read)
    throw usage(`${label}: not valid JSON or YAML`, `The text is: ${read.wrong}.`)
  return read.value
}
