/** Declares the context that all steps of a comparison share, and pairs desired items with current ones. */

import type { JsonValue } from '../../base/objects.js'
import type { Managed } from '../../catalogue/managed.js'
import type { Draft, PlanFinding, ReadFailure } from '../actions.js'
import {
  type Address,
  foldName,
  formatReference,
  type ManagedPlace,
  type Reference,
} from '../address.js'
import { type Attribute, getAttributes } from '../attributes.js'
import type { Mistakes } from '../files/nodes.js'
import type { InstanceView } from '../reading/index.js'
import { type AddressChoice, isSelected } from '../selection.js'
import {
  type CurrentItem,
  type DesiredItem,
  type DesiredKind,
  formatItemName,
  getItemName,
  getPlainValue,
  indexItems,
  type NameResolver,
  type Origin,
  type ProjectPlace,
  type ReadableInstance,
  type SecretSource,
  type UnreadPlace,
} from '../state.js'
import { isSameValue } from '../values.js'

/** The part of `InstanceView` that a comparison uses. */
export type DiffView = Pick<InstanceView, 'readKind' | 'self'> &
  Partial<Pick<InstanceView, 'forget'>> & { readonly names: NameResolver }

/** A limit on changes: a number, or a percentage of the objects that were read. */
export interface PlanLimit {
  readonly count?: number
  readonly percent?: number
}

export interface PlanLimits {
  readonly deletes?: PlanLimit
  readonly changes?: PlanLimit
  /** Globs of sets that may lose more items than the default limit permits. */
  readonly removals?: readonly string[]
  /** Addresses of exact sets that may become empty. */
  readonly empty?: readonly string[]
}

/** Decides which secrets to send. An instance never returns them, so they cannot be compared. */
export interface SecretsPolicy {
  /** The secrets to set: those whose value changed, all of them, or only those that another change requires. */
  readonly set: 'changed' | 'always' | 'never'
  /** Returns true if the value differs from the one last set; undefined if that is not known. */
  changed(address: Address, source: SecretSource): Promise<boolean | undefined>
  /** Returns the reason why a value cannot be fetched; undefined if it can. */
  missing(source: SecretSource): Promise<string | undefined>
}

/** The options of a comparison; actions and unread places that are not selected are left out. */
export interface DiffOptions extends AddressChoice {
  readonly limits?: PlanLimits
  readonly each: ReadableInstance['each']
  readonly about?: (
    project: string,
  ) => Pick<ProjectPlace, 'archived' | 'namespace' | 'shared'> | undefined
  /** Places that the files or flags name, and that could not be read. */
  readonly unread?: readonly UnreadPlace[]
  /** The number of selected projects. */
  readonly projects?: number
  /** The username of the token's user, if the instance does not return it. */
  readonly self?: string
  readonly secrets?: SecretsPolicy
  /** True if the plan is never applied. Then neither secrets nor the token's user have to be known. */
  readonly checks?: boolean
  readonly now: () => Date
  /** True if the instance is newer than the documents, so that it may accept values that they do not list. */
  readonly isNewer?: boolean
  /** The actions that a resumed run still has to do: the digest of each action's item, by the action's ID. */
  readonly unfinished?: ReadonlyMap<string, string> | undefined
  /** True if the files have former values of objects, which may have been deleted since. */
  readonly restores?: boolean
}

/** A declaration about a thing that several places share, such as a key. Two different declarations about it are a conflict. */
export interface SharedClaim {
  /** The shared thing: a key, a domain, the place of the primary node. */
  readonly thing: string
  /** The declared property: the title of a key, the project of a domain, the name of the node. */
  readonly says: string
  /** The reason why the declarations have to agree, and the way to resolve a conflict. */
  readonly rule: { readonly text: string; readonly hint: string }
  readonly address: Address
  /** Undefined if the property is current on the instance, and no file declares another. */
  readonly origin: Origin | undefined
}

