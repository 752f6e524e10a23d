/** A plan: what would be done, what cannot be, what is not known; in a stable order, and packed where there is much. */
import { deserialize, serialize } from 'node:v8'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { addToGroup } from '../base/group-by.js'
import type { JsonValue, JsonValues } from '../base/objects.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import { type Managed, managedKinds } from '../catalogue/managed.js'
import type { Failure } from '../errors.js'
import { type Address, addressText, type ManagedPlace } from './address.js'
import type { CurrentItem, Origin, SecretSource } from './state.js'
import { byText } from './values.js'

export type Verb = 'create' | 'update' | 'delete' | 'enable'

/** One attribute of an action. */
export interface Change {
  readonly attribute: string
  /** As it is, in the values of files (names for references); undefined where it is not there, or not known. */
  readonly now?: JsonValue
  /** As it is to be, in the values of files; undefined for a secret. */
  readonly wanted?: JsonValue
  readonly secret?: SecretSource
  /** What else would do, where files give a range: `at least 2`. */
  readonly within?: string
  readonly origin: Origin
}

/** The request of an action. Secrets stand beside the values. */
export interface ActionStep {
  readonly endpoint: Endpoint
  readonly values: JsonValues
  readonly secrets: Readonly<Record<string, SecretSource>>
}

/** Something to do to one item. */
export interface PlannedAction {
  /** Verb and address. */
  readonly id: string
  readonly verb: Verb
  readonly address: Address
  readonly kind: Managed
  readonly changes: readonly Change[]
  readonly step: ActionStep
  /** The delete, by its id, of the item that this one comes in place of. */
  readonly replaces?: string
  /** What the item's managed attributes were when they were read. */
  readonly digest: string
  /** Ids of actions that come first; where one of them fails, this one is skipped. */
  readonly waitsFor: readonly string[]
  /** What is lost, in the catalogue's words. */
  readonly loses?: string
  /** Where it is wanted; of what an exact set does not list, where the set is said to be exact. */
  readonly origin: Origin
}

/** An action, for as long as it is not known what it waits for. */
export interface Draft extends PlannedAction {
  waitsFor: readonly string[]
  /** The item as it was read. */
  readonly before?: CurrentItem
}

/** What an action is told apart by. */
export const actionId = ({ verb, address }: Pick<PlannedAction, 'verb' | 'address'>): string =>
  `${verb} ${addressText(address)}`

const scopes = ['site', 'group', 'project']

/** Places: the instance, groups with the outer first, projects. */
export const byPlace = (a: ManagedPlace, b: ManagedPlace): number =>
  scopes.indexOf(a.scope) - scopes.indexOf(b.scope) ||
  byText(a.path.toLowerCase(), b.path.toLowerCase())

const stages = new Map(managedKinds.map(({ scope, name }, i) => [`${scope} ${name}`, i]))

/** When a kind is written, among all of them. */
export const stageOf = ({ scope, kind }: Pick<Address, 'scope' | 'kind'>): number =>
  stages.get(`${scope} ${kind}`) ?? stages.size

/** What is said besides actions. */
export interface PlanFinding {
  readonly is: /** Wanted, and cannot be done here. */
    | 'impossible'
    /** Not declared, and in the way of what is: what a replacement did not take away. */
    | 'leftover'
    /** A secret that would be sent, and cannot be had. */
    | 'secret'
    /** Cannot be read back: whether it is as wanted is not known. */
    | 'unknown'
    /** The instance does not have the kind. */
    | 'unsupported'
    /** Good to know; of certificates that end soon, too. */
    | 'warning'
    | 'note'
  readonly address: Address
  readonly text: string
  readonly origin?: Origin
}

/** The deletes that are a part of replacements: people see a replacement as one. */
export const replacedIn = (
  actions: readonly { readonly id: string; readonly replaces?: string }[],
): ReadonlySet<string> => {
  const ids = new Set(actions.map(({ id }) => id))
  return new Set(actions.flatMap(({ replaces = '' }) => (ids.has(replaces) ? [replaces] : [])))
}

/** What could not be read; nothing is planned there. */
export interface ReadFailure {
  readonly place: ManagedPlace
  readonly kind: string
  readonly failure: Failure
}

export interface DesiredPlan {
  readonly actions: readonly PlannedAction[]
  readonly findings: readonly PlanFinding[]
  readonly unread: readonly ReadFailure[]
  /** Limits that the plan goes beyond, each with the flag that lifts it. */
  readonly refused: readonly { readonly text: string; readonly flag: string }[]
  /** How many objects were compared and are as they should be. */
  readonly same: number
  /** Digests of whole exact sets, by address: an item that comes later makes the plan stale. */
  readonly sets: Readonly<Record<string, string>>
}

