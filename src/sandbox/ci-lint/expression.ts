/** Expressions of `rules:if` and `only:variables`: `$A == "x" && $B =~ /y/`. */

export type Variables = Readonly<Record<string, string>>
type Value = string | RegExp | null | boolean
type Evaluate = (variables: Variables) => Value

const token =
  /\s*(?:(\|\||&&|==|!=|=~|!~|\(|\))|\$(\w+)|\$\{(\w+)\}|"([^"]*)"|'([^']*)'|\/((?:\\.|[^/\\])+)\/([a-z]*)|(null)\b)/y

interface Token {
  readonly operator?: string
  readonly read?: Evaluate
}

class Syntax extends Error {}

const regex = (source: string, flags: string): RegExp => {
  try {
    return new RegExp(source, flags.replace(/[^imsu]/g, ''))
  } catch {
    throw new Syntax()
  }
}

const tokensOf = (text: string): Token[] => {
  const tokens: Token[] = []
  token.lastIndex = 0
  let at = 0
  while (text.slice(at).trim() !== '') {
    token.lastIndex = at
    const match = token.exec(text)
    if (match === null) throw new Syntax()
    at = token.lastIndex
    const [, operator, plain, braced, double, single, source, flags = ''] = match
    const name = plain ?? braced
    const literal = double ?? single
    if (operator !== undefined) tokens.push({ operator })
    else if (name !== undefined) tokens.push({ read: (v) => v[name] ?? null })
    else if (literal !== undefined) tokens.push({ read: () => literal })
    else if (source !== undefined) {
      const pattern = regex(source, flags)
      tokens.push({ read: () => pattern })
    } else tokens.push({ read: () => null })
  }
  return tokens
}

const truth = (value: Value): boolean => value !== null && value !== '' && value !== false

const patternOf = (value: Value): RegExp | undefined => {
  if (value instanceof RegExp) return value
  const text = typeof value === 'string' ? /^\/(.+)\/([a-z]*)$/.exec(value) : null
  return text === null ? undefined : regex(text[1] ?? '', text[2] ?? '')
}

const matches = (left: Value, right: Value): boolean =>
  typeof left === 'string' && patternOf(right)?.test(left) === true

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

/** Whether the text is an expression at all. */
export const isExpression = (text: string): boolean => {
  try {
    new Parser(tokensOf(text)).whole()
    return true
  } catch (error) {
    if (error instanceof Syntax) return false
    throw error
  }
}

/** Whether an expression holds; one that is none does not. */
export const holds = (text: string, variables: Variables): boolean => {
  try {
    return truth(new Parser(tokensOf(text)).whole()(variables))
  } catch (error) {
    if (error instanceof Syntax) return false
    throw error
  }
}
