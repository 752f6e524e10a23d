/** `--where` and `--select`: which records match. */
import { parseSpan } from '../../base/dates.js'
import { describeName } from '../../catalogue/words.js'
import { usage } from '../../errors.js'
import {
  type Condition,
  createTest,
  type Expression,
  hasNoOrder,
  type Names,
  type Operand,
  type Plain,
  parseExpression,
  refuseAt,
} from './condition.js'
import {
  createLeafReader,
  getFieldNames,
  getShapeKind,
  type Known,
  requireFieldKind,
} from './fields.js'
import { isOrderOperator } from './operators.js'
import { type FieldKind, findFieldKind, getLeaves, hasField } from './shape.js'
import {
  checkTogether,
  checkValues,
  inferKind,
  type TestedValue,
  UnseenValueFailure,
} from './values.js'

export { type Condition, type Expression, negateExpression, refuseAt } from './condition.js'
export { isOfSingle, type Known } from './fields.js'
export {
  bindOrder,
  type Order,
  parseSort,
  type SortField,
  type SortKey,
  toSortForm,
} from './order.js'
export { checkRanges } from './ranges.js'
export { UnseenValueFailure } from './values.js'

export interface Where {
  /** Fields that only the single record has: for these each record is to be read. */
  readonly detail: readonly string[]
  /** Returns true if a record of the list may match: what it does not show is left open. */
  readonly mayMatch: (record: unknown) => boolean
  /** Returns true if a record matches that has all the fields. */
  readonly matches: (record: unknown) => boolean
}

interface Bound {
  readonly field: string
  readonly detail: boolean
  readonly holds: (record: unknown) => boolean
}

/** Reads the flags as they were given: each of them is enough. */
export const parseWhere = (texts: readonly string[]): readonly Expression[] =>
  texts.map(parseExpression)

/** Fields of which no shape knows: the first page has to show them. */
export const findUnshapedFields = (
  expressions: readonly Expression[],
  known: Known,
): readonly string[] =>
  expressions
    .flatMap(({ conditions }) => conditions)
    .filter(({ field }) => getShapeKind(field, known) === undefined)
    .map(({ field }) => field)

/**
 * True if the first page must show whether fields and values exist, since neither the documents nor what was learnt has them.
 * @throws Failure `usage` for what is wrong whatever the records are
 */
export const needsSamples = (expressions: readonly Expression[], known: Known): boolean => {
  if (findUnshapedFields(expressions, known).length > 0) return true
  try {
    bindWhere(expressions, known)
    return false
  } catch (error) {
    if (error instanceof UnseenValueFailure) return true
    throw error
  }
}

const wanted: Readonly<Record<FieldKind, string>> = {
  number: 'a number',
  boolean: 'true or false, with = or !=',
  time: 'a time: 30d, 2026-01-31, today, +30d',
  version: 'a version, such as 14.6',
  level: 'a level',
  text: 'a string',
  object: 'one of its fields, after a dot',
  any: 'a value',
}

/** Creates the refusal of a value that is not of its field's kind. */
const createUnfit = (
  { field }: Condition,
  { text: given, at }: Operand,
  { kind, names, text, known: { words, nearest } }: Place & { readonly names: Names },
) => {
  const levels = names === undefined ? [] : Object.keys(names)
  const near = nearest?.(given, levels)
  const meant = near === undefined ? '' : `; did you mean ${near}?`
  const or = kind === 'number' ? 'a number or ' : ''
  const what = levels.length > 0 ? `${or}one of its levels: ${levels.join(' < ')}` : wanted[kind]
  return refuseAt(text, at, `${describeName(field, words)} requires ${what}${meant}`)
}

/** Refuses an order of text: b is no less than a because its letter comes later. */
const createNoOrder = ({ field, at }: Condition, text: string, { words }: Known) =>
  refuseAt(
    text,
    at,
    `${describeName(field, words)} is text and cannot be compared by order`,
    'Use =, != or ~ (contains), such as name~app.',
  )

