/** A kind in its place, as it stands in a file. */
import type { JsonValue } from '../../base/json/value.js'
import { isObject } from '../../base/objects.js'
import type { IntegrationFamily } from '../../catalogue/areas/integrations.js'
import { coerce, dataSource } from '../../catalogue/coerce.js'
import type { Managed } from '../../catalogue/managed.js'
import { type ManagedPlace, parseReference } from '../address.js'
import {
  type Attribute,
  attributesOf,
  familyOf,
  isAttributeName,
  isSecretPlace,
} from '../attributes.js'
import { type CurrentItem, type CurrentKind, itemText } from '../state.js'
import { sameValue } from '../values.js'
import { type ExportOptions, FileMap, type FileValue, fileValue, sorted } from './model.js'

// What files can say of what an instance has: a value that is read as just that value, and as nothing else.

/** Whether a file that has this value of an attribute means just that: no reference, no change of a list. */
const canSay = ({ param, ref, required }: Attribute, value: JsonValue): boolean => {
  const reference = ref === undefined ? undefined : parseReference
  const { value: read } = coerce(param, value, { ...dataSource, kind: 'file', reference })
  if (read === undefined || (required && (read === null || read === ''))) return false
  return ref !== undefined || sameValue({ param }, read, value)
}

/** Numbers that no JSON has are no numbers of files. */
const isPlain = (value: JsonValue): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).every(isPlain)
    : !Number.isInteger(value) || Number.isSafeInteger(value)

/** The same of an attribute that no document knows. */
const canSayOther = (name: string, value: JsonValue): boolean =>
  !isSecretPlace(name, value) && isPlain(value)

// Which family's parameters an item has, where its identity does not say so.

/** What an item was told to belong to: `said` where files must repeat it. */
interface Told {
  readonly family: IntegrationFamily
  readonly said: boolean
}

