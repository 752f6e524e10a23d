/** How most records are shown: by the shape of the catalogue that their answer has. */
import type { Static, TSchema } from 'typebox'

/** The schema of an object. */
type Shape = TSchema & { readonly properties: object }

/** The fields of a shape that a record does not have itself; others may be given in its stead. */
type Computed<S extends Shape, R> = Omit<Static<S>, keyof R> & Partial<Static<S>>

/** A record as a shape shows it: its attributes of the same names, and what is computed. What neither has does not compile. */
export const presentAs = <S extends Shape, R extends object>(
  shape: S,
  record: R,
  computed: Computed<S, R>,
): Static<S> => {
  const shown = Object.keys(shape.properties).flatMap((name) => {
    const value: unknown = Reflect.get(Object.hasOwn(computed, name) ? computed : record, name)
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(shown)
}
