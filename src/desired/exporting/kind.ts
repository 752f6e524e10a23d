/** Converts the kinds of a place to the content of its file, so that reading the file gives the same values again. */

import { groupBy } from '../../base/collections.js'
import { getFields, type JsonValue } from '../../base/objects.js'
import { isSecret } from '../../base/secrets/mask.js'
import type { IntegrationFamily } from '../../catalogue/areas/integrations.js'
import { coerce, fileSource } from '../../catalogue/coerce.js'
import { type Managed, managedKinds } from '../../catalogue/managed.js'
import type { Failure } from '../../errors.js'
import { type ManagedPlace, parseNameReference, toAddressText } from '../address.js'
import {
  type Attribute,
  canBeAttributeName,
  getAttributes,
  isValueUnderSecretName,
  selectFamily,
} from '../attributes.js'
import type { InstanceView } from '../reading/index.js'
import { mapSideBySide } from '../reading/records.js'
import { type CurrentItem, type CurrentKind, formatItemName } from '../state.js'
import { isSameValue } from '../values.js'
import {
  type ExportOptions,
  exportValue,
  FileMap,
  type FileSection,
  type FileValue,
  sortByText,
} from './model.js'

// The values that files can express: reading one back gives exactly the same value.

/** True if a file with this value of an attribute means exactly that value, not a reference or a change of a list. */
const canExpress = ({ param, ref, required }: Attribute, value: JsonValue): boolean => {
  const reference = ref === undefined ? undefined : parseNameReference
  const { value: read } = coerce(param, value, {
    ...fileSource,
    parseReference: reference,
  })
  if (read === undefined || (required && (read === null || read === ''))) return false
  return ref !== undefined || isSameValue({ param }, read, value)
}

/** True if a value contains no number that JSON cannot represent exactly. */
const isPlain = (value: JsonValue): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).every(isPlain)
    : !Number.isInteger(value) || Number.isSafeInteger(value)

// The family of an item whose identity does not imply it.

/** Scores how badly a family fits: by shown parameters that it lacks, by missing required ones, and by other missing ones. */
const scoreMisfit = ({ params }: IntegrationFamily, shown: readonly string[]): number => {
  const strange = shown.filter((name) => !Object.hasOwn(params, name))
  const absent = Object.entries(params).filter(
    ([name, { secret }]) => secret !== true && !shown.includes(name),
  )
  const required = absent.filter(([, param]) => param.required === true)
  return strange.length * 10_000 + required.length * 100 + absent.length
}

/**
 * Finds the family of an item: the documented family of its identity, else the one that fits its record best, which the file then declares.
 * Returns undefined if the kind has no families.
 */
const findFamily = (kind: Managed, { identity, record }: CurrentItem) => {
  const known = selectFamily(kind, identity)
  if (known !== undefined) return { family: known, isSaid: false }
  const { echo = '', params = {} } = kind.update ?? {}
  const properties = record[echo]
  const shown = Object.keys(getFields(properties)).filter((name) => Object.hasOwn(params, name))
  const [best] = [...(kind.families ?? [])].sort(
    (a, b) => scoreMisfit(a, shown) - scoreMisfit(b, shown),
  )
  return best && { family: best, isSaid: true }
}

// Items, and single objects, as maps of a file.

/** The kind and the place of an item, and the options by which it is written. */
interface WriteContext {
  readonly kind: Managed
  readonly place: ManagedPlace
  readonly options: ExportOptions
}

type Entry = readonly [string, JsonValue]

/** Lists the values of an item, each with whether a file can express exactly this value. */
const listValues = (
  item: CurrentItem,
  attributes: readonly Attribute[],
  { kind, place, options }: WriteContext,
): readonly { readonly entry: Entry; readonly canBeSaid: boolean }[] => {
  const documented = attributes.flatMap((attribute) => {
    const { name, secret, operational } = attribute
    if (secret || (operational && !options.operational)) return []
    const value = exportValue(attribute, item.attributes[name], place, options)
    if (value === undefined) return []
    return [{ entry: [name, value] as const, canBeSaid: canExpress(attribute, value) }]
  })
  if (kind.open !== true) return documented
  // Undocumented attributes come last; those that are not set are omitted.
  const others = Object.entries(item.attributes).filter(
    ([name, value]) =>
      !getAttributes(kind).has(name) &&
      canBeAttributeName(name) &&
      (value !== null || options.unset === true),
  )
  if (!options.allSettings && others.length > 0) options.leftOut?.(others.length)
  return [
    ...documented,
    ...sortByText(options.allSettings ? others : [], ([name]) => name).map((entry) => ({
      entry,
      canBeSaid: !isValueUnderSecretName(...entry) && isPlain(entry[1]),
    })),
  ]
}

