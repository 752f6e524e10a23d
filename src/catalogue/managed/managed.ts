/**
 * What of the catalogue can be declared in files: one fact a kind, beside its endpoints. Which attributes a
 * kind has follows from the parameters of its endpoints; where they are read, from its shapes.
 */
import type { Static, TSchema } from 'typebox'
import type { Endpoint } from '../endpoint.js'

/** Whose a kind is: the instance's, a group's, a project's. */
export type ManagedScope = 'site' | 'group' | 'project'

/** What a number in a parameter stands for, where files have a name in its place. */
export type Reference = 'user' | 'group' | 'branch'

/**
 * How many of it there are: `one` object; a `set` of items, each with an identity; `rules`, each for those
 * items that it matches.
 */
export type Holding = 'one' | 'set' | 'rules'

/** A kind of which files can declare what is wanted. */
export interface Managed {
  /** Its key in files, and in addresses. */
  readonly name: string
  readonly scope: ManagedScope
  readonly holds: Holding
  /** The list of a set, or the one object. */
  readonly read: Endpoint
  /** One item, where the list lacks fields that are managed. */
  readonly each?: Endpoint
  readonly create?: Endpoint
  readonly update?: Endpoint
  readonly remove?: Endpoint
  /** Takes in what exists elsewhere already. */
  readonly enable?: Endpoint
  /** The field that names an item in files; a parameter of that name carries it. */
  readonly identity?: string
  /** What the identity names, where it is resolved to a number before there is a record. */
  readonly by?: Reference
  /** A field that also names an item, for people or for one that was renamed. */
  readonly also?: string
  /** The placeholders, and parameters of `create`, that a field of the record fills; the place's own is `id`. */
  readonly at?: Readonly<Record<string, string>>
  /** The field that shows a parameter, where it has another name; `a.b`, `a[].b` reach inside. */
  readonly from?: Readonly<Record<string, string>>
  readonly refs?: Readonly<Record<string, Reference>>
  /** Sent with every change: what a write would otherwise take away or refuse. */
  readonly keep?: readonly string[]
  /** Given at creation only. */
  readonly fixed?: readonly string[]
  /** Parameters that no answer shows, besides those that are secret. */
  readonly unreadable?: readonly string[]
  /** Parameters that are no attributes. */
  readonly without?: readonly string[]
  /** How it is run, not how it is configured: exported only when asked for. */
  readonly operational?: readonly string[]
  /** Records that are managed, by the values of a field; others are not looked at. */
  readonly only?: Readonly<Record<string, readonly string[]>>
  /** Its update can change the identity. */
  readonly renames?: true
  /** Attributes beyond the documented ones are taken as given where the answer has them. */
  readonly open?: true
  /** Kinds of the same place whose actions come first where both are wanted. */
  readonly after?: readonly string[]
}

type ShapeOf<E> = E extends { returns: { shape: infer S extends TSchema } } ? Static<S> : never
type FieldOf<E> = keyof (ShapeOf<E> & object) & string
type PathIn<F extends string> = F | `${F}.${string}` | `${F}[].${string}`
type PlaceholderOf<E> = E extends { path: infer Pa } ? keyof Pa & string : never
type ParamOf<E> = E extends { params: infer Ps } ? keyof Ps & string : never

/** The fact with its names held to the endpoints: of reading `R`, of writing `W`, of what takes an item `A`. */
interface Names<R, W, A> {
  readonly identity?: FieldOf<R>
  readonly also?: FieldOf<R>
  readonly at?: { readonly [N in PlaceholderOf<A> | ParamOf<W>]?: FieldOf<R> }
  readonly from?: { readonly [N in ParamOf<W>]?: PathIn<FieldOf<R>> }
  readonly refs?: { readonly [N in ParamOf<W>]?: Reference }
  readonly keep?: readonly ParamOf<W>[]
  readonly fixed?: readonly ParamOf<W>[]
  readonly unreadable?: readonly ParamOf<W>[]
  readonly without?: readonly ParamOf<W>[]
  readonly operational?: readonly ParamOf<W>[]
  readonly only?: { readonly [N in FieldOf<R>]?: readonly string[] }
}

/** Declares a kind that files can hold. Its names are those of its endpoints, or it does not compile. */
export const managed = <
  R extends Endpoint,
  E extends Endpoint = never,
  C extends Endpoint = never,
  U extends Endpoint = never,
  D extends Endpoint = never,
  N extends Endpoint = never,
>(
  fact: Omit<
    Managed,
    keyof Names<R, C | U, U | D> | 'read' | 'each' | 'create' | 'update' | 'remove' | 'enable'
  > & {
    readonly read: R
    readonly each?: E
    readonly create?: C
    readonly update?: U
    readonly remove?: D
    readonly enable?: N
  } & NoInfer<Names<R | E, C | U, E | U | D | N>>,
): Managed => fact as Managed
