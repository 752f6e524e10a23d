/** Reports combinations of attributes that an instance refuses, by the rules of the catalogue. */

import type { JsonValue } from '../../base/objects.js'
import type { Managed } from '../../catalogue/managed.js'
import type { Address } from '../address.js'
import { getAttributes } from '../attributes.js'
import type { CurrentItem } from '../state.js'
import { isSameValue } from '../values.js'
import type { AttributeDiff, DiffContext } from './context.js'

type Rule = NonNullable<Managed['together']>[number]

const isBlank = (value: JsonValue | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)

/** Returns the reason why the other attribute is refused or missing; undefined if the instance accepts both. */
const explainConflict = (
  { attribute, is, other, must }: Rule,
  value: JsonValue | undefined,
): string | undefined => {
  const here = `${attribute} ${String(is)}`
  if (must === 'be on')
    return value === false ? `${here} cannot be combined with ${other} false` : undefined
  if (must === 'be empty')
    return isBlank(value) ? undefined : `${here} cannot be combined with ${other}`
  return isBlank(value) ? `${here} requires ${other}, which is not set` : undefined
}

const listConflictRules = ({ requires = {}, together = [] }: Managed): readonly Rule[] => [
  ...Object.entries(requires).map(([attribute, other]): Rule => {
    return { attribute, is: true, other, must: 'be set' }
  }),
  ...together,
]

/** Reports refused combinations of attributes, if at least one of the two is sent. */
export const checkCombinations = (
  c: DiffContext,
  address: Address,
  all: readonly AttributeDiff[],
  item: CurrentItem | undefined,
): void => {
  const known = getAttributes(c.kind)
  for (const rule of listConflictRules(c.kind)) {
    const { attribute, is, other } = rule
    const [one, another] = [attribute, other].map((name) => all.find((diff) => diff.name === name))
    const sent = [one, another].find((diff) => diff?.verdict === 'differs')
    const value = one?.wanted ?? item?.attributes[attribute]
    const applies = isSameValue({ param: known.get(attribute)?.param }, value, is)
    if (sent === undefined || !applies || another?.secret !== undefined) continue
    if (another === undefined && known.get(other)?.secret === true) {
      // No answer shows whether a secret is set, so the combination is unknown.
      const text = `${attribute} requires ${other}: declare it, unless the instance has it`
      if (one === sent) c.diff.addFinding('unknown', { ...address, attribute }, text, sent.origin)
      continue
    }
    const why = explainConflict(
      rule,
      another === undefined ? item?.attributes[other] : another.wanted,
    )
    if (why !== undefined) c.mistakes.add(sent.origin, why)
  }
}