/** The declared approvers of a rule that the plan leaves unchanged. */
export interface UnchangedApprovers {
  readonly address: Address
  readonly users: readonly number[]
  /** The users that the instance does not list as eligible. */
  readonly ineligible: readonly number[]
  readonly origin: Origin
}

/** The diff of one kind in one place, to which the steps of a comparison add item by item. */
export class KindDiff {
  drafts: Draft[] = []
  readonly findings: PlanFinding[] = []
  readonly claims: SharedClaim[] = []
  readonly standing: UnchangedApprovers[] = []
  /** The number of items that are as desired. */
  same = 0
  readonly unread: ReadFailure[] = []
  /** The digest of an exact set, by its address. */
  readonly sets: Record<string, string> = {}
  readonly setCounts: SetCount[] = []
  /** True if the instance returned the kind. */
  read = false

  /** Adds a finding. */
  addFinding(is: PlanFinding['is'], address: Address, text: string, origin?: Origin): void {
    this.findings.push({ is, address, text, origin })
  }
}

/** The comparison of one kind in one place. */
export interface DiffContext {
  readonly view: DiffView
  readonly options: DiffOptions
  readonly place: ManagedPlace
  /** The value that names the place in requests: its path, or its ID if the path would be read as an ID. */
  readonly placeId: Reference
  readonly kind: Managed
  readonly desired: DesiredKind
  /** The current items that the comparison counts as existing. */
  readonly items: readonly CurrentItem[]
  readonly diff: KindDiff
  /** Mistakes in the files that are found only by reading the instance. */
  readonly mistakes: Mistakes
}

/** The part of the context that follows from the kind alone. */
export type WithKind = Pick<DiffContext, 'kind'>

/** A declared attribute, compared with its current value. */
export interface AttributeDiff {
  readonly name: string
  readonly attribute: Attribute | undefined
  readonly origin: Origin
  /** The value as it is sent; undefined for a secret. */
  readonly wanted?: JsonValue
  readonly secret?: SecretSource
  /** The values in the form in which a plan shows them. */
  readonly shown: { readonly now?: JsonValue; readonly wanted?: JsonValue }
  /** The range that the value must be in, if the file declares a range. */
  readonly within?: string
  readonly verdict: 'same' | 'differs' | /** The value cannot be read back. */ 'unknown' | 'fixed'
}

/** The size of a set before a plan deletes some of its items. Items that a set never deletes are not counted. */
export interface SetCount {
  readonly address: Address
  readonly before: number
  readonly exact: boolean
  /** The number of owners if the set has the members of a group; otherwise 0. */
  readonly owners: number
}

// Addresses of items, and their selection.

/** True if an item, or any of its attributes, is selected. */
export const isItemSelected = (
  options: DiffOptions,
  address: Address,
  desired: DesiredItem,
): boolean =>
  isSelected(options, address) ||
  [...desired.attributes.keys()].some((attribute) => isSelected(options, { ...address, attribute }))

/** True if any part of a kind is selected, so that the kind has to be read. */
export const isKindSelected = (options: DiffOptions, desired: DesiredKind): boolean =>
  isSelected(options, { ...desired.place, kind: desired.kind.name }) ||
  desired.items.some((item) =>
    isItemSelected(options, getItemAddress(desired, item.identity), item),
  )

/** Returns the address of a desired item. A kind with a single item per place has no item in its address. */
export const getItemAddress = (
  { place, kind }: Pick<DesiredKind, 'place' | 'kind'>,
  identity: Reference,
): Address => {
  const text = kind.by === undefined ? String(identity) : formatReference(identity)
  return { ...place, kind: kind.name, ...(identity === '' ? {} : { item: text }) }
}

/** Returns the address of a current item. If several items have the same name, the address has the identity instead. */
export const getCurrentAddress = (c: DiffContext, item: CurrentItem): Address => {
  const name = formatItemName(c.kind, item, c.place, c.view.names)
  const isUnique = c.kind.by !== undefined || findNamed(c, name).length < 2
  return { ...c.place, kind: c.kind.name, item: isUnique ? name : item.identity }
}

