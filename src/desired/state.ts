/** Declares the desired and the current state: the declarations of files with their positions, and the objects of the instance. */
import { addToGroup } from '../base/collections.js'
import type { Origin } from '../base/documents/written.js'
import type { Fields, JsonValue } from '../base/objects.js'
import type { HeldText } from '../base/secrets/redact.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import type { Managed, Referent } from '../catalogue/managed.js'
import type { Failure } from '../errors.js'
import type { Ask, WholeAnswer } from '../http/types.js'
import { type ManagedPlace, type Reference, toReferenceText } from './address.js'

export { formatOrigin, type Origin } from '../base/documents/written.js'

/** The source of a secret; the value is fetched only when it is sent. */
export type SecretSource =
  | { readonly env: string }
  /** A path as written, the file that it is relative to, and the folder that must contain it (`files/secret.ts`). */
  | { readonly file: string; readonly base: string; readonly within?: string }
  | { readonly command: readonly string[] }
  /** A text written out in the file, which --allow-literal-secrets permits; an empty text unsets the secret. */
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
   * This value, as the API accepts it: null, or '' for a text, unsets the attribute. If the attribute is a reference, strings are names and
   * numbers are IDs.
   */
  | { readonly is: 'value'; readonly value: JsonValue }
  | ListDelta
  | ValueRange
  | { readonly is: 'secret'; readonly source: SecretSource }

/** A list with the members of `add` and without those of `remove`; other members stay. */
export interface ListDelta {
  readonly is: 'change'
  readonly add: readonly JsonValue[]
  readonly remove: readonly JsonValue[]
}

/** Any value from `min` to `max`, or one of a list. A current value in the range is kept. */
export interface ValueRange {
  readonly is: 'range'
  readonly min?: number
  readonly max?: number
  readonly oneOf?: readonly JsonValue[]
  /** The range in words: `at least 2`. */
  readonly text: string
}

/** A value and the position of its declaration. */
export interface SourcedValue<T> {
  readonly value: T
  readonly origin: Origin
  /** The values that this one overrides, the nearest first. */
  readonly over?: readonly SourcedValue<T>[]
  /** The position of a conflicting value under a key that is no more specific. */
  readonly rival?: Origin
}

/** An item of a set, a rule, or the single object of a kind, whose identity is ''. */
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
  /** The declared attributes, including those under `$other` and of an `open` kind, which the catalogue does not know. */
  readonly attributes: Map<string, SourcedValue<DesiredValue>>
  /** The former names of the item. */
  previously?: SourcedValue<readonly string[]>
  /** The declared family of an integration whose slug is not documented. */
  family?: SourcedValue<string>
  /** The items that a rule applies to, by field. */
  readonly match?: Readonly<Record<string, JsonValue>>
}

/** Returns the plain value of an attribute; undefined if files declare no value, or a change, a range or a secret. */
export const getPlainValue = (
  { attributes }: Pick<DesiredItem, 'attributes'>,
  name: string,
): JsonValue | undefined => {
  const desired = attributes.get(name)?.value
  return desired?.is === 'value' ? desired.value : undefined
}

/** Returns a copy of the item with another value of an attribute, which becomes the last one. */
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
  /** If true, items that are not listed are deleted. */
  readonly exact?: SourcedValue<boolean>
  readonly items: readonly DesiredItem[]
}

// The instance. Reading and writing are separate interfaces, so that code that only reads cannot write.

/** An instance that can only be read; its implementation refuses every method but GET. */
export interface ReadableInstance {
  /** Sends one request and reads the whole answer. @throws Failure for an error of the instance or the network */
  get(ask: Ask): Promise<WholeAnswer>
  /**
   * Reads all records of a list, or only the `wanted` ones, to save memory.
   * @throws Failure for an error of the instance, or for a list that ended early
   */
  records(ask: Ask, wanted?: (record: Fields) => boolean): Promise<readonly Fields[]>
  /** Processes items in parallel, as many at once as the engine permits. */
  each<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void>
}

/** An instance that can also be written. */
export interface WritableInstance extends ReadableInstance {
  /**
   * Sends one request and reads the whole answer.
   * @throws Failure for an error; `unknownOutcome` is set if the write may have been carried out
   */
  send(ask: Ask & { readonly endpoint: Endpoint }): Promise<WholeAnswer>
}

// The current state of the instance, as far as it was read: the items of each kind of each place.

