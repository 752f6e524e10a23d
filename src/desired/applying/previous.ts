/** Writes the state before an apply as declared files, and checks whether an apply can be reverted with them. */

import { groupBy } from '../../base/collections.js'
import type { JsonValue } from '../../base/objects.js'
import type { PlannedAction } from '../actions.js'
import { type Address, toAddressText, toPlaceText } from '../address.js'
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
import { type CurrentKind, formatItemName } from '../state.js'
import { readActionKind } from './verify.js'

const formatItemAddress = ({ attribute: _, ...address }: Address): string =>
  toAddressText(address).toLowerCase()

/** The parts of items to write to a file: all of an item, or the named attributes. */
type Parts = ReadonlyMap<string, 'all' | ReadonlySet<string>>

const createExportOptions = (
  names: InstanceView['names'],
  parts: Parts,
  whole: boolean,
): ExportOptions => ({
  names,
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

/** Selects the items that the actions delete, or the attributes that they change. */
const selectParts = (actions: readonly PlannedAction[], is: 'delete' | 'update'): Parts =>
  new Map(
    actions.flatMap(({ verb, address, changes }) => {
      if (verb !== is) return []
      const attributes = new Set(changes.map(({ attribute }) => attribute))
      return [[formatItemAddress(address), verb === 'delete' ? 'all' : attributes] as const]
    }),
  )

/** Returns the selected parts of a kind as a file declares them. An address may have the identity of an item that shares its name. */
const readFormerValue = (
  current: CurrentKind,
  parts: Parts,
  names: InstanceView['names'],
  whole: boolean,
): FileValue | undefined => {
  if (current.is !== 'read') return undefined
  const { kind, place } = current
  const getItemAddress = (item: string): string =>
    formatItemAddress({ ...place, kind: kind.name, item })
  const called = current.items.flatMap((item) => {
    const part = parts.get(getItemAddress(item.identity))
    if (part === undefined) return []
    return [[getItemAddress(formatItemName(kind, item, place, names)), part] as const]
  })
  return toKindValue(current, createExportOptions(names, new Map([...parts, ...called]), whole))
}

/** Declares the items that the apply creates as absent, except for those that replace others. */
const listCreatedItems = (
  actions: readonly PlannedAction[],
  deleted: Parts,
): readonly [string, null][] =>
  actions.flatMap(({ verb, address: { item, ...address } }): [string, null][] =>
    (verb === 'create' || verb === 'enable') &&
    item !== undefined &&
    !deleted.has(formatItemAddress({ ...address, item }))
      ? [[escapeKey(item), null]]
      : [],
  )

/** Returns a kind's state before the actions, as a file declares it; undefined if there is nothing to restore. */
const readFormerKind = async (
  view: InstanceView,
  actions: readonly PlannedAction[],
): Promise<readonly [string, FileValue] | undefined> => {
  const [first] = actions
  if (first === undefined) return undefined
  const { kind } = first
  const [deleted, changed] = [selectParts(actions, 'delete'), selectParts(actions, 'update')]
  const made = listCreatedItems(actions, deleted)
  const current = await readActionKind(view, first, actions)
  const were = readFormerValue(current, deleted, view.names, true)
  const differed = readFormerValue(current, changed, view.names, false)
  if (kind.holds !== 'set') return differed === undefined ? undefined : [kind.name, differed]
  const items = [were, differed].flatMap((some) => (some instanceof FileMap ? [some] : []))
  const entries = [...items.flatMap((some) => [...some.entries]), ...made]
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

/** Returns a text for comparing values: the order of a set does not matter, and an empty text counts as no value. */
const toComparableText = (value: JsonValue | undefined): string =>
  Array.isArray(value)
    ? JSON.stringify(value.map(toComparableText).sort())
    : JSON.stringify(value === '' ? null : (value ?? null))

/** Returns the attributes that an item of a set has now. */
const readItemNow = async (view: InstanceView, action: PlannedAction) => {
  const current = await readActionKind(view, action, [action])
  const all = new Map([[formatItemAddress(action.address), 'all']] as const)
  const value = readFormerValue(current, all, view.names, true)
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
    if (verb !== 'update' && verb !== 'delete')
      return action.replaces === undefined ? 'the object no longer exists' : undefined
    const now =
      verb === 'delete' && changes.length === 0
        ? await readItemNow(view, action)
        : Object.fromEntries(changes.map((change) => [change.attribute, change.now]))
    const other = [...this.#wanted].find(
      ([name, value]) =>
        Object.hasOwn(now, name) && toComparableText(now[name]) !== toComparableText(value),
    )
    return other === undefined ? undefined : `${other[0]} was changed since`
  }
}
