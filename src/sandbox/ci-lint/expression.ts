/** Expressions of `rules:if` and `only:variables`, such as `$A == "x" && $B =~ /y/`: parsed, evaluated, with their patterns in linear time. */
import type { RE2JS } from 're2js'
import { Budget } from './grammar/types.js'

export type Variables = Readonly<Record<string, string>>

/** What an expression may name: variables, and inputs where it stands in their rules. */
interface Scope {
  readonly variables: Variables
  readonly inputs?: Readonly<Record<string, unknown>>
}
type Evaluator = (scope: Scope) => unknown

/** Parts of the language that older versions do not know. */
type LaterPart = 'negation' | 'literals'

const token =
  /(\|\||&&|==|!=|=~|!~|!|\(|\))|\$\[\[\s*inputs\.([\w-]+)\s*\]\]|\$(\w+)|"([^"\n]*)"|'([^'\n]*)'|(\/(?:[^/]|\\\/)+[^\\]\/[ismU]*|\/[^/\\]\/[ismU]*)|(null)|\b(true|false)\b/y
const blank = /\s*/y

/** Instances read no longer expression. */
const maxTokens = 99

/** A value, or an operator that takes what stands before it. */
interface Token {
  readonly operator?: string
  readonly read?: Evaluator
  readonly later?: LaterPart
}

class Syntax extends Error {}

const regex = (text: string): RE2JS => {
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
  if (input !== undefined) return { read: ({ inputs }) => lookUp(inputs, input), later: 'literals' }
  if (variable !== undefined) return { read: ({ variables }) => lookUp(variables, variable) }
  if (literal !== undefined) return { read: () => literal }
  if (nothing !== undefined) return { read: () => null }
  if (word !== undefined) return { read: () => word === 'true', later: 'literals' }
  const compiled = regex(pattern ?? '')
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

const truth = (value: unknown): boolean => value !== null && value !== '' && value !== false

const isPattern = (value: unknown): value is RE2JS =>
  engine !== undefined && value instanceof engine

/** A text that is no pattern matches where it holds the other one. */
const matches = (left: unknown, right: unknown): boolean => {
  if (typeof left !== 'string') return false
  const pattern = typeof right === 'string' ? (compileRegex(right) ?? right) : right
  if (typeof pattern === 'string') return pattern.includes(left)
  return isPattern(pattern) && pattern.matcher(left).find()
}

/** A boolean is compared with a text as the word for it. */
const equals = (left: unknown, right: unknown): boolean => {
  const [a, b] = [typeof left, typeof right]
  const isMixed = (a === 'boolean' && b === 'string') || (a === 'string' && b === 'boolean')
  return isMixed ? String(left) === String(right) : left === right
}

type Operation = (left: Evaluator, right: Evaluator) => Evaluator

const comparing =
  (holds: (left: unknown, right: unknown) => boolean): Operation =>
  (left, right) =>
  (scope) =>
    holds(left(scope), right(scope))

const operations: Readonly<Record<string, { readonly rank: number; readonly make: Operation }>> = {
  '==': { rank: 10, make: comparing(equals) },
  '!=': { rank: 10, make: comparing((left, right) => !equals(left, right)) },
  '=~': { rank: 10, make: comparing(matches) },
  '!~': { rank: 10, make: comparing((left, right) => !matches(left, right)) },
  '&&': { rank: 11, make: (a, b) => (scope) => truth(a(scope)) && truth(b(scope)) },
  '||': { rank: 12, make: (a, b) => (scope) => truth(a(scope)) || truth(b(scope)) },
}

/** Binds more closely than all that take two values. */
const negationRank = 1

/**
 * Builds an expression as instances do, by two stacks: an operator waits until one that binds less closely, a closing
 * bracket or the end comes, and then takes the values before it.
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
      this.#values.push((scope) => !truth(operand(scope)))
      return
    }
    const make = operations[operator]?.make
    if (make === undefined) throw new Syntax()
    const right = this.#take()
    this.#values.push(make(this.#take(), right))
  }

  /** Applies the operators that wait since the last open bracket, as far as they bind at least so closely. */
  #settle(rank: number): void {
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
      this.#settle(Number.POSITIVE_INFINITY)
      if (this.#waiting.pop() === undefined) throw new Syntax()
    } else if (operator !== undefined) {
      const rank = operations[operator]?.rank
      if (rank !== undefined) this.#settle(rank)
      this.#waiting.push(operator)
    }
  }

  whole(): Evaluator {
    this.#settle(Number.POSITIVE_INFINITY)
    const result = this.#take()
    if (this.#values.length > 0 || this.#waiting.length > 0) throw new Syntax()
    return result
  }
}

interface Expression {
  readonly evaluate: Evaluator
  readonly later: ReadonlySet<LaterPart>
}

const parsed = (text: string): Expression | undefined => {
  try {
    const builder = new ExpressionParser()
    const tokens = getTokens(text)
    for (const one of tokens) builder.add(one)
    return {
      evaluate: builder.whole(),
      later: new Set(tokens.flatMap(({ later }) => later ?? [])),
    }
  } catch (error) {
    if (error instanceof Syntax) return undefined
    throw error
  }
}

/** Whether the text is an expression at all. */
export const isExpression = (text: string): boolean => parsed(text) !== undefined

/** Whether an expression does without a part that older versions do not know. */
export const doesWithout = (part: LaterPart, text: string): boolean =>
  parsed(text)?.later.has(part) !== true

/** Whether an expression holds; one that is none does not. */
export const evaluateExpression = (text: string, scope: Scope): boolean => {
  const evaluate = parsed(text)?.evaluate
  return evaluate !== undefined && truth(evaluate(scope))
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
