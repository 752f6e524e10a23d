/** Integrations: a change sends again what the family requires, secrets too. */
import { familyOfSlug, type IntegrationFamily } from '../../../catalogue/integration-families.js'
import { addressText } from '../../address.js'
import type { SeenItem } from '../../seen.js'
import type { WishedItem } from '../../wishes.js'
import { itemAddress } from '../selected.js'
import { type Comparing, type KindHooks, nothing } from '../types.js'

const familyOf = (c: Comparing, { identity, family }: WishedItem): IntegrationFamily | undefined =>
  family === undefined
    ? familyOfSlug(String(identity))
    : c.kind.families?.find(({ name }) => name === family)

const required = (c: Comparing, wished: WishedItem): readonly string[] =>
  Object.entries(familyOf(c, wished)?.params ?? {}).flatMap(([name, param]) =>
    param.required === true ? [name] : [],
  )

const has = ({ attributes, other }: WishedItem, name: string): boolean =>
  attributes.has(name) || other.has(name)

/** Required parameters that neither the files nor the record give. */
const missing = (c: Comparing, wished: WishedItem, item: SeenItem | undefined): readonly string[] =>
  required(c, wished).filter((name) => !has(wished, name) && (item?.attributes[name] ?? '') === '')

export const integrations: KindHooks = {
  needs: required,
  absent: async (c, wished) => {
    if (familyOf(c, wished) !== undefined) return undefined
    const address = addressText(itemAddress(c.wish, wished.identity))
    const known = c.kind.families?.map(({ name }) => name).join(', ')
    c.mistaken(
      wished.origin,
      `${address} is of no family that is known: say which with family:`,
      `Families are ${known}.`,
    )
    return nothing
  },
  impossible: async (c, { verb, before }, wished) => {
    if (verb === 'delete' || wished === undefined) return undefined
    const lacks = missing(c, wished, before)
    if (lacks.length === 0) return undefined
    return `cannot be set without ${lacks.join(', ')}, which the files do not have`
  },
}
