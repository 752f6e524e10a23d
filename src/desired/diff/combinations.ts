/** Reports combinations of attributes that an instance refuses, by the rules of the catalogue. */

import type { JsonValue } from '../../base/objects.js'
import type { Managed } from '../../catalogue/managed.js'
import type { Address } from '../address.js'
import { getAttributes } from '../attributes.js'
import type { CurrentItem } from '../state.js'
import { isSameValue } from '../values.js'
import type { AttributeDiff, DiffContext } from './context.js'

type CombinationRule = NonNullable<Managed['together']>[number]

const isBlank = (value: JsonValue | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)

/** Returns the reason why the other attribute is refused or missing; undefined if the instance accepts both. */
const explainConflict = (
  { attribute, is, other, must }: CombinationRule,
  value: JsonValue | undefined,
): string | undefined => {
  const here = `${attribute} ${String(is)}`
  if (must === 'be on')
    return value === false ? `${here} cannot be combined with ${other} false` : undefined
  if (must === 'be empty')
    return isBlank(value) ? undefined : `${here} cannot be combined with ${other}`
  return isBlank(value) ? `${here} requires ${other}, which is not set` : undefined
}

const listConflictRules = ({
  requires = {},
  together = [],
}: Managed): readonly CombinationRule[] => [
  ...Object.entries(requires).map(([attribute, other]): CombinationRule => {
    return { attribute, is: true, other, must: 'be set' }
  }),
  ...together,
]

/** Reports refused combinations of attributes, if at least one of the two is sent. */
export const checkCombinations = (
  context: DiffContext,
  address: Address,
  all: readonly AttributeDiff[],
  item: CurrentItem | undefined,
): void => {
  const known = getAttributes(context.kind)
  for (const rule of listConflictRules(context.kind)) {
    const { attribute, is, other } = rule
    const [diff, otherDiff] = [attribute, other].map((name) => all.find((one) => one.name === name))
    const sent = [diff, otherDiff].find((diff) => diff?.verdict === 'differs')
    const value = diff?.wanted ?? item?.attributes[attribute]
    const applies = isSameValue({ param: known.get(attribute)?.param }, value, is)
    if (sent === undefined || !applies || otherDiff?.secret !== undefined) continue
    if (otherDiff === undefined && known.get(other)?.secret === true) {
      // No answer shows whether a secret is set, so the combination is unknown.
      const text = `${attribute} requires ${other}: declare it, unless the instance has it`
      context.diff.addFinding('unknown', { ...address, attribute }, text, sent.origin)
      continue
    }
    const why = explainConflict(
      rule,
      otherDiff === undefined ? item?.attributes[other] : otherDiff.wanted,
    )
    if (why !== undefined) context.mistakes.add(sent.origin, why)
  }
}
