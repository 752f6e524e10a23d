/**
 * What of the catalogue can be declared in files: one fact a kind, beside its endpoints. Which attributes a
 * kind has follows from the parameters of its endpoints; where they are read, from its shapes.
 */
import type { Static, TSchema } from 'typebox'
import type { JsonValues } from '../../base/json/value.js'
import type { Endpoint } from '../endpoint.js'
import type { IntegrationFamily } from '../integration-families.js'

/** Whose a kind is: the instance's, a group's, a project's. */
export type ManagedScope = 'site' | 'group' | 'project'

/** What a number stands for, where files have a name in its place. */
export type Referent = 'user' | 'group' | 'branch' | 'runner'

/**
 * How many of it there are: `one` object; a `set` of items, each with an identity; `rules`, each for those
 * items that it matches.
 */
type Holding = 'one' | 'set' | 'rules'

/** A kind of which files can declare what is wanted. */
export interface Managed {
  /** Its key in files, and in addresses. */
  readonly name: string
  readonly scope: ManagedScope
  readonly holds: Holding
  /** The list of a set, or the one object; of a set without a documented list, an item by its identity. */
  readonly read: Endpoint
  /** One item, where the list lacks fields that are managed. */
  readonly each?: Endpoint
  /** The instance's list of it: which projects have any, where its records say; what `enable` may take in. */
  readonly everywhere?: Endpoint
  /** The path of its list, where the documents show none. */
  readonly unlisted?: string
  readonly create?: Endpoint
  readonly update?: Endpoint
  /** Without it nothing of the kind can be deleted: files cannot say `null` or `$exact`. */
  readonly remove?: Endpoint
  /** Takes in what exists elsewhere already. */
  readonly enable?: Endpoint
  /** The field that tells items of a set apart, whatever they are called. */
  readonly identity?: string
  /** What people call an item, where that is not its identity: its key in files. */
  readonly label?: string
  /** Another field that an item can be known by when it was renamed. */
  readonly also?: string
  /** What its key in files names, where that is resolved to a number before there is a record. */
  readonly by?: Referent
  /** The placeholders, and parameters of `create` and `enable`, that a field of the record fills; the place's own is `id`. */
  readonly at?: Readonly<Record<string, string>>
  /** The field that shows a parameter, where it has another name; `a.b`, `a[].b` reach inside. */
  readonly from?: Readonly<Record<string, string>>
  readonly refs?: Readonly<Record<string, Referent>>
  /** Sent with every change, besides what `update` requires: what a write would otherwise take away. */
  readonly keep?: readonly string[]
  /** Parameters that are no attributes. */
  readonly without?: readonly string[]
  /** How it is run, not how it is configured: exported only when asked for. */
  readonly operational?: readonly string[]
  /** Records that are managed, by the values of a field; others are not looked at. */
  readonly only?: Readonly<Record<string, readonly string[]>>
  /** A field that is true of the items that count as being there. */
  readonly present?: string
  /** A field that is true of the items whose actions come before those of the others. */
  readonly first?: string
  /** Which of the attributes an item takes and requires, by the family of its identity. */
  readonly families?: readonly IntegrationFamily[]
  /** An item is in one place at a time: to go to another, it has to leave the first. */
  readonly alone?: true
  /** Its update can change the identity. */
  readonly renames?: true
  /** Attributes beyond the documented ones are taken as given where the answer has them. */
  readonly open?: true
  /** Kinds of the same place whose actions come first where both are wanted. */
  readonly after?: readonly string[]
  /** Values that its list is asked with. */
  readonly query?: JsonValues
  /** Reading it needs an administrator: an export that nobody asked for it leaves it out where it may not. */
  readonly forAdministrators?: true
  /** Names that differ only in their case are one. */
  readonly ignoresCase?: true
  /** A 404 for the one object says that there is none. */
  readonly optional?: true
  /** Why what is not there cannot be made; files that want no more than `off` have it already. */
  readonly onlyIf?: { readonly why: string; readonly off?: JsonValues }
  /** What an attribute is unless files say otherwise: export leaves it out. */
  readonly usual?: JsonValues
  /** Sent with every change of an item that has any, which would otherwise lose them. */
  readonly keepAny?: readonly string[]
  /** Sent along while the first is switched on, by its name: nobody can see whether it is set. */
  readonly requires?: Readonly<Record<string, string>>
  /** The field that is true where a list shows only what the token's user may see, by attribute. */
  readonly mask?: Readonly<Record<string, string>>
  /** There is one such item in a place, whatever it is called: the value of a field, and what that means. */
  readonly single?: { readonly field: string; readonly value: string; readonly text: string }
  /** A certificate and its key, which no answer shows: sent together, and neither while `unless` is true. */
  readonly pair?: { readonly shown: string; readonly hidden: string; readonly unless: string }
  /** Items that belong to something else: no set has or removes them. */
  readonly spared?: RegExp
}

type ShapeOf<E> = E extends { returns: { shape: infer S extends TSchema } } ? Static<S> : never
/** Of each endpoint by itself: a field of any is one. */
type FieldOf<E> = E extends unknown ? keyof (ShapeOf<E> & object) & string : never
type PathIn<F extends string> = F | `${F}.${string}` | `${F}[].${string}`
type PlaceholderOf<E> = E extends { path: infer Pa } ? keyof Pa & string : never
type ParamOf<E> = E extends { params: infer Ps } ? keyof Ps & string : never

/** The fact with its names held to the endpoints: of reading `R`, of writing `W`, of what takes an item `A`. */
interface Names<R, W, A> {
  readonly identity?: FieldOf<R>
  readonly label?: FieldOf<R>
  readonly also?: FieldOf<R>
  readonly present?: FieldOf<R>
  readonly first?: FieldOf<R>
  readonly at?: { readonly [N in PlaceholderOf<A> | ParamOf<W | A>]?: FieldOf<R> }
  readonly from?: { readonly [N in ParamOf<W>]?: PathIn<FieldOf<R>> }
  readonly refs?: { readonly [N in ParamOf<W>]?: Referent }
  readonly keep?: readonly ParamOf<W>[]
  readonly without?: readonly ParamOf<W>[]
  readonly operational?: readonly ParamOf<W>[]
  readonly only?: { readonly [N in FieldOf<R>]?: readonly string[] }
  readonly usual?: { readonly [N in ParamOf<W>]?: string }
  readonly keepAny?: readonly ParamOf<W>[]
  readonly requires?: { readonly [N in ParamOf<W>]?: ParamOf<W> }
  readonly mask?: { readonly [N in ParamOf<W>]?: FieldOf<R> }
  readonly single?: Managed['single'] & { readonly field: FieldOf<R> }
  readonly pair?: { readonly [N in 'shown' | 'hidden' | 'unless']: ParamOf<W> }
}

type Endpoints = 'read' | 'each' | 'create' | 'update' | 'remove' | 'enable'

/** Declares a kind that files can hold. Its names are those of its endpoints, or it does not compile. */
export const managed = <
  R extends Endpoint,
  E extends Endpoint = never,
  C extends Endpoint = never,
  U extends Endpoint = never,
  D extends Endpoint = never,
  N extends Endpoint = never,
>(
  fact: Omit<Managed, keyof Names<R, C | U, U | D> | Endpoints> & {
    readonly read: R
    readonly each?: E
    readonly create?: C
    readonly update?: U
    readonly remove?: D
    readonly enable?: N
  } & NoInfer<Names<R | E, C | U, E | U | D | N>>,
): Managed => fact as Managed
