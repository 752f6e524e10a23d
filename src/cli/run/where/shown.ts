/** Columns that lists show under a name of their own, as the fields they come from. */
import { shownFields } from '../../../catalogue/kinds.js'
import { type Expression, type Known, unshaped } from '../../../fleet/where/index.js'

const sources: Readonly<Record<string, string>> = shownFields

/** `reference` is `references.full`, where no record has a field of that name itself. */
export const withShown = (
  expressions: readonly Expression[],
  known: Known,
): readonly Expression[] => {
  const strange = new Set(unshaped(expressions, known))
  return expressions.map(({ text, conditions }) => ({
    text,
    conditions: conditions.map((condition) => {
      const source = strange.has(condition.field) ? sources[condition.field] : undefined
      return source === undefined ? condition : { ...condition, field: source }
    }),
  }))
}
