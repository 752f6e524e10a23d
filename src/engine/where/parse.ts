/**
 * The language of `--where` and `--select`: `status=online|offline,contacted_at>30d`.
 *
 *     expr = cond *("," cond)      cond = field op value *("|" value)
 *
 * A value runs to the next comma or bar; one in double quotes is literal text (JSON's escapes).
 */
import { type Failure, usage } from '../../errors.js'

/** The longest first: that one wins. */
export const ops = ['!=', '!~', '<=', '>=', '=', '~', '<', '>'] as const
export type Op = (typeof ops)[number]

/** Whether it asks which of two values comes first. */
export const asksOrder = (op: Op): boolean => op.startsWith('<') || op.startsWith('>')

export interface Operand {
  readonly text: string
  /** Literal: no word and no sign in it means anything. */
  readonly quoted: boolean
  /** Where it stands. */
  readonly at: number
}

export interface Condition {
  readonly field: string
  readonly op: Op
  /** More than one after `=` and `!=` only. */
  readonly values: readonly Operand[]
  readonly at: number
}

/** One flag: all of its conditions must hold. */
export interface Expression {
  readonly text: string
  readonly conditions: readonly Condition[]
}

/** What is wrong, with the text and a caret below the place: lines of the message, which stand below each other. */
export const wrongAt = (text: string, at: number, why: string, hint?: string): Failure =>
  usage(`invalid condition: ${why}\n${text}\n${' '.repeat(at)}^`, hint)

const fieldName = /[A-Za-z0-9_.-]+/y
const jsonText = /"(?:[^"\\]|\\.)*"/y
const plainText = /[^,|]*/y
const blanks = /\s*/y

class Reader {
  #at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  expression(): Expression {
    const conditions: Condition[] = []
    do conditions.push(this.#condition())
    while (this.#take(','))
    return { text: this.#text, conditions }
  }

  #condition(): Condition {
    this.#match(blanks)
    const at = this.#at
    const field = this.#match(fieldName)
    if (field === '') throw this.#wrong('missing field')
    this.#match(blanks)
    const op = ops.find((one) => this.#text.startsWith(one, this.#at))
    if (op === undefined) throw this.#wrong(`expected one of ${ops.join(' ')}`)
    this.#at += op.length
    const values = [this.#value()]
    while (this.#text[this.#at] === '|') {
      if (op !== '=' && op !== '!=') throw this.#wrong(`| goes with = and != only, not with ${op}`)
      this.#at += 1
      values.push(this.#value())
    }
    return { field, op, values, at }
  }

  #value(): Operand {
    this.#match(blanks)
    const at = this.#at
    if (this.#text[at] !== '"') return { text: this.#match(plainText).trimEnd(), quoted: false, at }
    const literal = this.#match(jsonText)
    if (literal === '') throw this.#wrong('unclosed quotation mark')
    const text = this.#parsed(literal, at)
    this.#match(blanks)
    const next = this.#text[this.#at]
    if (next !== undefined && next !== ',' && next !== '|')
      throw this.#wrong('expected "," or "|" after the quotation mark')
    return { text, quoted: true, at }
  }

  #parsed(literal: string, at: number): string {
    try {
      return String(JSON.parse(literal))
    } catch {
      throw wrongAt(this.#text, at, 'the text in quotation marks is not a valid JSON string')
    }
  }

  #take(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false
    this.#at += 1
    return true
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }

  #wrong(why: string): Failure {
    return wrongAt(this.#text, this.#at, why)
  }
}

const opposites: Readonly<Record<Op, Op>> = {
  '=': '!=',
  '!=': '=',
  '~': '!~',
  '!~': '~',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
}

/** A condition as text again. */
const written = (field: string, op: Op, values: readonly Operand[]): string =>
  `${field}${op}${values.map(({ text, quoted }) => (quoted ? JSON.stringify(text) : text)).join('|')}`

/**
 * The expressions of which one holds where this one does not. A value that is not there fulfils no condition but the one
 * that asks for null.
 */
export const negated = ({ conditions }: Expression): readonly string[] =>
  conditions.flatMap(({ field, op, values }) => {
    const asksNull = values.some(({ text, quoted }) => !quoted && text === 'null')
    const opposite = written(field, opposites[op], values)
    return asksNull ? [opposite] : [opposite, `${field}=null`]
  })

/**
 * Reads one expression.
 * @throws Failure `usage` that points at the place
 */
export const parseExpression = (text: string): Expression => new Reader(text).expression()