/** An item of a set, or the single object of a kind. */
export interface CurrentItem {
  /** The text that identifies the item: the name of a user or group, type and base64 of a key, or '' for the single object. */
  readonly identity: string
  /** The name that people use for the item, if it is not the identity. */
  readonly label?: string
  /** The placeholders of the item's own endpoints, without those of its place. */
  readonly at: Readonly<Record<string, string | number>>
  /** The attributes that can be read, by the names and in the values of the parameters (numbers for references). */
  readonly attributes: Readonly<Record<string, JsonValue>>
  /** The whole record as the instance returned it. */
  readonly record: Fields
}

/** The result of reading a kind in its place. */
export type CurrentKind = { readonly place: ManagedPlace; readonly kind: Managed } & (
  | { readonly is: 'read'; readonly items: readonly CurrentItem[] }
  /** The instance does not have the kind: its route answers 404. */
  | { readonly is: 'unsupported' }
  /** The request was refused or failed. Nothing is known about the kind, so nothing may be planned. */
  | { readonly is: 'unreadable'; readonly failure: Failure }
)

// The places that exist, and the places that files name.

/** The fields of a project's record that selectors test. */
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
  /** True if the project is selected. @returns undefined if the record lacks the field that decides it */
  fits(project: ProjectFacts): boolean | undefined
}

/** The places that files name. */
export interface KnownPlaces {
  /** The full paths of groups that plain keys name. */
  readonly groups: readonly string[]
  readonly projects: readonly string[]
  /** The keys of the form `group/**`, as `group`; '' for `'**'`. */
  readonly below: readonly string[]
  /** The entries of `below` whose declarations include `members`. */
  readonly membersBelow: readonly string[]
  /** The selectors of keys that choose among all projects of groups. */
  readonly selectors?: readonly ProjectSelector[]
  /** The position at which each place is first named, by `groups/<path>` or `projects/<path>`. */
  readonly origins?: ReadonlyMap<string, Origin>
}

export interface GroupPlace extends ManagedPlace {
  readonly scope: 'group'
  /** The ID, if the record of a project or group showed it. */
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

/** A named place that could not be read. */
export interface UnreadPlace {
  readonly place: ManagedPlace
  readonly failure: Failure
}

type ItemIndex = ReadonlyMap<string | number, readonly CurrentItem[]>
const indexes = new WeakMap<readonly CurrentItem[], Map<string, ItemIndex>>()

/**
 * Indexes the items of a place by keys. Sets may be large, and every desired item and every action needs a lookup.
 * @param by names the keys; a list of items is indexed once for each name
 */
export const indexItems = (
  items: readonly CurrentItem[],
  by: string,
  listKeys: (item: CurrentItem) => Iterable<string | number>,
): ItemIndex => {
  const known = indexes.get(items) ?? new Map<string, ItemIndex>()
  indexes.set(items, known)
  const found = known.get(by)
  if (found !== undefined) return found
  const index = new Map<string | number, CurrentItem[]>()
  for (const item of items) for (const key of listKeys(item)) addToGroup(index, key, item)
  known.set(by, index)
  return index
}

// The names that files use for current items.

/** A lookup of the names of numbers (IDs). */
export interface NameFinder {
  /** Returns the name of a number, if any record read so far shows it. */
  name(of: Referent, number: number, near: ManagedPlace): string | undefined
}

/** Resolves numbers to names and names to numbers. Each is requested at most once. */
export interface NameResolver extends NameFinder {
  /**
   * Returns the number of a name, as far as the place and the records read so far show it.
   * @returns undefined if the name cannot be resolved
   */
  number(of: Referent, name: string, near: ManagedPlace): Promise<number | undefined>
  /** Returns true if an object with this number exists; undefined if that cannot be found out. */
  exists?(of: Referent, number: number, near: ManagedPlace): Promise<boolean | undefined>
  /** Lists the names that were read so far, for suggestions. */
  known?(of: Referent, near: ManagedPlace): readonly string[]
}

/** Returns the ID of an item, if its endpoints use one. */
const getItemId = ({ at }: CurrentItem): number | undefined =>
  Object.values(at).find((value) => typeof value === 'number')

type ItemNaming = Pick<Managed, 'by' | 'label'>

/** Returns the name of an item; undefined if only its ID distinguishes it. */
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
  // A label need not be unique. Only the finder, which has read all items, can tell.
  const uniqueName = label === undefined || id === undefined ? name : names.name(by, id, near)
  return (
    (uniqueName === undefined ? undefined : toReferenceText(uniqueName)) ??
    String(id ?? item.identity)
  )
}
