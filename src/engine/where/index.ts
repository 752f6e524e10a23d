/** Compiles the conditions of `--where` and `--select` into functions that test whether a record matches. */
import { parseSpan } from '../../base/dates.js'
import { usage } from '../../errors.js'
import {
  type Condition,
  createConditionFailure,
  createTest,
  type Expression,
  hasNoOrder,
  type Names,
  type Operand,
  type Plain,
  parseExpression,
} from './condition.js'
import {
  createLeafReader,
  getFieldNames,
  getShapeKind,
  type Known,
  requireFieldKind,
  withoutOpenSchemas,
} from './fields.js'
import { isOrderOperator } from './operators.js'
import { type FieldKind, findFieldKind, getLeaves, hasField, isUntyped } from './shape.js'
import {
  checkContradictions,
  checkValues,
  inferKind,
  type TestedValue,
  UnseenValueFailure,
} from './values.js'

export {
  type Condition,
  createConditionFailure,
  type Expression,
  negateExpression,
  parseTimeValue,
} from './condition.js'
export { getRecordField, getShapeKind, isOnlyInSingle, type Known } from './fields.js'
export { checkRanges } from './ranges.js'
export {
  createOrder,
  createValueOrder,
  parseSort,
  type RecordOrder,
  type SortField,
  type SortKey,
  toSortSyntax,
} from './sort-order.js'
export { UnseenValueFailure } from './values.js'

export interface Where {
  /** Fields that only the single record has. If there are any, each record is fetched. */
  readonly detail: readonly string[]
  /** True if a record of the list may match. Fields that the list does not have are ignored. */
  readonly mayMatch: (record: unknown) => boolean
  /** True if a record that has all the fields matches. */
  readonly matches: (record: unknown) => boolean
}

interface Bound {
  readonly field: string
  readonly detail: boolean
  readonly holds: (record: unknown) => boolean
}

/** Parses the texts of the flags. A record matches if any of the expressions holds. */
export const parseWhere = (texts: readonly string[]): readonly Expression[] =>
  texts.map(parseExpression)

/** Returns the names of the fields that conditions test. */
export const getConditionFields = (expressions: readonly Expression[]): readonly string[] =>
  expressions.flatMap(({ conditions }) => conditions.map(({ field }) => field))

/** Returns the fields that no schema has, so that only the records of the first page can show whether they exist. */
export const findUnshapedFields = (
  expressions: readonly Expression[],
  known: Known,
): readonly string[] =>
  getConditionFields(expressions).filter((field) => getShapeKind(field, known) === undefined)

/**
 * True if the records of the first page are needed to check whether fields and values exist. Neither the documents nor earlier answers have
 * them, or an extension knows only names of fields.
 * @throws Failure `usage` for a mistake that does not depend on the records
 */
export const needsSamples = (expressions: readonly Expression[], known: Known): boolean => {
  if (isUntyped(known.list) || findUnshapedFields(expressions, known).length > 0) return true
  try {
    bindWhere(expressions, known)
    return false
  } catch (error) {
    if (error instanceof UnseenValueFailure) return true
    throw error
  }
}

const kindWords: Readonly<Record<FieldKind, string>> = {
  number: 'a number',
  boolean: 'true or false, with = or !=',
  time: 'a time: 30d, 2026-01-31, today, +30d',
  version: 'a version, such as 14.6',
  level: 'a level',
  text: 'a string',
  object: 'one of its fields, after a dot',
  any: 'a value',
}

/** Creates the failure of a value that does not have the type of its field. */
const createWrongTypeFailure = (
  { field }: Condition,
  { text: given, at }: Operand,
  { kind, names, text, known: { naming, findNearest } }: Place & { readonly names: Names },
) => {
  const levels = names === undefined ? [] : Object.keys(names)
  const near = findNearest?.(given, levels)
  const suggestion = near === undefined ? '' : `; did you mean ${near}?`
  const or = kind === 'number' ? 'a number or ' : ''
  const what = levels.length > 0 ? `${or}one of its levels: ${levels.join(' < ')}` : kindWords[kind]
  return createConditionFailure(
    text,
    at,
    `${naming.describeName(field)} requires ${what}${suggestion}`,
  )
}

