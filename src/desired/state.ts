/** The desired and the current state: the declarations of files with their positions, and the objects of the instance. */
import type { Origin } from '../base/documents/origin.js'
import type { Fields, JsonValue } from '../base/objects.js'
import type { HeldText } from '../base/secrets/scrub.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import type { Managed, Referent } from '../catalogue/managed.js'
import type { Failure } from '../errors.js'
import type { Ask, WholeAnswer } from '../http/types.js'
import { type ManagedPlace, type Reference, toReferenceText } from './address.js'

export { formatOrigin, type Origin } from '../base/documents/origin.js'

/** The source of a secret; the value is fetched only when it is sent. */
export type SecretSource =
  | { readonly env: string }
  /** A path as written, the file that it is relative to, and the folder that must contain it (`files/secret.ts`). */
  | { readonly file: string; readonly base: string; readonly within?: string }
  | { readonly command: readonly string[] }
  /** Written out in the file, with --allow-literal-secrets; an empty one unsets the secret. */
  | { readonly literal: HeldText }

/** Formats the source of a secret for messages, without its value. */
export const formatSecretSource = (source: SecretSource): string => {
  if ('env' in source) return `env:${source.env}`
  if ('file' in source) return `@${source.file}`
  if ('command' in source) return `command:${source.command[0] ?? ''}`
  return 'a literal'
}

/** The desired value of an attribute. */
export type DesiredValue =
  /**
   * This value, as the API takes it: null, or '' of text, unsets it. Where the attribute has a reference, texts are
   * names and numbers are IDs.
   */
  | { readonly is: 'value'; readonly value: JsonValue }
  | ListDelta
  | ValueRange
  | { readonly is: 'secret'; readonly source: SecretSource }

/** The list with these members and without those, whatever else is in it. */
export interface ListDelta {
  readonly is: 'change'
  readonly add: readonly JsonValue[]
  readonly remove: readonly JsonValue[]
}

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
export interface SourcedValue<T> {
  readonly value: T
  readonly origin: Origin
  /** The values that this one overrides, the nearest first. */
  readonly over?: readonly SourcedValue<T>[]
  /** The position of a conflicting value under a key that is no more specific. */
  readonly rival?: Origin
}

/** An item of a set, a rule, or the one object, whose identity is ''. */
export interface DesiredItem {
  readonly identity: Reference
  readonly origin: Origin
  /** The position of the declaration that the item must not exist. */
  gone?: Origin
  /** The position of the declaration that the item must exist. */
  body?: Origin
  /** The position of the opposite declaration under a key that is no more specific. */
  rival?: Origin
  inherit?: SourcedValue<boolean>
  /** Also those that the catalogue does not know: under `$other`, or of an `open` kind. */
  readonly attributes: Map<string, SourcedValue<DesiredValue>>
  /** Names that it had before. */
  previously?: SourcedValue<readonly string[]>
  /** The family of an integration whose slug is not known. */
  family?: SourcedValue<string>
  /** Of a rule: the items it is for, by field. */
  readonly match?: Readonly<Record<string, JsonValue>>
}

/** The plain value of an attribute; undefined where files say none, or something else about it. */
export const getPlainValue = (
  { attributes }: Pick<DesiredItem, 'attributes'>,
  name: string,
): JsonValue | undefined => {
  const desired = attributes.get(name)?.value
  return desired?.is === 'value' ? desired.value : undefined
}

/** The item with another value of an attribute, at the end. */
export const withValue = (desired: DesiredItem, name: string, value: JsonValue): DesiredItem => {
  const attributes = new Map(desired.attributes)
  attributes.delete(name)
  attributes.set(name, { value: { is: 'value', value }, origin: desired.origin })
  return { ...desired, attributes }
}

/** The desired state of a kind in its place. */
export interface DesiredKind {
  readonly place: ManagedPlace
  readonly kind: Managed
  readonly origin: Origin
  /** Items that are not listed are deleted. */
  readonly exact?: SourcedValue<boolean>
  readonly items: readonly DesiredItem[]
}

// The instance: reading and writing are two interfaces; who is given the one cannot do the other.

/** An instance that is only read; its implementation refuses anything but GET. */
export interface ReadableInstance {
  /** One call, its answer whole. @throws Failure as the instance answers */
  get(ask: Ask): Promise<WholeAnswer>
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
  send(ask: Ask & { readonly endpoint: Endpoint }): Promise<WholeAnswer>
}

// What an instance has, as far as it was read: of each place, each kind, its items.