/** The place of a condition, and what its field holds. */
interface Place {
  readonly kind: FieldKind
  readonly text: string
  readonly known: Known
}

/** Refuses a length of time behind = and !=: no moment is equal to it. */
const checkMoment = (
  { op }: Condition,
  { text: given, quoted, at }: Operand,
  text: string,
): void => {
  if (quoted || (op !== '=' && op !== '!=')) return
  if (parseSpan(given) !== undefined)
    throw refuseAt(text, at, `${given} is an age and requires < or >`)
  if (parseSpan(given.replace(/^\+/, '')) !== undefined)
    throw refuseAt(text, at, `${given} is a moment and requires < or >`)
}

/** Tests of the values of a condition; null, unless quoted, is tested apart. */
const createValueTests = (condition: Condition, place: Place): readonly TestedValue[] => {
  const { field, op, values } = condition
  const { text, known } = place
  const plain = op.replace('!', '') as Plain
  // The records at hand say of which kind a value must be, not how it is compared.
  const kind = place.kind === 'any' ? inferKind(field, known) : place.kind
  const names = getFieldNames(field, known)
  return values.filter(isNoNull).map((value) => {
    if (kind === 'time') checkMoment(condition, value, text)
    const make = (of: FieldKind) => createTest(value, plain, of, known.now, names)
    const test = kind === 'object' ? undefined : make(place.kind)
    if (test === undefined && isOrderOperator(op) && (kind === 'text' || kind === 'any'))
      throw createNoOrder(condition, text, known)
    if (test === undefined || make(kind) === undefined)
      throw createUnfit(condition, value, { ...place, kind, names })
    return { value, test }
  })
}

const isNoNull = ({ text, quoted }: Operand): boolean => quoted || text !== 'null'

const bindCondition = (condition: Condition, text: string, known: Known): Bound => {
  const { field, op, values } = condition
  const asksNull = values.some((value) => !isNoNull(value))
  if (asksNull && op !== '=' && op !== '!=')
    throw refuseAt(text, condition.at, 'null works only with = and !=')
  const path = field.split('.')
  const read = createLeafReader(field, known)
  const kind = requireFieldKind(condition, text, known)
  const tested = createValueTests(condition, { kind, text, known })
  checkValues(condition, kind, tested, { text, known })
  const tests = tested.map(({ test }) => test)
  const not = op.startsWith('!')
  const holds = (record: unknown): boolean => {
    const leaves = read(record)
    // Nothing else sees what is not there: no mistyped field selects everything.
    if (!leaves.there) return asksNull && !not
    return leaves.values.some((value) => tests.some((test) => test(value))) !== not
  }
  const { list, single, samples = [], words } = known
  const isText = (record: unknown) => getLeaves(record, path, words).values.some(hasNoOrder)
  if (isOrderOperator(op) && kind === 'any' && samples.some(isText))
    throw createNoOrder(condition, text, known)
  const listed =
    findFieldKind(list, field) !== undefined ||
    samples.some((record) => hasField(record, path, words))
  return { field, detail: !listed && findFieldKind(single, field) !== undefined, holds }
}

/**
 * Makes tests of expressions: every field must be known, every value of its field's kind.
 * @throws Failure `usage` that points at the place
 */
export const bindWhere = (expressions: readonly Expression[], known: Known): Where => {
  if (expressions.length === 0) throw usage('the condition is empty')
  for (const expression of expressions) checkTogether(expression, known)
  const alternatives = expressions.map(({ text, conditions }) =>
    conditions.map((condition) => bindCondition(condition, text, known)),
  )
  const detail = alternatives.flat().filter((condition) => condition.detail)
  return {
    detail: [...new Set(detail.map(({ field }) => field))],
    mayMatch: (record) =>
      alternatives.some((all) => all.every((one) => one.detail || one.holds(record))),
    matches: (record) => alternatives.some((all) => all.every(({ holds }) => holds(record))),
  }
}
