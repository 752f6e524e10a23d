/** What is asked for once, each by its key; anew where that failed. */
export class AsyncCache<K, T> {
  readonly #known = new Map<K, Promise<T>>()

  of(key: K, ask: () => Promise<T>): Promise<T> {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const asked = ask()
    this.#known.set(key, asked)
    asked.catch(() => this.#known.delete(key))
    return asked
  }

  all(): Iterable<Promise<T>> {
    return this.#known.values()
  }
}
