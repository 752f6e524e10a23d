/** What an endpoint takes and gives, as its value in the catalogue says. */
import { isObject } from '../base/objects.js'
import type { Endpoint } from '../catalogue/endpoint.js'
import type { InputOf, ResultOf } from '../catalogue/inferred.js'
import type { Whole } from '../http/types.js'

/** What an endpoint takes: placeholders of its path and parameters, by the API's own names. */
export type Input<E> = InputOf<E>

/**
 * A value of which any field may be missing or null, at any depth: the tool itself trusts no instance.
 * Other programs see what the documents say (`../library/verbs.ts`).
 */
type Loose<T> = unknown extends T
  ? T
  : T extends string
    ? T
    : T extends readonly (infer I)[]
      ? readonly Loose<I>[]
      : T extends object
        ? { readonly [K in keyof T]?: Loose<T[K]> | null }
        : T

/** What an endpoint answers with; every field optional and nullable. */
export type Data<E> = Loose<ResultOf<E>>

/** A record of an endpoint that lists. */
export type RecordOf<E> = ResultOf<E> extends readonly (infer I)[] ? Loose<I> : never

/** An endpoint that answers with a list, page by page. */
export type Listing = Endpoint & { readonly returns: { readonly kind: 'many' } }

/** The answer of one call. */
export interface Answered<E> extends Omit<Whole, 'data'> {
  /**
   * Parsed when it is looked at. Undefined where nothing came (204, 304), and where what came is not even
   * of the kind that the documents have: `bytes` holds it.
   */
  readonly data: Data<E> | undefined
}

/** Whether a value is of the kind that a shape says: an object, a list. Fields are not looked at. */
const isOfKind = (shape: unknown, value: unknown): boolean => {
  if (value === undefined || !isObject(shape)) return false
  if (Array.isArray(shape.anyOf)) return shape.anyOf.some((inner) => isOfKind(inner, value))
  if (shape.type === 'object') return isObject(value)
  return shape.type !== 'array' || Array.isArray(value)
}

/** Whether a record of a list is of the kind that the endpoint lists. */
export const isItem = <E extends Listing>(endpoint: E, value: unknown): value is RecordOf<E> =>
  isOfKind(endpoint.returns.shape, value)

const isData = <E extends Endpoint>(endpoint: E, value: unknown): value is Data<E> =>
  endpoint.returns.kind === 'many' ? Array.isArray(value) : isOfKind(endpoint.returns.shape, value)

/** An answer with the type that the catalogue infers for it. */
export const answered = <E extends Endpoint>(endpoint: E, whole: Whole): Answered<E> => ({
  status: whole.status,
  headers: whole.headers,
  bytes: whole.bytes,
  get data() {
    const { data } = whole
    return isData(endpoint, data) ? data : undefined
  },
})
