/** Remembers which objects were given before. */
import { type GivenObject, normalizeId } from './report.js'

/** Returns an equal key for objects that are the same. */
export const getObjectKey = ({ object, parent = '' }: GivenObject): string =>
  `${normalizeId(parent)}\0${normalizeId(object)}`

export class SeenObjects {
  readonly #seen = new Set<number | string>()

  /** Takes an object in; false where it was given before. */
  add(given: GivenObject): boolean {
    const text = getObjectKey(given)
    // A number takes less memory than its text.
    const key = /^\0\d{1,15}$/.test(text) ? Number(text.slice(1)) : text
    const count = this.#seen.size
    return this.#seen.add(key).size > count
  }
}
