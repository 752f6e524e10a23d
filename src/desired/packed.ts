/**
 * What is kept of thousands of places: bytes, which take a twentieth of the room that values do. They stay in this
 * process.
 */
import { deserialize, serialize } from 'node:v8'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { JsonValues } from '../base/json/value.js'
import { actionId, type Change, type PlannedAction } from './actions.js'
import type { Address } from './address.js'
import type { Draft } from './diff/context.js'
import type { CurrentItem, Origin } from './state.js'

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
  readonly secrets: Draft['step']['secrets']
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
  readonly verb: PlannedAction['verb']
  readonly address: Address
  readonly kind: Draft['kind']
  readonly replaces?: string
  waitsFor = nothing
  readonly #endpoint: Draft['step']['endpoint']
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

  get step(): Draft['step'] {
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

/** What of a record the order of actions goes by. */
const slim = ({ before, kind: { first } }: Draft): CurrentItem | undefined =>
  before && { ...before, record: first === undefined ? {} : { [first]: before.record[first] } }

const bodyOf = (draft: Draft): ActionBody => {
  const { changes, step, digest, loses, origin } = draft
  const { values, secrets } = step
  return { changes, values, secrets, digest, loses, origin, before: slim(draft) }
}

/** The drafts of a place, which take little room; as they are where secrets are written out. */
export const packedDrafts = (drafts: Draft[]): Draft[] => {
  const bytes = drafts.length === 0 ? undefined : packed(drafts.map(bodyOf))
  if (bytes === undefined) return drafts
  return drafts.map((draft, i) => new PackedDraft(draft, bytes, i))
}
