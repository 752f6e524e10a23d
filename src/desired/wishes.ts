/** What files want, merged: of each place, each kind, each item and attribute, with where it is said. */
import type { JsonValue } from '../base/json/value.js'
import type { HeldText } from '../base/secrets/held.js'
import type { Managed } from '../catalogue/managed/managed.js'
import type { ManagedPlace, Reference } from './address.js'

/** Where a text stands: the file as it was named, line and column from 1 on. */
export interface Origin {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The team that it comes from, and where that names the person. */
  readonly team?: { readonly name: string; readonly at: Origin }
}

/** Where something stands, as editors and terminals open it. */
export const originText = ({ file, line, column, team }: Origin): string => {
  const at = `${file}:${line}:${column}`
  return team === undefined ? at : `${at}, team ${team.name} at ${originText(team.at)}`
}

/** Where a secret comes from; its value is fetched only where it is sent. */
export type SecretSource =
  | { readonly env: string }
  /** A path as written, the file that it is relative to, and the folder that it may not leave (`files/secret.ts`). */
  | { readonly file: string; readonly base: string; readonly within?: string }
  | { readonly command: readonly string[] }
  /** Written out in the file, with --allow-literal-secrets; an empty one takes away what is set. */
  | { readonly literal: HeldText }

/** What an attribute is wanted to be. */
export type WantedValue =
  /**
   * This value, as the API takes it: what unsets it is null, or '' of text. Names stand where the attribute
   * has a reference, numbers are IDs.
   */
  | { readonly is: 'value'; readonly value: JsonValue }
  /** The list with these members and without those, whatever else is in it. */
  | {
      readonly is: 'change'
      readonly add: readonly JsonValue[]
      readonly remove: readonly JsonValue[]
    }
  | ValueRange
  | { readonly is: 'secret'; readonly source: SecretSource }

/** Any value between the two, or one of a list: what is inside stays as it is. */
export interface ValueRange {
  readonly is: 'range'
  readonly min?: number
  readonly max?: number
  readonly oneOf?: readonly JsonValue[]
  /** `at least 2`. */
  readonly text: string
}

/** What a file says, and where. */
export interface SaidOnce<T> {
  readonly value: T
  readonly origin: Origin
  /** What it was said over, the nearest first. */
  readonly over?: readonly Stated<T>[]
  /** Where a key that is no more specific says something else. */
  readonly rival?: Origin
}

/** The same with all that it was said over. */
export interface Stated<T> extends SaidOnce<T> {
  readonly over: readonly Stated<T>[]
}

/** An item of a set, a rule, or the one object, whose identity is ''. */
export interface WishedItem {
  readonly identity: Reference
  readonly origin: Origin
  /** It must not be there. */
  readonly gone: boolean
  /** Where a key that is no more specific says otherwise whether it must. */
  readonly rival?: Origin
  readonly attributes: ReadonlyMap<string, Stated<WantedValue>>
  /** Attributes that the catalogue does not know: under `$other`, or of an `open` kind, whose answer says which there are. */
  readonly other: ReadonlyMap<string, Stated<WantedValue>>
  /** Names that it had before. */
  readonly previously?: SaidOnce<readonly string[]>
  /** The family of an integration whose slug is not known. */
  readonly family?: SaidOnce<string>
  /** Of a rule: the items it is for, by field. */
  readonly match?: Readonly<Record<string, JsonValue>>
}

/** What is wanted of a kind in its place. */
export interface Wish {
  readonly place: ManagedPlace
  readonly kind: Managed
  readonly origin: Origin
  /** What is not listed is deleted. */
  readonly exact: Stated<boolean> | undefined
  readonly items: readonly WishedItem[]
}
