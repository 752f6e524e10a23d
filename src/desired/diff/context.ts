/** The context of a comparison: its options, the data that its steps share, and the pairing of desired with current items. */

import { addToGroup } from '../../base/group-by.js'
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
  type NameResolver,
  type Origin,
  type ProjectPlace,
  type ReadableInstance,
  type SecretSource,
  type UnreadPlace,
} from '../state.js'
import { isSameValue } from '../values.js'

/** The part of reading that comparing asks. */
export type DiffView = Pick<InstanceView, 'readKind' | 'self'> &
  Partial<Pick<InstanceView, 'forget'>> & { readonly names: NameResolver }

/** The limit of changes: a number, or a percentage of the objects that were read. */
export interface PlanLimit {
  readonly count?: number
  readonly percent?: number
}

export interface PlanLimits {
  readonly deletes?: PlanLimit
  readonly changes?: PlanLimit
  /** Addresses of sets of which more may go than is let through unasked. */
  readonly removals?: readonly string[]
  /** Addresses of exact sets that may become empty. */
  readonly empty?: readonly string[]
}

/** The handling of secrets, which no instance shows. */
export interface SecretsPolicy {
  /** Set those whose value changed, all of them, or only those that something else needs. */
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
  /** Places that were named, and could not be looked at. */
  readonly unread?: readonly UnreadPlace[]
  /** The number of selected projects. */
  readonly projects?: number
  /** The token's user, where the instance does not say. */
  readonly self?: string
  readonly secrets?: SecretsPolicy
  /** Nothing is ever done: neither secrets nor the token's user have to be known. */
  readonly checks?: boolean
  readonly now?: () => Date
  /** The instance is newer than the documents: it may take what they do not offer. */
  readonly isNewer?: boolean
  /** The actions that a resumed run still has to do: the digest of each action's item, by the action's ID. */
  readonly unfinished?: ReadonlyMap<string, string> | undefined
}

/** A statement of the files about a thing that several places share, and for which only one statement can be true. */
export interface SharedClaim {
  /** The shared thing: a key, a domain, the place of the primary node. */
  readonly thing: string
  /** The statement: the title of a key, the project of a domain, the name of the node. */
  readonly says: string
  /** Why only one of two can be true, and what to do. */
  readonly rule: { readonly text: string; readonly hint: string }
  readonly address: Address
  /** Undefined where the instance has it so, and no file says otherwise. */
  readonly origin: Origin | undefined
}

/** The declared approvers of a rule that the plan leaves unchanged. */
export interface StandingApprovers {
  readonly address: Address
  readonly users: readonly number[]
  /** The users that the instance does not list as eligible. */
  readonly ineligible: readonly number[]
  readonly origin: Origin
}

/** The diff of a kind in its place, which is filled item by item. */
export class KindDiff {
  drafts: Draft[] = []
  readonly findings: PlanFinding[] = []
  readonly claims: SharedClaim[] = []
  readonly standing: StandingApprovers[] = []
  /** The number of items that are as desired. */
  same = 0
  readonly unread: ReadFailure[] = []
  /** The digest of an exact set, by its address. */
  readonly sets: Record<string, string> = {}
  readonly setCounts: SetCount[] = []
  /** True if the instance returned the kind. */
  read = false

  /** Adds the counts and what is said of shared things of another diff, if it has nothing else. @returns whether it had nothing else */
  takes(other: KindDiff): boolean {
    const { drafts, findings, unread, setCounts, sets, same, read } = other
    const parts = [drafts, findings, unread, setCounts, Object.keys(sets)]
    if (parts.some(({ length }) => length > 0)) return false
    this.same += same
    this.claims.push(...other.claims)
    this.standing.push(...other.standing)
    this.read ||= read
    return true
  }

  say(is: PlanFinding['is'], address: Address, text: string, origin?: Origin): void {
    this.findings.push({ is, address, text, origin })
  }
}

/** A kind of a place under comparison. */
export interface DiffContext {
  readonly view: DiffView
  readonly how: DiffOptions
  readonly place: ManagedPlace
  /** The value that names the place in requests: its path, or its ID if the path would be read as an ID. */
  readonly placeId: Reference
  readonly kind: Managed
  readonly desired: DesiredKind
  /** The items that count as being there. */
  readonly items: readonly CurrentItem[]
  readonly diff: KindDiff
  /** The mistakes in the files that only a look at the instance shows. */
  readonly mistakes: Mistakes
}

/** The part of the context that follows from the kind alone. */
export type WithKind = Pick<DiffContext, 'kind'>

