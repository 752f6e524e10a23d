/** The kinds of a place in its file: written so that reading the file gives the same values again. */

import { groupBy } from '../../base/group-by.js'
import { isObject, type JsonValue } from '../../base/objects.js'
import { isSecret } from '../../base/secrets/mask.js'
import type { IntegrationFamily } from '../../catalogue/areas/integrations.js'
import { coerce, dataSource } from '../../catalogue/coerce.js'
import { type Managed, managedKinds } from '../../catalogue/managed.js'
import type { Failure } from '../../errors.js'
import { addressText, type ManagedPlace, parseReference } from '../address.js'
import {
  type Attribute,
  attributesOf,
  familyOf,
  isAttributeName,
  isSecretPlace,
} from '../attributes.js'
import type { InstanceView } from '../reading/index.js'
import { sideBySide } from '../reading/records.js'
import { type CurrentItem, type CurrentKind, itemText } from '../state.js'
import { sameValue } from '../values.js'
import {
  type ExportOptions,
  FileMap,
  type FileSection,
  type FileValue,
  fileValue,
  sorted,
} from './model.js'

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

// Which family's parameters an item has, where its identity does not say so.

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
const findFamily = (kind: Managed, { identity, record }: CurrentItem) => {
  const known = familyOf(kind, identity)
  if (known !== undefined) return { family: known, isSaid: false }
  const { echo = '', params = {} } = kind.update ?? {}
  const properties = record[echo]
  const shown = Object.keys(isObject(properties) ? properties : {}).filter((name) =>
    Object.hasOwn(params, name),
  )
  const [best] = [...(kind.families ?? [])].sort((a, b) => misfit(a, shown) - misfit(b, shown))
  return best && { family: best, isSaid: true }
}

// An item of a kind, or the one object, as a map of a file.

/** The kind and the place of an item, and the options by which it is written. */
interface WriteContext {
  readonly kind: Managed
  readonly place: ManagedPlace
  readonly how: ExportOptions
}

type Entry = readonly [string, JsonValue]