/** Returns the attributes of an item that are not written, and the remarks that are written instead. */
const listWithheld = (
  { mask = {}, pair, refs = {}, usual = {} }: Managed,
  { attributes, record }: CurrentItem,
): { readonly without: readonly string[]; readonly remarks: readonly string[] } => {
  // Sending the list again would remove the members that the token cannot see, so it is not written.
  const masked = Object.keys(mask).filter((name) => record[mask[name] ?? ''] === true)
  const ordinary = Object.keys(usual).filter((name) => attributes[name] === usual[name])
  const isPair = pair === undefined || typeof attributes[pair.shown] === 'string'
  return {
    without: [...masked, ...ordinary, ...(isPair ? [] : [pair.hidden])],
    remarks: masked.map((name) => `${name}: some ${refs[name]}s cannot be seen`),
  }
}

/**
 * Returns the attributes of an item as a file has them; undefined if none is selected.
 * @param byKey the attributes that the item's key in the file already implies, by name
 */
const toItemMap = (
  item: CurrentItem,
  within: WriteContext,
  byKey: Readonly<Record<string, JsonValue>> = {},
): FileMap | undefined => {
  const { kind, place, options } = within
  const { without, remarks } = listWithheld(kind, item)
  const found = findFamily(kind, item)
  const name = kind.holds === 'one' ? undefined : formatItemName(kind, item, place, options.names)
  const address = { scope: place.scope, path: place.path, kind: kind.name, item: name }
  const isSelected = (attribute: string): boolean => options.chosen.item({ ...address, attribute })
  const attributes = [...getAttributes(kind, found?.family).values()].filter(
    (one) => !without.includes(one.name) && isSelected(one.name),
  )
  const all = listValues(item, attributes, within).filter(({ entry: [one] }) => isSelected(one))
  const inexpressible = all.filter(({ canBeSaid: isExpressible }) => !isExpressible)
  const entries = all.flatMap(({ entry, canBeSaid }) =>
    canBeSaid && byKey[entry[0]] !== entry[1] ? [entry] : [],
  )
  if (entries.length === 0 && !options.chosen.item(address)) return undefined
  const family: readonly Entry[] = found?.isSaid === true ? [['family', found.family.name]] : []
  // The secrets of a set cannot be read, but an item that is created again needs them.
  const secrets = attributes.filter(({ secret }) => secret && kind.holds === 'set')
  return new FileMap(
    [...family, ...entries],
    [
      ...remarks,
      ...inexpressible.map(
        ({ entry: [one] }) => `${one}: declared files cannot express this value`,
      ),
      ...secrets.map((one) => `${one.name}: env:… (cannot be read back)`),
    ],
  )
}

/** Escapes a key of a set that begins with `$`, as keywords do. */
export const escapeKey = (key: string): string => (key.startsWith('$') ? `$${key}` : key)

/** Returns the items by their keys. A name that another item has already is followed by ` (2)`. */
const assignItemKeys = (
  items: readonly CurrentItem[],
  { kind, place, options }: WriteContext,
): readonly [string, CurrentItem][] => {
  const list = items.map((item): [string, CurrentItem] => [
    formatItemName(kind, item, place, options.names),
    item,
  ])
  const taken = new Set(list.map(([key]) => key))
  const used = new Set<string>()
  return sortByText(list, ([key, { identity }]) => `${key}\0${identity}`).map(([key, item]) => {
    let uniqueKey = key
    for (let n = 2; used.has(key) && taken.has(uniqueKey); n++) uniqueKey = `${key} (${n})`
    used.add(uniqueKey)
    taken.add(uniqueKey)
    return [uniqueKey, item]
  })
}

const toSet = (items: readonly CurrentItem[], within: WriteContext): FileMap | undefined => {
  const { kind, place, options } = within
  const address = { scope: place.scope, path: place.path, kind: kind.name }
  // A set may be exact only if it was selected as a whole, since unlisted items are deleted.
  const exact = options.exact && kind.remove !== undefined && options.chosen.wholly(address)
  const entries = assignItemKeys(items, within).flatMap(
    ([key, item]): (readonly [string, FileMap])[] => {
      const map = toItemMap(item, within, kind.label === undefined ? {} : { [kind.label]: key })
      return map === undefined ? [] : [[escapeKey(key), map]]
    },
  )
  if (entries.length === 0 && !exact) return undefined
  return new FileMap([...(exact ? [['$exact', true] as const] : []), ...entries])
}

