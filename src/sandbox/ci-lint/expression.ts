/** Expressions of `rules:if` and `only:variables`, such as `$A == "x" && $B =~ /y/`: parsed, evaluated, with their patterns in linear time. */
import type { RE2JS } from 're2js'
import { Budget } from './grammar/types.js'

export type Variables = Readonly<Record<string, string>>
type Value = string | RE2JS | null | boolean
type Evaluator = (variables: Variables) => Value

const token =
  /\s*(?:(\|\||&&|==|!=|=~|!~|\(|\))|\$(\w+)|\$\{(\w+)\}|"([^"]*)"|'([^']*)'|(\/(?:\\.|[^/\\])+\/[ismU]*)|(null)\b)/y
const blank = /\s*/y

/** Parsing and evaluating nest a call for each part of a long expression. */
const maxTokens = 1000

interface Token {
  readonly operator?: string
  readonly read?: Evaluator
}

class Syntax extends Error {}

const regex = (text: string): RE2JS => {
  const found = compileRegex(text)
  if (found === undefined) throw new Syntax()
  return found
}

const getToken = (match: RegExpExecArray): Token => {
  const [, operator, plain, braced, double, single, pattern] = match
  const name = plain ?? braced
  const literal = double ?? single
  if (operator !== undefined) return { operator }
  if (name !== undefined)
    return { read: (v) => (Object.hasOwn(v, name) ? (v[name] ?? null) : null) }
  if (literal !== undefined) return { read: () => literal }
  if (pattern === undefined) return { read: () => null }
  const compiled = regex(pattern)
  return { read: () => compiled }
}

const skipBlank = (text: string, at: number): number => {
  blank.lastIndex = at
  blank.test(text)
  return blank.lastIndex
}

const getTokens = (text: string): Token[] => {
  const tokens: Token[] = []
  let at = skipBlank(text, 0)
  while (at < text.length) {
    token.lastIndex = at
    const match = token.exec(text)
    if (match === null || tokens.length >= maxTokens) throw new Syntax()
    at = skipBlank(text, token.lastIndex)
    tokens.push(getToken(match))
  }
  return tokens
}

const truth = (value: Value): boolean => value !== null && value !== '' && value !== false

const getPattern = (value: Value): RE2JS | undefined => {
  if (typeof value === 'string') return compileRegex(value)
  return typeof value === 'boolean' || value === null ? undefined : value
}

const matches = (left: Value, right: Value): boolean =>
  typeof left === 'string' && getPattern(right)?.matcher(left).find() === true

const comparisons: Readonly<Record<string, (left: Value, right: Value) => boolean>> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '=~': matches,
  '!~': (left, right) => !matches(left, right),
}

/** Reads tokens from the front: or, and, comparison, value. */
class Parser {
  constructor(private readonly tokens: Token[]) {}

  #accepts(operator: string): boolean {
    if (this.tokens[0]?.operator !== operator) return false
    this.tokens.shift()
    return true
  }

  whole(): Evaluator {
    const result = this.#or()
    if (this.tokens.length > 0) throw new Syntax()
    return result
  }

  #or(): Evaluator {
    let left = this.#and()
    while (this.#accepts('||')) {
      const [a, b] = [left, this.#and()]
      left = (v) => truth(a(v)) || truth(b(v))
    }
    return left
  }

  #and(): Evaluator {
    let left = this.#comparison()
    while (this.#accepts('&&')) {
      const [a, b] = [left, this.#comparison()]
      left = (v) => truth(a(v)) && truth(b(v))
    }
    return left
  }

  #comparison(): Evaluator {
    const left = this.#value()
    const compare = comparisons[this.tokens[0]?.operator ?? '']
    if (compare === undefined) return left
    this.tokens.shift()
    const right = this.#value()
    return (v) => compare(left(v), right(v))
  }

  #value(): Evaluator {
    if (this.#accepts('(')) {
      const inner = this.#or()
      if (!this.#accepts(')')) throw new Syntax()
      return inner
    }
    const read = this.tokens.shift()?.read
    if (read === undefined) throw new Syntax()
    return read
  }
}

const parsed = (text: string): Evaluator | undefined => {
  try {
    return new Parser(getTokens(text)).whole()
  } catch (error) {
    if (error instanceof Syntax) return undefined
    throw error
  }
}

/** Whether the text is an expression at all. */
export const isExpression = (text: string): boolean => parsed(text) !== undefined

/** Whether an expression holds; one that is none does not. */
export const evaluateExpression = (text: string, variables: Variables): boolean => {
  const evaluate = parsed(text)
  return evaluate !== undefined && truth(evaluate(variables))
}

// Regular expressions of configurations: RE2's dialect, as instances read them.

let engine: typeof RE2JS | undefined
let budget = new Budget(0)
let known = new Map<string, RE2JS | undefined>()

const maxCost = 1_000_000
const dressed = /^\/(.*)\/([ismU]*)$/s

/** Whether a text is written as a regular expression: `/…/`, with flags or without. */
export const isDressed = (text: string): boolean => dressed.test(text)

/**
 * Makes ready for one configuration; the library is only loaded for one that holds a regular
 * expression. What they may cost together is bounded.
 */
export const readyRegexes = async (needed: boolean): Promise<void> => {
  if (needed) engine ??= (await import('re2js')).RE2JS
  budget = new Budget(maxCost)
  known = new Map()
}

/** A program is as long as its text, times what it repeats. */
const getCost = (source: string): number => {
  const counts = [...source.matchAll(/\{(\d{1,4})?,?(\d{1,4})?\}/g)]
  return source.length * Math.max(1, ...counts.map((m) => Number(m[2] ?? m[1] ?? 1)))
}

/** One part of a glob as RE2 has it: names with `*` and `?`, alternatives in braces. */
const globPart = (part: string, quote: (text: string) => string): string =>
  part
    .split(/(\*\*\/|\*+|\?|\{[^{}]*\})/)
    .map((piece) => {
      if (piece === '**/') return '(?:.*/)?'
      if (piece.startsWith('*')) return '[^/]*'
      if (piece === '?') return '[^/]'
      if (!piece.startsWith('{')) return quote(piece)
      const choices = piece.slice(1, -1).split(',')
      return `(?:${choices.map((choice) => globPart(choice, quote)).join('|')})`
    })
    .join('')

/** What `rules:changes` and `rules:exists` name paths by: `docs/**` followed by `/*`, `*.md`, `{a,b}.txt`. */
export const compileGlob = (glob: string): RE2JS | undefined => {
  if (engine === undefined) throw new Error('regular expressions were not made ready')
  return compiled(`^${globPart(glob, engine.quote)}$`, 's')
}

const compiled = (source: string, flags: string): RE2JS | undefined => {
  if (engine === undefined) throw new Error('regular expressions were not made ready')
  budget.spend(getCost(source))
  try {
    return engine.compile(flags === '' ? source : `(?${flags})${source}`)
  } catch {
    return undefined
  }
}

/** The expression between the slashes; undefined where it is none in this dialect. */
export const compileRegex = (text: string): RE2JS | undefined => {
  if (known.has(text)) return known.get(text)
  const match = dressed.exec(text)
  const result = match === null ? undefined : compiled(match[1] ?? '', match[2] ?? '')
  known.set(text, result)
  return result
}