// The search for the current item that a desired item describes.

/** The result of the search: a current item, none, or `mistaken` after an ambiguity was reported. */
export type ItemMatch = { readonly item: CurrentItem | undefined } | 'mistaken'

/** Returns a name in the form in which names are compared: those of domains and users ignore case. */
const foldItemName = ({ kind }: WithKind, name: string): string =>
  kind.ignoresCase === true ? name.toLowerCase() : foldName(kind.by, name)

/** Finds the current items with a name or an ID. */
export const findNamed = (c: DiffContext, reference: Reference): readonly CurrentItem[] => {
  const index = indexItems(c.items, 'name', (item) => {
    const name = getItemName(c.kind, item)
    const names = name === undefined ? [] : [foldItemName(c, name)]
    const values = [item.record.id, ...Object.values(item.at)]
    return new Set([...names, ...values.filter((one) => typeof one === 'number')])
  })
  return index.get(typeof reference === 'number' ? reference : foldItemName(c, reference)) ?? []
}

/** Reads all items of a kind from the instance's own list; none if it cannot be read. */
export const readEverywhere = async (
  view: DiffView,
  { everywhere, ...kind }: Managed,
): Promise<readonly CurrentItem[]> => {
  if (everywhere === undefined) return []
  const all = {
    ...kind,
    everywhere,
    scope: 'site',
    name: `${kind.name}/all`,
    read: everywhere,
  } as const
  const current = await view.readKind({ scope: 'site', path: '' }, all)
  return current.is === 'read' ? current.items : []
}

/** Finds the current item with the same value of the unique field `also`, unless another desired item has its name. */
const findByOtherField = (c: DiffContext, desired: DesiredItem): CurrentItem | undefined => {
  const name = c.kind.also ?? ''
  const wanted = getPlainValue(desired, name)
  if (wanted === undefined) return undefined
  const typed = { param: getAttributes(c.kind).get(name)?.param }
  const listed = new Set(c.desired.items.map(({ identity }) => String(identity)))
  return c.items.find(
    ({ identity, attributes }) =>
      !listed.has(identity) && isSameValue(typed, attributes[name] ?? null, wanted),
  )
}

/** Reports a declaration that does not fit the instance. The other objects of an undo are restored all the same. */
export const reportUnplannable = (
  c: DiffContext,
  address: Address,
  origin: Origin,
  text: string,
  hint?: string,
): undefined => {
  if (c.options.restores === true) c.diff.addFinding('impossible', address, text, origin)
  else c.mistakes.add(origin, text, hint)
}

/** Finds the current item of a desired one: by its name, by a previous name, or by another unique field. */
export const matchCurrentItem = (c: DiffContext, desired: DesiredItem): ItemMatch => {
  const { identity, origin, previously } = desired
  const reportMistake = (text: string, hint: string): 'mistaken' => {
    reportUnplannable(c, getItemAddress(c.desired, identity), origin, text, hint)
    return 'mistaken'
  }
  const [item, another] = findNamed(c, identity)
  if (another !== undefined)
    return reportMistake(
      `${c.kind.name}/${formatReference(identity)} matches several objects of that name`,
      c.kind.by === undefined ? 'Rename all but one of them.' : 'Write its ID instead of its name.',
    )
  const [before, other] = (previously?.value ?? []).flatMap((name) => findNamed(c, name))
  if (other !== undefined)
    return reportMistake(
      `several of the previous names of ${identity} still exist`,
      'Keep only one of them under previously.',
    )
  if (item === undefined)
    return { item: c.kind.renames && (before ?? findByOtherField(c, desired)) }
  if (before === undefined) return { item }
  return reportMistake(
    `both ${identity} and ${before.identity}, its previous name, exist`,
    'Delete one of them, or remove previously.',
  )
}
