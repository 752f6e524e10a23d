/** Computes `--sum`, `--avg`, `--min`, `--max` and `--p95` of the numbers of a group, for the groups of an answer. */
import { isMoment } from '../../base/dates.js'
import { compareNumbers, computeLogarithm, ExactSum, isSummable } from '../../base/json/decimal.js'
import type { ExactNumber } from '../../base/json/json.js'

export const functions = ['sum', 'avg', 'min', 'max', 'p95'] as const
type Name = (typeof functions)[number]

/** The number of values that are kept as they are; beyond, they are counted by bins that are two percent wide. */
export const maxExact = 1000
const width = Math.log(1.02)

/** A value among others: what it is compared by, and the value itself as it came. */
interface RankedValue {
  readonly by: number | ExactNumber
  readonly value: unknown
}

/** The 95th percentile: exact of few values, within one percent of many. */
class Percentile {
  #values: (number | ExactNumber)[] | undefined = []
  /** By sign and power; zero has a bin of its own. */
  readonly #bins = new Map<number, { count: number; readonly value: number | ExactNumber }>()
  #count = 0

  get approximate(): boolean {
    return this.#values === undefined
  }

  add(value: number | ExactNumber): void {
    this.#count += 1
    if (this.#values === undefined) this.#bin(value)
    else if (this.#values.push(value) > maxExact) {
      for (const one of this.#values) this.#bin(one)
      this.#values = undefined
    }
  }

  /** The value that 95 of a hundred do not exceed. */
  value(): number | ExactNumber | null {
    if (this.#count === 0) return null
    const rank = Math.ceil(0.95 * this.#count)
    if (this.#values !== undefined) return this.#values.sort(compareNumbers)[rank - 1] ?? null
    let seen = 0
    const bins = [...this.#bins.values()].sort((a, b) => compareNumbers(a.value, b.value))
    for (const { count, value } of bins) {
      seen += count
      if (seen >= rank) return value
    }
    return null
  }

  #bin(value: number | ExactNumber): void {
    const sign = compareNumbers(value, 0)
    const power = sign === 0 ? 0 : Math.floor(computeLogarithm(value) / width)
    const key = sign === 0 ? 0 : Math.sign(sign) * (power + 1e6)
    const found = this.#bins.get(key)
    if (found !== undefined) found.count += 1
    else this.#bins.set(key, { count: 1, value: sign === 0 ? 0 : getBinMiddle(power, sign, value) })
  }
}

/**
 * Returns the middle of a bin, which is within one percent of all that is in it. Beyond what JavaScript can say, one of
 * its values stands for it.
 */
const getBinMiddle = (
  power: number,
  sign: number,
  value: number | ExactNumber,
): number | ExactNumber => {
  const middle = Math.exp((power + 0.5) * width)
  return Number.isFinite(middle) && middle !== 0 ? Math.sign(sign) * middle : value
}

/** Converts a value to a number that can be computed with, or a time for the least and the most; undefined for anything else. */
const toComparable = (value: unknown, times: boolean): number | ExactNumber | undefined => {
  if (isSummable(value)) return value
  return times && typeof value === 'string' && isMoment(value) ? Date.parse(value) : undefined
}

/** The result of one function for a field in one group. */
export class Total {
  readonly #name: Name
  readonly percentile: Percentile | undefined
  #count = 0
  readonly #sum = new ExactSum()
  #extreme: RankedValue | undefined

  constructor(name: Name) {
    this.#name = name
    this.percentile = name === 'p95' ? new Percentile() : undefined
  }

  /** @returns false for what is no number */
  add(value: unknown): boolean {
    const by = toComparable(value, this.#name === 'min' || this.#name === 'max')
    if (by === undefined) return false
    this.#count += 1
    if (this.#name === 'sum' || this.#name === 'avg') this.#sum.add(by)
    else if (this.percentile !== undefined) this.percentile.add(by)
    else if (this.#isMore(by)) this.#extreme = { by, value }
    return true
  }

  value(): unknown {
    if (this.percentile !== undefined) return this.percentile.value()
    if (this.#name === 'sum') return this.#sum.value()
    if (this.#name === 'avg') return this.#count === 0 ? null : this.#sum.average(this.#count)
    return this.#extreme?.value ?? null
  }

  #isMore(by: number | ExactNumber): boolean {
    if (this.#extreme === undefined) return true
    const order = compareNumbers(by, this.#extreme.by)
    return this.#name === 'min' ? order < 0 : order > 0
  }
}
