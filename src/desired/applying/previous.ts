/** What an apply comes upon, as files declare it: what takes it back, as far as it can be read. */

import { groupBy } from '../../base/group-by.js'
import type { JsonValue } from '../../base/objects.js'
import type { PlannedAction } from '../actions.js'
import { type Address, addressText, placeText } from '../address.js'
import { escaped, kindValue } from '../exporting/kind.js'
import {
  documentOf,
  type ExportOptions,
  FileMap,
  type FileSection,
  type FileValue,
  plain,
  yamlWriter,
} from '../exporting/model.js'
import type { PlanAction } from '../planfile.js'
import type { InstanceView } from '../reading/index.js'
import { type CurrentKind, itemText } from '../state.js'
import { readActed } from './verify.js'

const withoutAttribute = ({ attribute: _, ...address }: Address): string =>
  addressText(address).toLowerCase()

/** What of the items is written: all of one, or these attributes. */
type Parts = ReadonlyMap<string, 'all' | ReadonlySet<string>>

const writing = (names: InstanceView['names'], parts: Parts, whole: boolean): ExportOptions => ({
  names,
  exact: !whole,
  // Of what is changed back, what was not set is said to be so.
  unset: !whole,
  operational: true,
  allSettings: true,
  asked: true,
  chosen: {
    item: (address) => {
      const part = parts.get(withoutAttribute(address))
      if (part === undefined || part === 'all' || address.attribute === undefined)
        return part !== undefined
      return part.has(address.attribute)
    },
    // Nothing is deleted that is not named.
    wholly: () => false,
  },
})

/** What is deleted, or what is changed. */
const partsOf = (actions: readonly PlannedAction[], is: 'delete' | 'update'): Parts =>
  new Map(
    actions.flatMap(({ verb, address, changes }) => {
      if (verb !== is) return []
      const attributes = new Set(changes.map(({ attribute }) => attribute))
      return [[withoutAttribute(address), verb === 'delete' ? 'all' : attributes] as const]
    }),
  )

/** What parts of a kind are, as a file has them; an address may have the identity of an item that shares its name. */
const formerValue = (
  current: CurrentKind,
  parts: Parts,
  names: InstanceView['names'],
  whole: boolean,
): FileValue | undefined => {
  if (current.is !== 'read') return undefined
  const { kind, place } = current
  const addressOf = (item: string): string => withoutAttribute({ ...place, kind: kind.name, item })
  const called = current.items.flatMap((item) => {
    const part = parts.get(addressOf(item.identity))
    if (part === undefined) return []
    return [[addressOf(itemText(kind, item, place, names)), part] as const]
  })
  return kindValue(current, writing(names, new Map([...parts, ...called]), whole))
}

/** Items that the apply makes were not there, but for those that come in the place of others. */
const madeBy = (actions: readonly PlannedAction[], deleted: Parts): readonly [string, null][] =>
  actions.flatMap(({ verb, address: { item, ...address } }): [string, null][] =>
    (verb === 'create' || verb === 'enable') &&
    item !== undefined &&
    !deleted.has(withoutAttribute({ ...address, item }))
      ? [[escaped(item), null]]
      : [],
  )

/** What a kind was before actions, as a file has it. */
const formerKind = async (
  view: InstanceView,
  actions: readonly PlannedAction[],
): Promise<readonly [string, FileValue] | undefined> => {
  const [first] = actions
  if (first === undefined) return undefined
  const { kind } = first
  const [deleted, changed] = [partsOf(actions, 'delete'), partsOf(actions, 'update')]
  const made = madeBy(actions, deleted)
  const current = await readActed(view, first, actions)
  const were = formerValue(current, deleted, view.names, true)
  const differed = formerValue(current, changed, view.names, false)
  if (kind.holds !== 'set') return differed === undefined ? undefined : [kind.name, differed]
  const items = [were, differed].flatMap((some) => (some instanceof FileMap ? [some] : []))
  const entries = [...items.flatMap((some) => [...some.entries]), ...made]
  return entries.length === 0 ? undefined : [kind.name, new FileMap(entries)]
}

const scopes = ['site', 'group', 'project'] as const

/**
 * A declared file that brings back what actions change, made before they are done.
 * @param view what the plan was made of: little of it is read again
 */
export const formerState = async (
  view: InstanceView,
  actions: readonly PlannedAction[],
): Promise<string> => {
  const sections: FileSection[] = []
  for (const scope of scopes) {
    const own = actions.filter(({ address }) => address.scope === scope)
    for (const here of groupBy(own, ({ address }) => placeText(address).toLowerCase()).values()) {
      const kinds = groupBy(here, ({ kind }) => kind.name)
      const entries = await Promise.all([...kinds.values()].map((some) => formerKind(view, some)))
      const said = entries.filter((entry) => entry !== undefined)
      for (const { address } of said.length === 0 ? [] : here.slice(0, 1))
        sections.push({ place: { scope, path: address.path }, value: new FileMap(said) })
    }
  }
  return documentOf(yamlWriter(), sections)
}

// Whether an instance still has what an apply left.

/** A value by which two are told apart: the order of a set says nothing, and an empty text is none. */
const canonical = (value: JsonValue | undefined): string =>
  Array.isArray(value)
    ? JSON.stringify(value.map(canonical).sort())
    : JSON.stringify(value === '' ? null : (value ?? null))

/** What a set's item is by now, attribute by attribute. */
const itemNow = async (view: InstanceView, action: PlannedAction) => {
  const current = await readActed(view, action, [action])
  const all = new Map([[withoutAttribute(action.address), 'all']] as const)
  const value = formerValue(current, all, view.names, true)
  const [only] = value instanceof FileMap ? value.entries.values() : []
  return only instanceof FileMap ? (plain(only) as Readonly<Record<string, JsonValue>>) : {}
}

/** What the apply did to one address. */
export class ApplyRecord {
  readonly #verbs = new Set<string>()
  readonly #wanted = new Map<string, JsonValue>()

  add({ verb, changes }: PlanAction): void {
    this.#verbs.add(verb)
    for (const { attribute, wanted } of changes)
      if (wanted !== undefined) this.#wanted.set(attribute, wanted)
  }

  /**
   * Why an action that takes it back is not to be done; undefined where all is as it was left.
   * @param anew whether the object is made again by another action
   */
  async objection(
    view: InstanceView,
    action: PlannedAction,
    anew: boolean,
  ): Promise<string | undefined> {
    const { verb, changes } = action
    const gone = this.#verbs.has('delete') && this.#verbs.size === 1
    if (gone) return verb === 'update' && !anew ? 'the object exists again' : undefined
    if (verb !== 'update' && verb !== 'delete')
      return action.replaces === undefined ? 'the object no longer exists' : undefined
    const now =
      verb === 'delete' && changes.length === 0
        ? await itemNow(view, action)
        : Object.fromEntries(changes.map((change) => [change.attribute, change.now]))
    const other = [...this.#wanted].find(
      ([name, value]) => Object.hasOwn(now, name) && canonical(now[name]) !== canonical(value),
    )
    return other === undefined ? undefined : `${other[0]} was changed since`
  }
}
