/** One value of a record against one value of a condition. */
import { isMoment, parseMoment, parseSpan } from '../../base/dates.js'
import { ExactNumber, isNumber } from '../../base/json/json.js'
import { compareVersions, isVersion } from '../../base/versions.js'
import { asksOrder, type Op, type Operand } from './parse.js'
import type { FieldKind, Ranks } from './shape.js'

/** Whether a value that is there is so. */
export type Test = (value: unknown) => boolean

/** The op without its "not". */
export type Plain = Exclude<Op, '!=' | '!~'>

const holds = (order: number, op: Plain): boolean => {
  if (op === '=') return order === 0
  if (op === '<') return order < 0
  if (op === '>') return order > 0
  return op === '<=' ? order <= 0 : order >= 0
}

const shown = (value: unknown): string =>
  typeof value === 'object' && !(value instanceof ExactNumber)
    ? JSON.stringify(value)
    : String(value)

/** Contains, ignoring case; a star stands for any run of characters. */
const containing = ({ text, quoted }: Operand): Test => {
  const parts = (quoted ? [text] : text.split('*')).map((part) => part.toLowerCase())
  return (value) => {
    const whole = shown(value).toLowerCase()
    let at = 0
    for (const part of parts) {
      const found = whole.indexOf(part, at)
      if (found < 0) return false
      at = found + part.length
    }
    return true
  }
}

/** A moment or a day, in milliseconds. */
export const parseTimeValue = (value: unknown): number | undefined =>
  typeof value === 'string' && isMoment(value) ? parseMoment(value, 0) : undefined

/** A length of time is an age: more of it is earlier. */
const timed = (value: Operand, op: Plain, now: number): Test | undefined => {
  const age = value.quoted ? undefined : parseSpan(value.text)
  const moment = age === undefined ? parseMoment(value.text, now) : now - age
  if (moment === undefined) return undefined
  return (tested) => {
    const time = parseTimeValue(tested)
    if (time === undefined) return false
    return holds(age === undefined ? time - moment : moment - time, op)
  }
}

/** Text that is a number. */
export const numberPattern = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

const whole = /^-?\d+$/

/** Past 2^53 different numbers are one to JavaScript, so that their digits are compared. */
export const orderOfNumbers = (value: number | ExactNumber, wanted: string): number => {
  const [left, right] = [Number(value), Number(wanted)]
  if (left !== right) return left < right ? -1 : 1
  const digits = String(value)
  if (!whole.test(digits) || !whole.test(wanted)) return 0
  return Number(BigInt(digits) - BigInt(wanted))
}

const numeric = ({ text }: Operand, op: Plain, names: Names): Test | undefined => {
  const wanted = names?.[text]?.toString() ?? (numberPattern.test(text) ? text : undefined)
  if (wanted === undefined) return undefined
  return (value) => isNumber(value) && holds(orderOfNumbers(value, wanted), op)
}

/** Some instances write booleans of a shape otherwise. */
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

const logical = ({ text }: Operand, op: Plain): Test | undefined => {
  if (op !== '=' || (text !== 'true' && text !== 'false')) return undefined
  return (value) => spellings.get(value) === (text === 'true')
}

const textual =
  ({ text }: Operand): Test =>
  (value) =>
    shown(value) === text

/** Text that is no version is equal to itself. */
const versioned = (value: Operand, op: Plain): Test | undefined => {
  const { text } = value
  if (!isVersion(text)) return op === '=' ? textual(value) : undefined
  return (tested) => {
    if (op === '=' && tested === text) return true
    return (
      typeof tested === 'string' && isVersion(tested) && holds(compareVersions(tested, text), op)
    )
  }
}

/** A word that is no known level is equal to itself. */
const levelled = (value: Operand, op: Plain, levels: Ranks): Test | undefined => {
  const wanted = levels[value.text.toLowerCase()]
  if (wanted === undefined) return op === '=' ? textual(value) : undefined
  return (tested) => {
    const rank = levels[shown(tested).toLowerCase()]
    return rank !== undefined && holds(rank - wanted, op)
  }
}

/** Whether a value is text of which nobody can say whether it comes before another: a name. */
export const hasNoOrder = (value: unknown): boolean =>
  typeof value === 'string' &&
  value !== '' &&
  parseTimeValue(value) === undefined &&
  !numberPattern.test(value)

/** Numbers that have names. */
export type Names = Ranks | undefined

/** The value in the record decides what is compared; undefined where an order of text is asked for. */
const byValue = (value: Operand, op: Plain, now: number, names: Names): Test | undefined => {
  const tests = {
    number: numeric(value, op, names),
    boolean: logical(value, op),
    time: timed(value, op, now),
    text: op === '=' ? textual(value) : undefined,
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

/** The test of a value; undefined where it is not of the field's kind. */
export const createTest = (
  value: Operand,
  op: Plain,
  kind: FieldKind,
  now: number,
  names: Names,
): Test | undefined => {
  if (op === '~') return containing(value)
  if (kind === 'number') return numeric(value, op, names)
  if (kind === 'boolean') return logical(value, op)
  if (kind === 'time') return timed(value, op, now)
  if (kind === 'version') return versioned(value, op)
  if (kind === 'level') return levelled(value, op, names ?? {})
  if (kind === 'any') return byValue(value, op, now, names)
  return asksOrder(op) ? undefined : textual(value)
}
