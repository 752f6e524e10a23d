/** Which family's parameters an item has, where its identity does not say so. */
import { isObject } from '../../base/objects.js'
import type { IntegrationFamily } from '../../catalogue/integration-families.js'
import type { Managed } from '../../catalogue/managed/managed.js'
import type { SeenItem } from '../seen.js'

/** What an item was told to belong to: `said` where files must repeat it. */
interface Told {
  readonly family: IntegrationFamily
  readonly said: boolean
}

/** The documented parameters that the record shows. */
const shownBy = (kind: Managed, { record }: SeenItem): readonly string[] => {
  const { echo = '', params = {} } = kind.update ?? {}
  const properties = record[echo]
  return isObject(properties) ? Object.keys(properties).filter((name) => name in params) : []
}

/** How badly a family fits: what it does not have, what it requires and is not there, what it has besides. */
const misfit = ({ params }: IntegrationFamily, shown: readonly string[]): number => {
  const strange = shown.filter((name) => !Object.hasOwn(params, name))
  const absent = Object.entries(params).filter(
    ([name, { secret }]) => secret !== true && !shown.includes(name),
  )
  const required = absent.filter(([, param]) => param.required === true)
  return strange.length * 10_000 + required.length * 100 + absent.length
}

/**
 * The family of an item: the one that its identity is documented to belong to, else the one that its
 * record fits best, which the file then says. Undefined where its kind has none.
 */
export const familyOf = (kind: Managed, item: SeenItem): Told | undefined => {
  const { families } = kind
  if (families === undefined) return undefined
  const known = families.find(({ slugs }) => slugs.includes(item.identity))
  if (known !== undefined) return { family: known, said: false }
  const shown = shownBy(kind, item)
  const [best] = [...families].sort((a, b) => misfit(a, shown) - misfit(b, shown))
  return best === undefined ? undefined : { family: best, said: true }
}
