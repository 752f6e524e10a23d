/** Writes the state before an apply as declared files, and checks whether an apply can be reverted with them. */

import { groupBy } from '../../base/collections.js'
import { isJsonList, type JsonValue, type JsonValues } from '../../base/objects.js'
import { type Managed, managedKinds, type Referent } from '../../catalogue/managed.js'
import type { PlannedAction } from '../actions.js'
import {
  type Address,
  encodeItem,
  type ManagedPlace,
  parseNameReference,
  toAddressText,
  toPlaceText,
} from '../address.js'
import { getAttributes } from '../attributes.js'
import { escapeKey, toKindValue } from '../exporting/kind.js'
import {
  createYamlWriter,
  type ExportOptions,
  FileMap,
  type FileSection,
  type FileValue,
  formatDocument,
  toPlainValue,
} from '../exporting/model.js'
import type { PlanAction } from '../planfile.js'
import type { InstanceView } from '../reading/index.js'
import { type CurrentKind, formatItemName, type NameFinder } from '../state.js'
import { isSameValue } from '../values.js'
import { findActionItem, readActionKind } from './verify.js'

const formatItemAddress = ({ attribute: _, ...address }: Address): string =>
  toAddressText(address).toLowerCase()

/** The parts of items to write to a file: all of an item, or the named attributes. */
type Parts = ReadonlyMap<string, 'all' | ReadonlySet<string>>

/** Returns the names of a view without those of runners: the apply may change these, so that only their IDs find them again. */
const getLastingNames = ({ names }: InstanceView): NameFinder => ({
  name: (of, number, near) => (of === 'runner' ? undefined : names.name(of, number, near)),
})

const createExportOptions = (names: NameFinder, parts: Parts, whole: boolean): ExportOptions => ({
  names,
  byId: true,
  exact: !whole,
  // An attribute that is restored may have been unset before, so the file has to unset it.
  unset: !whole,
  operational: true,
  allSettings: true,
  asked: true,
  chosen: {
    item: (address) => {
      const part = parts.get(formatItemAddress(address))
      if (part === undefined || part === 'all' || address.attribute === undefined)
        return part !== undefined
      return part.has(address.attribute)
    },
    // No set is exact, so that the file deletes only the items that it names.
    wholly: () => false,
  },
})

/**
 * Selects the items that the actions delete, or the attributes that they change, by the names that an export gives the items. An action may
 * name its item by its ID or its identity.
 */
const selectParts = (
  { kind, place, items }: Extract<CurrentKind, { readonly is: 'read' }>,
  actions: readonly PlannedAction[],
  is: 'delete' | 'update',
  names: NameFinder,
): Parts =>
  new Map(
    actions.flatMap(({ verb, address, changes, step }) => {
      if (verb !== is) return []
      const found = address.item === undefined ? undefined : findActionItem(kind, step, items)
      const item = found && formatItemName(kind, found, place, names)
      // An item whose name changed is found by another part of its identity: deploy keys by the key.
      const attributes = new Set([
        kind.identity ?? '',
        ...changes.map(({ attribute }) => attribute),
      ])
      const part = verb === 'delete' ? 'all' : attributes
      return [[formatItemAddress(item === undefined ? address : { ...address, item }), part]]
    }),
  )

/** Returns the names that an action changes: the former one and the new one. */
const findRename = ({
  kind: { identity, label = identity },
  changes,
}: PlannedAction): { readonly now: string; readonly wanted: string } | undefined => {
  const { now, wanted } = changes.find(({ attribute }) => attribute === label) ?? {}
  return typeof now === 'string' && typeof wanted === 'string' ? { now, wanted } : undefined
}

/** Adds the names that the actions give to items, by which these are found to get their former names. */
const addNewNames = (
  items: FileMap,
  actions: readonly PlannedAction[],
): readonly (readonly [string, FileValue])[] => {
  const renames = new Map(
    actions.flatMap((action) => {
      const rename = action.kind.renames === true ? findRename(action) : undefined
      return rename === undefined ? [] : [[escapeKey(rename.now), rename.wanted] as const]
    }),
  )
  return [...items.entries].map(([key, item]) => {
    const name = renames.get(key)
    if (name === undefined || !(item instanceof FileMap)) return [key, item]
    return [key, new FileMap([['previously', [name]], ...item.entries], item.remarks)]
  })
}

