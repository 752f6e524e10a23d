/** Parses and evaluates expressions of `rules:if` and `only:variables`, such as `$A == "x" && $B =~ /y/`, in linear time. */
import type { RE2JS } from 're2js'
import { Budget } from './types.js'

export type Variables = Readonly<Record<string, string>>

/** The values that an expression may use. Only rules of inputs have inputs. */
interface Scope {
  readonly variables: Variables
  readonly inputs?: Readonly<Record<string, unknown>>
}
type Evaluator = (scope: Scope) => unknown

/** The parts of the language that older versions do not have. */
type LaterPart = 'negation' | 'literals'

/** The tokens of the language. As on instances, a regular expression has at least two characters. */
const token =
  /(\|\||&&|==|!=|=~|!~|!|\(|\))|\$\[\[\s*inputs\.([\w-]+)\s*\]\]|\$(\w+)|"([^"\n]*)"|'([^'\n]*)'|(\/(?:[^/]|\\\/)+[^\\]\/[ismU]*)|(null)|\b(true|false)\b/y
const blank = /\s*/y

/** The maximum number of tokens in an expression, as on instances. */
const maxTokens = 99

/** A value, or an operator. */
interface Token {
  readonly operator?: string
  readonly read?: Evaluator
  /** The input that the value is. */
  readonly input?: string
  readonly later?: LaterPart
}

class Syntax extends Error {}

const readRegex = (text: string): RE2JS => {
  const found = compileRegex(text)
  if (found === undefined) throw new Syntax()
  return found
}

const lookUp = (of: Readonly<Record<string, unknown>> = {}, name: string): unknown =>
  Object.hasOwn(of, name) ? (of[name] ?? null) : null

