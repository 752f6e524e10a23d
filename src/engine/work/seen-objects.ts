/** Detects objects that occur more than once in the input of a run. */
import { type GivenObject, normalizeId } from './report.js'

/** Returns a key that is equal for equal objects. */
export const getObjectKey = ({ object, parent = '' }: GivenObject): string =>
  `${normalizeId(parent)}\0${normalizeId(object)}`

export class SeenObjects {
  readonly #seen = new Set<number | string>()

  /** Adds an object; returns false if it was added before. */
  add(given: GivenObject): boolean {
    const text = getObjectKey(given)
    // A number needs less memory than a text.
    const key = /^\0\d{1,15}$/.test(text) ? Number(text.slice(1)) : text
    const count = this.#seen.size
    return this.#seen.add(key).size > count
  }
}