/** Hands out items as those that they wait for end; of several that are ready, the first in the list. */
export class ReadyQueue<T> {
  readonly #all: readonly T[]
  /** How many each still waits for. */
  readonly #left: number[]
  readonly #waiters = new Map<T, number[]>()
  /** Positions; the first is the last. */
  readonly #ready: number[] = []

  constructor(all: readonly T[], waitsFor: (one: T) => Iterable<T>) {
    this.#all = all
    this.#left = all.map((one, i) => {
      const first = new Set(waitsFor(one))
      for (const other of first) addToGroup(this.#waiters, other, i)
      return first.size
    })
    for (let i = all.length - 1; i >= 0; i--) if (this.#left[i] === 0) this.#ready.push(i)
  }

  take(): T | undefined {
    const i = this.#ready.pop()
    return i === undefined ? undefined : this.#all[i]
  }

  /** An item has ended. @returns those that waited for it */
  end(one: T): readonly T[] {
    return (this.#waiters.get(one) ?? []).flatMap((i) => {
      const left = (this.#left[i] ?? 0) - 1
      this.#left[i] = left
      if (left === 0) this.#add(i)
      return this.#all[i] ?? []
    })
  }

  #add(position: number): void {
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

// What is kept of thousands of places: bytes, which take a twentieth of the room that values do. They stay in this
// process.

/** @returns undefined for what cannot be copied: secrets that files write out */
export const packed = (value: unknown): Uint8Array | undefined => {
  try {
    // Copied: what comes out is the beginning of a larger buffer.
    return Buffer.from(deflateRawSync(serialize(value), { level: 1 }))
  } catch {
    return undefined
  }
}

/** The value of bytes that were packed here. */
export const unpacked = <T>(bytes: Uint8Array): T => deserialize(inflateRawSync(bytes)) as T

/** What of an action is not needed to find it, nor to say what it is about. */
interface ActionBody {
  readonly changes: readonly Change[]
  readonly values: JsonValues
  readonly secrets: ActionStep['secrets']
  readonly digest: string
  readonly loses: string | undefined
  readonly origin: Origin
  readonly before: CurrentItem | undefined
}

/** The actions of places that were asked for last: they are read one after the other. */
const recent = new Map<Uint8Array, readonly ActionBody[]>()
const maxRecent = 16

const bodiesIn = (bytes: Uint8Array): readonly ActionBody[] => {
  const known = recent.get(bytes) ?? unpacked<readonly ActionBody[]>(bytes)
  if (!recent.has(bytes)) {
    const [oldest] = recent.keys()
    if (oldest !== undefined && recent.size >= maxRecent) recent.delete(oldest)
    recent.set(bytes, known)
  }
  return known
}

const nothing: readonly string[] = []

/** An action whose body is packed with those of its place. */
class PackedDraft implements Draft {
  readonly verb: Verb
  readonly address: Address
  readonly kind: Managed
  readonly replaces?: string
  waitsFor: readonly string[] = nothing
  readonly #endpoint: Endpoint
  readonly #bytes: Uint8Array
  readonly #index: number

  constructor(draft: Draft, bytes: Uint8Array, index: number) {
    const { scope, path, item } = draft.address
    this.verb = draft.verb
    this.kind = draft.kind
    // Each field by itself: a copy of another object takes twice the room.
    this.address = { scope, path, kind: draft.kind.name, item }
    this.replaces = draft.replaces
    this.#endpoint = draft.step.endpoint
    this.#bytes = bytes
    this.#index = index
  }

  get id(): string {
    return actionId(this)
  }

  get changes(): readonly Change[] {
    return this.#body.changes
  }

  get step(): ActionStep {
    const { values, secrets } = this.#body
    return { endpoint: this.#endpoint, values, secrets }
  }

  get digest(): string {
    return this.#body.digest
  }

  get loses(): string | undefined {
    return this.#body.loses
  }

  get origin(): Origin {
    return this.#body.origin
  }

  get before(): CurrentItem | undefined {
    return this.#body.before
  }

  get #body(): ActionBody {
    const body = bodiesIn(this.#bytes)[this.#index]
    if (body === undefined) throw new RangeError('an action of another place')
    return body
  }
}

const bodyOf = ({ changes, step, digest, loses, origin, before: was, kind }: Draft): ActionBody => {
  const { values, secrets } = step
  // What of a record the order of actions goes by.
  const { first } = kind
  const record = first === undefined ? {} : { [first]: was?.record[first] }
  return { changes, values, secrets, digest, loses, origin, before: was && { ...was, record } }
}

/** The drafts of a place, which take little room; as they are where secrets are written out. */
export const packedDrafts = (drafts: Draft[]): Draft[] => {
  const bytes = drafts.length === 0 ? undefined : packed(drafts.map(bodyOf))
  if (bytes === undefined) return drafts
  return drafts.map((draft, i) => new PackedDraft(draft, bytes, i))
}
