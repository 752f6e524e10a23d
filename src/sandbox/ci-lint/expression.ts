/** Expressions of `rules:if` and `only:variables`: `$A == "x" && $B =~ /y/`. */
import type { RE2JS } from 're2js'
import { compileRegex } from './regex.js'

export type Variables = Readonly<Record<string, string>>
type Value = string | RE2JS | null | boolean
type Evaluate = (variables: Variables) => Value

const token =
  /\s*(?:(\|\||&&|==|!=|=~|!~|\(|\))|\$(\w+)|\$\{(\w+)\}|"([^"]*)"|'([^']*)'|(\/(?:\\.|[^/\\])+\/[ismU]*)|(null)\b)/y
const blank = /\s*/y

/** Parsing and evaluating nest a call for each part of a long expression. */
const maxTokens = 1000

interface Token {
  readonly operator?: string
  readonly read?: Evaluate
}

class Syntax extends Error {}

const regex = (text: string): RE2JS => {
  const found = compileRegex(text)
  if (found === undefined) throw new Syntax()
  return found
}

const tokenOf = (match: RegExpExecArray): Token => {
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

const tokensOf = (text: string): Token[] => {
  const tokens: Token[] = []
  let at = skipBlank(text, 0)
  while (at < text.length) {
    token.lastIndex = at
    const match = token.exec(text)
    if (match === null || tokens.length >= maxTokens) throw new Syntax()
    at = skipBlank(text, token.lastIndex)
    tokens.push(tokenOf(match))
  }
  return tokens
}

const truth = (value: Value): boolean => value !== null && value !== '' && value !== false

const patternOf = (value: Value): RE2JS | undefined => {
  if (typeof value === 'string') return compileRegex(value)
  return typeof value === 'boolean' || value === null ? undefined : value
}

const matches = (left: Value, right: Value): boolean =>
  typeof left === 'string' && patternOf(right)?.matcher(left).find() === true

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

  whole(): Evaluate {
    const result = this.#or()
    if (this.tokens.length > 0) throw new Syntax()
    return result
  }

  #or(): Evaluate {
    let left = this.#and()
    while (this.#accepts('||')) {
      const [a, b] = [left, this.#and()]
      left = (v) => truth(a(v)) || truth(b(v))
    }
    return left
  }

  #and(): Evaluate {
    let left = this.#comparison()
    while (this.#accepts('&&')) {
      const [a, b] = [left, this.#comparison()]
      left = (v) => truth(a(v)) && truth(b(v))
    }
    return left
  }

  #comparison(): Evaluate {
    const left = this.#value()
    const compare = comparisons[this.tokens[0]?.operator ?? '']
    if (compare === undefined) return left
    this.tokens.shift()
    const right = this.#value()
    return (v) => compare(left(v), right(v))
  }

  #value(): Evaluate {
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

const parsed = (text: string): Evaluate | undefined => {
  try {
    return new Parser(tokensOf(text)).whole()
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
