/** Rewrites the conditions of `--where` for a list: by the names that its records have, and without those on its target. */
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

// Columns that lists show under a name of their own, as the fields they come from.

const sources: Readonly<Record<string, string>> = shownFields

/** `reference` is `references.full`, where no record has a field of that name itself. */
export const withShown = (
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

/** Fields and parameters that are said in the instance's words, by those of the documents. */
export const withNeutral = (
  expressions: readonly Expression[],
  known: Known,
  { params }: Pick<Endpoint, 'params'>,
): readonly Expression[] => {
  const { words } = known
  if (words === undefined) return expressions
  const strange = new Set(findUnshapedFields(expressions, known))
  const neutralOf = (field: string): string =>
    strange.has(field) && !Object.hasOwn(params, field)
      ? mapDottedName(field, words.neutral)
      : field
  return expressions.map(({ text, conditions }) => ({
    text,
    conditions: conditions.map((one) => ({ ...one, field: neutralOf(one.field) })),
  }))
}

// Conditions on the columns of targets: one target's records all have the same values there.

/**
 * Returns the expressions without their conditions on the target. An expression whose conditions the target does not meet is
 * left out, and undefined says that none is left.
 */
export const withoutTarget = (
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