/** An attribute that a file speaks of, held against what was read. */
export interface AttributeDiff {
  readonly name: string
  readonly attribute: Attribute | undefined
  readonly origin: Origin
  /** The value as it is sent; undefined for a secret. */
  readonly wanted?: JsonValue
  readonly secret?: SecretSource
  /** As people see it. */
  readonly shown: { readonly now?: JsonValue; readonly wanted?: JsonValue }
  /** The range that it is to be in. */
  readonly within?: string
  readonly verdict: 'same' | 'differs' | /** Cannot be read back. */ 'unknown' | 'fixed'
}

/** A set that something is deleted of, or the members of a group, as it was read, without what it would spare. */
export interface SetCount {
  readonly address: Address
  readonly before: number
  readonly exact: boolean
  /** Of the members of a group, how many own it. */
  readonly owners: number
}

// Addresses of items, and whether they are meant.

/** True if an item, or any of its attributes, is selected. */
export const isItemSelected = (how: DiffOptions, address: Address, desired: DesiredItem): boolean =>
  isSelected(how, address) ||
  [...desired.attributes.keys()].some((attribute) => isSelected(how, { ...address, attribute }))

/** True if any part of a kind is selected, so that the kind has to be read. */
export const isKindSelected = (how: DiffOptions, desired: DesiredKind): boolean =>
  isSelected(how, { ...desired.place, kind: desired.kind.name }) ||
  desired.items.some((item) => isItemSelected(how, getItemAddress(desired, item.identity), item))

/** The address of a desired item. */
export const getItemAddress = (
  { place, kind }: Pick<DesiredKind, 'place' | 'kind'>,
  identity: Reference,
): Address => {
  const text = kind.by === undefined ? String(identity) : formatReference(identity)
  return { ...place, kind: kind.name, ...(identity === '' ? {} : { item: text }) }
}

/** The address of a current item: by its identity where others share its name. */
export const getCurrentAddress = (c: DiffContext, item: CurrentItem): Address => {
  const name = formatItemName(c.kind, item, c.place, c.view.names)
  const own = c.kind.by !== undefined || findNamed(c, name).length < 2
  return { ...c.place, kind: c.kind.name, item: own ? name : item.identity }
}

// The current item that a desired one means.

/** The current item that a desired one means: one, none, or it cannot be said (the mistake is reported). */
export type ItemMatch = { readonly item: CurrentItem | undefined } | 'mistaken'

/** Names of domains are the same whatever their case, as those of users are. */
const nameOf = ({ kind }: WithKind, name: string): string =>
  kind.ignoresCase === true ? name.toLowerCase() : foldName(kind.by, name)

type Index = ReadonlyMap<string | number, readonly CurrentItem[]>

/** Of the items of a place: sets may be large, and each desired item asks for one. */
const indexes = new WeakMap<readonly CurrentItem[], Index>()

const indexByName = (c: DiffContext): Index => {
  const known = indexes.get(c.items)
  if (known !== undefined) return known
  const index = new Map<string | number, CurrentItem[]>()
  for (const item of c.items) {
    const name = getItemName(c.kind, item)
    const names = name === undefined ? [] : [nameOf(c, name)]
    const values = [item.record.id, ...Object.values(item.at)]
    for (const key of new Set([...names, ...values.filter((one) => typeof one === 'number')]))
      addToGroup(index, key, item)
  }
  indexes.set(c.items, index)
  return index
}

/** The items that a name or an ID names. */
export const findNamed = (c: DiffContext, reference: Reference): readonly CurrentItem[] =>
  indexByName(c).get(typeof reference === 'number' ? reference : nameOf(c, reference)) ?? []

/** One that has another field in common that only one item can have, unless another desired item names it. */
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

/** The current item of a desired one: by its name, by one that it had before, or by what else tells it apart. */
export const matchCurrentItem = (c: DiffContext, desired: DesiredItem): ItemMatch => {
  const { identity, origin, previously } = desired
  const mistaken = (text: string, hint: string): 'mistaken' => {
    c.mistakes.add(origin, text, hint)
    return 'mistaken'
  }
  const [item, another] = findNamed(c, identity)
  if (another !== undefined)
    return mistaken(
      `${c.kind.name}/${formatReference(identity)} matches several objects of that name`,
      c.kind.by === undefined ? 'Rename all but one of them.' : 'Write its ID instead of its name.',
    )
  const [before, other] = (previously?.value ?? []).flatMap((name) => findNamed(c, name))
  if (other !== undefined)
    return mistaken(
      `several of the previous names of ${identity} still exist`,
      'Keep only one of them under previously.',
    )
  if (item === undefined)
    return { item: c.kind.renames && (before ?? findByOtherField(c, desired)) }
  if (before === undefined) return { item }
  return mistaken(
    `both ${identity} and ${before.identity}, its previous name, exist`,
    'Delete one of them, or remove previously.',
  )
}
