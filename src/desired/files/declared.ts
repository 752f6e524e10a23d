/** What files declare of one level: of each place, each kind, each item, what is said and where. */
import type { JsonValue } from '../../base/json/value.js'
import { managedKinds } from '../../catalogue/managed/index.js'
import type { Managed, ManagedScope } from '../../catalogue/managed/managed.js'
import { packed, unpacked } from '../packed.js'
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

/** Whom a key speaks of. */
interface LevelKey {
  readonly form: LevelForm
  readonly scope: ManagedScope
  /** As it is first written; '' of `defaults`, `'**'` and the site. */
  readonly path: string
  readonly origin: Origin
  /** Which projects it is for. */
  readonly selector?: FileSelector
}

/** What is said of kinds, by their names. */
type DeclaredKinds = Map<string, DeclaredKind>

/** What is said for places of one scope, by one key. */
export class DeclaredLevel implements LevelKey {
  inherit?: SaidOnce<boolean>
  readonly form: LevelForm
  readonly scope: ManagedScope
  readonly path: string
  readonly origin: Origin
  readonly selector?: FileSelector
  #kinds: DeclaredKinds | Uint8Array = new Map()

  constructor({ form, scope, path, origin, selector }: LevelKey) {
    this.form = form
    this.scope = scope
    this.path = path
    this.origin = origin
    this.selector = selector
  }

  /** Of a level that is packed a copy: what is added to it is lost. */
  get kinds(): DeclaredKinds {
    return this.#kinds instanceof Map ? this.#kinds : unpackedKinds(this.#kinds, this.scope)
  }

  set kinds(kinds: DeclaredKinds) {
    this.#kinds = kinds
  }

  /** Lets something be added. */
  unpack(): void {
    this.#kinds = this.kinds
  }

  /** Keeps what is said of one place as bytes: thousands of places take a twentieth of the room. */
  pack(): void {
    if (this.form !== 'exact' || this.scope === 'site' || !(this.#kinds instanceof Map)) return
    this.#kinds = packedKinds(this.#kinds) ?? this.#kinds
  }
}

const packedKinds = (kinds: DeclaredKinds): Uint8Array | undefined =>
  packed([...kinds].map(([name, { kind: _, ...said }]) => [name, said]))

const unpackedKinds = (bytes: Uint8Array, scope: ManagedScope): DeclaredKinds =>
  new Map(
    unpacked<[string, Omit<DeclaredKind, 'kind'>][]>(bytes).flatMap(([name, said]) => {
      const kind = managedKinds.find((one) => one.name === name && one.scope === scope)
      return kind === undefined ? [] : [[name, { ...said, kind }] as const]
    }),
  )
