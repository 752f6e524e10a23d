/** How fast work goes. */

/** The rate is that of so many milliseconds. */
const recent = 10_000
/** Samples in that time. */
const samples = 20

/** So many a second, over the last ten seconds. */
export class Speed {
  readonly #now: () => number
  readonly #marks: { readonly at: number; readonly count: number }[] = []
  #count = 0

  constructor(now: () => number) {
    this.#now = now
    this.#marks.push({ at: now(), count: 0 })
  }

  add(count = 1): void {
    this.#count += count
    const at = this.#now()
    const last = this.#marks.at(-1)
    if (last !== undefined && at - last.at < recent / samples) return
    this.#marks.push({ at, count: this.#count })
    while ((this.#marks[1]?.at ?? at) < at - recent) this.#marks.shift()
  }

  /** Undefined before there is anything to tell. */
  get value(): number | undefined {
    const [first] = this.#marks
    const passed = this.#now() - (first?.at ?? 0)
    const came = this.#count - (first?.count ?? 0)
    return passed <= 0 || came === 0 ? undefined : (came * 1000) / passed
  }
}
