/** What an instance has, as far as it was read: of each place, each kind, its items. */
import type { JsonValue } from '../base/json/value.js'
import type { Fields } from '../base/objects.js'
import type { Managed } from '../catalogue/managed/managed.js'
import type { Failure } from '../errors.js'
import type { ManagedPlace } from './address.js'

/** An item of a set, or the one object. */
export interface SeenItem {
  /** What names it: of users and groups the name, of keys type and base64; '' of the one object. */
  readonly identity: string
  /** How people call it, where that is not the identity. */
  readonly label?: string
  /** The placeholders of its own endpoints, less the place's. */
  readonly at: Readonly<Record<string, string | number>>
  /** The attributes that can be read, by the names and in the values of the parameters (numbers for references). */
  readonly attributes: Readonly<Record<string, JsonValue>>
  /** The record as it came. */
  readonly record: Fields
}

/** What reading a kind in its place came to. */
export type SeenKind = { readonly place: ManagedPlace; readonly kind: Managed } & (
  | { readonly is: 'read'; readonly items: readonly SeenItem[] }
  /** The instance does not have it: a 404 by route. */
  | { readonly is: 'unsupported' }
  /** Refused, or lost on the way: nothing is known, and nothing may be planned. */
  | { readonly is: 'unreadable'; readonly failure: Failure }
)
