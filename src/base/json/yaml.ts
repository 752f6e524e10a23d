/** YAML texts of others: what reading one would cost, and what is wrong in one. */
import type { YAMLError } from 'yaml'
import { type HeldText, openHeld } from '../secrets/scrub.js'

/**
 * Collections nested deeper are nobody's configuration. A parser nests calls for each level, and V8 ends
 * the process where a pattern is to be compiled near the end of the stack.
 */
const deepest = { flow: 100, block: 500 } as const

/** What `yaml`'s lexer puts between lexemes: a document's beginning, an error in a flow, a scalar's. */
const marks = new Set(['\u0002', '\u0018', '\u001f'])

/** Whether collections are nested too deep, told lexeme by lexeme. */
const nesting = (): ((lexeme: string) => boolean) => {
  let flow = 0
  let column = 0
  /** The columns that block collections around this place begin at. */
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
    return flow > deepest.flow || columns.length > deepest.block
  }
}

/** The parser makes an error of each wrong escape; traces of a million take half a minute. */
export const untraced = <T>(parse: () => T): T => {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return parse()
  } finally {
    Error.stackTraceLimit = limit
  }
}

/**
 * Whether a text has at most `most` lexemes and no deeper collections than `deepest` says.
 * Parsers build some hundred bytes for each lexeme, and nest a call for each level.
 */
export const isModestYaml = async (text: string, most: number): Promise<boolean> => {
  const { Lexer } = await import('yaml')
  const tooDeep = nesting()
  let count = 0
  for (const lexeme of new Lexer().lex(text)) {
    count++
    if (count > most || tooDeep(lexeme)) return false
  }
  return true
}

/** Mistakes that the parser says with a part of the text. */
const faults: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  BAD_ALIAS: 'an alias has no anchor before it',
  BAD_DIRECTIVE: 'unknown directive',
  BAD_DQ_ESCAPE: 'unknown escape sequence',
  TAG_RESOLVE_FAILED: 'unknown tag',
  BAD_COLLECTION_TYPE: 'the tag does not fit this kind of value',
}

/** What is wrong in a text, without any of it: a parser quotes what it met, which may be a secret. */
export const yamlFault = ({ code, message }: Pick<YAMLError, 'code' | 'message'>): string =>
  faults[code] ?? message.replace(/(?:(?<=\w): |\n).*/s, '')

/** A value, or what is wrong with its text and where, in words that hold nothing of it. */
type ReadValue = { readonly value: unknown } | { readonly wrong: string }

const fromYaml = async (text: string): Promise<ReadValue> => {
  const { LineCounter, parseDocument } = await import('yaml')
  const lines = new LineCounter()
  // A parser that warns writes lines of the text to standard error.
  const how = { logLevel: 'silent', prettyErrors: false, lineCounter: lines } as const
  const document = untraced(() => parseDocument(text, how))
  const [error] = document.errors
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0])
    return { wrong: `${yamlFault(error)}, at line ${line}, column ${col}` }
  }
  try {
    return { value: document.toJS() }
  } catch {
    return { wrong: 'an alias has no anchor before it, or expands too far' }
  }
}

/** The value of a text that may be a secret, as JSON, which is the API's own, else as YAML. */
export const readHeld = async (held: HeldText): Promise<ReadValue> => {
  const text = openHeld(held)
  try {
    return { value: JSON.parse(text) }
  } catch {
    return fromYaml(text)
  }
}