const getToken = (match: RegExpExecArray): Token => {
  const [, operator, input, variable, double, single, pattern, nothing, word] = match
  const literal = double ?? single
  if (operator !== undefined)
    return operator === '!' ? { operator, later: 'negation' } : { operator }
  if (input !== undefined)
    return { input, read: ({ inputs }) => lookUp(inputs, input), later: 'literals' }
  if (variable !== undefined) return { read: ({ variables }) => lookUp(variables, variable) }
  if (literal !== undefined) return { read: () => literal }
  if (nothing !== undefined) return { read: () => null }
  if (word !== undefined) return { read: () => word === 'true', later: 'literals' }
  const compiled = readRegex(pattern ?? '')
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

const isTruthy = (value: unknown): boolean => value !== null && value !== '' && value !== false

const isPattern = (value: unknown): value is RE2JS =>
  engine !== undefined && value instanceof engine

/**
 * True if a text matches a pattern. If the right side is a plain text, it has to contain the left one. A variable without a value is the
 * empty text.
 */
const matches = (left: unknown, right: unknown): boolean => {
  const text = String(left ?? '')
  const pattern = typeof right === 'string' ? (compileRegex(right) ?? right) : right
  if (typeof pattern === 'string') return pattern.includes(text)
  return isPattern(pattern) && pattern.matcher(text).find()
}

/** True if two values are equal. A boolean is equal to its text. */
const equals = (left: unknown, right: unknown): boolean => {
  const [a, b] = [typeof left, typeof right]
  const isMixed = (a === 'boolean' && b === 'string') || (a === 'string' && b === 'boolean')
  return isMixed ? String(left) === String(right) : left === right
}

type Operation = (left: Evaluator, right: Evaluator) => Evaluator

const createComparison =
  (holds: (left: unknown, right: unknown) => boolean): Operation =>
  (left, right) =>
  (scope) =>
    holds(left(scope), right(scope))

const operations: Readonly<Record<string, { readonly rank: number; readonly make: Operation }>> = {
  '==': { rank: 10, make: createComparison(equals) },
  '!=': { rank: 10, make: createComparison((left, right) => !equals(left, right)) },
  '=~': { rank: 10, make: createComparison(matches) },
  '!~': { rank: 10, make: createComparison((left, right) => !matches(left, right)) },
  '&&': { rank: 11, make: (a, b) => (scope) => isTruthy(a(scope)) && isTruthy(b(scope)) },
  '||': { rank: 12, make: (a, b) => (scope) => isTruthy(a(scope)) || isTruthy(b(scope)) },
}

/** The rank of `!`, which binds more closely than all binary operators. */
const negationRank = 1

/**
 * Parses an expression with two stacks, like instances: an operator waits until one follows that binds less closely, or a closing bracket,
 * or the end. It then takes its operands from the stack of values.
 */
class ExpressionParser {
  readonly #values: Evaluator[] = []
  readonly #waiting: string[] = []

  #take(): Evaluator {
    const value = this.#values.pop()
    if (value === undefined) throw new Syntax()
    return value
  }

  #apply(operator: string): void {
    if (operator === '!') {
      const operand = this.#take()
      this.#values.push((scope) => !isTruthy(operand(scope)))
      return
    }
    const make = operations[operator]?.make
    if (make === undefined) throw new Syntax()
    const right = this.#take()
    this.#values.push(make(this.#take(), right))
  }

  /** Applies the operators that wait since the last open bracket, if their rank is at most `rank`. */
  #applyWaiting(rank: number): void {
    for (let last = this.#waiting.at(-1); last !== undefined && last !== '('; ) {
      if ((operations[last]?.rank ?? negationRank) > rank) return
      this.#apply(last)
      this.#waiting.pop()
      last = this.#waiting.at(-1)
    }
  }

  add({ operator, read }: Token): void {
    if (read !== undefined) this.#values.push(read)
    else if (operator === ')') {
      this.#applyWaiting(Number.POSITIVE_INFINITY)
      if (this.#waiting.pop() === undefined) throw new Syntax()
    } else if (operator !== undefined) {
      const rank = operations[operator]?.rank
      if (rank !== undefined) this.#applyWaiting(rank)
      this.#waiting.push(operator)
    }
  }

  whole(): Evaluator {
    this.#applyWaiting(Number.POSITIVE_INFINITY)
    const result = this.#take()
    if (this.#values.length > 0 || this.#waiting.length > 0) throw new Syntax()
    return result
  }
}

interface Expression {
  readonly evaluate: Evaluator
  readonly inputs: readonly string[]
  readonly later: ReadonlySet<LaterPart>
}

const parseExpression = (text: string): Expression | undefined => {
  try {
    const builder = new ExpressionParser()
    const tokens = getTokens(text)
    for (const one of tokens) builder.add(one)
    // Instances do not look for inputs below a negation.
    const isNegated = tokens.some(({ operator }) => operator === '!')
    return {
      evaluate: builder.whole(),
      inputs: isNegated ? [] : tokens.flatMap(({ input }) => input ?? []),
      later: new Set(tokens.flatMap(({ later }) => later ?? [])),
    }
  } catch (error) {
    if (error instanceof Syntax) return undefined
    throw error
  }
}

/** True if the text is a valid expression. */
export const isExpression = (text: string): boolean => parseExpression(text) !== undefined

/** Returns the names of the inputs in an expression, as far as instances look for them. */
export const getInputNames = (text: string): readonly string[] =>
  parseExpression(text)?.inputs ?? []

/** True if an expression does not use a part of the language that older versions lack. */
export const isWithoutPart = (part: LaterPart, text: string): boolean =>
  parseExpression(text)?.later.has(part) !== true

/** True if an expression holds; an invalid one does not. */
export const evaluateExpression = (text: string, scope: Scope): boolean => {
  const evaluate = parseExpression(text)?.evaluate
  return evaluate !== undefined && isTruthy(evaluate(scope))
}

// Regular expressions of configurations, in the dialect of RE2 as on instances.

let engine: typeof RE2JS | undefined
let budget = new Budget(0)
let known = new Map<string, RE2JS | undefined>()

const maxCost = 1_000_000
const dressed = /^\/(.*)\/([ismU]*)$/

/** True if a text has the form of a regular expression: `/…/`, with or without flags. */
export const isDressed = (text: string): boolean => dressed.test(text)

/** Loads the library for regular expressions if a configuration contains any. It also resets the limit for their total cost. */
export const loadRegexes = async (needed: boolean): Promise<void> => {
  if (needed) engine ??= (await import('re2js')).RE2JS
  budget = new Budget(maxCost)
  known = new Map()
}

/** Returns the cost of a regular expression: the length of its text, times its highest repetition. */
const getCost = (source: string): number => {
  const counts = [...source.matchAll(/\{(\d{1,4})?,?(\d{1,4})?\}/g)]
  return source.length * Math.max(1, ...counts.map((m) => Number(m[2] ?? m[1] ?? 1)))
}

/** Converts the characters of a class of a glob, such as `a-z_`, to RE2. A class never matches a slash. */
const convertClass = (negation: string, signs: string): string => {
  const parts = signs.matchAll(/(?:\\(.)|([^\\]))(?:-(?:\\(.)|([^\\])))?/gsu)
  const toCode = (sign: string): string => `\\x{${sign.codePointAt(0)?.toString(16)}}`
  const ranges = [...parts].map(([, escaped, plain = escaped ?? '', last, end = last ?? plain]) =>
    plain === '/' ? '' : `${toCode(plain)}-${toCode(end)}`,
  )
  return `[${negation === '' ? '' : '^/'}${ranges.join('')}]`
}

/** The signs of alternatives in a glob, as RE2 has them. */
const braces: Readonly<Record<string, string>> = { '{': '(?:', ',': '|', '}': ')' }
/** The parts of a glob. The signs of a class are limited, so that brackets without an end are not searched again and again. */
const globPart = /\\(.)|(\*\*\/)|\*+|\[([!^]?)((?:\\.|[^\]\\]){1,100})\]|./gsu

