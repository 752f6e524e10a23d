/** The desired and the current state: what files say, with where they say it, and what the instance has. */
import type { Origin } from '../base/documents/origin.js'
import type { Fields, JsonValue } from '../base/objects.js'
import type { HeldText } from '../base/secrets/scrub.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import type { Managed, Referent } from '../catalogue/managed.js'
import type { Failure } from '../errors.js'
import type { Ask, WholeAnswer } from '../http/types.js'
import { type ManagedPlace, type Reference, referenceText } from './address.js'

export { type Origin, originText } from '../base/documents/origin.js'

/** Where a secret comes from; its value is fetched only where it is sent. */
export type SecretSource =
  | { readonly env: string }
  /** A path as written, the file that it is relative to, and the folder that must contain it (`files/secret.ts`). */
  | { readonly file: string; readonly base: string; readonly within?: string }
  | { readonly command: readonly string[] }
  /** Written out in the file, with --allow-literal-secrets; an empty one unsets the secret. */
  | { readonly literal: HeldText }

/** How a source is called, without its value. */
export const sourceText = (source: SecretSource): string => {
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
  /** What it overrides, the nearest first. */
  readonly over?: readonly SourcedValue<T>[]
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
export const plainValueOf = (
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

/** An instance that is only read; whoever gives it refuses anything but GET. */
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

// Which places there are, and which files speak of.

/** What a project's record says that selectors ask. */
export interface ProjectFacts {
  readonly path: string
  readonly archived?: boolean
  readonly topics?: readonly string[]
  readonly visibility?: string
}

/** Which projects of groups something is for. */
export interface ProjectSelector {
  /** Whether the path alone does not say it. */
  readonly needsRecord: boolean
  /** @returns undefined where the record does not say it */
  fits(project: ProjectFacts): boolean | undefined
}

/** Which places files speak of. */
export interface KnownPlaces {
  readonly site: boolean
  /** Named by a plain key. */
  readonly groups: readonly string[]
  readonly projects: readonly string[]
  /** Keys `group/**`, as `group`; '' for `'**'`. */
  readonly below: readonly string[]
  /** Those of them with `members`. */
  readonly membersBelow: readonly string[]
  /** Keys that choose among all projects of groups. */
  readonly selectors?: readonly ProjectSelector[]
  /** Where a place is first named, by `groups/<path>` or `projects/<path>`. */
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
  /** Whether it belongs to a group or to a person; undefined where the instance does not say. */
  readonly namespace: 'group' | 'user' | undefined
  /** Whether groups were invited to it. */
  readonly shared?: boolean
}

/** A place that was named, and of which nothing is known. */
export interface UnreadPlace {
  readonly place: ManagedPlace
  readonly failure: Failure
}

// What files call current items.

/** Who knows what numbers are called. */
export interface NameFinder {
  /** The name of a number, where anything that was read shows it. */
  name(of: Referent, number: number, near: ManagedPlace): string | undefined
}

/** Names for numbers, and numbers for names; each asked for at most once. */
export interface NameResolver extends NameFinder {
  /**
   * The number that a name stands for, as the place, and what was read so far, know it.
   * @returns undefined where it cannot be resolved
   */
  number(of: Referent, name: string, near: ManagedPlace): Promise<number | undefined>
  /** Returns true if there is an object of this number; undefined where nobody says. */
  exists?(of: Referent, number: number, near: ManagedPlace): Promise<boolean | undefined>
  /** The names that anything that was read shows: one of them may be meant. */
  known?(of: Referent, near: ManagedPlace): readonly string[]
}

/** The ID of an item, where its endpoints go by one. */
const idOf = ({ at }: CurrentItem): number | undefined =>
  Object.values(at).find((value) => typeof value === 'number')

type ItemNaming = Pick<Managed, 'by' | 'label'>

/** The name of an item; undefined of one that only its ID tells apart from others. */
export const itemName = ({ by, label }: ItemNaming, item: CurrentItem): string | undefined =>
  item.label || (by !== undefined && label !== undefined ? undefined : item.identity)

/** What files call a current item: its name where that means it alone, else its ID. */
export const itemText = (
  kind: ItemNaming,
  item: CurrentItem,
  near: ManagedPlace,
  names: NameFinder,
): string => {
  const { by, label } = kind
  const name = itemName(kind, item)
  if (by === undefined) return name ?? item.identity
  const id = idOf(item)
  // Whether a label is one item's alone is known to who has read all of them.
  const own = label === undefined || id === undefined ? name : names.name(by, id, near)
  return (own === undefined ? undefined : referenceText(own)) ?? String(id ?? item.identity)
}
