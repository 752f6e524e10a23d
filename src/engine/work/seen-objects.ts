/** Remembers which objects were given before. */
import { type GivenObject, normalizeId } from './report.js'

export class SeenObjects {
  readonly #seen = new Set<number | string>()

  /** Takes an object in; false where it was given before. */
  add({ object, parent }: GivenObject): boolean {
    const identity = normalizeId(object)
    const isNumber = parent === undefined && /^\d{1,15}$/.test(identity)
    // A number takes less memory than its text.
    const key = isNumber ? Number(identity) : `${normalizeId(parent ?? '')}\0${identity}`
    const count = this.#seen.size
    return this.#seen.add(key).size > count
  }
}
