/** What comparing takes, and what its steps hand each other. */
import type { JsonValue } from '../../base/json/value.js'
import type { Managed } from '../../catalogue/managed.js'
import type { PlanFinding, PlannedAction, Unread } from '../actions.js'
import type { Address, ManagedPlace, Reference } from '../address.js'
import type { Attribute } from '../attributes.js'
import type { Mistakes } from '../files/written.js'
import type { InstanceView, ProjectPlace, Scoping, UnreadPlace } from '../reading/view.js'
import type { CurrentItem, DesiredKind, Origin, ReadableInstance, SecretSource } from '../state.js'

/** The part of reading that comparing asks. */
export type DiffView = Pick<InstanceView, 'names' | 'readKind' | 'self'> &
  Partial<Pick<InstanceView, 'forget'>>

/** How much may be changed: a number, or a percentage of what was read. */
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

/** What is known of secrets that no instance shows. */
export interface SecretsPolicy {
  /** Set those whose value changed, all of them, or only those that something else needs. */
  readonly set: 'changed' | 'always' | 'never'
  /** Whether the value is another than the one last set; undefined where that is not known. */
  changed(address: Address, source: SecretSource): Promise<boolean | undefined>
  /** Why a value cannot be had; undefined where it can. */
  missing(source: SecretSource): Promise<string | undefined>
}

export interface DiffOptions {
  readonly selection?: Pick<Scoping, 'only' | 'except'>
  /** Actions and unread places at these addresses are left out. */
  readonly ignore?: readonly string[]
  readonly limits?: PlanLimits
  readonly each: ReadableInstance['each']
  readonly about?: (
    project: string,
  ) => Pick<ProjectPlace, 'archived' | 'namespace' | 'shared'> | undefined
  /** Places that were named, and could not be looked at. */
  readonly unread?: readonly UnreadPlace[]
  /** How many projects are selected. */
  readonly projects?: number
  /** The token's user, where the instance does not say. */
  readonly self?: string
  readonly secrets?: SecretsPolicy
  /** Nothing is ever done: neither secrets nor the token's user have to be known. */
  readonly checks?: boolean
  readonly now?: () => Date
  /** The instance is newer than the documents: it may take what they do not offer. */
  readonly isNewer?: boolean
  /** What a run that is gone on with still has to do: the digest of each action's item, by the action's id. */
  readonly unfinished?: ReadonlyMap<string, string> | undefined
}

/** An action, for as long as it is not known what it waits for. */
export interface Draft extends PlannedAction {
  waitsFor: readonly string[]
  /** The item as it was read. */
  readonly before?: CurrentItem
}

/** The diff of a kind in its place, which is filled item by item. */
export class KindDiff {
  drafts: Draft[] = []
  readonly findings: PlanFinding[] = []
  /** How many items are as desired. */
  same = 0
  readonly unread: Unread[] = []
  /** The digest of an exact set, by its address. */
  readonly sets: Record<string, string> = {}
  readonly tallies: SetCount[] = []
  /** Whether the instance showed the kind. */
  read = false

  /** Adds the counts of another diff, if it has nothing else. @returns whether it had nothing else */
  takes({ drafts, findings, unread, tallies, sets, same, read }: KindDiff): boolean {
    const parts = [drafts, findings, unread, tallies, Object.keys(sets)]
    if (parts.some(({ length }) => length > 0)) return false
    this.same += same
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
  /** What stands for the place in requests: its path, or its ID where that would be taken for one. */
  readonly placeId: Reference
  readonly kind: Managed
  readonly desired: DesiredKind
  /** The items that count as being there. */
  readonly items: readonly CurrentItem[]
  readonly diff: KindDiff
  /** What is wrong in the files, as only the instance shows it. */
  readonly mistakes: Mistakes
}

/** An attribute that a file speaks of, held against what was read. */
export interface AttributeDiff {
  readonly name: string
  readonly attribute: Attribute | undefined
  readonly origin: Origin
  /** As it is sent; undefined of a secret. */
  readonly wanted?: JsonValue
  readonly secret?: SecretSource
  /** As people see it. */
  readonly shown: { readonly now?: JsonValue; readonly wanted?: JsonValue }
  /** The range that it is to be in. */
  readonly within?: string
  readonly verdict: 'same' | 'differs' | /** Cannot be read back. */ 'unknown' | 'fixed'
}

/** The current item that a desired one means: one, none, or it cannot be said (the mistake is reported). */
export type Pairing = { readonly item: CurrentItem | undefined } | 'mistaken'

/** A set that something is deleted of, or the members of a group, as it was read. */
export interface SetCount {
  readonly address: Address
  readonly before: number
  readonly exact: boolean
  /** Of the members of a group, how many own it. */
  readonly owners: number
}