/** Writes one rule for each item. The rule matches the item by its label if that is unique, else by its number. */
const toRules = (
  items: readonly CurrentItem[],
  within: WriteContext,
): readonly FileMap[] | undefined => {
  const { label, identity = 'id' } = within.kind
  const named = groupBy(items, (item) => item.label?.toLowerCase())
  const inOrder = sortByText(items, (item) => item.identity.padStart(20, '0'))
  const rules = inOrder.flatMap((item): readonly FileMap[] => {
    const name = item.label ?? ''
    const isAlone = named.get(name.toLowerCase())?.length === 1
    const isPlainName = name !== '' && !name.includes('*') && !isSecret('', name)
    const isNamed = label !== undefined && isAlone && isPlainName && within.options.byId !== true
    const set = toItemMap(item, within, isNamed ? { [label]: name } : {})
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

const toSingleObject = (
  [item]: readonly CurrentItem[],
  within: WriteContext,
): FileMap | undefined => {
  const map = item === undefined ? undefined : toItemMap(item, within)
  return map?.entries.size === 0 ? undefined : map
}

const converters = { one: toSingleObject, set: toSet, rules: toRules } as const

/** Converts a kind that was read to the value of a file; undefined if there is nothing to write. */
export const toKindValue = (
  current: CurrentKind,
  options: ExportOptions,
): FileValue | undefined => {
  if (current.is !== 'read') return undefined
  const { kind, place } = current
  const items = current.items.filter(({ identity }) => kind.spared?.test(identity) !== true)
  return converters[kind.holds](items, { kind, place, options })
}

// The export of one place after another.

/**
 * Builds the section of a place from its kinds, in their order; remarks name the kinds that could not be read.
 * @param current kinds of one place
 * @returns undefined if there is nothing to write
 */
export const buildSection = (
  current: readonly CurrentKind[],
  options: ExportOptions,
): FileSection | undefined => {
  const entries = current.flatMap((one): [string, FileValue][] => {
    const value = toKindValue(one, options)
    return value === undefined ? [] : [[one.kind.name, value]]
  })
  const place = current[0]?.place
  if (place === undefined || entries.length === 0) return undefined
  const unread = current.filter(({ is }) => is === 'unreadable')
  const remarks = unread.map(({ kind }) => `${kind.name}: could not be read`)
  return { place, value: new FileMap(entries, remarks) }
}

/** The result of reading a place for the export. */
export interface PlaceResult {
  /** The section of the place; undefined if there is nothing to write. */
  readonly section: FileSection | undefined
  readonly unread: readonly { readonly address: string; readonly failure: Failure }[]
  /** Kinds that the instance does not have. */
  readonly unsupported: readonly string[]
  /** Kinds that were not named on the command line, and that the token may not read. */
  readonly denied: readonly string[]
  /** The number of kinds that were read. */
  readonly kinds: number
}

/**
 * Reads the selected kinds of a place, and forgets the answers.
 * @param atOnce true to read the kinds in parallel; if places already are, reading kinds one after another is as fast and takes less memory
 */
export const exportPlace = async (
  view: InstanceView,
  place: ManagedPlace,
  options: ExportOptions,
  atOnce = true,
): Promise<PlaceResult> => {
  const { scope, path } = place
  const kinds = managedKinds.filter((kind) => kind.scope === scope && view.selected(place, kind))
  const width = atOnce ? kinds.length : 1
  const current = await mapSideBySide(kinds, (kind) => view.readKind(place, kind), width)
  const section = buildSection(current, options)
  view.forget(place)
  const [unread, denied]: [PlaceResult['unread'][number][], string[]] = [[], []]
  for (const one of current) {
    if (one.is !== 'unreadable') continue
    const { kind, failure } = one
    const address = toAddressText({ scope, path, kind: kind.name })
    const isAdministrators = failure.details.status === 403 && kind.forAdministrators === true
    if (isAdministrators && !options.asked) denied.push(address)
    else unread.push({ address, failure })
  }
  const unsupported = current.flatMap(({ is, kind }) => (is === 'unsupported' ? [kind.name] : []))
  return { section, denied, kinds: kinds.length, unread, unsupported }
}