/** Declares the items that the apply creates as absent, except for those that replace others. */
const listCreatedItems = (actions: readonly PlannedAction[]): readonly [string, null][] => {
  const deleted = new Set(
    actions.flatMap(({ verb, address }) => (verb === 'delete' ? formatItemAddress(address) : [])),
  )
  return actions.flatMap(({ verb, address, kind, step }): [string, null][] =>
    (verb === 'create' || verb === 'enable') &&
    address.item !== undefined &&
    !deleted.has(formatItemAddress(address))
      ? [[escapeKey(getLastingItem(address.item, kind, step.values)), null]]
      : [],
  )
}

/** Returns the ID of a runner, whose description may change, and for other items their name. */
const getLastingItem = (name: string, { by, at = {} }: Managed, values: JsonValues): string => {
  const [id] = by === 'runner' ? Object.keys(at).flatMap((key) => values[key] ?? []) : []
  return String(id ?? name)
}

/** Returns a kind's state before the actions, as a file declares it; undefined if there is nothing to restore. */
const readFormerKind = async (
  view: InstanceView,
  actions: readonly PlannedAction[],
): Promise<readonly [string, FileValue] | undefined> => {
  const [first] = actions
  if (first === undefined) return undefined
  const { kind } = first
  const current = await readActionKind(view, first, actions)
  if (current.is !== 'read') return undefined
  const names = getLastingNames(view)
  const [were, differed] = (['delete', 'update'] as const).map((verb) => {
    const parts = selectParts(current, actions, verb, names)
    return toKindValue(current, createExportOptions(names, parts, verb === 'delete'))
  })
  if (kind.holds !== 'set') return differed === undefined ? undefined : [kind.name, differed]
  const items = [were, differed].flatMap((some) => (some instanceof FileMap ? [some] : []))
  const entries = [
    ...items.flatMap((some) => addNewNames(some, actions)),
    ...listCreatedItems(actions),
  ]
  return entries.length === 0 ? undefined : [kind.name, new FileMap(entries)]
}

const scopes = ['site', 'group', 'project'] as const

/**
 * Writes the declared file that reverts actions. It must be called before they are performed.
 * @param view the view that the plan was made from, so that little is read again
 */
export const exportFormerState = async (
  view: InstanceView,
  actions: readonly PlannedAction[],
): Promise<string> => {
  const sections: FileSection[] = []
  for (const scope of scopes) {
    const own = actions.filter(({ address }) => address.scope === scope)
    for (const here of groupBy(own, ({ address }) => toPlaceText(address).toLowerCase()).values()) {
      const kinds = groupBy(here, ({ kind }) => kind.name)
      const entries = await Promise.all(
        [...kinds.values()].map((some) => readFormerKind(view, some)),
      )
      const restored = entries.filter((entry) => entry !== undefined)
      for (const { address } of restored.length === 0 ? [] : here.slice(0, 1))
        sections.push({ place: { scope, path: address.path }, value: new FileMap(restored) })
    }
  }
  return formatDocument(createYamlWriter(), sections)
}

// The check whether an instance still has the state that an apply left.

/** Replaces the names in a value by IDs, as far as they can be resolved: one of two equal values may have been read without the names. */
const resolveIds = async (
  names: InstanceView['names'],
  of: Referent,
  value: JsonValue,
  near: ManagedPlace,
): Promise<JsonValue> => {
  if (isJsonList(value))
    return Promise.all(value.map((member) => resolveIds(names, of, member, near)))
  const reference = typeof value === 'string' ? parseNameReference(value) : undefined
  if (typeof reference !== 'string') return reference ?? value
  return (await names.number(of, reference, near)) ?? value
}