/** The documented parameters that the record shows. */
const shownBy = (kind: Managed, { record }: CurrentItem): readonly string[] => {
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
const toldFamily = (kind: Managed, item: CurrentItem): Told | undefined => {
  const known = familyOf(kind, item.identity)
  if (known !== undefined) return { family: known, said: false }
  const shown = shownBy(kind, item)
  const [best] = [...(kind.families ?? [])].sort((a, b) => misfit(a, shown) - misfit(b, shown))
  return best === undefined ? undefined : { family: best, said: true }
}

// An item of a kind, or the one object, as a map of a file.

/** Where an item stands, and how it is written. */
interface WrittenIn {
  readonly kind: Managed
  readonly place: ManagedPlace
  readonly how: ExportOptions
}

type Entry = readonly [string, JsonValue]

/** What an item has beyond the documented attributes, by name; what is not set cannot be said. */
const undocumented = (kind: Managed, { attributes }: CurrentItem): readonly Entry[] => {
  const documented = attributesOf(kind)
  const others = Object.entries(attributes).filter(
    ([name, value]) => !documented.has(name) && isAttributeName(name) && value !== null,
  )
  return kind.open === true ? sorted(others, ([name]) => name) : []
}

/** The values of an item, each with whether files that have it say just that. */
const valuesOf = (
  item: CurrentItem,
  attributes: readonly Attribute[],
  { kind, place, how }: WrittenIn,
): readonly { readonly entry: Entry; readonly canBeSaid: boolean }[] => {
  const others = undocumented(kind, item)
  if (!how.allSettings && others.length > 0) how.leftOut?.(others.length)
  return [
    ...attributes.flatMap((attribute) => {
      const { name, secret, operational } = attribute
      if (secret || (operational && !how.operational)) return []
      const value = fileValue(attribute, item.attributes[name], place, how)
      if (value === undefined) return []
      return [{ entry: [name, value] as const, canBeSaid: canSay(attribute, value) }]
    }),
    ...(how.allSettings ? others : []).map((entry) => ({
      entry,
      canBeSaid: canSayOther(...entry),
    })),
  ]
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
const itemMap = (
  item: CurrentItem,
  within: WrittenIn,
  byKey: Readonly<Record<string, JsonValue>> = {},
): FileMap | undefined => {
  const { kind, place, how } = within
  const { without, remarks } = keptBack(kind, item)
  const told = toldFamily(kind, item)
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
  const all = valuesOf(item, attributes, within).filter(({ entry: [name] }) => isMeant(name))
  const unsaid = all.filter(({ canBeSaid }) => !canBeSaid)
  const entries = all.flatMap(({ entry, canBeSaid }) =>
    canBeSaid && byKey[entry[0]] !== entry[1] ? [entry] : [],
  )
  if (entries.length === 0 && !how.chosen.item(address)) return undefined
  const family: readonly Entry[] = told?.said === true ? [['family', told.family.name]] : []
  return new FileMap(
    [...family, ...entries],
    [
      ...remarks,
      ...unsaid.map(({ entry: [name] }) => `${name}: declared files cannot express this value`),
      ...secretsOf(within, attributes),
    ],
  )
}

/** A key of a set that begins like a word of ours is written with one sign more. */
export const escaped = (key: string): string => (key.startsWith('$') ? `$${key}` : key)

/** A key that no item before has: ` (2)` behind it where one does. */
const free = (key: string, taken: ReadonlySet<string>): string => {
  for (let n = 1; ; n++) {
    const tried = n === 1 ? key : `${key} (${n})`
    if (!taken.has(tried)) return tried
  }
}

const keyed = (
  items: readonly CurrentItem[],
  within: WrittenIn,
): readonly [string, CurrentItem][] => {
  const list = items.map((item): [string, CurrentItem] => [
    itemText(within.kind, item, within.place, within.how.names),
    item,
  ])
  const ordered = sorted(list, ([key, { identity }]) => `${key}\0${identity}`)
  const taken = new Set(list.map(([key]) => key))
  const used = new Set<string>()
  return ordered.map(([key, item]) => {
    const own = used.has(key) ? free(key, taken) : key
    used.add(own)
    taken.add(own)
    return [own, item]
  })
}

const setOf = (items: readonly CurrentItem[], within: WrittenIn): FileMap | undefined => {
  const { kind, place, how } = within
  const address = { scope: place.scope, path: place.path, kind: kind.name }
  // Only what is read and written as a whole can say that what is not listed is to be deleted.
  const exact = how.exact && kind.remove !== undefined && how.chosen.wholly(address)
  const entries = keyed(items, within).flatMap(([key, item]): (readonly [string, FileMap])[] => {
    const map = itemMap(item, within, kind.label === undefined ? {} : { [kind.label]: key })
    return map === undefined ? [] : [[escaped(key), map]]
  })
  if (entries.length === 0 && !exact) return undefined
  return new FileMap([...(exact ? [['$exact', true] as const] : []), ...entries])
}

/**
 * The rule of one item: by what people call it where that is it alone, else by its number.
 * @param alone whether no other item is called so
 */
const ruleOf = (
  item: CurrentItem,
  within: WrittenIn,
  alone: (name: string) => boolean,
): readonly FileMap[] => {
  const { label, identity = 'id' } = within.kind
  const name = item.label ?? ''
  const named = label !== undefined && name !== '' && !name.includes('*') && alone(name)
  const match: FileMap = new FileMap([named ? [label, name] : [identity, Number(item.identity)]])
  const set = itemMap(item, within, named ? { [label]: name } : {})
  if (set === undefined) return []
  return [
    new FileMap([
      ['match', match],
      ['set', set],
    ]),
  ]
}

const rulesOf = (
  items: readonly CurrentItem[],
  within: WrittenIn,
): readonly FileMap[] | undefined => {
  const [once, again] = [new Set<string>(), new Set<string>()]
  for (const { label = '' } of items)
    (once.has(label.toLowerCase()) ? again : once).add(label.toLowerCase())
  const alone = (name: string): boolean => !again.has(name.toLowerCase())
  const inOrder = sorted(items, ({ identity }) => identity.padStart(20, '0'))
  const rules = inOrder.flatMap((item) => ruleOf(item, within, alone))
  return rules.length === 0 ? undefined : rules
}

const oneOf = ([item]: readonly CurrentItem[], within: WrittenIn): FileMap | undefined => {
  const map = item === undefined ? undefined : itemMap(item, within)
  return map?.entries.size === 0 ? undefined : map
}

const holdings = { one: oneOf, set: setOf, rules: rulesOf } as const

/** A kind as it was read, as a file has it; undefined where there is nothing to say. */
export const kindValue = (current: CurrentKind, how: ExportOptions): FileValue | undefined => {
  if (current.is !== 'read') return undefined
  const { kind, place } = current
  const items = current.items.filter(({ identity }) => kind.spared?.test(identity) !== true)
  return holdings[kind.holds](items, { kind, place, how })
}

/** What of an item is not written, and what is said in its place. */
const keptBack = (
  { mask = {}, pair, refs = {}, usual = {} }: Managed,
  { attributes, record }: CurrentItem,
): { readonly without: readonly string[]; readonly remarks: readonly string[] } => {
  // What cannot be seen would be removed if the rest were sent again.
  const masked = Object.keys(mask).filter((name) => record[mask[name] ?? ''] === true)
  const ordinary = Object.keys(usual).filter((name) => attributes[name] === usual[name])
  const isPair = pair === undefined || typeof attributes[pair.shown] === 'string'
  return {
    without: [...masked, ...ordinary, ...(isPair ? [] : [pair.hidden])],
    remarks: masked.map((name) => `${name}: some ${refs[name]}s cannot be seen`),
  }
}
