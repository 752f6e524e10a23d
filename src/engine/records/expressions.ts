/**
 * Rewrites the conditions of `--where` for one list: to the names of its fields, and without conditions on its target.
 */
import type { Endpoint } from '../../catalogue/endpoint.js'
import { getOwnField } from '../../catalogue/pick.js'
import type { TargetValues } from '../command/target-fields.js'
import {
  bindWhere,
  type Condition,
  type Expression,
  getRecordField,
  type Known,
} from '../where/index.js'

/** Translates the fields of conditions to the documented names under which the records have them. */
export const toRecordFields = (
  expressions: readonly Expression[],
  known: Known,
  { params }: Pick<Endpoint, 'params'>,
): readonly Expression[] =>
  expressions.map(({ text, conditions }) => ({
    text,
    conditions: conditions.map((one) => ({
      ...one,
      field: getRecordField(one.field, known, params),
    })),
  }))

// Conditions on the columns of targets: all records of one target have the same value.

/**
 * Removes the conditions on the target. An expression that the target does not match is dropped; undefined means that
 * none is left.
 */
export const removeTargetConditions = (
  expressions: readonly Expression[],
  target: TargetValues,
  known: Known,
): readonly Expression[] | undefined => {
  const columns = Object.keys(target)
  const isOfTarget = ({ field }: Condition): boolean => columns.includes(field)
  const left = expressions.filter(({ text, conditions }) => {
    const own = conditions.filter(isOfTarget)
    return own.length === 0 || bindWhere([{ text, conditions: own }], known).matches(target)
  })
  if (expressions.length > 0 && left.length === 0) return undefined
  return left.map((expression) => ({
    ...expression,
    conditions: expression.conditions
      .filter((condition) => !isOfTarget(condition))
      .map((condition) => ({ ...condition, field: getOwnField(condition.field, columns) })),
  }))
}
