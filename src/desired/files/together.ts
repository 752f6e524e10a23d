/** What can be wrong only in what several levels say together. */

import { quoted } from '../../base/quoted.js'
import { openHeld } from '../../base/secrets/held.js'
import { nearest } from '../../base/suggest.js'
import type { IntegrationFamily } from '../../catalogue/integration-families.js'
import type { Managed } from '../../catalogue/managed/managed.js'
import { addressText, type ManagedPlace } from '../address.js'
import { attributesOf } from '../attributes.js'
import { canonical, normalised } from '../values.js'
import { type Origin, originText, type WantedValue, type WishedItem } from '../wishes.js'
import type { MergedKind } from './merge.js'
import type { Mistakes } from './mistakes.js'

/** The family that an item's own name says, or that is said beside it. */
const familyOfItem = (
  kind: Managed,
  { identity, family }: Pick<WishedItem, 'identity' | 'family'>,
): IntegrationFamily | undefined =>
  kind.families?.find(({ slugs }) => slugs.includes(String(identity))) ??
  kind.families?.find(({ name }) => name === family?.value)

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
  if (item.family !== undefined && item.family.value !== family.name)
    mistakes.add(item.origin, `${name} is of the family ${family.name}, not ${item.family.value}`)
  checkAttributes(kind, item, family, mistakes)
}

const isEmpty = (value: WantedValue): boolean =>
  value.is === 'secret'
    ? 'literal' in value.source && openHeld(value.source.literal) === ''
    : value.is === 'value' && (value.value === '' || value.value === null)

const checkAttributes = (
  kind: Managed,
  item: WishedItem,
  family: IntegrationFamily,
  mistakes: Mistakes,
): void => {
  const known = attributesOf(kind, family)
  for (const [name, { origin, value }] of item.attributes) {
    const attribute = known.get(name)
    if (attribute === undefined)
      mistakes.add(
        origin,
        `${name} is no attribute of ${quoted(String(item.identity))}, whose family is ${family.name}`,
        `It takes ${[...known.keys()].join(', ')}.`,
      )
    else if (attribute.required && isEmpty(value))
      mistakes.add(origin, `${name} cannot be unset: the family ${family.name} requires it`)
  }
}

const checkFamilies = ({ kind, items }: MergedKind, mistakes: Mistakes): void => {
  if (kind.families === undefined) return
  for (const item of items) if (!item.gone) checkItem(kind, item, mistakes)
}

/** Two items that files call by different names, and that are the same. */
const checkLabels = ({ kind, items }: MergedKind, mistakes: Mistakes): void => {
  const attribute =
    kind.label === undefined ? undefined : attributesOf(kind).get(kind.identity ?? '')
  if (attribute === undefined) return
  const first = new Map<string, WishedItem>()
  for (const item of items) {
    const said = item.attributes.get(attribute.name)
    if (said?.value.is !== 'value') continue
    const key = canonical(normalised(attribute, said.value.value))
    const other = first.get(key)
    first.set(key, other ?? item)
    if (other !== undefined)
      mistakes.add(
        said.origin,
        `${quoted(String(item.identity))} has the same ${attribute.name} as ${quoted(String(other.identity))}`,
        'It is one, whatever it is called.',
      )
  }
}

/** A name that an item had before is nobody's now: with a declared item of that name the rename is done, or none. */
const checkNames = ({ items }: MergedKind, mistakes: Mistakes): void => {
  const declared = new Map(items.map((item) => [String(item.identity), item]))
  for (const item of items)
    for (const name of item.previously?.value ?? []) {
      const other = declared.get(name)
      if (other !== undefined && other !== item)
        mistakes.add(
          item.origin,
          `previously names ${quoted(name)}, which is declared at ${originText(other.origin)}`,
          'Where the rename is done, leave previously out.',
        )
    }
}

/** Whether anything can be wrong with a kind that no level by itself shows. */
export const isCheckedTogether = (kind: Managed): boolean =>
  kind.families !== undefined ||
  kind.renames === true ||
  (kind.holds === 'set' && kind.label !== undefined)

/** Reports what is wrong in all that is wanted of a kind. */
export const checkMerged = (merged: MergedKind, mistakes: Mistakes): void => {
  checkFamilies(merged, mistakes)
  checkLabels(merged, mistakes)
  checkNames(merged, mistakes)
}

/** Reports what levels of equal rank say otherwise of a place, and nothing more specific says. */
export const checkRivals = (place: ManagedPlace, merged: MergedKind, mistakes: Mistakes): void => {
  const report = (what: string, origin: Origin, rival: Origin | undefined, attribute?: string) => {
    if (rival === undefined) return
    const item = what === '' ? undefined : what
    const address = addressText({ ...place, kind: merged.kind.name, item, attribute })
    mistakes.add(
      origin,
      `${address} is said otherwise at ${originText(rival)}, by a key that is no more specific`,
      'Say it at a more specific key, or make one of the two so.',
    )
  }
  if (merged.exact !== undefined) report('$exact', merged.exact.origin, merged.exact.rival)
  for (const item of merged.items) {
    const name = String(item.identity)
    report(name, item.origin, item.rival)
    const { attributes, other, previously, family } = item
    const words = Object.entries({ previously, family })
    for (const [attribute, said] of [...attributes, ...other, ...words])
      if (said !== undefined) report(name, said.origin, said.rival, attribute)
  }
}
