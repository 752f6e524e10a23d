/** `--rate`: how many requests a second, or a minute, there may be at most. */
import { usage } from '../../errors.js'

/** Requests a millisecond. */
export type Rate = number

const units: Readonly<Record<string, number>> = { s: 1000, min: 60_000 }

/**
 * `100/s`, `0.5/s`, `600/min`.
 * @throws Failure `usage`
 */
export const parseRate = (text: string): Rate => {
  const [, count, unit] = /^\s*(\d+(?:\.\d+)?)\s*\/\s*(s|min)\s*$/.exec(text) ?? []
  const span = units[unit ?? '']
  if (span === undefined || !(Number(count) > 0))
    throw usage(`a rate is ${JSON.stringify(text)}, which is none`, 'Give it as 100/s or 600/min.')
  return Number(count) / span
}

/** The stricter of what a flag and a profile say. */
export const stricter = (one?: Rate, other?: Rate): Rate | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