/**
 * Converts a glob to RE2. Globs have `*`, `**`, `?`, classes of characters, alternatives in braces, and `\` before a sign that means itself.
 * Returns undefined if a bracket is not closed: such a glob matches nothing.
 */
const convertGlob = (glob: string, quote: (text: string) => string): string | undefined => {
  let depth = 0
  const source = glob.replace(globPart, (sign, escaped, folders, negation, signs) => {
    if (escaped !== undefined) return quote(escaped)
    if (folders !== undefined) return '(?:.*/)?'
    if (signs !== undefined) return convertClass(negation, signs)
    if (sign.startsWith('*')) return '[^/]*'
    if (sign === '?') return '[^/]'
    if (sign === '[') depth = Number.NaN
    if (sign === '{') depth += 1
    else if (!(depth > 0)) return quote(sign)
    else if (sign === '}') depth -= 1
    return braces[sign] ?? quote(sign)
  })
  return depth === 0 ? source : undefined
}

/** Compiles a glob of `rules:changes` or `rules:exists`, such as `*.md` or `{a,b}.txt`. */
export const compileGlob = (glob: string): RE2JS | undefined => {
  if (engine === undefined) throw new Error('regular expressions were not made ready')
  const source = convertGlob(glob, engine.quote)
  return source === undefined ? undefined : compileSource(`^${source}$`, 's')
}

const compileSource = (source: string, flags: string): RE2JS | undefined => {
  if (engine === undefined) throw new Error('regular expressions were not made ready')
  budget.spend(getCost(source))
  try {
    return engine.compile(flags === '' ? source : `(?${flags})${source}`)
  } catch {
    return undefined
  }
}

/** Compiles the expression between the slashes; undefined if it is invalid in this dialect. */
export const compileRegex = (text: string): RE2JS | undefined => {
  if (known.has(text)) return known.get(text)
  const match = dressed.exec(text)
  const result = match === null ? undefined : compileSource(match[1] ?? '', match[2] ?? '')
  known.set(text, result)
  return result
}
