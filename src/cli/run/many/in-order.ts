/** Results that become known in any order, handed on in the order of their places. */
export class InOrder<T> implements AsyncIterable<T> {
  readonly #known = new Map<number, T>()
  #ended = false
  #error: unknown
  #wake: () => void = () => {}

  /** The result of a place is known. */
  put(place: number, result: T): void {
    this.#known.set(place, result)
    this.#wake()
  }

  /** No further results come; after an error, only those that came before it. */
  end(error?: unknown): void {
    this.#ended = true
    this.#error = error
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (let place = 0; ; place++) {
      while (!this.#known.has(place) && !this.#ended)
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      const result = this.#known.get(place)
      if (result === undefined) break
      this.#known.delete(place)
      yield result
    }
    if (this.#error !== undefined) throw this.#error
  }
}
