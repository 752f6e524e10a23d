/** Provides schemas that several kinds of files share. */
import { type Static, String as Str, type TSchema, Unsafe } from 'typebox'

/** A map with values of a schema. The library's own `Record` takes 40 KB. */
export const MapOf = <S extends TSchema>(value: S) =>
  Unsafe<Readonly<Record<string, Static<S>>>>({ type: 'object', additionalProperties: value })

/** A schema of one of several words. */
export const OneOf = <const V extends readonly string[]>(words: V, options: object = {}) =>
  Unsafe<V[number]>({ enum: words, ...options })

/** A SHA-256 as it is written in hexadecimal. */
export const Digest = Str({ title: 'digest', pattern: '^[0-9a-f]{64}$' })

/** The option that permits only the keys of a schema. */
export const strict = { additionalProperties: false } as const
