/** Calls about the same object: what fills the path of one fills that of the other. */
import type { JsonValues } from '../base/json/value.js'
import type { Endpoint } from './endpoint.js'
import type { Value } from './inferred.js'

/** The values of the placeholders of an endpoint's path. */
export type PathOf<E> = E extends { path: infer Pa }
  ? { readonly [K in keyof Pa]: Value<Pa[K]> }
  : never

/**
 * The values that fill an endpoint's path, out of those of a call about the same object: both were parsed
 * by parameters of the same names.
 */
export const pathIn = <E extends Pick<Endpoint, 'path'>>(
  endpoint: E,
  values: JsonValues,
): PathOf<E> =>
  Object.fromEntries(Object.keys(endpoint.path).map((name) => [name, values[name]])) as PathOf<E>
