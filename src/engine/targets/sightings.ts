/** Fields that lists of several parents are asked for: where one holds nothing, another's records may have them. */
import { Unshown } from '../records/stage.js'

export class Sightings {
  #unshown: Unshown | undefined
  #shown = false

  /** A list came to its end, and knew the field. */
  shown(): void {
    this.#shown = true
  }

  /** Whether a failure is that of a list that holds nothing: it counts only where no other shows the field. */
  waives(failure: unknown): boolean {
    if (!(failure instanceof Unshown)) return false
    this.#unshown = failure
    return true
  }

  /** @throws Unshown where none of the lists knew it */
  check(): void {
    if (this.#unshown !== undefined && !this.#shown) throw this.#unshown
  }
}
