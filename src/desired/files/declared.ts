/** What files declare of one level: of each place, each kind, each item, what is said and where. */
import type { JsonValue } from '../../base/json/value.js'
import type { Managed, ManagedScope } from '../../catalogue/managed/managed.js'
import type { Reference } from '../references.js'
import type { Origin, SaidOnce, WantedValue } from '../wishes.js'
import type { FileSelector } from './selectors.js'

export interface DeclaredItem {
  readonly identity: Reference
  readonly origin: Origin
  /** Where it is said that it must not be there, and where that it must. */
  gone?: Origin
  body?: Origin
  rival?: Origin
  inherit?: SaidOnce<boolean>
  readonly attributes: Map<string, SaidOnce<WantedValue>>
  readonly other: Map<string, SaidOnce<WantedValue>>
  previously?: SaidOnce<readonly string[]>
  family?: SaidOnce<string>
  readonly match?: Readonly<Record<string, JsonValue>>
}

export interface DeclaredKind {
  readonly kind: Managed
  readonly origin: Origin
  exact?: SaidOnce<boolean>
  inherit?: SaidOnce<boolean>
  /** By what tells them apart in files. */
  readonly items: Map<string, DeclaredItem>
}

/** Whose a level is: every project that files name; all below a group; those that fit; one place. */
type LevelForm = 'defaults' | 'below' | 'selector' | 'exact'

/** What is said for places of one scope, by one key. */
export interface DeclaredLevel {
  readonly form: LevelForm
  readonly scope: ManagedScope
  /** As it is first written; '' of `defaults`, `'**'` and the site. */
  readonly path: string
  readonly origin: Origin
  /** Which projects it is for. */
  readonly selector?: FileSelector
  inherit?: SaidOnce<boolean>
  readonly kinds: Map<string, DeclaredKind>
}
