/** Objects that wait for each other without a journal: as text, so that a million of them stay small. */
import { type GivenObject, mostNamed } from '../../../fleet/items.js'

/** So many are one piece. */
const together = 1000

export class Packed {
  readonly #pieces: Buffer[] = []
  #last: GivenObject[] = []
  readonly first: GivenObject[] = []
  count = 0

  add({ object, parent }: GivenObject): void {
    const given = parent === undefined ? { object } : { object, parent }
    if (this.count++ < mostNamed) this.first.push(given)
    this.#last.push(given)
    if (this.#last.length < together) return
    this.#pieces.push(Buffer.from(JSON.stringify(this.#last)))
    this.#last = []
  }

  /** In their order. */
  async *each(): AsyncGenerator<GivenObject> {
    for (const piece of this.#pieces) yield* JSON.parse(piece.toString()) as GivenObject[]
    yield* this.#last
  }
}
