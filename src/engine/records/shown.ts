/** Columns that lists show under a name of their own, as the fields they come from. */
import type { Endpoint } from '../../catalogue/endpoint.js'
import { shownFields } from '../../catalogue/kinds.js'
import { dotted } from '../../catalogue/words.js'
import { type Expression, type Known, unshaped } from '../where/index.js'

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

/** Fields and parameters that are said in the instance's words, by those of the documents. */
export const withNeutral = (
  expressions: readonly Expression[],
  known: Known,
  { params }: Pick<Endpoint, 'params'>,
): readonly Expression[] => {
  const { words } = known
  if (words === undefined) return expressions
  const strange = new Set(unshaped(expressions, known))
  const neutralOf = (field: string): string =>
    strange.has(field) && !Object.hasOwn(params, field) ? dotted(field, words.neutral) : field
  return expressions.map(({ text, conditions }) => ({
    text,
    conditions: conditions.map((one) => ({ ...one, field: neutralOf(one.field) })),
  }))
}
