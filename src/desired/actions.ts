/** Declares the plan for planning, apply and reports: actions in a stable order, and findings. */
import { addToGroup } from '../base/collections.js'
import type { JsonValue, JsonValues } from '../base/objects.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import { type Managed, managedKinds } from '../catalogue/managed.js'
import type { Failure } from '../errors.js'
import { type Address, type ManagedPlace, toAddressText } from './address.js'
import type { CurrentItem, Origin, SecretSource } from './state.js'
import { compareTexts } from './values.js'

export type Verb = 'create' | 'update' | 'delete' | 'enable'

/** The change of one attribute by an action. */
export interface Change {
  readonly attribute: string
  /** The current value, as files write it (names for references); undefined if there is none or if it is not known. */
  readonly now?: JsonValue
  /** The wanted value, as files write it; undefined for a secret. */
  readonly wanted?: JsonValue
  readonly secret?: SecretSource
  /** The range that files accept, if they give one instead of a value: `at least 2`. */
  readonly within?: string
  readonly origin: Origin
}

/** The request of an action. Secrets are kept apart from the values, and are fetched only when it is sent. */
export interface ActionStep {
  readonly endpoint: Endpoint
  readonly values: JsonValues
  readonly secrets: Readonly<Record<string, SecretSource>>
}

/** A write to one item that a plan consists of. */
export interface PlannedAction {
  /** The verb and the address, as `getActionId` formats them. */
  readonly id: string
  readonly verb: Verb
  readonly address: Address
  readonly kind: Managed
  readonly changes: readonly Change[]
  readonly step: ActionStep
  /** The ID of the delete action whose item this action replaces. */
  readonly replaces?: string
  /** The digest of the item's managed attributes at the time they were read. */
  readonly digest: string
  /** The IDs of actions that come first; if one of them fails, this action is skipped. */
  readonly waitsFor: readonly string[]
  /** The data that is lost by the action, in the catalogue's words. */
  readonly loses?: string
  /** The position of the declaration. For an item that an exact set does not list, it is the position of the set's `$exact`. */
  readonly origin: Origin
}

/** An action whose `waitsFor` may still change. */
export interface Draft extends PlannedAction {
  waitsFor: readonly string[]
  /** The item as it was read. */
  readonly before?: CurrentItem
}

export const isDelete = ({ verb }: Draft): boolean => verb === 'delete'

/** Returns the ID of an action, its verb and address, which is unique in a plan. */
export const getActionId = ({ verb, address }: Pick<PlannedAction, 'verb' | 'address'>): string =>
  `${verb} ${toAddressText(address)}`

const scopes = ['site', 'group', 'project']

/** Compares places: the instance comes first, then groups with outer groups before inner ones, then projects. */
export const comparePlaces = (a: ManagedPlace, b: ManagedPlace): number =>
  scopes.indexOf(a.scope) - scopes.indexOf(b.scope) ||
  compareTexts(a.path.toLowerCase(), b.path.toLowerCase())

const stages = new Map(managedKinds.map(({ scope, name }, i) => [`${scope} ${name}`, i]))

/** Returns the position of a kind in the order in which an apply writes kinds. */
export const getKindStage = ({ scope, kind }: Pick<Address, 'scope' | 'kind'>): number =>
  stages.get(`${scope} ${kind}`) ?? stages.size

/** A result of planning that is not an action. */
export interface PlanFinding {
  readonly is: /** The change is wanted, but cannot be made here. */
    | 'impossible'
    /** An item that is not declared conflicts with a declared one, since a replacement did not remove it. */
    | 'leftover'
    /** A secret has to be sent, but its value cannot be fetched. */
    | 'secret'
    /** The value cannot be read back, so it may differ from the declaration. */
    | 'unknown'
    /** The instance does not have the kind. */
    | 'unsupported'
    /** A fact that may need attention, such as a certificate that ends soon. */
    | 'warning'
    /** A fact that needs no attention. */
    | 'note'
  readonly address: Address
  readonly text: string
  readonly origin?: Origin
}

/** Finds the IDs of deletes that belong to replacements: people see the delete and the create as one change. */
export const findReplacedDeletes = (
  actions: readonly { readonly id: string; readonly replaces?: string }[],
): ReadonlySet<string> => {
  const ids = new Set(actions.map(({ id }) => id))
  return new Set(actions.flatMap(({ replaces = '' }) => (ids.has(replaces) ? [replaces] : [])))
}

/** A kind that could not be read in its place; nothing is planned for it. */
export interface ReadFailure {
  readonly place: ManagedPlace
  readonly kind: string
  readonly failure: Failure
}

export interface DesiredPlan {
  readonly actions: readonly PlannedAction[]
  readonly findings: readonly PlanFinding[]
  readonly unread: readonly ReadFailure[]
  /** The limits that the plan exceeds, each with the flag that permits it. */
  readonly refused: readonly { readonly text: string; readonly flag: string }[]
  /** The number of compared objects that match the declaration. */
  readonly same: number
  /** Digests of whole exact sets, by address: an item that comes later makes the plan stale. */
  readonly sets: Readonly<Record<string, string>>
}

/** Returns each item once all items that it waits for have ended. Of several ready items, it returns the first in the list. */
export class ReadyQueue<T> {
  /** The number of items that each item still waits for. */
  readonly #openCounts: number[]
  readonly #waiters = new Map<T, number[]>()
  /** The positions of ready items, the highest first, so that `pop` returns the lowest. */
  readonly #ready: number[] = []

  constructor(
    private readonly all: readonly T[],
    waitsFor: (one: T) => Iterable<T>,
  ) {
    this.#openCounts = all.map((one, i) => {
      const first = new Set(waitsFor(one))
      for (const other of first) addToGroup(this.#waiters, other, i)
      return first.size
    })
    for (let i = all.length - 1; i >= 0; i--) if (this.#openCounts[i] === 0) this.#ready.push(i)
  }

  take(): T | undefined {
    const i = this.#ready.pop()
    return i === undefined ? undefined : this.all[i]
  }

  /** Marks an item as ended, which may make its waiters ready. @returns the items that waited for it, ready or not */
  end(one: T): readonly T[] {
    return (this.#waiters.get(one) ?? []).flatMap((i) => {
      const left = (this.#openCounts[i] ?? 0) - 1
      this.#openCounts[i] = left
      if (left === 0) this.#insertReady(i)
      return this.all[i] ?? []
    })
  }

  #insertReady(position: number): void {
    const all = this.#ready
    let [low, high] = [0, all.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((all[middle] ?? 0) > position) low = middle + 1
      else high = middle
    }
    all.splice(low, 0, position)
  }
}
