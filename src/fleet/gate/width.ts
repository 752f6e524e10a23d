/** How many requests are under way at once: what an instance bears is found out. */

const narrowest = 4
const widest = 32
/** Answers that make it one wider. */
const step = 8
/** So many answers are compared with so many before. */
const sample = 50
/** Slower by less than this, in milliseconds, is this machine's own unrest. */
const unrest = 10

const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

export class Width {
  #value: number
  readonly #most: number
  readonly #least: number
  readonly #watchful: boolean
  #good = 0
  /** How long the first answers took, in the middle; undefined while they are gathered. */
  #usual: number | undefined
  #times: number[] = []

  /** @param ceiling `auto` finds its way between 4 and 32; a number is where it begins and its most */
  constructor(ceiling: number | 'auto') {
    this.#watchful = ceiling === 'auto'
    this.#most = ceiling === 'auto' ? widest : ceiling
    this.#value = ceiling === 'auto' ? narrowest : ceiling
    this.#least = 1
  }

  get value(): number {
    return this.#value
  }

  /** An answer came after so many milliseconds. */
  answered(milliseconds: number): void {
    this.#good += 1
    if (this.#good % step === 0) this.#value = Math.min(this.#most, this.#value + 1)
    if (this.#watchful) this.#watch(milliseconds)
  }

  halve(): void {
    this.#value = Math.max(this.#least, Math.floor(this.#value / 2))
    this.#good = 0
    this.#times = []
  }

  #watch(milliseconds: number): void {
    this.#times.push(milliseconds)
    if (this.#times.length < sample) return
    const now = median(this.#times)
    this.#times = []
    if (this.#usual === undefined) this.#usual = now
    else if (now > this.#usual * 2 && now > this.#usual + unrest) this.halve()
  }
}
