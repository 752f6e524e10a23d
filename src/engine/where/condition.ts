/**
 * Parses and tests the conditions of `--where` and `--select`: `status=online|offline,contacted_at>30d`.
 *
 * expr = cond *("," cond)      cond = field op value *("|" value)
 *
 * A value ends at the next comma or bar. A field or a value in double quotes is literal text, with the escapes of JSON.
 */

import {
  dayLength,
  isWholeDay,
  parseMoment,
  parseSpan,
  parseWrittenMoment,
} from '../../base/dates.js'
import { compareNumbers, numberPattern } from '../../base/json/decimal.js'
import { ExactNumber, isNumber } from '../../base/json/json.js'
import { getOwn } from '../../base/objects.js'
import { compareVersions, isVersion } from '../../base/version.js'
import { type Failure, usage } from '../../errors.js'
import { explainForeignValue, findForeignOperator, translate } from './foreign.js'
import { isOrderOperator, negatedOrders, negateOperator, type Op, ops } from './operators.js'
import type { FieldKind, Ranks } from './shape.js'

export interface Operand {
  readonly text: string
  /** True if the text is literal: no word or sign in it has a special meaning. */
  readonly quoted: boolean
  /** The position of the value in the text of the flag. */
  readonly at: number
}

export interface Condition {
  readonly field: string
  readonly op: Op
  /** The alternatives of the value. Only `=` and `!=` may have more than one. */
  readonly values: readonly Operand[]
  readonly at: number
}

/** The conditions of one flag. A record matches if all of them hold. */
export interface Expression {
  readonly text: string
  readonly conditions: readonly Condition[]
}

/** Creates the failure of a condition. Its message has three lines: the reason, the text, and a caret below the wrong position. */
export const createConditionFailure = (
  text: string,
  at: number,
  why: string,
  hint?: string,
): Failure => usage(`invalid condition: ${why}\n${text}\n${' '.repeat(at)}^`, hint)

const fieldName = /[A-Za-z0-9_.-]+/y
const jsonText = /"(?:[^"\\]|\\.)*"/y
const plainText = /[^,|]*/y
const blanks = /\s*/y
const comma = /,/y
const isCondition = /^[a-z_][\w.]* ?(?:[!=]?=|[!=]?~|[<>])/i