/** An item of a set, or the one object. */
export interface CurrentItem {
  /** The text that identifies the item: the name of a user or group, type and base64 of a key, '' for the one object. */
  readonly identity: string
  /** The name that people use for the item, if it is not the identity. */
  readonly label?: string
  /** The placeholders of its own endpoints, less the place's. */
  readonly at: Readonly<Record<string, string | number>>
  /** The attributes that can be read, by the names and in the values of the parameters (numbers for references). */
  readonly attributes: Readonly<Record<string, JsonValue>>
  /** The record as it came. */
  readonly record: Fields
}

/** The result of reading a kind in its place. */
export type CurrentKind = { readonly place: ManagedPlace; readonly kind: Managed } & (
  | { readonly is: 'read'; readonly items: readonly CurrentItem[] }
  /** The instance does not have it: a 404 by route. */
  | { readonly is: 'unsupported' }
  /** Refused, or lost on the way: nothing is known, and nothing may be planned. */
  | { readonly is: 'unreadable'; readonly failure: Failure }
)

// Which places there are, and which files speak of.

/** The fields of a project's record that selectors look at. */
export interface ProjectFacts {
  readonly path: string
  readonly archived?: boolean
  readonly topics?: readonly string[]
  readonly visibility?: string
}

/** A condition that selects projects of groups. */
export interface ProjectSelector {
  /** True if the path alone does not decide whether a project is selected. */
  readonly needsRecord: boolean
  /** @returns undefined where the record does not say it */
  fits(project: ProjectFacts): boolean | undefined
}

/** The places that files name. */
export interface KnownPlaces {
  readonly site: boolean
  /** Named by a plain key. */
  readonly groups: readonly string[]
  readonly projects: readonly string[]
  /** Keys `group/**`, as `group`; '' for `'**'`. */
  readonly below: readonly string[]
  /** The entries of `below` whose declarations include `members`. */
  readonly membersBelow: readonly string[]
  /** Keys that choose among all projects of groups. */
  readonly selectors?: readonly ProjectSelector[]
  /** The position at which each place is first named, by `groups/<path>` or `projects/<path>`. */
  readonly origins?: ReadonlyMap<string, Origin>
}

export interface GroupPlace extends ManagedPlace {
  readonly scope: 'group'
  /** Known where a project or a group of the instance shows it. */
  readonly id: number | undefined
}

export interface ProjectPlace extends ManagedPlace, ProjectFacts {
  readonly scope: 'project'
  readonly id: number
  readonly archived: boolean
  /** The kind of the project's owner, a group or a person; undefined if the instance does not return it. */
  readonly namespace: 'group' | 'user' | undefined
  /** True if groups were invited to the project. */
  readonly shared?: boolean
}

/** A place that was named, and of which nothing is known. */
export interface UnreadPlace {
  readonly place: ManagedPlace
  readonly failure: Failure
}

// What files call current items.

/** A lookup of the names of numbers (IDs). */
export interface NameFinder {
  /** The name of a number, where anything that was read shows it. */
  name(of: Referent, number: number, near: ManagedPlace): string | undefined
}

/** Names for numbers, and numbers for names; each asked for at most once. */
export interface NameResolver extends NameFinder {
  /**
   * Returns the number of a name, as far as the place and the records read so far show it.
   * @returns undefined if the name cannot be resolved
   */
  number(of: Referent, name: string, near: ManagedPlace): Promise<number | undefined>
  /** Returns true if an object with this number exists; undefined if that cannot be found out. */
  exists?(of: Referent, number: number, near: ManagedPlace): Promise<boolean | undefined>
  /** The names that anything that was read shows: one of them may be meant. */
  known?(of: Referent, near: ManagedPlace): readonly string[]
}

/** The ID of an item, where its endpoints go by one. */
const getItemId = ({ at }: CurrentItem): number | undefined =>
  Object.values(at).find((value) => typeof value === 'number')

type ItemNaming = Pick<Managed, 'by' | 'label'>

/** The name of an item; undefined of one that only its ID tells apart from others. */
export const getItemName = ({ by, label }: ItemNaming, item: CurrentItem): string | undefined =>
  item.label || (by !== undefined && label !== undefined ? undefined : item.identity)

/** Returns the name that files use for a current item: its name if that is unique, else its ID. */
export const formatItemName = (
  kind: ItemNaming,
  item: CurrentItem,
  near: ManagedPlace,
  names: NameFinder,
): string => {
  const { by, label } = kind
  const name = getItemName(kind, item)
  if (by === undefined) return name ?? item.identity
  const id = getItemId(item)
  // Whether a label is one item's alone is known to who has read all of them.
  const own = label === undefined || id === undefined ? name : names.name(by, id, near)
  return (own === undefined ? undefined : toReferenceText(own)) ?? String(id ?? item.identity)
}