/** The values of an item, each with whether files that have it say just that. */
const valuesOf = (
  item: CurrentItem,
  attributes: readonly Attribute[],
  { kind, place, how }: WriteContext,
): readonly { readonly entry: Entry; readonly canBeSaid: boolean }[] => {
  const documented = attributes.flatMap((attribute) => {
    const { name, secret, operational } = attribute
    if (secret || (operational && !how.operational)) return []
    const value = fileValue(attribute, item.attributes[name], place, how)
    if (value === undefined) return []
    return [{ entry: [name, value] as const, canBeSaid: canSay(attribute, value) }]
  })
  if (kind.open !== true) return documented
  // What no document knows, by name; what is not set is left out.
  const others = Object.entries(item.attributes).filter(
    ([name, value]) =>
      !attributesOf(kind).has(name) &&
      isAttributeName(name) &&
      (value !== null || how.unset === true),
  )
  if (!how.allSettings && others.length > 0) how.leftOut?.(others.length)
  return [
    ...documented,
    ...sorted(how.allSettings ? others : [], ([name]) => name).map((entry) => ({
      entry,
      canBeSaid: !isSecretPlace(...entry) && isPlain(entry[1]),
    })),
  ]
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

/**
 * The attributes of an item as files have them; undefined for one of which nothing is selected.
 * @param byKey what its key in the file says already, by name
 */
const itemMap = (
  item: CurrentItem,
  within: WriteContext,
  byKey: Readonly<Record<string, JsonValue>> = {},
): FileMap | undefined => {
  const { kind, place, how } = within
  const { without, remarks } = keptBack(kind, item)
  const found = findFamily(kind, item)
  const name = kind.holds === 'one' ? undefined : itemText(kind, item, place, how.names)
  const address = { scope: place.scope, path: place.path, kind: kind.name, item: name }
  const isMeant = (attribute: string): boolean => how.chosen.item({ ...address, attribute })
  const attributes = [...attributesOf(kind, found?.family).values()].filter(
    (one) => !without.includes(one.name) && isMeant(one.name),
  )
  const all = valuesOf(item, attributes, within).filter(({ entry: [one] }) => isMeant(one))
  const unsaid = all.filter(({ canBeSaid }) => !canBeSaid)
  const entries = all.flatMap(({ entry, canBeSaid }) =>
    canBeSaid && byKey[entry[0]] !== entry[1] ? [entry] : [],
  )
  if (entries.length === 0 && !how.chosen.item(address)) return undefined
  const family: readonly Entry[] = found?.isSaid === true ? [['family', found.family.name]] : []
  // A set's secrets cannot be read, and yet an item that is made anew needs them.
  const secrets = attributes.filter(({ secret }) => secret && kind.holds === 'set')
  return new FileMap(
    [...family, ...entries],
    [
      ...remarks,
      ...unsaid.map(({ entry: [one] }) => `${one}: declared files cannot express this value`),
      ...secrets.map((one) => `${one.name}: env:… (cannot be read back)`),
    ],
  )
}

/** A key of a set that begins like a word of ours is written with one sign more. */
export const escaped = (key: string): string => (key.startsWith('$') ? `$${key}` : key)

/** Items by their keys; one that another has before is followed by ` (2)`. */
const keyed = (
  items: readonly CurrentItem[],
  { kind, place, how }: WriteContext,
): readonly [string, CurrentItem][] => {
  const list = items.map((item): [string, CurrentItem] => [
    itemText(kind, item, place, how.names),
    item,
  ])
  const taken = new Set(list.map(([key]) => key))
  const used = new Set<string>()
  return sorted(list, ([key, { identity }]) => `${key}\0${identity}`).map(([key, item]) => {
    let own = key
    for (let n = 2; used.has(key) && taken.has(own); n++) own = `${key} (${n})`
    used.add(own)
    taken.add(own)
    return [own, item]
  })
}

const setOf = (items: readonly CurrentItem[], within: WriteContext): FileMap | undefined => {
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

/** A rule an item: by what people call it where that is it alone, else by its number. */
const rulesOf = (
  items: readonly CurrentItem[],
  within: WriteContext,
): readonly FileMap[] | undefined => {
  const { label, identity = 'id' } = within.kind
  const named = groupBy(items, (item) => item.label?.toLowerCase())
  const inOrder = sorted(items, (item) => item.identity.padStart(20, '0'))
  const rules = inOrder.flatMap((item): readonly FileMap[] => {
    const name = item.label ?? ''
    const isAlone = named.get(name.toLowerCase())?.length === 1
    const isPlainName = name !== '' && !name.includes('*') && !isSecret('', name)
    const isNamed = label !== undefined && isAlone && isPlainName
    const set = itemMap(item, within, isNamed ? { [label]: name } : {})
    const match = new FileMap([isNamed ? [label, name] : [identity, Number(item.identity)]])
    if (set === undefined) return []
    return [
      new FileMap([
        ['match', match],
        ['set', set],
      ]),
    ]
  })
  return rules.length === 0 ? undefined : rules
}

const oneOf = ([item]: readonly CurrentItem[], within: WriteContext): FileMap | undefined => {
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

// One place after another, read and written.

/**
 * What a place's kinds say, in their order; what could not be read is told to people.
 * @param current kinds of one place
 * @returns undefined where they say nothing
 */
export const sectionOf = (
  current: readonly CurrentKind[],
  how: ExportOptions,
): FileSection | undefined => {
  const entries = current.flatMap((one): [string, FileValue][] => {
    const value = kindValue(one, how)
    return value === undefined ? [] : [[one.kind.name, value]]
  })
  const place = current[0]?.place
  if (place === undefined || entries.length === 0) return undefined
  const unread = current.filter(({ is }) => is === 'unreadable')
  const remarks = unread.map(({ kind }) => `${kind.name}: could not be read`)
  return { place, value: new FileMap(entries, remarks) }
}

/** What came of looking at a place. */
export interface PlaceResult {
  readonly place: ManagedPlace
  /** Nothing where there is nothing to say. */
  readonly section: FileSection | undefined
  readonly unread: readonly { readonly address: string; readonly failure: Failure }[]
  /** Kinds that the instance does not have. */
  readonly unsupported: readonly string[]
  /** Kinds that nobody asked for, and that the token may not read. */
  readonly denied: readonly string[]
  /** How many kinds were asked for. */
  readonly kinds: number
}

/**
 * Reads the kinds of a place that are selected, and lets go of what was read.
 * @param atOnce whether they are asked for side by side: where places are, one kind after another is as
 *   fast, and less is in hand
 */
export const lookAt = async (
  view: InstanceView,
  place: ManagedPlace,
  how: ExportOptions,
  atOnce = true,
): Promise<PlaceResult> => {
  const { scope, path } = place
  const kinds = managedKinds.filter((kind) => kind.scope === scope && view.selected(place, kind))
  const width = atOnce ? kinds.length : 1
  const current = await sideBySide(kinds, (kind) => view.readKind(place, kind), width)
  const section = sectionOf(current, how)
  view.forget(place)
  const [unread, denied]: [PlaceResult['unread'][number][], string[]] = [[], []]
  for (const one of current) {
    if (one.is !== 'unreadable') continue
    const { kind, failure } = one
    const address = addressText({ scope, path, kind: kind.name })
    const isAdministrators = failure.details.status === 403 && kind.forAdministrators === true
    if (isAdministrators && !how.asked) denied.push(address)
    else unread.push({ address, failure })
  }
  const unsupported = current.flatMap(({ is, kind }) => (is === 'unsupported' ? [kind.name] : []))
  return { place, section, denied, kinds: kinds.length, unread, unsupported }
}