/** Creates the failure of an order operator on text: `b` is not less than `a`. */
const createNoOrderFailure = ({ field, at }: Condition, text: string, { naming }: Known) =>
  createConditionFailure(
    text,
    at,
    `${naming.describeName(field)} is text and cannot be compared by order`,
    'Use =, != or ~ (contains), such as name~app.',
  )

/** The type of a condition's field, and the context of the condition. */
interface Place {
  readonly kind: FieldKind
  readonly text: string
  readonly known: Known
}

/** Rejects a duration with `=` and `!=`, because no time is exactly equal to it. */
const checkMoment = (
  { op }: Condition,
  { text: given, quoted, at }: Operand,
  text: string,
): void => {
  if (quoted || (op !== '=' && op !== '!=')) return
  if (parseSpan(given) !== undefined)
    throw createConditionFailure(text, at, `${given} is an age and requires < or >`)
  if (parseSpan(given.replace(/^\+/, '')) !== undefined)
    throw createConditionFailure(text, at, `${given} is a moment and requires < or >`)
}

/** Creates the tests of a condition's values. Unquoted null is not among them, because it has no test. */
const createValueTests = (condition: Condition, place: Place): readonly TestedValue[] => {
  const { field, op, values } = condition
  const { text, known } = place
  const plain = op.replace('!', '') as Plain
  // The sampled records determine the type that a value must have, but not how it is compared.
  const kind = place.kind === 'any' ? inferKind(field, known) : place.kind
  const names = getFieldNames(field, known)
  return values.filter(isNotNull).map((value) => {
    if (kind === 'time') checkMoment(condition, value, text)
    const make = (of: FieldKind) => createTest(value, plain, of, known.now, names)
    const test = kind === 'object' ? undefined : make(place.kind)
    if (test === undefined && isOrderOperator(op) && (kind === 'text' || kind === 'any'))
      throw createNoOrderFailure(condition, text, known)
    if (test === undefined || make(kind) === undefined)
      throw createWrongTypeFailure(condition, value, { ...place, kind, names })
    return { value, test }
  })
}

const isNotNull = ({ text, quoted }: Operand): boolean => quoted || text !== 'null'

const bindCondition = (condition: Condition, text: string, known: Known): Bound => {
  const { field, op, values } = condition
  const asksNull = values.some((value) => !isNotNull(value))
  if (asksNull && op !== '=' && op !== '!=')
    throw createConditionFailure(text, condition.at, 'null works only with = and !=')
  const path = field.split('.')
  const read = createLeafReader(field, known)
  const kind = requireFieldKind(condition, text, known)
  const tested = createValueTests(condition, { kind, text, known })
  checkValues(condition, kind, tested, { text, known })
  const tests = tested.map(({ test }) => test)
  const not = op.startsWith('!')
  // No value at all, as in `tag_list=`, also means an empty list, as `[]` does. The empty text in quotes is an item.
  const isNothing = ({ text: given, quoted }: Operand) => /^(?:\[\])?$/.test(given) && !quoted
  const asksEmpty = (op === '=' || op === '!=') && values.some(isNothing)
  const matches = (record: unknown): boolean => {
    const { isPresent, values: found } = read(record)
    // Only null matches an absent field. Otherwise a mistyped field with != would match everything.
    if (!isPresent) return asksNull && !not
    if (asksEmpty && found.length === 0) return !not
    return found.some((value) => tests.some((test) => test(value))) !== not
  }
  const { list, single, samples = [] } = known
  const isText = (record: unknown) => getLeaves(record, path).values.some(hasNoOrder)
  if (isOrderOperator(op) && kind === 'any' && samples.some(isText))
    throw createNoOrderFailure(condition, text, known)
  const listed =
    findFieldKind(list, field) !== undefined || samples.some((record) => hasField(record, path))
  return { field, detail: !listed && findFieldKind(single, field) !== undefined, holds: matches }
}

/**
 * Creates the tests of expressions.
 * @throws Failure `usage` with a caret, for an unknown field or a value of the wrong type
 */
export const bindWhere = (expressions: readonly Expression[], given: Known): Where => {
  if (expressions.length === 0) throw usage('the condition is empty')
  const known = withoutOpenSchemas(given)
  for (const expression of expressions) checkContradictions(expression, known)
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
