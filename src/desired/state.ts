/** The desired state: of each place, each kind, each item and attribute, with where the files say it. */
import type { JsonValue } from '../base/json/value.js'
import type { HeldText } from '../base/secrets/held.js'
import type { Managed } from '../catalogue/managed/managed.js'
import type { ManagedPlace, Reference } from './address.js'

/** A position in a file: the file as it was named, line and column from 1 on. */
export interface Origin {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The team that it comes from, and where that names the person. */
  readonly team?: { readonly name: string; readonly at: Origin }
}

/** A position as editors and terminals open it. */
export const originText = ({ file, line, column, team }: Origin): string => {
  const at = `${file}:${line}:${column}`
  return team === undefined ? at : `${at}, team ${team.name} at ${originText(team.at)}`
}

/** Where a secret comes from; its value is fetched only where it is sent. */
export type SecretSource =
  | { readonly env: string }
  /** A path as written, the file that it is relative to, and the folder that must contain it (`files/secret.ts`). */
  | { readonly file: string; readonly base: string; readonly within?: string }
  | { readonly command: readonly string[] }
  /** Written out in the file, with --allow-literal-secrets; an empty one unsets the secret. */
  | { readonly literal: HeldText }

/** The desired value of an attribute. */
export type DesiredValue =
  /**
   * This value, as the API takes it: null, or '' of text, unsets it. Where the attribute has a reference, texts are
   * names and numbers are IDs.
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

/** Any value between the two, or one of a list: a current value that is inside stays. */
export interface ValueRange {
  readonly is: 'range'
  readonly min?: number
  readonly max?: number
  readonly oneOf?: readonly JsonValue[]
  /** `at least 2`. */
  readonly text: string
}

/** A value and where a file says it. */
export interface Said<T> {
  readonly value: T
  readonly origin: Origin
  /** What it overrides, the nearest first. */
  readonly over?: readonly Said<T>[]
  /** Where a key that is no more specific says something else. */
  readonly rival?: Origin
}

/** An item of a set, a rule, or the one object, whose identity is ''. */
export interface DesiredItem {
  readonly identity: Reference
  readonly origin: Origin
  /** Where files say that it must not exist. */
  gone?: Origin
  /** Where files say that it must exist. */
  body?: Origin
  /** Where a key that is no more specific says the opposite. */
  rival?: Origin
  inherit?: Said<boolean>
  /** Also those that the catalogue does not know: under `$other`, or of an `open` kind. */
  readonly attributes: Map<string, Said<DesiredValue>>
  /** Names that it had before. */
  previously?: Said<readonly string[]>
  /** The family of an integration whose slug is not known. */
  family?: Said<string>
  /** Of a rule: the items it is for, by field. */
  readonly match?: Readonly<Record<string, JsonValue>>
}

/** The plain value of an attribute; undefined where files say none, or something else about it. */
export const plainValueOf = (
  { attributes }: Pick<DesiredItem, 'attributes'>,
  name: string,
): JsonValue | undefined => {
  const desired = attributes.get(name)?.value
  return desired?.is === 'value' ? desired.value : undefined
}

/** The desired state of a kind in its place. */
export interface DesiredKind {
  readonly place: ManagedPlace
  readonly kind: Managed
  readonly origin: Origin
  /** Items that are not listed are deleted. */
  readonly exact?: Said<boolean>
  readonly items: readonly DesiredItem[]
}
