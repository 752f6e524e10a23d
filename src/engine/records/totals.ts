/** Computes the sum, average, minimum, maximum and 95th percentile of the values of a group. */
import { compareNumbers, computeLogarithm, ExactSum, isSummable } from '../../base/json/decimal.js'
import type { ExactNumber } from '../../base/json/json.js'
import { parseTimeValue } from '../where/index.js'

export const totalFunctions = ['sum', 'avg', 'min', 'max', 'p95'] as const
type Name = (typeof totalFunctions)[number]

/**
 * The number of values that a percentile stores exactly. Further values are counted in bins that are two percent wide.
 */
export const maxExact = 1000
const binWidth = Math.log(1.02)

/** A value, with the number by which it is compared. */
interface RankedValue {
  readonly by: number | ExactNumber
  readonly value: unknown
}

/** Computes the 95th percentile: exactly for few values, within one percent for many. */
class Percentile {
  #values: (number | ExactNumber)[] | undefined = []
  /** The bins by sign and power; zero has its own. */
  readonly #bins = new Map<number, { count: number; readonly value: number | ExactNumber }>()
  #count = 0

  get approximate(): boolean {
    return this.#values === undefined
  }

  add(value: number | ExactNumber): void {
    this.#count += 1
    if (this.#values === undefined) this.#addToBin(value)
    else if (this.#values.push(value) > maxExact) {
      for (const one of this.#values) this.#addToBin(one)
      this.#values = undefined
    }
  }

  /** Returns the value that 95 percent of the values do not exceed. */
  compute(): number | ExactNumber | null {
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

  #addToBin(value: number | ExactNumber): void {
    const sign = compareNumbers(value, 0)
    const power = sign === 0 ? 0 : Math.floor(computeLogarithm(value) / binWidth)
    const key = sign === 0 ? 0 : Math.sign(sign) * (power + 1e6)
    const found = this.#bins.get(key)
    if (found !== undefined) found.count += 1
    else this.#bins.set(key, { count: 1, value: sign === 0 ? 0 : getBinMiddle(power, sign, value) })
  }
}

/**
 * Returns the middle of a bin, which is within one percent of all its values. If JavaScript cannot represent it, one of
 * the values is used.
 */
const getBinMiddle = (
  power: number,
  sign: number,
  value: number | ExactNumber,
): number | ExactNumber => {
  const middle = Math.exp((power + 0.5) * binWidth)
  return Number.isFinite(middle) && middle !== 0 ? Math.sign(sign) * middle : value
}

/** Converts a value to a number, or a time to its milliseconds for minimum and maximum; undefined for anything else. */
const toComparable = (value: unknown, times: boolean): number | ExactNumber | undefined => {
  if (isSummable(value)) return value
  return times ? parseTimeValue(value) : undefined
}

/** Computes one function of a field for one group. */
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

  /**
   * Adds a value.
   * @returns false if it is no number
   */
  add(value: unknown): boolean {
    const by = toComparable(value, this.#name === 'min' || this.#name === 'max')
    if (by === undefined) return false
    this.#count += 1
    if (this.#name === 'sum' || this.#name === 'avg') this.#sum.add(by)
    else if (this.percentile !== undefined) this.percentile.add(by)
    else if (this.#isExtreme(by)) this.#extreme = { by, value }
    return true
  }

  compute(): unknown {
    if (this.percentile !== undefined) return this.percentile.compute()
    if (this.#name === 'sum') return this.#sum.value()
    if (this.#name === 'avg') return this.#count === 0 ? null : this.#sum.average(this.#count)
    return this.#extreme?.value ?? null
  }

  #isExtreme(by: number | ExactNumber): boolean {
    if (this.#extreme === undefined) return true
    const order = compareNumbers(by, this.#extreme.by)
    return this.#name === 'min' ? order < 0 : order > 0
  }
}
