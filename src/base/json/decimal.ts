/**
 * Compares, adds and divides decimal numbers exactly. JavaScript rounds above 2^53, does not add 0.1 and 0.2 to 0.3, and has no numbers
 * above 1.8e308.
 */
import { ExactNumber, isNumber } from './json.js'

/** Matches the text of a number. */
export const numberPattern = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/

const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** A number as its digits, without zeros at either end, and the power of ten of its last digit. Zero has no digits. */
interface DecimalNumber {
  readonly negative: boolean
  readonly digits: string
  readonly exponent: number
}

const parseDecimal = (text: string): DecimalNumber => {
  const [, sign, whole = '', fraction = '', exponent = '0'] = parts.exec(text) ?? []
  const all = `${whole}${fraction}`
  let [start, end] = [0, all.length]
  while (all[start] === '0') start += 1
  while (end > start && all[end - 1] === '0') end -= 1
  return {
    negative: sign === '-' && end > start,
    digits: all.slice(start, end),
    exponent: Number(exponent) - fraction.length + all.length - end,
  }
}

/** Compares numbers without their signs: by the power of ten of the first digit, then digit by digit. */
const compareSizes = (a: DecimalNumber, b: DecimalNumber): number => {
  const empty = Number(a.digits !== '') - Number(b.digits !== '')
  if (empty !== 0 || a.digits === '') return empty
  const powers = a.exponent + a.digits.length - (b.exponent + b.digits.length)
  if (powers !== 0) return powers
  return a.digits < b.digits ? -1 : Number(a.digits > b.digits)
}

/** A number of JSON, or the text of one. */
export type ComparedNumber = number | ExactNumber | string

/** Compares numbers by their exact values. @returns a negative number if the first is less than the second */
export const compareNumbers = (a: ComparedNumber, b: ComparedNumber): number => {
  const [left, right] = [Number(a), Number(b)]
  // Rounding keeps the order of numbers: if the rounded values differ, so do the exact ones, in the same way.
  if (left !== right) return left < right ? -1 : 1
  if (Number.isSafeInteger(left) && typeof a === 'number' && typeof b === 'number') return 0
  const [first, second] = [parseDecimal(String(a)), parseDecimal(String(b))]
  if (first.negative !== second.negative) return first.negative ? -1 : 1
  const order = compareSizes(first, second)
  return first.negative ? -order : order
}

/** The number of zeros before or after the digits above which a number is written with an exponent, as in JavaScript. */
const maxZeros = 20

const formatDecimal = ({ negative, digits, exponent }: DecimalNumber): string => {
  if (digits === '') return '0'
  const sign = negative ? '-' : ''
  const point = digits.length + exponent
  if (Math.max(exponent, -point) > maxZeros) return `${sign}${digits}e${exponent}`
  if (exponent >= 0) return `${sign}${digits}${'0'.repeat(exponent)}`
  if (point > 0) return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
  return `${sign}0.${'0'.repeat(-point)}${digits}`
}

/** Returns the text that all spellings of a number share: `1`, `1.0` and `10e-1` are equal. */
export const toCanonicalNumber = (value: ComparedNumber): string =>
  formatDecimal(parseDecimal(String(value)))

/** Converts a text to a number. If JavaScript would print it differently, the text is kept. */
const toNumber = (text: string): number | ExactNumber =>
  String(Number(text)) === text ? Number(text) : new ExactNumber(text)

/** Returns the natural logarithm of a number without its sign, even if it is too large or too small for JavaScript. */
export const computeLogarithm = (value: number | ExactNumber): number => {
  const { digits, exponent } = parseDecimal(String(value))
  const leading = digits.slice(0, 15)
  return Math.log(Number(leading)) + (exponent + digits.length - leading.length) * Math.LN10
}

/** The maximum number of digits before or after the point of a number that is added. */
const maxDigits = 10_000

/** True if a value is a number that can be added exactly. */
export const isSummable = (value: unknown): value is number | ExactNumber => {
  if (!isNumber(value)) return false
  if (Number.isSafeInteger(value)) return true
  const { digits, exponent } = parseDecimal(String(value))
  return Math.abs(exponent) + digits.length <= maxDigits
}

/** The number of significant digits of an average that does not end. */
const significantDigits = 20

const toDecimal = (digits: bigint, exponent: number): DecimalNumber =>
  parseDecimal(`${digits}e${exponent}`)

/** An exact sum of numbers. */
export class ExactSum {
  /** The sum of whole numbers, as long as JavaScript can add them exactly. */
  #whole = 0
  /** The sum of all other numbers: these digits times this power of ten. */
  #digits = 0n
  #exponent = 0

  /** @param value one that `isSummable` */
  add(value: number | ExactNumber): void {
    const whole = typeof value === 'number' ? this.#whole + value : Number.NaN
    if (Number.isSafeInteger(value) && Number.isSafeInteger(whole)) this.#whole = whole
    else this.#add(parseDecimal(String(value)))
  }

  value(): number | ExactNumber {
    const [digits, exponent] = this.#total()
    return toNumber(formatDecimal(toDecimal(digits, exponent)))
  }

  /** The sum divided by a count: exact if it ends, otherwise rounded as JavaScript does, or to 20 digits past 2^53. */
  average(count: number): number | ExactNumber {
    const [digits, exponent] = this.#total()
    // Within this number of digits, a division by the twos and fives of the count ends.
    const scale = Math.max(0, Math.ceil(Math.log2(count))) + significantDigits
    const [shifted, by] = [digits * 10n ** BigInt(scale), BigInt(count)]
    if (shifted % by === 0n)
      return toNumber(formatDecimal(toDecimal(shifted / by, exponent - scale)))
    const { length } = String(shifted / by).replace('-', '')
    const extra = Math.max(0, length - significantDigits)
    const divisor = by * 10n ** BigInt(extra)
    const half = shifted < 0n ? -divisor / 2n : divisor / 2n
    const text = formatDecimal(toDecimal((shifted + half) / divisor, exponent - scale + extra))
    const rounded = Number(text)
    return Math.abs(rounded) <= Number.MAX_SAFE_INTEGER ? rounded : toNumber(text)
  }

  #add({ negative, digits, exponent }: DecimalNumber): void {
    if (digits === '') return
    const lower = Math.min(exponent, this.#exponent)
    const added = BigInt(digits) * 10n ** BigInt(exponent - lower)
    this.#digits *= 10n ** BigInt(this.#exponent - lower)
    this.#digits += negative ? -added : added
    this.#exponent = lower
  }

  #total(): readonly [digits: bigint, exponent: number] {
    const whole = BigInt(this.#whole) * 10n ** BigInt(Math.max(0, -this.#exponent))
    // The exponent is never above zero, since it begins there and only decreases.
    return [this.#digits + whole, this.#exponent]
  }
}
