/**
 * What declared state asks of an instance, and what it has as far as it was read. Reading and writing are two
 * interfaces: who is given the one cannot do the other.
 */

import type { JsonValue } from '../base/json/value.js'
import type { Fields } from '../base/objects.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import type { Managed, Referent } from '../catalogue/managed/managed.js'
import type { Failure } from '../errors.js'
import type { Ask, Whole } from '../http/types.js'
import { type ManagedPlace, referenceText } from './address.js'

/** An instance that is only read; whoever gives it refuses anything but GET. */
export interface ReadableInstance {
  /** One call, its answer whole. @throws Failure as the instance answers */
  get(ask: Ask): Promise<Whole>
  /**
   * All records of a list, or those that are wanted: the others are not kept.
   * @throws Failure as the instance answers, or where the list was cut short
   */
  records(ask: Ask, wanted?: (record: Fields) => boolean): Promise<readonly Fields[]>
  /** Works on items, as many at once as the engine lets go. */
  each<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void>
}

/** An instance that is written, too. */
export interface WritableInstance extends ReadableInstance {
  /** One call, its answer whole. @throws Failure as the instance answers; what is not known says so */
  send(ask: Ask & { readonly endpoint: Endpoint }): Promise<Whole>
}

// What an instance has, as far as it was read: of each place, each kind, its items.

/** An item of a set, or the one object. */
export interface CurrentItem {
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
export type CurrentKind = { readonly place: ManagedPlace; readonly kind: Managed } & (
  | { readonly is: 'read'; readonly items: readonly CurrentItem[] }
  /** The instance does not have it: a 404 by route. */
  | { readonly is: 'unsupported' }
  /** Refused, or lost on the way: nothing is known, and nothing may be planned. */
  | { readonly is: 'unreadable'; readonly failure: Failure }
)

// What files call current items.

/** Who knows what numbers are called. */
export interface CalledBy {
  name(of: Referent, number: number, near: ManagedPlace): string | undefined
}

/** The ID of an item, where its endpoints go by one. */
const idOf = ({ at }: CurrentItem): number | undefined =>
  Object.values(at).find((value) => typeof value === 'number')

type Called = Pick<Managed, 'by' | 'label'>

/** The name of an item; undefined of one that only its ID tells apart from others. */
export const itemName = ({ by, label }: Called, item: CurrentItem): string | undefined =>
  item.label || (by !== undefined && label !== undefined ? undefined : item.identity)

/** What files call a current item: its name where that means it alone, else its ID. */
export const itemText = (
  kind: Called,
  item: CurrentItem,
  near: ManagedPlace,
  names: CalledBy,
): string => {
  const { by, label } = kind
  const name = itemName(kind, item)
  if (by === undefined) return name ?? item.identity
  const id = idOf(item)
  // Whether a label is one item's alone is known to who has read all of them.
  const own = label === undefined || id === undefined ? name : names.name(by, id, near)
  return (own === undefined ? undefined : referenceText(own)) ?? String(id ?? item.identity)
}
