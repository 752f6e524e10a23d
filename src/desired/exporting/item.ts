/** An item of a kind, or the one object, as a map of a file. */
import type { JsonValue } from '../../base/json/value.js'
import type { Managed } from '../../catalogue/managed/managed.js'
import type { ManagedPlace } from '../address.js'
import { type Attribute, attributesOf, isAttributeName } from '../attributes.js'
import { canSay, canSayOther } from '../files/sayable.js'
import { itemText } from '../references.js'
import type { SeenItem } from '../seen.js'
import { familyOf } from './families.js'
import { keptBack } from './kinds/index.js'
import { FileMap, sorted } from './model.js'
import { type Exporting, fileValue } from './values.js'

/** Where an item stands, and how it is written. */
export interface WrittenIn {
  readonly kind: Managed
  readonly place: ManagedPlace
  readonly how: Exporting
}

type Entry = readonly [string, JsonValue]

/** What is written of an item, and what is said in place of the rest. */
interface Said {
  readonly entries: readonly Entry[]
  readonly remarks: readonly string[]
}

/** A value, where files that have it say just that. */
const said = (name: string, value: JsonValue, sayable: boolean): Said =>
  sayable
    ? { entries: [[name, value]], remarks: [] }
    : { entries: [], remarks: [`${name}: files cannot say what the instance has`] }

const nothing: Said = { entries: [], remarks: [] }

const joined = (parts: readonly Said[]): Said => ({
  entries: parts.flatMap(({ entries }) => entries),
  remarks: parts.flatMap(({ remarks }) => remarks),
})

const entryOf = (attribute: Attribute, item: SeenItem, { place, how }: WrittenIn): Said => {
  const { name, secret, operational } = attribute
  if (secret || (operational && !how.operational)) return nothing
  const value = fileValue(attribute, item.attributes[name], place, how)
  return value === undefined ? nothing : said(name, value, canSay(attribute, value))
}

/** What an item has beyond the documented attributes, by name; what is not set cannot be said. */
const undocumented = (
  kind: Managed,
  { attributes }: SeenItem,
  isMeant: (name: string) => boolean,
): Said => {
  if (kind.open !== true) return nothing
  const documented = attributesOf(kind)
  const others = Object.entries(attributes).filter(
    ([name, value]) =>
      !documented.has(name) && isAttributeName(name) && value !== null && isMeant(name),
  )
  const inOrder = sorted(others, ([name]) => name)
  return joined(inOrder.map(([name, value]) => said(name, value, canSayOther(name, value))))
}

/** A set's secrets cannot be read, and yet an item that is made anew needs them. */
const secretsOf = ({ kind }: WrittenIn, attributes: readonly Attribute[]): readonly string[] =>
  kind.holds !== 'set'
    ? []
    : attributes.flatMap(({ name, secret }) =>
        secret ? [`${name}: env:… (cannot be read back)`] : [],
      )

/**
 * The attributes of an item as files have them; undefined for one of which nothing is selected.
 * @param byKey what its key in the file says already, by name
 */
export const itemMap = (
  item: SeenItem,
  within: WrittenIn,
  byKey: Readonly<Record<string, JsonValue>> = {},
): FileMap | undefined => {
  const { kind, place, how } = within
  const { without, remarks } = keptBack(kind.name, item)
  const told = familyOf(kind, item)
  const address = {
    scope: place.scope,
    path: place.path,
    kind: kind.name,
    ...(kind.holds === 'one' ? {} : { item: itemText(kind, item, place, how.names) }),
  }
  const isMeant = (attribute: string): boolean => how.chosen.item({ ...address, attribute })
  const attributes = [...attributesOf(kind, told?.family).values()].filter(
    ({ name }) => !without.includes(name) && isMeant(name),
  )
  const all = joined([
    ...attributes.map((attribute) => entryOf(attribute, item, within)),
    ...(how.allSettings ? [undocumented(kind, item, isMeant)] : []),
  ])
  const entries = all.entries.filter(([name, value]) => byKey[name] !== value)
  if (entries.length === 0 && !how.chosen.item(address)) return undefined
  const family: readonly Entry[] = told?.said === true ? [['family', told.family.name]] : []
  return new FileMap(
    [...family, ...entries],
    [...remarks, ...all.remarks, ...secretsOf(within, attributes)],
  )
}
