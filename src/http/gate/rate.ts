/** `--rate`: how many requests a second, or a minute, there may be at most. */
import { usage } from '../../errors.js'

/** Requests a millisecond. */
export type Rate = number

const units: Readonly<Record<string, number>> = { s: 1000, min: 60_000 }

/** So many requests in so many milliseconds. */
export interface Allowance {
  readonly requests: number
  readonly span: number
}

/**
 * `100/s`, `0.5/s`, `600/min`, each with the span that it names.
 * @throws Failure `usage`
 */
const parseAllowance = (text: string): Allowance => {
  const [, count, unit] = /^\s*(\d+(?:\.\d+)?)\s*\/\s*(s|min)\s*$/.exec(text) ?? []
  const span = units[unit ?? '']
  if (span === undefined || !(Number(count) > 0))
    throw usage(`${JSON.stringify(text)} is not a valid rate`, 'Use a form like 100/s or 600/min.')
  return { requests: Number(count), span }
}

/** The same in whole requests, at least one, over a span as much longer or shorter. */
export const wholeAllowance = (text: string): Allowance => {
  const { requests, span } = parseAllowance(text)
  const whole = Math.max(1, Math.floor(requests))
  return { requests: whole, span: (span * whole) / requests }
}

/**
 * The same as requests a millisecond.
 * @throws Failure `usage`
 */
export const parseRate = (text: string): Rate => {
  const { requests, span } = parseAllowance(text)
  return requests / span
}

/** The stricter of what a flag and a profile say. */
export const stricter = (one?: Rate, other?: Rate): Rate | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
