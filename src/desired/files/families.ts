/** Items whose kind has families: each is of one, and has the attributes of it only. */
import { nearest } from '../../base/suggest.js'
import type { IntegrationFamily } from '../../catalogue/integration-families.js'
import type { Managed } from '../../catalogue/managed/managed.js'
import { attributesOf } from '../attributes.js'
import type { WishedItem } from '../wishes.js'
import type { MergedKind } from './merge.js'
import { type Mistakes, quoted } from './mistakes.js'

/** The family that an item's own name says, or that is said beside it. */
export const familyOfItem = (
  kind: Managed,
  { identity, family }: Pick<WishedItem, 'identity' | 'family'>,
): IntegrationFamily | undefined =>
  kind.families?.find(({ slugs }) => slugs.includes(String(identity))) ??
  kind.families?.find(({ name }) => name === family)

const checkItem = (kind: Managed, item: WishedItem, mistakes: Mistakes): void => {
  const family = familyOfItem(kind, item)
  const name = quoted(String(item.identity))
  if (family === undefined) {
    const slugs = kind.families?.flatMap((one) => one.slugs) ?? []
    const near = nearest(String(item.identity), slugs)
    const hint = `With family: it says which attributes it takes.`
    mistakes.add(
      item.origin,
      `${name} needs family: its attributes are not known`,
      near === undefined ? hint : `Did you mean ${near}? ${hint}`,
    )
    return
  }
  if (item.family !== undefined && item.family !== family.name)
    mistakes.add(item.origin, `${name} is of the family ${family.name}, not ${item.family}`)
  const known = attributesOf(kind, family)
  for (const [attribute, { origin }] of item.attributes)
    if (!known.has(attribute))
      mistakes.add(
        origin,
        `${attribute} is no attribute of ${name}, whose family is ${family.name}`,
        `It takes ${[...known.keys()].join(', ')}.`,
      )
}

/** Reports what is wrong in what is wanted of a kind with families. */
export const checkFamilies = ({ kind, items }: MergedKind, mistakes: Mistakes): void => {
  if (kind.families === undefined) return
  for (const item of items) if (!item.gone) checkItem(kind, item, mistakes)
}
