/** Parses durations in words, with the same rules for settings, CI configurations and the embedded instance. */

import { secondsPerDay } from './dates.js'

/** Maps the words for each unit to its seconds. */
const units = new Map(
  (
    [
      ['s sec secs second seconds', 1],
      ['m min mins minute minutes', 60],
      ['h hr hrs hour hours', 3600],
      ['d day days', secondsPerDay],
      ['w wk wks week weeks', 7 * secondsPerDay],
      ['mo mos month months mth mths', 30 * secondsPerDay],
      ['y yr yrs year years', 365.25 * secondsPerDay],
    ] as const
  ).flatMap(([words, seconds]) => words.split(' ').map((word) => [word, seconds] as const)),
)
const numbers = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')
const part = new RegExp(
  `\\s*(\\d+(?:\\.\\d+)?|(?:${numbers.join('|')})\\b)\\s*([a-z]*)\\s*(?:,|and\\b)?\\s*`,
  'iy',
)
/** The longest text that is read. */
const longest = 200

const getCount = (number: string): number =>
  /\d/.test(number) ? Number(number) : numbers.indexOf(number.toLowerCase())

/**
 * Parses a duration as instances do, into seconds: `1h 30m`, `2 weeks and 3 days`, `one week`, `1:30`. A month counts as thirty days.
 * Returns undefined for any other text.
 */
export const parseWordDuration = (text: string): number | undefined => {
  const given = text.trim()
  if (given === '' || given.length > longest) return undefined
  if (/^\d+(?::\d+){1,3}$/.test(given))
    return given.split(':').reduce((sum, one) => sum * 60 + Number(one), 0)
  let seconds = 0
  part.lastIndex = 0
  while (part.lastIndex < given.length) {
    const match = part.exec(given)
    const unit = (match?.[2] ?? '').toLowerCase()
    const factor = unit === '' ? 1 : units.get(unit)
    if (match === null || factor === undefined) return undefined
    seconds += getCount(match[1] ?? '') * factor
  }
  return seconds
}
