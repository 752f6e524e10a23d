/** What the other parts of declared state ask of reading. */
import type { Managed, Reference } from '../../catalogue/managed/managed.js'
import type { Place } from '../address.js'
import type { SeenKind } from '../seen.js'
import type { Origin } from '../wishes.js'

/** What is looked at; what is not selected is not read. */
export interface Selection {
  /** Full paths, or numbers. */
  readonly projects?: readonly string[]
  readonly groups?: readonly string[]
  /** Globs of addresses, or names of kinds; `except` wins. */
  readonly only?: readonly string[]
  readonly except?: readonly string[]
  readonly withArchived?: boolean
  /** A named place that is not there is unreadable, and not an end. */
  readonly missing?: 'skip'
}

/** Which places files speak of. */
export interface Reached {
  readonly site: boolean
  /** Named by a plain key. */
  readonly groups: readonly string[]
  readonly projects: readonly string[]
  /** Keys `group/**`, as `group`; '' for `'**'`. */
  readonly below: readonly string[]
  /** Those of them with `members`. */
  readonly membersBelow: readonly string[]
  /** Where a place is first named, by `groups/<path>` or `projects/<path>`. */
  readonly origins?: ReadonlyMap<string, Origin>
}

export interface GroupPlace extends Place {
  readonly scope: 'group'
  /** Known where a project or a group of the instance shows it. */
  readonly id: number | undefined
}

export interface ProjectPlace extends Place {
  readonly scope: 'project'
  readonly id: number
  readonly archived: boolean
  /** Whether it belongs to a group or to a person; undefined where the instance does not say. */
  readonly namespace: 'group' | 'user' | undefined
}

/** Names for numbers, and numbers for names; each asked for at most once. */
export interface Names {
  /**
   * The number that a name stands for, as the place, and what was seen so far, know it.
   * @returns undefined where it cannot be resolved
   */
  number(of: Reference, name: string, near: Place): Promise<number | undefined>
  /** The name of a number, where anything that was read shows it. */
  name(of: Reference, number: number, near: Place): string | undefined
}

/** Who the token's user is. */
export interface Self {
  readonly id: number
  readonly username: string
}

/** The instance, as far as it is looked at; each question is asked at most once a run. */
export interface Sight {
  readonly names: Names
  /** What people should know of how it was read. */
  readonly notes: readonly string[]
  /** The projects and groups that there are and are meant, in order of their paths. */
  places(reach: Reached | 'everything'): Promise<{
    readonly projects: readonly ProjectPlace[]
    readonly groups: readonly GroupPlace[]
    /** Named ones that are not there, with `missing: 'skip'`. */
    readonly missing: readonly Place[]
  }>
  /** Whether the selection means a kind in its place at all. */
  selected(place: Place, kind: Managed): boolean
  /**
   * A kind of a place. `keys` are the identities asked for, of kinds that the instance has no list of, and
   * what a wish needs beyond the list.
   */
  see(place: Place, kind: Managed, keys?: readonly string[]): Promise<SeenKind>
  /** Lets go of what was read of a place. */
  forget(place: Place): void
  self(): Promise<Self | undefined>
}