/** True if an attribute has the value that an apply gave it. Both values are as files write them. */
const hasWantedValue = async (
  view: InstanceView,
  { kind, address }: PlannedAction,
  name: string,
  now: JsonValue,
  wanted: JsonValue,
): Promise<boolean> => {
  const { param, ref } = getAttributes(kind).get(name) ?? {}
  if (ref === undefined || isSameValue({ param }, now, wanted))
    return isSameValue({ param }, now, wanted)
  const [is, was] = [now, wanted].map((value) => resolveIds(view.names, ref, value, address))
  return isSameValue({ param }, await is, await was)
}

/** Returns the attributes that an item of a set has now. */
const readItemNow = async (view: InstanceView, action: PlannedAction) => {
  const current = await readActionKind(view, action, [action])
  if (current.is !== 'read') return {}
  const names = getLastingNames(view)
  const parts = selectParts(current, [action], 'delete', names)
  const value = toKindValue(current, createExportOptions(names, parts, true))
  const [only] = value instanceof FileMap ? value.entries.values() : []
  return only instanceof FileMap ? (toPlainValue(only) as Readonly<Record<string, JsonValue>>) : {}
}

/** The record of what an apply did to one address. */
export class ApplyRecord {
  readonly #verbs = new Set<string>()
  readonly #wanted = new Map<string, JsonValue>()

  add({ verb, changes }: PlanAction): void {
    this.#verbs.add(verb)
    for (const { attribute, wanted } of changes)
      if (wanted !== undefined) this.#wanted.set(attribute, wanted)
  }

  /**
   * Returns the reason why an action that reverts the apply must be skipped; undefined if the object is as the apply left it.
   * @param isRecreated true if another action creates the object again
   */
  async findObjection(
    view: InstanceView,
    action: PlannedAction,
    isRecreated: boolean,
  ): Promise<string | undefined> {
    const { verb, changes } = action
    const gone = this.#verbs.has('delete') && this.#verbs.size === 1
    if (gone) return verb === 'update' && !isRecreated ? 'the object exists again' : undefined
    if (verb !== 'delete' && (verb !== 'update' || isRecreated))
      return action.replaces === undefined ? 'the object no longer exists' : undefined
    const now =
      verb === 'delete' && changes.length === 0
        ? await readItemNow(view, action)
        : Object.fromEntries(changes.map((change) => [change.attribute, change.now]))
    for (const [name, wanted] of this.#wanted) {
      if (!Object.hasOwn(now, name)) continue
      if (!(await hasWantedValue(view, action, name, now[name] ?? null, wanted)))
        return `${name} was changed since`
    }
    return undefined
  }
}

/** Returns the addresses of an action of an apply: by the item's name, and by its ID if files may name it so. */
export const listAppliedAddresses = ({ address, path, body }: PlanAction): readonly string[] => {
  const [, set = '', name] = /^([^:]*:(\w+)\/)/.exec(address) ?? []
  const named = managedKinds.find((kind) => kind.name === name && kind.by !== undefined)
  const sent = Object.keys(named?.at ?? {}).flatMap((key) => body?.[key] ?? [])
  const ids = named === undefined ? [] : [...sent, ...(/(?<!\d)\d+$/.exec(path) ?? [])]
  return [address, ...ids.map((id) => `${set}${id}`)].map((one) => one.toLowerCase())
}

/** Returns the addresses that an apply may have given the item of an action: by its name, its present name or its ID. */
export const listItemAddresses = (action: PlannedAction): readonly string[] => {
  const { kind, address, step } = action
  const ids = kind.by === undefined ? [] : Object.keys(kind.at ?? {})
  const items = [
    address.item,
    findRename(action)?.now,
    ...ids.map((id) => step.values[id]?.toString()),
  ]
  return items.map((item) => formatItemAddress({ ...address, item }))
}

/** Returns the address that an item had before an apply gave it another name; undefined for any other action. */
export const findFormerAddress = ({ verb, address, changes }: PlanAction): string | undefined => {
  const [, place, name] = /^([^:]+:(\w+)\/)/.exec(address) ?? []
  const kind = managedKinds.find((one) => one.name === name)
  if (verb !== 'update' || place === undefined || kind === undefined) return undefined
  const { identity, label = identity } = kind
  const now = changes.find(({ attribute }) => attribute === label)?.now
  return typeof now === 'string' ? `${place}${encodeItem(now)}`.toLowerCase() : undefined
}
