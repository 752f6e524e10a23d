/** Places in a list that are ready, whatever made them so: the first of them is taken first. */
export class Ready {
  /** The first is the last. */
  readonly #places: number[] = []

  add(place: number): void {
    const all = this.#places
    let [low, high] = [0, all.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((all[middle] ?? 0) > place) low = middle + 1
      else high = middle
    }
    all.splice(low, 0, place)
  }

  take(): number | undefined {
    return this.#places.pop()
  }
}
