/**
 * Rewrites the conditions of `--where` for one list: to the names of its fields, and without conditions on its target.
 */
import { getOwn } from '../../base/objects.js'
import type { Endpoint } from '../../catalogue/endpoint.js'
import { shownFields } from '../../catalogue/kinds.js'
import { getOwnField } from '../../catalogue/pick.js'
import { mapDottedName } from '../../catalogue/words.js'
import type { TargetValues } from '../command/target-fields.js'
import {
  bindWhere,
  type Condition,
  type Expression,
  findUnshapedFields,
  type Known,
} from '../where/index.js'

// Columns that tables show under another name than the field.

const sources: Readonly<Record<string, string>> = shownFields

/**
 * Replaces columns such as `reference` by their fields (`references.full`), if the records have no field with the
 * column's name.
 */
export const toShownFields = (
  expressions: readonly Expression[],
  known: Known,
): readonly Expression[] => {
  const strange = new Set(findUnshapedFields(expressions, known))
  return expressions.map(({ text, conditions }) => ({
    text,
    conditions: conditions.map((condition) => {
      const source = strange.has(condition.field) ? getOwn(sources, condition.field) : undefined
      return source === undefined ? condition : { ...condition, field: source }
    }),
  }))
}

/** Translates names of fields and parameters from the instance's vocabulary to the documented ones. */
export const toDocumentedFields = (
  expressions: readonly Expression[],
  known: Known,
  { params }: Pick<Endpoint, 'params'>,
): readonly Expression[] => {
  const { words } = known
  if (words === undefined) return expressions
  const strange = new Set(findUnshapedFields(expressions, known))
  const toNeutral = (field: string): string =>
    strange.has(field) && !Object.hasOwn(params, field)
      ? mapDottedName(field, words.neutral)
      : field
  return expressions.map(({ text, conditions }) => ({
    text,
    conditions: conditions.map((one) => ({ ...one, field: toNeutral(one.field) })),
  }))
}

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
