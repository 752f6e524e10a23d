/** The types that follow from an endpoint's value: its input, its result, its columns. */
import type { Static, TSchema } from 'typebox'
import type { Params } from './params.js'

type Word<P> = P extends { words: readonly (infer W)[] } ? W : never
type Null<P> = P extends { nullable: true } ? null : never
type Item<P> = P extends { of: 'integer' } ? number : string
type Plain<P> = P extends { type: 'integer' }
  ? number
  : P extends { type: 'boolean' }
    ? boolean
    : P extends { type: 'enum'; values: readonly (infer V)[] }
      ? V
      : P extends { type: 'list' }
        ? readonly Item<P>[] | (P extends { single: true } ? Item<P> : never)
        : P extends { type: 'hash'; keys: infer K extends Params }
          ? { readonly [N in keyof K]?: Value<K[N]> }
          : P extends { type: 'hash' }
            ? Readonly<Record<string, string>>
            : P extends { type: 'json' }
              ? unknown
              : P extends { type: 'project' | 'group' }
                ? string | number
                : string
/**
 * The value that a parameter holds once parsed. By way of a property it has no name of its own, so that
 * declarations made of the catalogue show what it is.
 */
export type Value<P> = { readonly is: Plain<P> | Word<P> | Null<P> }['is']

type Segment<S extends string> = S extends `:${infer N}` | `*${infer N}` ? N : never
/** The placeholders of a route. */
export type PlaceholderNames<R extends string> = R extends `${infer S}/${infer Rest}`
  ? Segment<S> | PlaceholderNames<Rest>
  : Segment<R>
type Given<Ps> = {
  [K in keyof Ps]: Ps[K] extends { required: true } ? K : never
}[keyof Ps]
type Flat<T> = { [K in keyof T]: T[K] } & {}

/** The input of an endpoint: path placeholders and parameters, by the API's own names. */
export type InputOf<E> = E extends { path: infer Pa; params: infer Ps }
  ? Flat<
      { readonly [K in keyof Pa]: Value<Pa[K]> } & {
        readonly [K in Given<Ps>]: Value<Ps[K & keyof Ps]>
      } & { readonly [K in Exclude<keyof Ps, Given<Ps>>]?: Value<Ps[K]> }
    >
  : never

type Standing<Ps> = {
  [K in keyof Ps]: Ps[K] extends { default: string | number | boolean } ? K : never
}[keyof Ps]

/** The input once the instance has put the defaults of the documents where nothing was sent. */
export type CheckedOf<E> = E extends { changes: true }
  ? InputOf<E>
  : E extends { params: infer Ps }
    ? Flat<InputOf<E> & { readonly [K in Standing<Ps>]: Value<Ps[K]> }>
    : never

export type ResultOf<E> = E extends { returns: infer R }
  ? R extends { kind: 'many'; shape: infer S extends TSchema }
    ? readonly Static<S>[]
    : R extends { shape: infer S extends TSchema }
      ? Static<S>
      : undefined
  : never

type FieldOf<Ret> = Ret extends { shape: infer S extends TSchema }
  ? Extract<keyof Static<S>, string>
  : never
/** Columns of a table: fields of the shape, dotted to reach inside. */
export type Column<Ret> =
  | FieldOf<Ret>
  | `${FieldOf<Ret>}.${string}`
  | ('references' extends FieldOf<Ret> ? 'reference' : never)