class Reader {
  #at = 0
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  parse(): Expression {
    const conditions: Condition[] = []
    do conditions.push(this.#parseCondition())
    while (this.#match(comma) !== '')
    return { text: this.#text, conditions }
  }

  #parseCondition(): Condition {
    this.#match(blanks)
    const at = this.#at
    const field = this.#text[at] === '"' ? this.#parseQuoted() : this.#match(fieldName)
    if (field === '') throw this.#createFailure(explainMissingField(this.#text.slice(at)))
    this.#match(blanks)
    const op = this.#parseOperator()
    const values = [this.#parseValue(op)]
    while (this.#text[this.#at] === '|') {
      if (op !== '=' && op !== '!=')
        throw this.#createFailure(`| goes with = and != only, not with ${op}`)
      this.#at += 1
      if (this.#text[this.#at] === '|') throw this.#createFailure('"||" is not an operator')
      values.push(this.#parseValue(op, true))
    }
    return { field, op, values, at }
  }

  #parseOperator(): Op {
    const foreign = findForeignOperator(this.#text.slice(this.#at))
    if (foreign !== '') throw this.#createFailure(`"${foreign}" is not an operator`)
    const op = [...negatedOrders, ...ops].find((one) => this.#text.startsWith(one, this.#at))
    if (op === undefined) throw this.#createFailure(`expected one of ${ops.join(' ')}`)
    this.#at += op.length
    return op
  }

  /** @param further true for a value after a bar, where another condition would be a mistake */
  #parseValue(op: Op, further = false): Operand {
    this.#match(blanks)
    const at = this.#at
    if (this.#text[at] !== '"') {
      const text = this.#match(plainText).trimEnd()
      const condition = further && isCondition.test(text)
      const why = condition ? 'expected a value after |' : explainForeignValue(op, text)
      if (why !== undefined) throw this.#createFailure(why, at)
      return { text, quoted: false, at }
    }
    const text = this.#parseQuoted()
    this.#match(blanks)
    const next = this.#text[this.#at]
    if (next !== undefined && next !== ',' && next !== '|')
      throw this.#createFailure('expected "," or "|" after the quotation mark')
    return { text, quoted: true, at }
  }

  #parseQuoted(): string {
    const at = this.#at
    const literal = this.#match(jsonText)
    if (literal === '') throw this.#createFailure('unclosed quotation mark')
    try {
      return String(JSON.parse(literal))
    } catch {
      throw createConditionFailure(
        this.#text,
        at,
        'the text in quotation marks is not a valid JSON string',
      )
    }
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }

  #createFailure(why: string, at = this.#at): Failure {
    return createConditionFailure(this.#text, at, why, suggestForm(this.#text))
  }
}

/** Explains why a condition begins with no field. A name with other characters than those of the API must be quoted. */
const explainMissingField = (text: string): string => {
  const [, name] = /^(@[\w.@-]+) ?[!=~<>]/.exec(text) ?? []
  return name === undefined ? 'missing field' : `write the field in quotes: "${name}"`
}

/** Suggests how a condition of another language is written here; the general form if its meaning cannot be found. */
const suggestForm = (text: string): string => {
  const forms = translate(text)?.filter((form) => form !== text) ?? []
  if (forms.length === 0)
    return 'Conditions are field=value, joined by commas: see "svcctl help where".'
  if (forms.length === 1) return `Write ${forms[0]}.`
  return `Repeat the flag for each alternative: ${forms.map((form) => `'${form}'`).join(' ')}.`
}

const quoteField = (field: string): string =>
  /^[\w.-]+$/.test(field) ? field : JSON.stringify(field)

/** Formats a condition as text again. */
export const formatCondition = ({
  field,
  op,
  values,
}: Pick<Condition, 'field' | 'op' | 'values'>): string =>
  `${quoteField(field)}${op}${values.map(({ text, quoted }) => (quoted ? JSON.stringify(text) : text)).join('|')}`

/**
 * Returns the expressions of which exactly one holds if this expression does not hold. A field without a value matches only a condition
 * that includes null.
 */
export const negateExpression = ({ conditions }: Expression): readonly string[] =>
  conditions.flatMap(({ field, op, values }) => {
    const asksNull = values.some(({ text, quoted }) => !quoted && text === 'null')
    const opposite = formatCondition({ field, op: negateOperator(op), values })
    return asksNull ? [opposite] : [opposite, `${quoteField(field)}=null`]
  })

/**
 * Parses the text of one flag.
 * @throws Failure `usage` with a caret at the wrong position
 */
export const parseExpression = (text: string): Expression => new Reader(text).parse()

// Tests that compare one value of a record with one value of a condition.

/** Tests a value that is neither absent nor null. */
export type Test = (value: unknown) => boolean

/** An operator without its negation. */
export type Plain = Exclude<Op, `!${string}`>

const isInOrder = (order: number, op: Plain): boolean => {
  if (op === '=') return order === 0
  if (op === '<') return order < 0
  if (op === '>') return order > 0
  return op === '<=' ? order <= 0 : order >= 0
}

const toComparedText = (value: unknown): string =>
  typeof value === 'object' && !(value instanceof ExactNumber)
    ? JSON.stringify(value)
    : String(value)

/** Creates the test of `~`: the value contains the text, in any case. A star matches any characters. */
const createContainsTest = ({ text, quoted }: Operand): Test => {
  const parts = (quoted ? [text] : text.split('*')).map((part) => part.toLowerCase())
  return (value) => {
    const whole = toComparedText(value).toLowerCase()
    let at = 0
    for (const part of parts) {
      const found = whole.indexOf(part, at)
      if (found < 0) return false
      at = found + part.length
    }
    return true
  }
}

/** Parses a time or a day of a record to milliseconds; undefined for any other value. */
export const parseTimeValue = (value: unknown): number | undefined =>
  typeof value === 'string' ? parseWrittenMoment(value) : undefined

/** Creates the test of a time. A duration is an age, so `>` means earlier. A day equals each moment of that day in UTC. */
const createTimeTest = (value: Operand, op: Plain, now: number): Test | undefined => {
  const age = value.quoted ? undefined : parseSpan(value.text)
  const moment = age === undefined ? parseMoment(value.text, now) : now - age
  if (moment === undefined) return undefined
  const end = op === '=' && isWholeDay(value.text) ? moment + dayLength : undefined
  return (tested) => {
    const time = parseTimeValue(tested)
    if (time === undefined) return false
    if (end !== undefined) return time >= moment && time < end
    return isInOrder(age === undefined ? time - moment : moment - time, op)
  }
}

const createNumberTest = ({ text }: Operand, op: Plain, names: Names): Test | undefined => {
  const wanted = getOwn(names, text)?.toString() ?? (numberPattern.test(text) ? text : undefined)
  if (wanted === undefined) return undefined
  return (value) => isNumber(value) && isInOrder(compareNumbers(value, wanted), op)
}

/** Instances may return booleans as strings or numbers, although the documents describe a boolean. */
export const spellings = new Map<unknown, boolean>([
  [true, true],
  ['true', true],
  ['1', true],
  [1, true],
  [false, false],
  ['false', false],
  ['0', false],
  [0, false],
])

const createBooleanTest = ({ text }: Operand, op: Plain): Test | undefined => {
  if (op !== '=' || (text !== 'true' && text !== 'false')) return undefined
  return (value) => spellings.get(value) === (text === 'true')
}

const createTextTest =
  ({ text }: Operand): Test =>
  (value) =>
    toComparedText(value) === text

/** Creates the test of a version. Text that is not a version matches only the same text. */
const createVersionTest = (value: Operand, op: Plain): Test | undefined => {
  const { text } = value
  if (!isVersion(text)) return op === '=' ? createTextTest(value) : undefined
  return (tested) => {
    if (op === '=' && tested === text) return true
    return (
      typeof tested === 'string' &&
      isVersion(tested) &&
      isInOrder(compareVersions(tested, text), op)
    )
  }
}

/** Creates the test of an access level, which is compared by its number. An unknown level matches only the same text. */
const createLevelTest = (value: Operand, op: Plain, levels: Ranks): Test | undefined => {
  const wanted = getOwn(levels, value.text.toLowerCase())
  if (wanted === undefined) return op === '=' ? createTextTest(value) : undefined
  return (tested) => {
    const rank = getOwn(levels, toComparedText(tested).toLowerCase())
    return rank !== undefined && isInOrder(rank - wanted, op)
  }
}

/** True for text that has no order, such as a name: it is neither a time nor a number. */
export const hasNoOrder = (value: unknown): boolean =>
  typeof value === 'string' &&
  value !== '' &&
  parseTimeValue(value) === undefined &&
  !numberPattern.test(value)

/** The numbers of a field by their names, such as access levels. */
export type Names = Ranks | undefined

/**
 * Creates a test for a field of unknown type: the type of the record's value decides how it is compared. Undefined for an order of text.
 */
const createTestByValue = (
  value: Operand,
  op: Plain,
  now: number,
  names: Names,
): Test | undefined => {
  const tests = {
    number: createNumberTest(value, op, names),
    boolean: createBooleanTest(value, op),
    time: createTimeTest(value, op, now),
    text: op === '=' ? createTextTest(value) : undefined,
  }
  if (tests.text === undefined && tests.number === undefined && tests.time === undefined)
    return undefined
  return (tested) => {
    if (isNumber(tested)) return tests.number?.(tested) ?? false
    if (typeof tested === 'boolean') return tests.boolean?.(tested) ?? false
    if (typeof tested !== 'string') return false
    if (parseTimeValue(tested) !== undefined) return (tests.time ?? tests.text)?.(tested) ?? false
    if (tests.text !== undefined) return tests.text(tested)
    return numberPattern.test(tested) && (tests.number?.(new ExactNumber(tested)) ?? false)
  }
}

/** Creates the test of a value; undefined if the value does not have the type of the field. */
export const createTest = (
  value: Operand,
  op: Plain,
  kind: FieldKind,
  now: number,
  names: Names,
): Test | undefined => {
  if (op === '~') return createContainsTest(value)
  if (kind === 'number') return createNumberTest(value, op, names)
  if (kind === 'boolean') return createBooleanTest(value, op)
  if (kind === 'time') return createTimeTest(value, op, now)
  if (kind === 'version') return createVersionTest(value, op)
  if (kind === 'level') return createLevelTest(value, op, names ?? {})
  if (kind === 'any') return createTestByValue(value, op, now, names)
  return isOrderOperator(op) ? undefined : createTextTest(value)
}
