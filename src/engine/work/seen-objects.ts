/** Finds objects that occur more than once in the input of a run, for journals, queues and rows of input. */
import { type GivenObject, normalizeId } from './report.js'

/** Returns a key that is equal for equal objects. Instances compare paths of projects regardless of case. */
export const getObjectKey = ({ object, parent = '' }: GivenObject): string =>
  `${normalizeId(parent).toLowerCase()}\0${normalizeId(object)}`

export class SeenObjects {
  readonly #seen = new Set<number | string>()

  /** Adds an object; returns false if it was added before, by its name or its identity. */
  add(given: GivenObject): boolean {
    const { identity = given.object } = given
    const isNew = this.#addKey(getObjectKey(given))
    if (identity === given.object) return isNew
    return this.#addKey(getObjectKey({ ...given, object: identity })) && isNew
  }

  #addKey(text: string): boolean {
    // A number needs less memory than a text.
    const key = /^\0\d{1,15}$/.test(text) ? Number(text.slice(1)) : text
    const count = this.#seen.size
    return this.#seen.add(key).size > count
  }
}
